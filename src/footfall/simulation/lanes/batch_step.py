"""One control period of a robot that stands on its feet, as traced code for rows that each have their own values.

What differs from row to row (friction, gains, delay, mass, pushes) is data; the code is made for the robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction, greater, less, maximum, minimum, repeat, where
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.distance_functions import facets
from footfall.dynamics.kinematics import link_poses
from footfall.errors import InvalidInput
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import JointType, Robot
from footfall.robot.start import start_of
from footfall.scene.model import Material
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.lanes.base_load import BaseLoad
from footfall.simulation.lanes.clearance import Clearance
from footfall.simulation.lanes.contacts import LaneContact
from footfall.simulation.lanes.foot_points import Foot
from footfall.simulation.lanes.found_step import FoundResult, FoundRow, FoundStep
from footfall.simulation.lanes.step import ExactStep, contacts_at, row_count
from footfall.simulation.lanes.values import Loads, Place, StepState
from footfall.simulation.step_values import Command, StepOptions

_TOUCHING = 1e-3  # of the weight: what presses a foot harder touches
_UNSOLVED = 1e-6  # of the weight, over a step: lanes have no method behind Newton's, found contacts do

Ground = Plane | HeightMap


class RowState(NamedTuple):
    """What a row hands to its next period. q (nq,), v (nv,), impulses (n,) N s. held (joints,): the goal of its joints,
    rad. air_time (feet,): since each foot last touched, s. lies: 1 if more than feet were near something at the end, so
    that the next step begins with found contacts."""

    q: Array
    v: Array
    impulses: Array
    held: Array
    air_time: Array
    lies: Any


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
        sizes = (robot.nq,), (robot.nv,), (rows,), (len(self.joints),), (len(self.feet),), ()
        return dict(zip(RowState._fields, sizes, strict=True))

    def setting_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of `RowSettings`."""
        feet, joints = (len(self.feet),), (len(self.joints),)
        return dict(zip(RowSettings._fields, (feet, joints, joints, (), (), (3,), (6,)), strict=True))

    def height(self, x: Any, y: Any) -> Any:
        """Of the ground at a place in the world, m."""
        return 0.0 if isinstance(self.ground, Plane) else self.ground.height(x, y)

    def trace(
        self, state: RowState, settings: RowSettings, goal: Array, number: Any, rows: int
    ) -> tuple[RowState, RowReport]:
        """A period in which the joints follow a goal (joints,), rad. number: of the row, of so many."""
        feet, dt = len(self.feet), self.options.dt
        search = _Search(number, self.found.native(rows)) if self.exact else None
        least = _TOUCHING * self.robot.mass * 9.81

        def step(
            count: Any, q: Array, v: Array, impulses: Array, air: Array, lies: Any, *sums: Any
        ) -> tuple[Any, ...]:
            landing, forces, _, worst, most, found = sums
            position = where(less(count, settings.delay), state.held, goal)
            after = self._advanced(_Row(q, v, impulses, lies, position), settings, search)
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
                after.lies,
                landing,
                forces + after.forces / self.substeps,
                after.effort,
                maximum(worst, after.residual),
                maximum(most, after.solver_steps),
                found + after.found,
            )

        start = (0.0, state.q, state.v, state.impulses, state.air_time, state.lies)
        none = (np.zeros(feet), np.zeros((feet, 3)), np.zeros(len(self.joints)), 0.0, 0.0, 0.0)
        _, q, v, impulses, air, lies, landing, forces, effort, worst, most, found = repeat(
            step, (*start, *none), count=self.substeps
        )
        touching = where(greater(air, 0.0), 0.0, 1.0)
        after = RowState(q, v, impulses, goal, air, lies)
        return after, RowReport(forces, touching, landing, effort, worst, most, found)

    def _advanced(self, row: _Row, settings: RowSettings, search: _Search | None) -> _Advanced:
        """One step: in lanes, and where not only feet may have touched in it, or these were not solved, with found
        contacts instead. A row that lies begins with these: lanes are skipped where all do."""
        load = np.concatenate([np.ravel(settings.base_mass), settings.base_shift, settings.push])
        friction = np.array([settings.friction[foot] for foot in self.owners])
        loads = Loads(friction, action=self._load.action(load, row.q, row.v))
        if search is None:
            return self._in_lanes(row, settings, loads)
        contacts = contacts_at(self._place, link_poses(self.robot.tree, row.q), loads)
        lies = row.lies > 0.5
        feet, joints = np.zeros((len(self.feet), 3)), np.zeros(len(self.joints))
        none = _Advanced(row.q, row.v, row.impulses, joints, feet, feet[:, 0], 0.0, 0.0, 0.0, 0.0)

        def found(needed: Any) -> tuple[Any, ...]:
            given = FoundRow(
                search.number, row.q, row.v, row.impulses[3 * len(self.candidates) :],
                *self._pressed(row.impulses, contacts), row.position, settings.kp, settings.kd,
                settings.friction, load,
            )  # fmt: skip
            return self._found(self.found.advance(search.native, given, where(needed, 1.0, 0.0)), contacts)

        after = _Advanced(
            *repeat(
                lambda *_: self._in_lanes(row, settings, loads), tuple(none), count=1, until=lambda *_: lies
            )
        )
        after = _Advanced(
            *repeat(lambda *_: found(lies), tuple(after), count=1, until=lambda *_: row.lies < 0.5)
        )
        clear = self._clearance.holds(row.q, after.v)
        solved = less(after.residual, _UNSOLVED * self.robot.mass * 9.81 * self.options.dt)
        known = (clear & solved) | lies
        needed = where(known, 0.0, 1.0) > 0.5
        after = _Advanced(*repeat(lambda *_: found(needed), tuple(after), count=1, until=lambda *_: known))
        return after._replace(lies=where(clear, 0.0, 1.0))

    def _in_lanes(self, row: _Row, settings: RowSettings, loads: Loads) -> _Advanced:
        """One step in which only feet touch."""
        zero = np.zeros(len(self.joints))
        following, happened = ExactStep().advance(
            self._place,
            StepState(row.q, row.v, zero, row.impulses),
            Command(row.position, zero, zero, settings.kp, zero, settings.kd),
            loads,
        )
        acting = [np.zeros(3) for _ in self.feet]
        pressing: list[Any] = [0.0] * len(self.feet)
        for k, foot in enumerate(self.owners):
            acting[foot] = acting[foot] + happened.forces[k]
            pressing[foot] = pressing[foot] + happened.forces[k] @ happened.normals[k]
        return _Advanced(
            following.q,
            following.v,
            following.impulses,
            np.array([happened.effort[velocity] for _, velocity in self.joints]),
            np.array(acting),
            np.array(pressing),
            happened.residual,
            happened.solver_steps,
            0.0,
            0.0,
        )

    def _pressed(self, impulses: Array, contacts: list[LaneContact]) -> tuple[Array, Array]:
        """Impulses (points, 3) of the points of feet in the step before, world axes, N s, and where they are, m."""
        pressed, places, first = [], [], 0
        for _, candidates in self.points:
            numbers = range(first, first + len(candidates))
            pressed.append(sum(contacts[k].frame @ impulses[3 * k : 3 * k + 3] for k in numbers))
            places.append(contacts[first].at.position)
            first += len(candidates)
        return np.array(pressed), np.array(places)

    def _found(self, result: FoundResult, contacts: list[LaneContact]) -> _Advanced:
        """After a step with found contacts, as lanes have it."""
        rows: list[Any] = []
        first = 0
        normals: dict[int, Array] = {}
        for (foot, candidates), impulse in zip(self.points, result.pressed, strict=True):
            numbers = range(first, first + len(candidates))
            normals.setdefault(foot, contacts[first].at.normal)
            nearest = contacts[first].at.gap
            for k in numbers[1:]:
                nearest = minimum(nearest, contacts[k].at.gap)
            for k in numbers:
                own = contacts[k].frame.T @ impulse
                rows += list(where(contacts[k].at.gap <= nearest, own, 0.0) if len(numbers) > 1 else own)
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
            1.0,
        )


class _Row(NamedTuple):
    """What a step begins with. position (joints,): what they follow, rad."""

    q: Array
    v: Array
    impulses: Array
    lies: Any
    position: Array


class _Search(NamedTuple):
    """How contacts of a row are found: its number, and the step."""

    number: Any
    native: NativeFunction


class _Advanced(NamedTuple):
    """After a step: state, efforts (joints,), forces (feet, 3), N, how hard each foot is pressed (feet,), N, how well
    contact is solved, whether it was found (1, else 0), and whether the next one begins so."""

    q: Array
    v: Array
    impulses: Array
    effort: Array
    forces: Array
    pressing: Array
    residual: Any
    solver_steps: Any
    found: Any
    lies: Any
