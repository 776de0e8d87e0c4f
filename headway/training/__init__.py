"""Training: the loop, the data, and the engines."""
