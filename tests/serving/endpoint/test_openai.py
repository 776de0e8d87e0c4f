"""The endpoint with the official client of OpenAI, and a real instruct model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.serving.served import Served

QUESTION: Any = [{"role": "user", "content": "What is 2 + 2?"}]


@pytest.fixture(scope="module")
def served(smollm2: Path, shared_cache: Path) -> Iterator[Served]:
    server = Served(smollm2, "--ctx", "768", "--parallel", "2", "--embeddings", HEADWAY_CACHE=str(shared_cache))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def client(served: Served) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=300)


def test_chat(client: openai.OpenAI) -> None:
    (model,) = client.models.list().data
    assert client.models.retrieve(model.id).id == model.id
    answer = client.chat.completions.create(model=model.id, messages=QUESTION, max_tokens=24, temperature=0)
    text = answer.choices[0].message.content or ""
    assert "4" in text
    assert answer.usage is not None
    assert answer.usage.completion_tokens <= 24
    pieces = client.chat.completions.create(
        model=model.id, messages=QUESTION, max_tokens=24, temperature=0, stream=True
    )
    streamed = [piece.choices[0].delta.content or "" for piece in pieces if piece.choices]
    assert len(streamed) > 3
    assert "".join(streamed) == text


def test_completions_and_embeddings(client: openai.OpenAI) -> None:
    done = client.completions.create(model="any", prompt="One, two, three,", max_tokens=8, temperature=0)
    assert "four" in done.choices[0].text
    asked = ["a small dog", "a little dog", "the price of steel"]
    first, second, third = (one.embedding for one in client.embeddings.create(model="any", input=asked).data)

    def likeness(one: list[float], other: list[float]) -> float:
        return sum(x * y for x, y in zip(one, other, strict=True))

    assert len(first) == 576
    assert likeness(first, second) > likeness(first, third)


def test_answers_that_follow_a_schema(client: openai.OpenAI) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 12}}, "required": ["city"]}
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}
    answer = client.chat.completions.create(
        model="any", messages=QUESTION, max_tokens=40, temperature=0, response_format=wanted
    )
    assert set(json.loads(answer.choices[0].message.content or "")) == {"city"}
    tools: Any = [{"type": "function", "function": {"name": "look_up", "parameters": schema}}]
    with pytest.raises(openai.BadRequestError, match="tools"):
        client.chat.completions.create(model="any", messages=QUESTION, max_tokens=60, tools=tools)
    with pytest.raises(openai.BadRequestError, match="tool_choice"):
        client.chat.completions.create(model="any", messages=QUESTION, max_tokens=60, tool_choice="required")


def test_errors_are_those_of_openai(client: openai.OpenAI) -> None:
    long: Any = [{"role": "user", "content": "word " * 2000}]
    with pytest.raises(openai.BadRequestError, match="context size"):
        client.chat.completions.create(model="any", messages=long, max_tokens=1)
    wrong: Any = "no list"
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="any", messages=wrong)
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("another")
