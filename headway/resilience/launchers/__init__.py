"""Launchers: how the processes of a run are started."""
