"""XML as a tree of elements that know their lines, read without trust in who wrote it.

Entity declarations are refused (they can blow up a few bytes into gigabytes), and so are files that are
larger, deeper or have more elements than any robot description.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from footfall.errors import RobotError
from footfall.robot.description import check_size, read_bytes

_SIZE_LIMIT = 16 * 2**20  # bytes; the largest URDF of example-robot-data has 0.2 MB
_DEPTH_LIMIT = 2_000
ELEMENT_LIMIT = 100_000


@dataclass(slots=True)
class Element:
    """An element: its attributes, children, the text in it (which only SDF gives a meaning), its line and file."""

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        """The children of that tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child of that tag."""
        return next(self.all(tag), None)

    def need(self, tag: str) -> Element:
        """The first child of that tag; it is an error if there is none."""
        child = self.first(tag)
        if child is None:
            raise self.error(f"<{self.tag}>{self._named()} lacks <{tag}>")
        return child

    def string(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"<{self.tag}>{self._named()} lacks attribute {name!r}")
        return self.attributes[name]

    def number(self, name: str, default: float | None = None, *, infinite: bool = False) -> float:
        """A number in an attribute; it must be there unless there is a default."""
        if name not in self.attributes and default is not None:
            return default
        return parse_numbers(self.string(name), 1, self, name, infinite=infinite)[0]

    def vector(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Numbers in an attribute, separated by blanks; it must be there unless there is a default."""
        if name not in self.attributes and default is not None:
            return default
        return parse_numbers(self.string(name), count, self, name)

    def error(self, message: str) -> RobotError:
        """An error about this element."""
        return RobotError(message, source=self.source, line=self.line)

    def _named(self) -> str:
        return f" {self.attributes['name']!r}" if "name" in self.attributes else ""


def parse_numbers(
    text: str, count: int, element: Element, what: str, *, infinite: bool = False
) -> tuple[float, ...]:
    """`count` numbers separated by blanks; not NaN, and finite unless `infinite`."""
    try:
        numbers = tuple(float(word) for word in text.split(maxsplit=count))
    except ValueError:
        numbers = ()
    allowed = all(math.isfinite(number) or (infinite and not math.isnan(number)) for number in numbers)
    if len(numbers) != count or not allowed:
        shown = text if len(text) < 80 else text[:77] + "..."
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        raise element.error(f"{what!r} of <{element.tag}> is {shown!r}; it must be {expected}")
    return numbers


def read_xml(path: Path) -> Element:
    """Root element of an XML file."""
    return parse_xml(read_bytes(path, limit=_SIZE_LIMIT), source=str(path))


def parse_xml(content: str | bytes, *, source: str = "<text>") -> Element:
    """Root element of XML text; `source` names it in errors."""
    check_size(len(content), limit=_SIZE_LIMIT, source=source)
    builder = _TreeBuilder(source)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise RobotError(
            f"no well-formed XML: {expat.ErrorString(error.code)} in column {error.offset}",
            source=source,
            line=error.lineno,
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError(f"no readable text: {error}", source=source) from None
    assert builder.root is not None
    return builder.root


def xml_text(root: Element) -> str:
    """A tree as XML, its elements on the lines that they were read from as far as they come from one file."""
    parts: list[str] = []
    line = 1
    pending: list[Element | str] = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            parts.append(each)
            continue
        if each.source == root.source and each.line > line:
            parts.append("\n" * (each.line - line))
            line = each.line
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in each.attributes.items())
        parts.append(f"<{each.tag}{attributes}>")
        pending.append(f"</{each.tag}>")
        pending.extend(reversed(each.children))
    return "".join(parts)


class _TreeBuilder:
    """Collects elements while expat reads."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_declarations

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self.source)
        self.count += 1
        if len(self.open) >= _DEPTH_LIMIT:
            raise self._refused(f"nested deeper than {_DEPTH_LIMIT} elements")
        if self.count > ELEMENT_LIMIT:
            raise self._refused(f"more than {ELEMENT_LIMIT} elements")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        if self.open and not text.isspace():
            self.open[-1].text += text

    def _refuse_declarations(self, *_: object) -> None:
        raise self._refused("has a document type or entity declaration (<!DOCTYPE ...>); remove it")

    def _refused(self, message: str) -> RobotError:
        return RobotError(message, source=self.source, line=self.parser.CurrentLineNumber)
