"""What can go wrong when functions are traced, translated and compiled, and when their code is called."""

from __future__ import annotations

from footfall.errors.base import FootfallError


class TraceError(FootfallError, TypeError):
    """A function does something that cannot be traced; the message names the place and what to use instead."""


class RoutineError(FootfallError, TypeError):
    """A routine does something that cannot be translated, or was called with something that it cannot take.

    located: whether the message says where.
    """

    def __init__(self, message: str, *, located: bool = False) -> None:
        super().__init__(message)
        self.located = located


class RoutineFailed(FootfallError, RuntimeError):
    """A routine could not go on: an index outside of its array, found while indices are checked."""


class KernelInputError(FootfallError, ValueError):
    """A kernel was called with an array of the wrong type, shape or content."""
