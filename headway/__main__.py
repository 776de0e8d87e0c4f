"""``python -m headway`` is ``headway``."""

from headway.cli.main import main

main()
