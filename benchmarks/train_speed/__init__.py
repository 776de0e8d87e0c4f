"""Training tokens per second beside other trainers; see ``__main__``."""
