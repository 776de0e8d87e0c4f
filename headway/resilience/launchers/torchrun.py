"""The workers of this machine started by torchrun, whose own restarts are left alone.

After a kill, torchrun's restart met stale addresses of the processes before in some of the cases that were tried, and
hung in others. Our supervisor ends torchrun and starts it anew, with another rendezvous.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def torchrun_command(processes: int, program: Sequence[str]) -> list[str]:
    """Return the command that starts processes on this machine.

    Args:
        processes: how many.
        program: what each of them runs, behind ``python``.
    """
    return [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--max-restarts", "0"),
        *("--nproc-per-node", str(processes), *program),
    ]
