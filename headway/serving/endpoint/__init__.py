"""The endpoint: OpenAI's protocol over HTTP, in front of llama.cpp."""

from headway.serving.endpoint.listening import DEFAULT_HOST, DEFAULT_PORT, Listening, listen
from headway.serving.endpoint.rules import Rules
from headway.serving.endpoint.running import serve

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "Listening", "Rules", "listen", "serve"]
