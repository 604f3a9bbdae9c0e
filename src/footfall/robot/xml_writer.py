"""XML text out of nested nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from footfall.errors import UnsupportedFeature

_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class Node:
    """An element to be written: numbers and sequences of numbers are attributes with all their digits."""

    tag: str
    attributes: dict[str, str | float | Iterable[float]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def add(self, tag: str, **attributes: str | float | Iterable[float] | None) -> Node:
        """A new child; attributes that are None are left out."""
        given = {name: value for name, value in attributes.items() if value is not None}
        node = Node(tag, given)
        self.children.append(node)
        return node

    def text(self) -> str:
        """The XML document."""
        lines = ['<?xml version="1.0"?>']
        # A stack: chains of bodies nest deeper than Python.
        pending: list[tuple[Node | str, int]] = [(self, 0)]
        while pending:
            node, depth = pending.pop()
            indent = "  " * min(depth, 40)
            if isinstance(node, str):
                lines.append(f"{indent}</{node}>")
                continue
            attributes = "".join(f" {name}={_quoted(value)}" for name, value in node.attributes.items())
            lines.append(f"{indent}<{node.tag}{attributes}{'' if node.children else '/'}>")
            if node.children:
                pending.append((node.tag, depth))
                pending.extend((child, depth + 1) for child in reversed(node.children))
        return "\n".join(lines) + "\n"


def _quoted(value: str | float | Iterable[float]) -> str:
    if not isinstance(value, str):
        numbers = value if isinstance(value, Iterable) else (value,)
        value = " ".join(_number(float(number)) for number in numbers)
    if _NOT_IN_XML.search(value):
        raise UnsupportedFeature(f"{value!r} has characters that XML cannot hold")
    return quoteattr(value)


def _number(value: float) -> str:
    text = repr(value + 0.0)  # no negative zeros
    return text.removesuffix(".0")
