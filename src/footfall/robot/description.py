"""What the readers share: bounded reading of a file, and errors that say where in it.

Joints that move nothing, such as those of fingers without mass, get the least inertia with which they can be simulated.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import DescriptionError, LoopError, RobotError
from footfall.robot.model import Robot
from footfall.robot.validation import check_physics, idle_joints, warn_of
from footfall.robot.values import Subject
from footfall.whole_file import open_file

_SHARE = 1e-6  # of the robot's own inertia: too little to be seen, enough for a regular mass matrix


def with_least_inertia(robot: Robot) -> tuple[Robot, list[RobotError]]:
    """The robot with an armature on each joint that moves nothing, and what to say about it.

    Until none is left: a joint may move nothing but joints that were given one.
    """
    changed: list[str] = []
    size = max((float(np.linalg.norm(joint.placement.translation)) for joint in robot.joints), default=0.0)
    turning = max(_SHARE * robot.mass * max(size, 0.1) ** 2, 1e-9)  # kg m2
    sliding = max(_SHARE * robot.mass, 1e-9)  # kg
    while idle := set(idle_joints(robot)):
        joints = tuple(
            replace(joint, armature=turning if joint.type.turns else sliding) if joint.name in idle else joint
            for joint in robot.joints
        )
        robot = replace(robot, joints=joints)
        changed += [joint.name for joint in joints if joint.name in idle]
    if not changed:
        return robot, []
    shown = ", ".join(changed[:6]) + (f" and {len(changed) - 6} more" if len(changed) > 6 else "")
    message = (
        f"{len(changed)} joints move bodies without inertia ({shown}); "
        f"each gets the least armature, {turning:.2g} kg m2"
    )
    return robot, [RobotError(message, subject=("joint", changed[0]))]


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
