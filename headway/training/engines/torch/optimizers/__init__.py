"""The optimizers of the PyTorch engine, and the states that they keep of each weight."""
