"""What terms can ask for, by name: a term is a function whose arguments are names of this list."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import where
from footfall.dynamics.kinematics import forward_kinematics, link_poses, world_velocities
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput, UnknownName
from footfall.learning.random_streams import Draw
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.spatial import cross
from footfall.simulation.lanes.batch import heights_under
from footfall.simulation.lanes.batch_step import BatchStep, RowReport


class Setup(NamedTuple):
    """What holds for all rows. joints: (coordinate, velocity) of those that act. default (nq,): where rows start. scan
    (n, 2): points beside the base whose heights are asked for, m. period: s, of control. limit: s, of an episode."""

    step: BatchStep
    joints: Sequence[tuple[int, int]]
    default: Array
    scan: Array
    period: float
    limit: float


class Quantities:
    """The named quantities of one row, each computed when a term asks for it.

    rows: all that a row keeps from step to step, by name. action, last_action (joints,): as given, in units of the
    action. report: of the physics, None right after a reset.
    """

    def __init__(
        self,
        setup: Setup,
        rows: Mapping[str, Any],
        action: Array,
        last_action: Array,
        report: RowReport | None,
    ) -> None:
        self._setup = setup
        self._rows = rows
        self._report = report
        self.action = action
        self.last_action = last_action

    @cached_property
    def q(self) -> Array:
        """Configuration (nq,): place of the base in the world, m, its quaternion, joints."""
        return self._rows["q"]

    @cached_property
    def v(self) -> Array:
        """Velocity (nv,): of the base in world axes, its rate in its own, of the joints."""
        return self._rows["v"]

    @cached_property
    def rotation(self) -> Array:
        """Of the base in the world, (3, 3)."""
        return matrix_from_quaternion(self.q[3:7])

    @cached_property
    def base_velocity(self) -> Array:
        """Of the base in its own axes, (3,) m/s."""
        return self.rotation.T @ self.v[:3]

    @cached_property
    def base_rate(self) -> Array:
        """Angular velocity of the base in its own axes, (3,) rad/s."""
        return self.v[3:6]

    @cached_property
    def gravity(self) -> Array:
        """Direction of gravity in axes of the base, (3,): (0, 0, -1) upright."""
        return -self.rotation[2]

    @cached_property
    def base_height(self) -> Any:
        """Of the base above the ground below it, m."""
        return self.q[2] - self._setup.step.height(self.q[0], self.q[1])

    @cached_property
    def joint_position(self) -> Array:
        """Of the driven joints against the default ones, (joints,) rad."""
        places = [coordinate for coordinate, _ in self._setup.joints]
        return self.q[places] - self._setup.default[places]

    @cached_property
    def joint_limits(self) -> Array:
        """Lower and upper limits against the default ones, (2, joints) rad."""
        robot, places = self._setup.step.robot, [coordinate for coordinate, _ in self._setup.joints]
        return (
            np.array([robot.lower_limits[places], robot.upper_limits[places]]) - self._setup.default[places]
        )

    @cached_property
    def encoder_bias(self) -> Array:
        """What joints are read wrong by, (joints,) rad."""
        return self._rows["encoder_bias"]

    @cached_property
    def joint_rate(self) -> Array:
        """(joints,) rad/s."""
        return self.v[[velocity for _, velocity in self._setup.joints]]

    @cached_property
    def command(self) -> Array:
        """Wanted velocity of the base: forwards, to the left, m/s, and turning, rad/s, in its axes; (3,)."""
        return self._rows["command"]

    @cached_property
    def time(self) -> Any:
        """Since the row began, s."""
        return self._setup.period * self._rows["elapsed"]

    @cached_property
    def effort(self) -> Array:
        """Of the joints, (joints,) N m."""
        return np.zeros(len(self._setup.joints)) if self._report is None else self._report.effort

    @cached_property
    def foot_force(self) -> Array:
        """Mean over the step, (feet, 3) N, world axes."""
        return np.zeros((self._feet, 3)) if self._report is None else self._report.forces

    @cached_property
    def foot_touching(self) -> Array:
        """1 where a foot touches, else 0; (feet,)."""
        return np.zeros(self._feet) if self._report is None else self._report.touching

    @cached_property
    def landing(self) -> Array:
        """Time for which a foot that has just touched down was in the air, else 0; (feet,) s."""
        return np.zeros(self._feet) if self._report is None else self._report.landing

    @cached_property
    def air_time(self) -> Array:
        """Since feet touched last, (feet,) s."""
        return self._rows["air_time"]

    @cached_property
    def foot_position(self) -> Array:
        """Of the feet's bodies in the world, (feet, 3) m."""
        bodies = tuple(foot.body for foot in self._setup.step.feet)
        return forward_kinematics(self._setup.step.robot, self.q, frames=bodies).position

    @cached_property
    def foot_height(self) -> Array:
        """Of the feet's lowest points above the ground below them, (feet,) m."""
        step = self._setup.step
        links, heights = link_poses(step.robot.tree, self.q), []
        for foot in step.feet:
            attachment, lowest = step.robot.tree.attachments[foot.body], None
            for point in foot.points:
                place = links[attachment.link] @ attachment.placement
                at = place.rotation @ np.array(point.point) + place.translation
                height = at[2] - point.radius - step.height(at[0], at[1])
                lowest = height if lowest is None else where(height < lowest, height, lowest)
            heights.append(lowest)
        return np.array(heights)

    @cached_property
    def foot_velocity(self) -> Array:
        """Of the feet's bodies, (feet, 3) m/s, world axes."""
        robot = self._setup.step.robot
        poses = link_poses(robot.tree, self.q)
        moving = world_velocities(robot.tree, poses, Coupling(robot, self.q).velocity(self.v))
        result = []
        for foot in self._setup.step.feet:
            attachment = robot.tree.attachments[foot.body]
            arm = poses[attachment.link].rotation @ attachment.placement.translation
            velocity = moving[attachment.link]
            result.append(velocity[:3] + cross(velocity[3:], arm))
        return np.array(result)

    @cached_property
    def height_scan(self) -> Array:
        """Of the ground under the points of the scan below the base, (points,) m."""
        return heights_under(self._setup.step, self.q, self._setup.scan) - self.q[2]

    @cached_property
    def friction(self) -> Array:
        """Of the feet, (feet,)."""
        return self._rows["friction"]

    @cached_property
    def base_mass(self) -> Any:
        """Added to the base, kg."""
        return self._rows["base_mass"]

    @cached_property
    def level(self) -> Any:
        """How difficult the row is by its curriculum, 0 to 1."""
        return self._rows["level"]

    @cached_property
    def origin(self) -> Array:
        """Place (2,) in the world around which the row began, m."""
        return self._rows["origin"]

    @cached_property
    def default(self) -> Array:
        """Configuration (nq,) that rows start from."""
        return self._setup.default

    @cached_property
    def control_period(self) -> float:
        """Of control, s."""
        return self._setup.period

    @cached_property
    def episode_seconds(self) -> float:
        """Of an episode, s."""
        return self._setup.limit

    @property
    def _feet(self) -> int:
        return len(self._setup.step.feet)


