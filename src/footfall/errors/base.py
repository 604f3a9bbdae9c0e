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


class FootfallError(Exception):
    """Base of all errors raised by footfall."""


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
        return f"no {self.kind} {self.name!r}{place}; there are: {listed(self.name, self.available)}"


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
        return f"{place} {element}{self.message}" if place else f"{element}{self.message}"


class MissingPackage(FootfallError, ImportError):
    """An optional package that is not installed."""


class MissingFile(FootfallError, FileNotFoundError):
    """A file that is not there."""


class ExistingFile(FootfallError, FileExistsError):
    """A file that would be overwritten."""


class CannotWrite(FootfallError, OSError):
    """A folder that nothing can be written into."""


def listed(name: str, available: Iterable[str]) -> str:
    """The available names as text, those close to `name` (in any case) first, long lists cut."""
    names = {other: other.casefold() for other in available}
    close = difflib.get_close_matches(str(name).casefold(), list(names.values()), n=5, cutoff=0.5)
    ordered = sorted(
        names, key=lambda other: close.index(names[other]) if names[other] in close else len(close)
    )
    if not ordered:
        return "none"
    rest = len(ordered) - _LISTED
    return ", ".join(ordered[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
