"""Changes to a robot's volumes, one after the other, that can be undone: what the modelling tool does."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.fitted_volumes import fit_volumes
from footfall.dynamics.volume_pairs import choose_volume_pairs
from footfall.errors import RobotError, UnknownName
from footfall.geometry.solid import Solid
from footfall.geometry.swept_cover import element_distances
from footfall.geometry.swept_coverage import Coverage, coverage, drafts_of
from footfall.geometry.swept_sphere import KINDS, SweptSphere, SweptVolume
from footfall.robot.model import Robot
from footfall.robot.volume_fitting import body_solid
from footfall.robot.volume_schema import save_volumes
from footfall.robot.volumes import BodyVolume

_MOST_STEPS = 200  # that can be undone


class VolumeEditor:
    """A robot whose volumes are changed. Elements are told by their number among those of a body.

    visuals: fit and coverage look at what is seen, not only at shapes for contact.
    """

    def __init__(self, robot: Robot, *, visuals: bool = False) -> None:
        self.robot, self.visuals = robot, visuals
        self._past: list[Robot] = []
        self._future: list[Robot] = []
        self._solids: dict[str, Solid | None] = {}

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies that have a shape or a volume."""
        named = {volume.body for volume in self.robot.volumes}
        return tuple(
            body.name for body in self.robot.bodies if body.name in named or body.collisions or body.visuals
        )

    def elements(self, body: str) -> tuple[SweptSphere, ...]:
        """All elements of a body, in its frame."""
        return tuple(
            each for volume in self.robot.volumes if volume.body == body for each in volume.shape.elements
        )

    def solid(self, body: str) -> Solid | None:
        """The shapes of a body, None without any; a broken mesh raises what is wrong with it."""
        if body not in self._solids:
            self._solids[body] = body_solid(self.robot.body(body), visuals=self.visuals)
        return self._solids[body]

    def coverage(self, body: str) -> Coverage | None:
        """How its volumes hold a body; None without volumes or shapes."""
        solid, elements = self.solid(body), self.elements(body)
        return None if solid is None or not elements else coverage(SweptVolume(elements), solid)

    def sticking_out(self, body: str, points: Array) -> Array:
        """How far points (n, 3) of a body stick out of its volumes (n,), m; infinite without volumes."""
        elements = self.elements(body)
        if not elements:
            return np.full(len(points), np.inf)
        points = np.ascontiguousarray(points, dtype=np.float64)
        return np.asarray(element_distances(drafts_of(SweptVolume(elements)), points).min(axis=0))

    def add(self, body: str, kind: str) -> int:
        """Put a point, line or triangle into the middle of a body; its number."""
        if kind not in KINDS:
            raise UnknownName("kind of element", kind, KINDS, "swept spheres")
        solid = self.solid(body)
        middle = solid.bounds.mean(axis=0) if solid is not None else np.zeros(3)
        size = solid.size if solid is not None else 0.1
        offsets = np.array([[0.0, 0.0, 0.0], [0.25 * size, 0.0, 0.0], [0.0, 0.25 * size, 0.0]])
        element = SweptSphere(middle + offsets[: KINDS.index(kind) + 1], 0.15 * size)
        self._put(body, (*self.elements(body), element))
        return len(self.elements(body)) - 1

    def change(
        self, body: str, number: int, *, corners: Array | None = None, radius: float | None = None
    ) -> None:
        """Give an element other corners (n, 3) or another radius, m."""
        elements = list(self.elements(body))
        old = self._element(body, number)
        elements[number] = SweptSphere(
            old.corners if corners is None else np.asarray(corners, dtype=np.float64),
            old.radius if radius is None else radius,
        )
        self._put(body, tuple(elements))

    def move(self, body: str, number: int, way: Array, *, corner: int | None = None) -> None:
        """Move an element, or one of its corners, by (3,), m."""
        corners = self._element(body, number).corners.copy()
        corners[slice(None) if corner is None else corner] += np.asarray(way, dtype=np.float64)
        self.change(body, number, corners=corners)

    def copy(self, body: str, number: int) -> int:
        """The same element once more; its number."""
        self._put(body, (*self.elements(body), self._element(body, number)))
        return len(self.elements(body)) - 1

    def delete(self, body: str, number: int) -> None:
        """Take an element away."""
        self._element(body, number)
        self._put(body, tuple(each for k, each in enumerate(self.elements(body)) if k != number))

    def mirror(self, body: str, axis: str, *, onto: str) -> None:
        """Give a body the mirror image of another's volumes, with a coordinate (`x`, `y` or `z`) negated."""
        if onto not in self.bodies:
            raise UnknownName("body", onto, self.bodies, "this robot with a shape or volume")
        if not self.elements(body):
            raise RobotError("has no volume to be mirrored", subject=("body", body))
        self._put(onto, SweptVolume(self.elements(body)).mirrored(axis).elements)

    def fit(self, body: str, *, most: int = 8) -> None:
        """Fit a volume of at most that many elements to a body."""
        without = replace(
            self.robot, volumes=tuple(v for v in self.robot.volumes if v.body != body), volume_pairs=()
        )
        fitted = fit_volumes(without, bodies=[body], most=most, visuals=self.visuals, pairs=False)
        made = next(volume for volume in fitted.volumes if volume.body == body)
        self._put(body, made.shape.elements)

    def undo(self) -> bool:
        """Take the last change back; false if there is none."""
        if not self._past:
            return False
        self._future.append(self.robot)
        self.robot = self._past.pop()
        return True

    def redo(self) -> bool:
        """Make a change again that was taken back; false if there is none."""
        if not self._future:
            return False
        self._past.append(self.robot)
        self.robot = self._future.pop()
        return True

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all volumes to a file, with the pairs that can meet if the robot names none."""
        robot = self.robot
        if not robot.volume_pairs and len(robot.volumes) > 1:
            robot = replace(robot, volume_pairs=choose_volume_pairs(robot).pairs)
        save_volumes(robot, path)

    def _element(self, body: str, number: int) -> SweptSphere:
        elements = self.elements(body)
        if not 0 <= number < len(elements):
            raise RobotError(
                f"has no element {number}; it has {len(elements)}", subject=("volume of body", body)
            )
        return elements[number]

    def _put(self, body: str, elements: tuple[SweptSphere, ...]) -> None:
        """Let the volumes of a body have these elements; several volumes of a body become one."""
        others = tuple(volume for volume in self.robot.volumes if volume.body != body)
        own = next((volume.name for volume in self.robot.volumes if volume.body == body), body)
        made = (BodyVolume(own, body, SweptVolume(elements)),) if elements else ()
        names = {volume.name for volume in (*others, *made)}
        pairs = tuple(pair for pair in self.robot.volume_pairs if set(pair) <= names)
        self._past = [*self._past[-_MOST_STEPS:], self.robot]
        self._future.clear()
        self.robot = replace(self.robot, volumes=(*others, *made), volume_pairs=pairs)
