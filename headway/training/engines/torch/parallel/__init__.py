"""A model over many devices: processes and meshes, divided matrices, divided states, and stages of layers."""
