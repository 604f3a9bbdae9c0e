"""What a simulation says of its runs, once of each kind: what goes wrong without an error.

A body that starts deep inside of something, bodies without shapes that sank into the ground, joints that saturate or
ring under gains that do not fit the robot.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.dynamics.loop_margin import has_margin, loop_margin, tightest_loops
from footfall.errors import ConvergenceWarning, LoopAtDeadPoint, SimulationDiverged, SimulationWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import WORLD, Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.engine import Deepest, Engine
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.step_values import Command

# Simulations that diverge: an error for one robot, a warning for some of many.

_MEANINGLESS = 1e6  # m/s, rad/s or m
NEAR_DEAD_POINT = 0.1  # loop_margin from which one long step may have gone beyond the dead point


def are_good(q: Array, v: Array) -> bool:
    """Whether all of q (n, nq) and v (n, nv) have a meaning."""
    slow = v.min(initial=0.0) > -_MEANINGLESS and v.max(initial=0.0) < _MEANINGLESS  # no NaN is
    return bool(slow and np.isfinite(q).all())


def require_good(robot: Robot, q: Array, v: Array, state: SimulationState, command: Command) -> None:
    """Raise SimulationDiverged if q (nq,) or v (nv,), which the command made of the state, have no meaning."""
    if are_good(q, v):
        return
    for name, part in command._asdict().items():
        if not np.isfinite(part).all():
            raise SimulationDiverged(f"{name} of the command is {part}, which is not finite", state)
    if np.isfinite(v).all() and not np.isfinite(q).all():
        raise SimulationDiverged(_lost_coordinates(robot, q) + _tight_loops(robot, state.q), state)
    joint = _first_bad(robot, v)
    speed = f"the velocity of {joint} is {np.abs(v).max()} rad/s or m/s"
    raise SimulationDiverged(speed + _tight_loops(robot, state.q), state)


def warn_of_divergence(q: Array, v: Array) -> None:
    """Of robots (batch, steps, n) that diverged: NaN, Inf or absurd numbers at the end."""
    ends = np.abs(np.concatenate([q[:, -1], v[:, -1]], axis=1))
    if np.maximum.reduce(ends, axis=None) < _MEANINGLESS:
        return
    lost = np.flatnonzero(~(ends < _MEANINGLESS).all(axis=1))
    if len(lost):
        good = (np.abs(v[lost]) < _MEANINGLESS).all(axis=2) & np.isfinite(q[lost]).all(axis=2)
        first = good.argmin(axis=1)  # in a robot that is lost the last is not good
        warnings.warn(
            f"{len(lost)} of {len(q)} robots diverged (NaN or Inf), the first, robot {lost[first.argmin()]}, in "
            f"step {first.min()}: are all initial states and commands finite, and is dt small enough?",
            SimulationWarning,
            stacklevel=3,
        )


def _lost_coordinates(robot: Robot, q: Array) -> str:
    """Which joints have coordinates that are NaN: loops that could not be closed, or quaternions of zeros."""
    lost = {joint.name for joint in robot.joints if not np.isfinite(q[robot.q_slice(joint.name)]).all()}
    names = ", ".join(sorted(lost))
    if not robot.loops:
        return f"coordinates of the joints {names} are not finite; does a quaternion have norm zero?"
    return (
        f"loops cannot be closed with the joints {names} in that direction: a singular position, the "
        "end of a linkage's range, or too long a step"
    )


def _tight_loops(robot: Robot, q: Array) -> str:
    """Which loops were near a dead point in the last good configuration q (nq,), empty if none was."""
    margin = float(loop_margin(robot, q)) if has_margin(robot) else 1.0
    return (
        f"; before it, loop_margin of {named_loops(robot, q)} was {margin:.2g}"
        if margin < NEAR_DEAD_POINT
        else ""
    )


def named_loops(robot: Robot, q: Array) -> str:
    """The loops that are nearest to a dead point in a configuration q (nq,), for messages."""
    names = tightest_loops(robot, q)
    return f"loop {names[0]!r}" if len(names) == 1 else f"the loops {', '.join(names)}"


def _first_bad(robot: Robot, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    return next(
        f"joint {joint.name!r}"
        for joint in robot.joints
        if robot.v_slice(joint.name).start <= worst < robot.v_slice(joint.name).stop
    )


# A warning of contact that was not solved as exactly as asked for.

_NEARLY = 10.0  # times the tolerance: what is left below that is no news


def warn_of_residuals(
    residuals: Array, *, tolerance: float, scale: float, asked: Array | None = None
) -> None:
    """Contact that is not solved as asked is never silent.

    residuals: of control periods, N s, of any shape. tolerance: of the scale, which is the weight times dt, N s. asked:
    instead, of each period, N s.
    """
    allowed = _NEARLY * (tolerance * scale if asked is None else asked)
    bad = residuals > allowed
    if scale > 0.0 and bad.any():
        worst = np.fmax.reduce(residuals[bad], axis=None)  # robots that diverged have none
        warnings.warn(
            f"contact was not solved as asked in {bad.sum()} of {bad.size} control periods: up to {worst:.2g} N s are "
            f"left ({worst / scale:.2g} of weight times dt); more newton_steps or a smaller dt may help",
            ConvergenceWarning,
            stacklevel=3,
        )


# Loops that approach a dead point, where leading joints would have to turn back: a warning before it, an error at it.

_LEAST_MARGIN = 0.02  # loop_margin: joints follow fifty times as fast as they are led
_COMING = 0.2  # from here on a loop that moves towards a dead point gives a warning
_SOON = 10  # control periods before a loop is there
_STUCK = 1e-4  # loop_margin of a linkage that has no way to go on

_REMEDY = (
    "hold it by forces (`Loop(held_by='forces')`), which passes dead points, let other joints be `dependent`, or keep "
    "its drives away from there"
)


class LoopWatch:
    """Looks at the loops of a robot after each control period of a run.

    Near a dead point the square of the margin falls in proportion to the distance, so that its course tells when the
    loop will be there: it warns some periods before, and once.
    """

    def __init__(self, robot: Robot, q: Array) -> None:
        self.robot = robot
        self.watching = has_margin(robot)
        self.square = self._square(q) if self.watching else 1.0
        self.warned = False

    def _square(self, q: Array) -> float:
        return float(loop_margin(self.robot, q)) ** 2

    def look(self, q: Array, state: SimulationState) -> None:
        """At the configuration q (nq,) that comes after a state; raises LoopAtDeadPoint if the loop is stuck."""
        if not self.watching:
            return
        square = self._square(q)
        fallen, self.square = self.square - square, square
        if square < _STUCK**2:
            loops = named_loops(self.robot, state.q)
            raise LoopAtDeadPoint(f"{loops} came to a dead point and cannot go on; {_REMEDY}", state)
        if self.warned:
            return
        if square < _LEAST_MARGIN**2 or (square < _COMING**2 and square < _SOON * fallen):
            self.warned = True
            warnings.warn(
                f"{named_loops(self.robot, q)} comes near a dead point after t = {state.time:.6g} s: loop_margin is "
                f"{np.sqrt(square):.2g}; {_REMEDY}",
                SimulationWarning,
                stacklevel=3,
            )


def warn_of_dead_points(robot: Robot, q: Array) -> None:
    """Of robots (batch, steps, nq) of a rollout that were lost near a dead point of a loop, or are stuck in one."""
    if not has_margin(robot):
        return
    good = np.asarray(np.isfinite(q).all(axis=2))
    last = np.where(good.all(axis=1), q.shape[1] - 1, good.argmin(axis=1) - 1)
    known = np.flatnonzero(last >= 0)
    if not len(known):
        return
    margins = np.asarray(loop_margin(robot, q[known, last[known]]))
    lost = last[known] < q.shape[1] - 1
    dead = known[np.where(lost, margins < NEAR_DEAD_POINT, margins < _STUCK)]
    if len(dead):
        first = dead[last[dead].argmin()]
        loops = named_loops(robot, q[first, last[first]])
        warnings.warn(
            f"{len(dead)} of {len(q)} robots came to a dead point of {loops}, robot {first} in step {last[first]}: "
            f"what follows there is not to be trusted; {_REMEDY}",
            SimulationWarning,
            stacklevel=3,
        )


_LOOKED_AT = 20  # control periods, from which a run is looked at when it ends
_DEEP = 0.01  # m
_SHOWN = 5
_LAST_PERIODS = 200  # last periods of a run
_FULL = 0.999  # of the greatest effort
_OFTEN = 0.5  # of the periods at full effort
_TURNING = 0.3  # of the periods in which the velocity turns round
_FAST = 0.5  # rad/s or m/s, below which swinging is no harm


class RunWatch:
    """Warns of bodies that start inside of others, end below the ground, and of joints that tremble."""

    def __init__(self, robot: Robot, engine: Engine, *, recovery_speed: float) -> None:
        self._robot, self._engine, self._speed = robot, engine, recovery_speed
        self._warned: set[str] = set()

    def of(self, engine: Engine) -> RunWatch:
        """The same for a copy of the engine: what has been reported is not reported again."""
        twin = RunWatch(self._robot, engine, recovery_speed=self._speed)
        twin._warned = set(self._warned)
        return twin

    def look_at_start(self, state: SimulationState) -> None:
        """Before the first step: what is inside of something is seldom meant to be."""
        if "inside" not in self._warned:
            self._warned.add("inside")
            warn_if_inside(self._engine.deepest(state), speed=self._speed)

    def look_at_end(self, trajectory: Trajectory) -> None:
        if len(trajectory.time) < _LOOKED_AT:  # a loop of single steps
            return
        if "below" not in self._warned:
            places = self._engine.link_places(trajectory.q[-1])
            if warn_of_bodies_below_ground(self._shapeless, self._engine.scene, *places):
                self._warned.add("below")
        driven = bool(trajectory.effort.any())
        if (
            driven
            and "restless" not in self._warned
            and warn_of_restless_joints(self._robot, trajectory.v, trajectory.effort)
        ):
            self._warned.add("restless")

    @cached_property
    def _shapeless(self) -> Shapeless:
        return shapeless_bodies(self._robot, self._engine.attachments, self._engine.touching)


def warn_if_inside(deepest: Deepest | None, *, speed: float) -> None:
    """speed: at which what is inside comes out, m/s."""
    if deepest is None or deepest.depth < _DEEP:
        return
    depth, body, other = deepest
    named = "something fixed" if other == WORLD else repr(other)
    warnings.warn(
        f"{body!r} starts {depth:.3g} m deep in {named}; it comes out at {speed:g} m/s. Move one of them, or let "
        "the robot start from another configuration",
        SimulationWarning,
        stacklevel=4,
    )


class Shapeless(NamedTuple):
    """Bodies with mass on links on which no body touches anything. links (n,), centres (n, 3): their centres of mass in
    the frames of their links, m."""

    names: tuple[str, ...]
    links: Integers
    centres: Array


def shapeless_bodies(
    robot: Robot, attachments: Mapping[str, Attachment], touching: Collection[str]
) -> Shapeless:
    """attachments: which link carries each body, and where. touching: bodies whose shapes may touch; what is fixed to
    them is left out."""
    held = {-1, *(attachments[name].link for name in touching)}
    loose = [body for body in robot.bodies if body.mass > 0.0 and attachments[body.name].link not in held]
    centres = [attachments[body.name].placement.apply(body.center_of_mass) for body in loose]
    return Shapeless(
        tuple(body.name for body in loose),
        np.array([attachments[body.name].link for body in loose], dtype=np.int64),
        np.array(centres, dtype=np.float64).reshape(-1, 3),
    )


def bodies_below_ground(
    bodies: Shapeless, scene: Scene, rotations: Array, positions: Array
) -> dict[str, float]:
    """Depths (m) of the centres of mass of bodies that are below planes or terrain, where their links have these
    rotations (links, 3, 3) and positions (links, 3)."""
    grounds = [
        each for each in scene.fixed_objects if each.contact and isinstance(each.shape, Plane | HeightMap)
    ]
    if not grounds or not bodies.names:
        return {}
    turned = np.einsum("nij,nj->ni", rotations[bodies.links], bodies.centres)
    depths = np.max([_depths(ground, turned + positions[bodies.links]) for ground in grounds], axis=0)
    return {bodies.names[k]: float(depths[k]) for k in np.flatnonzero(depths > _DEEP)}


def warn_of_bodies_below_ground(bodies: Shapeless, scene: Scene, rotations: Array, positions: Array) -> bool:
    """Once there are such bodies; gives whether there are."""
    found = bodies_below_ground(bodies, scene, rotations, positions)
    if found:
        shown = ", ".join(f"{name} ({depth:.2g} m)" for name, depth in list(found.items())[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        warnings.warn(
            f"below the ground, which they do not touch: {shown}{more}. Give them collision shapes"
            ", or name them among the feet if they have some",
            SimulationWarning,
            stacklevel=3,
        )
    return bool(found)


def _depths(ground: SceneObject, points: Array) -> Array:
    """Of points (n, 3) in the world below a plane or terrain, m."""
    pose = ground.placement
    x, y, z = ((points - pose.translation) @ np.asarray(pose.rotation)).T
    if isinstance(ground.shape, Plane):
        return np.asarray(-z)
    assert isinstance(ground.shape, HeightMap)
    heights = [ground.shape.height(*point) for point in zip(x, y, strict=True)]
    return np.asarray(np.array(heights) - z)


def warn_of_restless_joints(robot: Robot, v: Array, effort: Array) -> bool:
    """Of a run with velocities v and efforts (n, nv): joints at full effort half of the time at its end, and such that
    turn round in every third control period. Gives whether there was something to say."""
    v, effort = v[-_LAST_PERIODS:], effort[-_LAST_PERIODS:]
    limits = robot.effort_limits
    driven = np.isfinite(limits) & (limits > 0.0)
    saturated = driven & ((np.abs(effort) >= _FULL * limits).mean(axis=0) > _OFTEN)
    # Limp ones are struck by others.
    swing = (np.sqrt((v**2).mean(axis=0)) > _FAST) & (effort != 0.0).any(axis=0)
    ringing = swing & ((v[1:] * v[:-1] < 0.0).mean(axis=0) > _TURNING)
    parts = [
        f"joints that {what}: {names}"
        for names, what in (
            (_joints(robot, saturated & ~ringing), "give their greatest effort most of the time"),
            (_joints(robot, ringing), "swing to and fro from step to step"),
        )
        if names
    ]
    if parts:
        warnings.warn(
            f"{'; '.join(parts)}. Lower gains or a smaller dt may help, or the load is too great for them",
            SimulationWarning,
            stacklevel=3,
        )
    return bool(parts)


def _joints(robot: Robot, which: Array) -> str:
    """Names of the joints of these velocities, without those of free roots."""
    if not which.any():
        return ""
    names = [
        joint.name
        for joint in robot.joints
        if not joint.type.has_quaternion and which[robot.v_slice(joint.name)].any()
    ]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
