"""``python -m headway`` is ``headway``."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells have it."""


def main() -> None:
    """Run the command line; Ctrl-C while its modules are still being imported is no accident either."""
    try:
        from headway.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        from headway.i18n import current_translator

        sys.stderr.write(current_translator().text("cli-stopped") + "\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
