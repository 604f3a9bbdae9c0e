"""What all errors share.

The rules: an error derives from `FootfallError` and from the built-in error of its kind (`ValueError` for input
without meaning, `ArithmeticError` for a computation without result, `OSError` for files, `RuntimeError` for a wrong
moment). It is named after what is wrong. Its message names the element, the value, and what would be right; what a
program may want to know stands in attributes. It is raised before anything is computed or written, if that can be.
Warnings derive from `FootfallWarning`. Each error and warning stands once, in this package.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LISTED = 24  # names an error lists before it only counts the rest
_COMPARED = (1000, 100)  # names, and characters of each, that are looked at for close ones: it takes long
_LONGEST = 3000  # characters of a message: files may have names of any length


class FootfallError(Exception):
    """Base of all errors raised by footfall."""

    def __str__(self) -> str:
        return shortened(super().__str__())


class FootfallWarning(UserWarning):
    """Base of all warnings of footfall."""


class UnknownName(FootfallError, KeyError):
    """A name that does not exist; the message lists those that do, close ones first.

    kind: what was looked for ("frame", "joint", ...). owner: where ("robot 'talos'").
    """

    def __init__(self, kind: str, name: str, available: Iterable[str], owner: str = "") -> None:
        self.kind = kind
        self.name = name
        self.available = tuple(available)
        self.owner = owner
        super().__init__(kind, name, self.available, owner)

    def __str__(self) -> str:
        place = f" in {self.owner}" if self.owner else ""
        name, close = shortened(repr(self.name)), listed(self.name, self.available)
        return f"no {self.kind} {name}{shortened(place)}; there are: {shortened(close)}"


class DescriptionError(FootfallError, ValueError):
    """Something described that cannot be: names the element, the value and what would be right.

    subject: kind and name of the element, ("joint", "knee"). source and line: the place in the description,
    where there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        subject: tuple[str, str] | None = None,
        source: str | None = None,
        line: int | None = None,
    ) -> None:
        self.message = message
        self.subject = subject
        self.source = source
        self.line = line
        super().__init__(message)

    def __str__(self) -> str:
        place = "".join(f"{part}:" for part in (self.source, self.line) if part is not None)
        element = f"{self.subject[0]} {self.subject[1]!r}: " if self.subject else ""
        return shortened(f"{place} {element}{self.message}" if place else f"{element}{self.message}")


class MissingPackage(FootfallError, ImportError):
    """An optional package that is not installed."""


class MissingFile(FootfallError, FileNotFoundError):
    """A file that is not there."""


class ExistingFile(FootfallError, FileExistsError):
    """A file that would be overwritten."""


class CannotWrite(FootfallError, OSError):
    """A folder that nothing can be written into."""


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text without its middle, if it is long."""
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 4 :]}"


def listed(name: str, available: Iterable[str]) -> str:
    """The available names as text, those close to `name` (in any case) first, long lists cut."""
    count, length = _COMPARED
    names = {other: other[:length].casefold() for other in available}
    known = list(names.values())[:count]
    close = difflib.get_close_matches(str(name)[:length].casefold(), known, n=5, cutoff=0.5)
    ordered = sorted(
        names, key=lambda other: close.index(names[other]) if names[other] in close else len(close)
    )
    if not ordered:
        return "none"
    rest = len(ordered) - _LISTED
    return ", ".join(ordered[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
