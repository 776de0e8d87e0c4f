"""How training scales over processes of this machine; see ``__main__``."""
