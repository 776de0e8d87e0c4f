"""A conversation with a model behind OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from headway.serving.client import Client


@final
class Conversation:
    """What was said so far, and the next answer.

    Args:
        client: of the server.
        system: how the model is to be; None leaves that to its template.
        max_tokens: of an answer.
        temperature: divides the logits; 0 takes the most likely token.
    """

    def __init__(self, client: Client, *, system: str | None, max_tokens: int, temperature: float) -> None:
        self._client = client
        self._settings = {"max_tokens": max_tokens, "temperature": temperature}
        self._first = [] if system is None else [{"role": "system", "content": system}]
        self.messages = list(self._first)

    def forget(self) -> None:
        """Begin again."""
        self.messages = list(self._first)

    def ask(self, text: str) -> Iterator[str]:
        """Yield pieces of the answer; what was said is kept, also of an answer that is stopped.

        Raises:
            ServingError: the server does not answer; the question is taken back then.
        """
        self.messages.append({"role": "user", "content": text})
        said: list[str] = []
        try:
            for piece in self._client.stream("/v1/chat/completions", {**self._settings, "messages": self.messages}):
                for choice in piece.get("choices", [])[:1]:
                    content = choice.get("delta", {}).get("content")
                    if content:
                        said.append(content)
                        yield content
        finally:
            if said:
                self.messages.append({"role": "assistant", "content": "".join(said)})
            else:
                self.messages.pop()
