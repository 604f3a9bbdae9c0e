"""What the readers share: bounded reading of a file, and errors that say where in it."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footfall.errors import DescriptionError, LoopError, RobotError
from footfall.robot.least_inertia import with_least_inertia
from footfall.robot.model import Robot
from footfall.robot.validation import check_physics, warn_of
from footfall.robot.values import Subject
from footfall.whole_file import open_file

_BODY_LIMIT = 5_000


@dataclass(frozen=True)
class Source:
    """A description that is being read: its name (a path, mostly) and the lines of its elements."""

    name: str
    lines: dict[Subject, int] = field(default_factory=dict)

    def locate(self, error: DescriptionError) -> None:
        """Write into an error where its subject stands."""
        if error.source is None:
            error.source = self.name
        if error.line is None and error.subject is not None:
            error.line = self.lines.get(error.subject)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Errors raised inside say where their subject stands."""
        try:
            yield
        except DescriptionError as error:
            self.locate(error)
            raise

    def robot(
        self, *, strict: bool, foreign: bool, findings: Sequence[RobotError] = (), **fields: Any
    ) -> Robot:
        """The robot with these fields, checked; findings that are no errors are warned of."""
        with self.located():
            try:
                robot = Robot(**fields)
            except LoopError as error:
                if strict:
                    error.message += "; strict=False (--lenient) leaves all loops out"
                    raise
                findings = [*findings, error]
                robot = Robot(**{**fields, "loops": ()})
            if not strict:
                robot, given = with_least_inertia(robot)
                findings = [*findings, *given]
            findings = [*findings, *check_physics(robot, strict=strict, foreign=foreign)]
        for finding in findings:
            self.locate(finding)
        warn_of(findings, stacklevel=4)
        return robot


def free_name(wish: str, taken: Container[str]) -> str:
    """`wish`, with a number behind it if it is taken."""
    names = itertools.chain([wish], (f"{wish}_{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def read_bytes(path: Path, *, limit: int) -> bytes:
    """Content of a file of at most `limit` bytes."""
    with open_file(path) as file:
        content = file.read(limit + 1)
    check_size(len(content), limit=limit, source=str(path))
    return content


def check_bodies(count: int, *, source: str) -> None:
    """Refuse robots of more bodies than can be read in a few seconds."""
    if count > _BODY_LIMIT:
        raise RobotError(f"has {count} bodies; at most {_BODY_LIMIT} are read", source=source)


def check_size(size: int, *, limit: int, source: str) -> None:
    """Refuse descriptions of more than `limit` bytes."""
    if size > limit:
        message = f"larger than {limit / 2**20:g} MiB, the most that is read"
        raise RobotError(message, source=source)
