"""What a run survives: kills at random instants, and hangs."""
