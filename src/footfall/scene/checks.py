"""Errors about a scene, also where the checks are those of robots and shapes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from footfall.errors import DescriptionError, SceneError
from footfall.robot.values import Subject


@contextmanager
def scene_errors(subject: Subject) -> Iterator[None]:
    """Errors raised inside are errors of the scene, about `subject`."""
    try:
        yield
    except DescriptionError as error:
        if isinstance(error, SceneError) and error.subject == subject:
            raise
        named = error.subject if error.subject not in (None, subject) else None
        detail = f"{named[0]}: {error.message}" if named else error.message
        raise SceneError(detail, subject=subject, source=error.source, line=error.line) from error
