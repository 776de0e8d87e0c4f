"""A trained model in service: written as GGUF, run by llama.cpp on this machine's processor, asked over HTTP."""
