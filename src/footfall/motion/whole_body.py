"""How a whole robot carries out a motion, at many times at once: configurations, and the angular momentum of all its
bodies.

Tasks leave joints free. Of all configurations that meet them it takes that which is closest to a comfortable one, so
that a configuration depends on its time alone, and all times are computed side by side in one native call.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import link_poses
from footfall.errors import InvalidInput
from footfall.gait.poses import Hand
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.rotations import (
    quaternion_from_matrix,
    quaternion_inverse,
    quaternion_product,
    rotate_by_quaternion,
)
from footfall.math.spatial import symmetric
from footfall.motion.arm_reach import ArmReach, arm_reach
from footfall.motion.body_tasks import body_targets, body_tasks
from footfall.motion.model_derivation import standing_configuration
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import ROTATIONS, MotionSamples
from footfall.motion.standing import placed_frame
from footfall.robot.model import WORLD, JointType, Robot

_DAMPING = 1e-3  # of the Jacobian: legs that are nearly stretched would leap
_NEWTON_STEPS = 4  # of Newton's method from the comfortable configuration; errors are below a millimetre then
_UPPER_BODY = ROTATIONS.index("upper_body")


class Posture(NamedTuple):
    """At n times: configurations (n, nq), velocities (n, nv), the angular momentum about the centre of mass (n, 3), kg
    m2/s, world axes, and how far the tasks are off (n,), m or rad."""

    q: Array
    v: Array
    momentum: Array
    errors: Array


class WholeBody:
    """A robot as the generator of motions knows it if it is to know all of its bodies.

    comfort (nq,): what joints are close to where tasks leave them free; by default `standing_configuration`.
    """

    def __init__(self, robot: Robot, model: ReducedModel, *, comfort: Array | None = None) -> None:
        roots = [joint for joint in robot.joints if joint.parent == WORLD]
        if len(roots) != 1 or roots[0].type is not JointType.FLOATING:
            raise InvalidInput(f"robot {robot.name!r} has no floating base; one that walks has")
        self.robot, self.model = robot, model
        self.comfort = np.array(standing_configuration(robot, model) if comfort is None else comfort)
        self._base = robot.q_slice(roots[0].name)
        self._placement = roots[0].placement
        self._arms: dict[Hand, ArmReach] = {}

    def postures(self, samples: MotionSamples, *, start: Array | None = None) -> Posture:
        """How the robot carries out samples (n,) of a motion; hands are where its arms are comfortable.

        start (n, nq): configurations that are close to what is sought.
        """
        targets, rates = body_targets(samples, self.model)
        q = self._upright(samples) if start is None else start
        for _ in range(_NEWTON_STEPS if start is None else 1):
            q = integrate(self.robot, q, self.kernel(q, targets, rates)[0])
        _, v, momentum, errors = self.kernel(q, targets, rates)
        return Posture(q, v, momentum, np.abs(errors).max(axis=1))

    def arm(self, hand: Hand) -> ArmReach:
        """Where a hand gets within joint limits and without touching the robot; found when it is first asked for."""
        if hand not in self._arms:
            self._arms[hand] = arm_reach(self.robot, self.model.frames, hand, self.comfort)
        return self._arms[hand]

    @cached_property
    def _standing(self) -> tuple[Array, Array]:
        """Quaternion of the upper body (4,) and centre of mass (3,) in the comfortable configuration."""
        poses = link_poses(self.robot.tree, self.comfort)
        body = placed_frame(self.robot, poses, self.model.frames["UB"])
        return quaternion_from_matrix(body.rotation), center_of_mass(self.robot, self.comfort)

    def _upright(self, samples: MotionSamples) -> Array:
        """The comfortable configuration (n, nq) with upper body and centre of mass where they shall be."""
        upper_body, center = self._standing
        # Of the whole robot
        turns = quaternion_product(samples.quaternions[:, _UPPER_BODY], quaternion_inverse(upper_body)[None])
        base, root = self.comfort[self._base], self._placement
        arm = root.rotation @ base[:3] + root.translation - center
        place = samples.center_of_mass[:, 0] + rotate_by_quaternion(turns, arm[None])
        frame = quaternion_from_matrix(root.rotation)
        turned = quaternion_product(
            quaternion_product(quaternion_inverse(frame)[None], turns),
            quaternion_product(frame, base[3:])[None],
        )
        q = np.tile(self.comfort, (len(turns), 1))
        q[:, self._base] = np.concatenate([(place - root.translation) @ root.rotation, turned], axis=1)
        return q

    @cached_property
    def kernel(self) -> Kernel:
        """Native code (q, targets, rates) -> (step, velocity, momentum, errors), see `_traced`."""
        stack = TaskStack(self.robot, body_tasks(self.robot, self.model))
        return build_kernel(
            lambda q, targets, rates: self._traced(stack, q, targets, rates),
            {"q": self.robot.nq, "targets": len(stack.parameters), "rates": stack.size},
            name="whole_body",
            key=stack.key("whole_body", self.comfort.tolist(), _DAMPING),
        )

    def _traced(self, stack: TaskStack, q: Array, targets: Array, rates: Array) -> dict[str, Array]:
        """A step of Newton's method towards the closest configuration that meets the tasks, the velocity of least norm
        with their rates, its angular momentum, and their errors."""
        values = stack.traced(q, targets)
        jacobian, errors = values["jacobian"], values["error"]
        matrix = symmetric(
            stack.size, lambda i, j: jacobian[i] @ jacobian[j] + (_DAMPING**2 if i == j else 0.0)
        )
        wish = self._wish(q)
        step = wish + jacobian.T @ solve_positive_definite(matrix, errors - jacobian @ wish)
        v = jacobian.T @ solve_positive_definite(matrix, rates)
        return {
            "step": step,
            "v": v,
            "momentum": centroidal_momentum(self.robot, q, v)[3:],
            "errors": errors,
        }

    def _wish(self, q: Array) -> Array:
        """The step (nv,) to the comfortable configuration; the base has no wish."""
        wish = np.zeros(self.robot.nv, dtype=object)
        for joint in self.robot.joints:
            at, rate = self.robot.q_slice(joint.name), self.robot.v_slice(joint.name)
            if joint.parent != WORLD and at.stop - at.start == rate.stop - rate.start:
                wish[rate] = self.comfort[at] - q[at]
        return wish
