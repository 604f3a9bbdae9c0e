"""Every error that footfall raises on purpose, and its warnings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LISTED = 24  # names an error lists before it only counts the rest


class FootfallError(Exception):
    """Base of all errors raised by footfall."""


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


class RobotError(DescriptionError):
    """A robot that cannot be."""


class SceneError(DescriptionError):
    """A scene that cannot be, or whose file cannot be read."""


class GeometryError(DescriptionError):
    """A mesh, height map or other shape that cannot be, or whose file cannot be read."""


class DuplicateName(RobotError):
    """Two elements of a robot have the same name."""


class UnknownReference(RobotError):
    """An element of a robot refers to another one that does not exist."""


class BrokenTree(RobotError):
    """Bodies and joints do not form a tree that hangs on the world."""


class InvalidValue(RobotError):
    """A number or vector of a robot that has no meaning: not finite, negative, of the wrong length."""


class ImpossibleInertia(RobotError):
    """An inertia that no distribution of mass has."""


class MissingInertia(RobotError):
    """A joint that moves nothing with mass, which makes the mass matrix singular."""


class LoopError(RobotError):
    """A kinematic loop that cannot be."""


class RedundantLoop(LoopError):
    """A loop whose equations say what the tree or other loops say already."""


class LockedLoop(LoopError):
    """Loops that leave nothing to move, or whose dependent joints cannot follow."""


class LoopClosureError(LoopError):
    """A loop that does not close. residual: m or rad, of the nearest configuration that was found."""

    def __init__(self, message: str, *, subject: tuple[str, str] | None = None, residual: float) -> None:
        super().__init__(message, subject=subject)
        self.residual = residual


class InvalidDescription(RobotError):
    """A robot description that cannot be read: its syntax, an element or an attribute is wrong."""


class UnsafeDescription(InvalidDescription):
    """A robot description that is refused: too large, too deep or with entity declarations."""


class UnsupportedFeature(RobotError):
    """Something that a format or a conversion cannot express."""


class MissingPackage(FootfallError, ImportError):
    """An optional package that is not installed."""


class MissingFile(FootfallError, FileNotFoundError):
    """A file that is not there."""


class RobotWarning(UserWarning):
    """A robot that loads but is suspicious."""


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
