"""A frame that behaves like a spring and a damper: impedance from torques, admittance from a force sensor.

Hogan 1985. Impedance presses with `stiffness error + damping rate` and needs no sensor; the arm's own inertia is felt.
Admittance moves a virtual mass by the force that a sensor feels and follows it stiffly, so that arms with friction
yield too.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import torque_command
from footfall.control.gains import Gain, Gains, checked_gain, gain_arrays, gains_from
from footfall.control.references import (
    Path,
    PoseReference,
    Reference,
    pose_at,
    settled_path,
)
from footfall.control.requests import checked_array, checked_state
from footfall.control.task_space import (
    NEAR_SINGULAR,
    POSTURE_GAINS,
    EndEffectorControl,
    FrameControl,
    TaskDynamics,
    build_task_dynamics,
    pose_error,
    within_efforts,
)
from footfall.errors import ControlWarning, InvalidInput
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command

_STABLE = 0.5  # of period^2 stiffness / mass


@dataclass(frozen=True)
class CartesianImpedance(FrameControl):
    """Springs and dampers between a frame and a path, in N/m and N m/rad, N s/m and N m s/rad.

    stiffness, damping: one for all or six, linear before angular, along world axes; damping None: critical for the
    inertia that the frame has where it is. posture: where the joints of a redundant arm should be beside, with
    posture_gains (1/s2, 1/s); without it the self-motion is only damped. period: s, between two calls. Dampers act at
    its end, so that any damping is stable, and springs that are too stiff for it are softened, with a `ControlWarning`:
    on the lightest wrist too. Gravity and velocity terms are compensated; the inertia is the arm's own. Torques stay
    within what the drives give, as those of `EndEffectorControl`.

    At rest the frame gives way by force over stiffness, and `wrench` is what it presses with.
    """

    robot: Robot
    frame: str
    path: Path
    stiffness: Gain
    damping: Gain | None = None
    posture: Reference | None = None
    posture_gains: Gains = POSTURE_GAINS
    period: float = 1e-3

    def __post_init__(self) -> None:
        self._check("Cartesian impedance")
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if value is not None or name == "stiffness":
                object.__setattr__(self, name, _checked_six(f"{name} of Cartesian impedance", value))
        if not (isinstance(self.period, int | float) and 0.0 <= self.period < np.inf):
            raise InvalidInput(f"period is {self.period!r} s; it must be a finite number of at least zero")

    def wrench(self, time: float, q: Array, v: Array) -> Array:
        """Wrench [f; n] (6,), N and N m, world axes, with which springs and dampers draw the frame: at rest what it
        exerts on the environment."""
        q, v = checked_state(self.robot, q, v)
        return self._wrench(time, self._dynamics(q, v))

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        q, v = checked_state(self.robot, q, v)
        dynamics = self._dynamics(q, v)
        moving = dynamics.jacobian.T @ self._wrench(time, dynamics) + self._beside(dynamics, time, q, v)
        carrying = dynamics.joint_gravity + dynamics.joint_coriolis
        return within_efforts(self.robot, carrying, moving, "Cartesian impedance")

    def _dynamics(self, q: Array, v: Array) -> TaskDynamics:
        # Springs need no inertia along lost directions; joints that hardly move the frame are damped as self-motion.
        return build_task_dynamics(self.robot, q, v, self.frame, near_singular=NEAR_SINGULAR, quiet=True)

    def _wrench(self, time: float, dynamics: TaskDynamics) -> Array:
        wanted = pose_at(self.path, time)
        error = pose_error(dynamics.pose, wanted.pose)
        rate = wanted.velocity - dynamics.velocity
        stiffness = np.diag(np.broadcast_to(self.stiffness, (6,)))
        # A force that is held for a period lags by half of it, which takes damping of period / 2 times the stiffness
        # away (Colgate and Schenkel 1997): there is twice as much at least.
        damping = (
            _critical(stiffness, dynamics.inertia)
            if self.damping is None
            else np.maximum(np.diag(np.broadcast_to(self.damping, (6,))), self.period * stiffness)
        )
        mobility = dynamics.jacobian @ np.linalg.solve(dynamics.mass, dynamics.jacobian.T)
        # Dampers act at the end of the period, where the frame moves with rate - period mobility force: implicit Euler.
        held = np.eye(6) + damping @ (self.period * mobility)
        damped = np.linalg.solve(held, damping @ rate)
        return np.asarray(self._bounded(stiffness, mobility) @ error + damped, dtype=np.float64)

    def _bounded(self, stiffness: Array, mobility: Array) -> Array:
        """The stiffness (6, 6), less where a period is too long for it: `period^2 stiffness mobility <= 1 / 2`.

        A spring whose force is held for a period is stable below 1 with the least damping.
        """
        root = np.sqrt(stiffness)
        values, axes = np.linalg.eigh(self.period**2 * (root @ mobility @ root))
        if values[-1] <= _STABLE:
            return stiffness
        # In steps of two, so that a run tells it a few times.
        beyond = 2.0 ** np.floor(np.log2(values[-1] / _STABLE))
        warnings.warn(
            f"Cartesian impedance of frame {self.frame!r}: a spring is at least {beyond:g} "
            f"times too stiff for a period of {self.period:g} s on a mass so light; it is softened to what is stable "
            "(less stiffness, or a shorter period)",
            ControlWarning,
            stacklevel=4,
        )
        return np.asarray(
            root @ (axes * np.minimum(1.0, _STABLE / np.maximum(values, 1e-300))) @ axes.T @ root
        )


def _checked_six(what: str, value: Gain) -> float | tuple[float, ...]:
    gain: float | tuple[float, ...] = checked_gain(what, value)
    if isinstance(gain, tuple) and len(gain) != 6:
        raise InvalidInput(f"{what}: there are {len(gain)}; give one for all, or six, linear before angular")
    return gain


def _critical(stiffness: Array, inertia: Array) -> Array:
    """Damping (6, 6) that is critical for a diagonal stiffness: `A B + B A` of the roots of inertia and stiffness
    (Albu-Schaeffer, Ott, Frese and Hirzinger 2003)."""
    values, axes = np.linalg.eigh((inertia + inertia.T) / 2)
    root = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    spring = np.sqrt(stiffness)
    return np.asarray(root @ spring + spring @ root, dtype=np.float64)


class _Yielded(NamedTuple):
    """How far a virtual mass is off its path at a time, s: (6,) m and rad, and its rate."""

    time: float
    offset: Array
    rate: Array


@dataclass
class AdmittanceControl:
    """A frame that yields to the force that it feels like a mass on a spring and a damper beside its path.

        mass offset'' + damping offset' + stiffness offset = felt

    mass: kg and kg m2; stiffness: N/m and N m/rad; damping: N s/m and N m s/rad; one for all or six, linear before
    angular; damping None: critical. gains: of the loop that follows the virtual mass, 1/s2 and 1/s; keep it several
    times faster. It remembers where the mass is: one object for each run, in `run_feeling`.
    """

    robot: Robot
    frame: str
    path: Path
    mass: Gain
    stiffness: Gain
    damping: Gain | None = None
    posture: Reference | None = None
    gains: Gains = gains_from(8.0)  # noqa: RUF009 (immutable)
    _before: _Yielded | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "damping"):
            if getattr(self, name) is not None:
                setattr(self, name, _checked_six(f"{name} of admittance control", getattr(self, name)))
        if not (np.asarray(self.mass) > 0.0).all():
            raise InvalidInput(f"mass of admittance control is {self.mass}; it must be above zero")
        self.path = settled_path(self.path)
        EndEffectorControl(
            self.robot, self.frame, self.path, self.gains, posture=self.posture
        )  # checks the rest

    @property
    def offset(self) -> Array:
        """How far (6,) the virtual mass is off the path, m and rad, world axes."""
        return np.zeros(6) if self._before is None else self._before.offset

    def torque(self, time: float, q: Array, v: Array, felt: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,).

        felt: wrench [f; n] (6,) on the robot at the frame's origin, N and N m, world axes, without weight. Times must
        rise; an earlier time begins a new run.
        """
        felt, before = checked_array("felt", felt, (6,)), self._before
        if before is None or time < before.time:
            before = _Yielded(time, np.zeros(6), np.zeros(6))
        mass, (stiffness, damping) = np.broadcast_to(self.mass, (6,)), self._spring()
        step = time - before.time
        pull = felt - stiffness * (before.offset + step * before.rate) - damping * before.rate
        acceleration = pull / (mass + step * damping + step * step * stiffness)  # implicit Euler
        rate = before.rate + step * acceleration
        offset = before.offset + step * rate
        self._before = _Yielded(time, offset, rate)
        path = pose_at(self.path, time)
        pose = Transform(boxplus(path.pose.rotation, offset[3:]), path.pose.translation + offset[:3])
        wanted = PoseReference(pose, path.velocity + rate, path.acceleration + acceleration)
        inner = EndEffectorControl(self.robot, self.frame, wanted, self.gains, posture=self.posture)
        # What is felt is taken off: the loop follows the virtual mass, whatever pushes.
        return inner.torque_against(time, q, v, felt)

    def _spring(self) -> tuple[Array, Array]:
        stiffness = np.broadcast_to(self.stiffness, (6,))
        if self.damping is None:
            return stiffness, 2.0 * np.sqrt(stiffness * np.broadcast_to(self.mass, (6,)))
        return tuple(gain_arrays(Gains(self.stiffness, self.damping), 6))  # type: ignore[return-value]

    def __call__(self, time: float, q: Array, v: Array, felt: Array) -> Command:
        return torque_command(self.torque(time, q, v, felt))
