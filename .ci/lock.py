"""Turn a report of pip into requirements.lock: one exact version a line, for pip's option -c."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HEADER = """\
# Versions that resolve together, for every extra of Headway. Written by `make lock`; read by pip as constraints.
# Local builds (torch 2.13.0+cpu) satisfy the plain version; the CUDA libraries of a GPU build follow from torch.
"""


def main(report: Path) -> None:
    """Print the lock of a report of ``pip install --report``."""
    versions = {}
    for item in json.loads(report.read_bytes())["install"]:
        name = re.sub(r"[-_.]+", "-", item["metadata"]["name"]).lower()
        versions[name] = item["metadata"]["version"].partition("+")[0]
    del versions["headway"]
    sys.stdout.write(HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(versions.items())))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
