"""One control period of a robot that stands on its feet, as traced code for rows that each have their own values.

What differs from row to row (friction, gains, delay, mass, pushes) is data; the code is made for the robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import greater, less, maximum, minimum, repeat, where
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.contacts import contact_frame
from footfall.contact.distance_functions import facets
from footfall.errors import InvalidInput
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import JointType, Robot
from footfall.robot.start import start_of
from footfall.scene.model import Material
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.lanes.base_load import BaseLoad
from footfall.simulation.lanes.clearance import Clearance
from footfall.simulation.lanes.foot_points import Foot
from footfall.simulation.lanes.found_step import FoundResult, FoundRow, FoundStep
from footfall.simulation.lanes.step import ExactStep, row_count
from footfall.simulation.lanes.values import Loads, Place, StepReport, StepState
from footfall.simulation.step_values import Command, StepOptions

_TOUCHING = 1e-3  # of the weight: what presses a foot harder touches

Ground = Plane | HeightMap


class RowState(NamedTuple):
    """What a row hands to its next period. q (nq,), v (nv,), impulses (n,) N s. held (joints,): the goal of its joints,
    rad. air_time (feet,): since each foot last touched, s."""

    q: Array
    v: Array
    impulses: Array
    held: Array
    air_time: Array


class RowSettings(NamedTuple):
    """What a row has of its own. friction (feet,). kp, kd (joints,): N m/rad, N m s/rad. delay: steps of a period in
    which the goal of the last one is still in force. base_mass: kg added to the base; base_shift (3,): of its centre of
    mass, in its axes, m. push (6,): force and moment on the base at its origin, world axes, N and N m."""

    friction: Array
    kp: Array
    kd: Array
    delay: Any
    base_mass: Any
    base_shift: Array
    push: Array


class RowReport(NamedTuple):
    """What happened in a period. forces (feet, 3): mean on each foot, world axes, N. touching (feet,): 1 if it touched
    at the end. landing (feet,): s that it had been in the air when it touched down, else 0. effort (joints,): of the
    last step, N m. residual: the worst of contact, N s. solver_steps: the most. found: number of steps in which not
    only feet may have touched, so that contacts were found."""

    forces: Array
    touching: Array
    landing: Array
    effort: Array
    residual: Any
    solver_steps: Any
    found: Any = 0.0


@dataclass(frozen=True)
class BatchStep:
    """Of a robot with a floating base and feet on some ground. exact: whether all else of it may touch the ground and
    itself too: a step in which that may be is taken with found contacts. start (nq,): bodies that overlap there never
    touch each other; by default where the robot starts."""

    robot: Robot
    feet: tuple[Foot, ...]
    ground: Ground
    options: StepOptions
    substeps: int
    exact: bool = False
    start: Array | None = None

    def __post_init__(self) -> None:
        first = self.robot.joints[0] if self.robot.joints else None
        floating = [joint for joint in self.robot.joints if joint.type is JointType.FLOATING]
        if first is None or floating != [first]:
            raise InvalidInput(
                f"robot {self.robot.name!r} has {len(floating)} floating bases; a batch has one, the first joint: "
                "`footfall.load(..., floating_base=True)`"
            )
        if self.substeps < 1 or self.substeps != int(self.substeps):
            raise InvalidInput(f"substeps is {self.substeps}; it must be at least 1, and whole")

    @cached_property
    def joints(self) -> list[tuple[int, int]]:
        """(coordinate, velocity) of each joint that is driven."""
        return actuated_velocities(self.robot)

    @cached_property
    def points(self) -> list[tuple[int, list[Candidate]]]:
        """The points of all feet: the number of the foot, and what the point may touch."""
        parts = [(k, foot.body, point) for k, foot in enumerate(self.feet) for point in foot.points]
        found = []
        for k, body, point in parts:
            shapes = (
                facets(self.ground, point.radius) if isinstance(self.ground, HeightMap) else [self.ground]
            )
            surfaces = [Surface(shape, material=Material()) for shape in shapes]
            found.append((k, [Candidate(body, point.point, point.radius, surface) for surface in surfaces]))
        return found

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Places of all feet that may touch."""
        return tuple(candidate for _, candidates in self.points for candidate in candidates)

    @cached_property
    def _place(self) -> Place:
        return Place(self.robot, self.candidates, self.options, on_surfaces=True)

    @cached_property
    def owners(self) -> list[int]:
        """The foot that each candidate belongs to."""
        return [foot for foot, candidates in self.points for _ in candidates]

    @cached_property
    def found(self) -> FoundStep:
        """What takes steps in which not only feet touch."""
        start = start_of(self.robot).q if self.start is None else self.start
        return FoundStep(self.robot, self.feet, self.ground, self.options, frozenset(), np.asarray(start))

    @cached_property
    def _clearance(self) -> Clearance:
        return Clearance(self.found)

    @cached_property
    def _load(self) -> BaseLoad:
        return BaseLoad(self.robot)

    def state_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of a `RowState`."""
        robot, rows = self.robot, row_count(self._place)
        sizes = (robot.nq, robot.nv, rows, len(self.joints), len(self.feet))
        return {name: (size,) for name, size in zip(RowState._fields, sizes, strict=True)}

    def setting_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of `RowSettings`."""
        feet, joints = (len(self.feet),), (len(self.joints),)
        return dict(zip(RowSettings._fields, (feet, joints, joints, (), (), (3,), (6,)), strict=True))

    def height(self, x: Any, y: Any) -> Any:
        """Of the ground at a place in the world, m."""
        return 0.0 if isinstance(self.ground, Plane) else self.ground.height(x, y)

    def trace(self, state: RowState, settings: RowSettings, goal: Array) -> tuple[RowState, RowReport]:
        """A period in which the joints follow a goal (joints,), rad."""
        feet, dt = len(self.feet), self.options.dt
        least = _TOUCHING * self.robot.mass * 9.81

        def step(count: Any, q: Array, v: Array, impulses: Array, air: Array, *sums: Any) -> tuple[Any, ...]:
            landing, forces, _, worst, most, found = sums
            position = where(less(count, settings.delay), state.held, goal)
            after = self._advanced(q, v, impulses, position, settings)
            touches = greater(after.pressing, least)
            landing = np.array(
                [where(t, maximum(a, b), b) for t, a, b in zip(touches, air, landing, strict=True)]
            )
            return (
                count + 1.0,
                after.q,
                after.v,
                after.impulses,
                where(touches, 0.0, air + dt),
                landing,
                forces + after.forces / self.substeps,
                after.effort,
                maximum(worst, after.residual),
                maximum(most, after.solver_steps),
                found + after.found,
            )

        start = (0.0, state.q, state.v, state.impulses, state.air_time)
        none = (np.zeros(feet), np.zeros((feet, 3)), np.zeros(len(self.joints)), 0.0, 0.0, 0.0)
        _, q, v, impulses, air, landing, forces, effort, worst, most, found = repeat(
            step, (*start, *none), count=self.substeps
        )
        touching = where(greater(air, 0.0), 0.0, 1.0)
        after = RowState(q, v, impulses, goal, air)
        return after, RowReport(forces, touching, landing, effort, worst, most, found)

    def _advanced(
        self, q: Array, v: Array, impulses: Array, position: Array, settings: RowSettings
    ) -> _Advanced:
        """One step: in lanes, and where not only feet may have touched in it, with found contacts instead."""
        zero = np.zeros(len(self.joints))
        load = np.concatenate([np.ravel(settings.base_mass), settings.base_shift, settings.push])
        following, happened = ExactStep().advance(
            self._place,
            StepState(q, v, zero, impulses),
            Command(position, zero, zero, settings.kp, zero, settings.kd),
            Loads(
                np.array([settings.friction[foot] for foot in self.owners]),
                action=self._load.action(load, q, v),
            ),
        )
        acting = [np.zeros(3) for _ in self.feet]
        pressing: list[Any] = [0.0] * len(self.feet)
        for k, foot in enumerate(self.owners):
            acting[foot] = acting[foot] + happened.forces[k]
            pressing[foot] = pressing[foot] + happened.forces[k] @ happened.normals[k]
        in_lanes = _Advanced(
            following.q,
            following.v,
            following.impulses,
            np.array([happened.effort[velocity] for _, velocity in self.joints]),
            np.array(acting),
            np.array(pressing),
            happened.residual,
            happened.solver_steps,
            0.0,
        )
        if not self.exact:
            return in_lanes
        clear = self._clearance.holds(q, following.v)

        def found(*_: Any) -> tuple[Any, ...]:
            row = FoundRow(
                q, v, impulses[3 * len(self.candidates) :], *self._pressed(impulses, happened), position,
                settings.kp, settings.kd, settings.friction, load,
            )  # fmt: skip
            return self._found(self.found.advance(row, where(clear, 0.0, 1.0)), happened)

        return _Advanced(*repeat(found, tuple(in_lanes), count=1, until=lambda *_: clear))

    def _pressed(self, impulses: Array, happened: StepReport) -> tuple[Array, Array]:
        """Impulses (points, 3) of the points of feet in the step before, world axes, N s, and where they are, m."""
        pressed, places, first = [], [], 0
        for _, candidates in self.points:
            numbers = range(first, first + len(candidates))
            pressed.append(
                sum(contact_frame(happened.normals[k]) @ impulses[3 * k : 3 * k + 3] for k in numbers)
            )
            places.append(happened.positions[first])
            first += len(candidates)
        return np.array(pressed), np.array(places)

    def _found(self, result: FoundResult, happened: StepReport) -> _Advanced:
        """After a step with found contacts, as lanes have it."""
        rows: list[Any] = []
        first = 0
        normals: dict[int, Array] = {}
        for (foot, candidates), impulse in zip(self.points, result.pressed, strict=True):
            numbers = range(first, first + len(candidates))
            normals.setdefault(foot, happened.normals[first])
            nearest = happened.gaps[first]
            for k in numbers[1:]:
                nearest = minimum(nearest, happened.gaps[k])
            for k in numbers:
                own = contact_frame(happened.normals[k]).T @ impulse
                rows += list(where(happened.gaps[k] <= nearest, own, 0.0) if len(numbers) > 1 else own)
            first += len(candidates)
        forces = result.forces * (1.0 / self.options.dt)
        return _Advanced(
            result.q,
            result.v,
            np.array([*rows, *result.held]),
            np.array([result.effort[velocity] for _, velocity in self.joints]),
            forces,
            np.array([forces[foot] @ normals[foot] for foot in range(len(self.feet))]),
            result.residual,
            result.steps,
            1.0,
        )


class _Advanced(NamedTuple):
    """After a step: state, efforts (joints,), forces (feet, 3), N, how hard each foot is pressed (feet,), N, how well
    contact is solved, and whether it was found (1, else 0)."""

    q: Array
    v: Array
    impulses: Array
    effort: Array
    forces: Array
    pressing: Array
    residual: Any
    solver_steps: Any
    found: Any
