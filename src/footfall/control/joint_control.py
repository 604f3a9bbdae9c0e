"""Control in joint space, RSL 2022, (3.73)-(3.80): impedance, gravity compensation, inverse dynamics.

A controller is a value. `controller.torque(time, q, v)` is its law; `controller(time, q, v)` is the command that a
`Simulation` takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import (
    driven_coordinates,
    driven_velocities,
    require_full_actuation,
    torque_command,
)
from footfall.control.gains import GainArrays, Gains, check_gains, gain_arrays
from footfall.control.references import Reference, reference_at, settled_reference
from footfall.control.requests import checked_state
from footfall.dynamics.configuration import difference
from footfall.dynamics.inverse_dynamics import gravity_forces, inverse_dynamics
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.simulation.step_values import Command


@dataclass(frozen=True)
class JointImpedance:
    """Springs and dampers at the joints, RSL 2022, (3.73); with `gravity_compensation` RSL 2022, (3.75).

    gains: N m/rad and N m s/rad (N/m and N s/m of slides), one for all or one a driven joint. Without compensation
    the joints rest where the springs carry the weight, `stiffness (q* - q) = g(q)`, RSL 2022, (3.74). Of a
    floating base only the joints are driven, and compensation takes its gravity forces at the joints, without what
    contacts carry.
    """

    robot: Robot
    reference: Reference
    gains: Gains
    gravity_compensation: bool = True

    def __post_init__(self) -> None:
        require_robot("JointImpedance", self.robot)
        check_gains("joint impedance", self.gains, len(driven_velocities(self.robot)))
        object.__setattr__(self, "reference", settled_reference(self.robot, self.reference))

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        q, v = checked_state(self.robot, q, v)
        wanted, driven = reference_at(self.robot, self.reference, time), driven_velocities(self.robot)
        error, (stiffness, damping) = difference(self.robot, q, wanted.q), self._gains()
        law = stiffness * error[driven] + damping * (wanted.v - v)[driven] + self._gravity(q)[driven]
        return np.asarray(law, dtype=np.float64)

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        """The same law; the drives close the loop of springs and dampers in every step."""
        wanted, driven = reference_at(self.robot, self.reference, time), driven_velocities(self.robot)
        stiffness, damping = self._gains()
        return Command(
            wanted.q[driven_coordinates(self.robot)],
            wanted.v[driven],
            self._gravity(q)[driven],
            stiffness,
            np.zeros(len(driven)),
            damping,
        )

    def _gains(self) -> GainArrays:
        return gain_arrays(self.gains, len(driven_velocities(self.robot)))

    def _gravity(self, q: Array) -> Array:
        return gravity_forces(self.robot, q) if self.gravity_compensation else np.zeros(self.robot.nv)


@dataclass(frozen=True)
class InverseDynamicsControl:
    """`tau = M a* + h`, RSL 2022, (3.76)-(3.78): every joint moves like a unit mass on a spring and a damper.

    model: the robot that the torques are computed for. gains: 1/s2 and 1/s, one for all or one a velocity, see
    `gains_from`. For robots with a drive on every velocity; others need contacts, see `floating_base`.
    """

    model: Robot
    reference: Reference
    gains: Gains

    def __post_init__(self) -> None:
        require_full_actuation(self.model, "inverse-dynamics control")
        check_gains("inverse-dynamics control", self.gains, self.model.nv)
        object.__setattr__(self, "reference", settled_reference(self.model, self.reference))

    def acceleration(self, time: float, q: Array, v: Array) -> Array:
        """What is asked for, a* (nv,), with the reference's own acceleration as feed-forward."""
        q, v = checked_state(self.model, q, v)
        wanted = reference_at(self.model, self.reference, time)
        error, (stiffness, damping) = difference(self.model, q, wanted.q), gain_arrays(self.gains, len(v))
        asked = wanted.a + stiffness * error + damping * (wanted.v - v)
        return np.asarray(asked, dtype=np.float64)

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """Torques (joints,), N m or N, in the state q (nq,), v (nv,)."""
        torque = inverse_dynamics(self.model, q, v, self.acceleration(time, q, v))
        return np.asarray(torque, dtype=np.float64)

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        return torque_command(self.torque(time, q, v))
