"""Jinja as chat templates speak it: Hugging Face's dialect, in a sandbox.

Source: ``transformers.utils.chat_template_utils`` (v5.24): trimmed blocks, loop controls, ``{% generation %}``,
``raise_exception`` and a ``tojson`` that escapes nothing. Leaves out: ``strftime_now``, since tokens must not depend on
the day; templates that ask whether it is there take a fixed date.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from jinja2 import Template, TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["TemplateError", "compiled"]


class _Generation(Extension):
    """Puts marks around what stands between ``{% generation %}`` and ``{% endgeneration %}``."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Take one block."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_marked"), [], [], body).set_lineno(line)

    def _marked(self, caller: Macro) -> str:
        start, end = self.environment.marks  # type: ignore[attr-defined]
        return f"{start}{caller()}{end}"


def compiled(source: str, marks: tuple[str, str]) -> Template:
    """Compile a template.

    Args:
        source: its text.
        marks: what to put before and after each answer that the template marks.

    Raises:
        TemplateError: the text is not a template.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.extend(marks=marks)
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    return environment.from_string(source)


def _to_json(value: Any, **options: Any) -> str:
    return json.dumps(value, **{"ensure_ascii": False, **options})


def _refuse(message: object) -> NoReturn:
    raise TemplateError(str(message))
