"""Engines: PyTorch, JAX and TensorFlow behind one small contract."""