NAMES = (
    "action",
    "last_action",
    *(name for name, value in vars(Quantities).items() if isinstance(value, cached_property)),
)


def check_term(
    kind: str, name: str, function: Callable[..., Any], options: Mapping[str, Any], *, draws: bool
) -> None:
    """That a term asks for what there is: quantities, `draw` if it may, and options it is given or has defaults for."""
    known = [*NAMES, *(["draw"] if draws else [])]
    parameters = inspect.signature(function).parameters
    for option in options:
        if option not in parameters:
            raise UnknownName(
                "option", option, [each for each in parameters if each not in known], f"{kind} {name!r}"
            )
    for parameter in parameters.values():
        if parameter.name in known or parameter.name in options or parameter.default is not parameter.empty:
            continue
        raise UnknownName("quantity", parameter.name, known, f"the arguments of {kind} {name!r}")


def evaluate(
    kind: str,
    name: str,
    function: Callable[..., Any],
    options: Mapping[str, Any],
    at: Quantities,
    draw: Draw | None,
) -> Any:
    """A term at a row."""
    given = dict(options)
    for parameter in inspect.signature(function).parameters:
        if parameter == "draw" and draw is not None:
            given["draw"] = draw
        elif parameter in NAMES and parameter not in given:
            given[parameter] = getattr(at, parameter)
    value = function(**given)
    if value is None:
        raise InvalidInput(f"{kind} {name!r} gives nothing; it must return a number or an array")
    return value
