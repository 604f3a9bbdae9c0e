"""What is measured: for each algorithm our call and Pinocchio's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import footfall
from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.errors import UnknownName
from footfall.robot.model import JointType, Robot


@dataclass(frozen=True)
class Case:
    """An algorithm in both libraries.

    inputs: names of the arrays that it takes, of q, v, a, tau. ours, theirs: the statements that are timed.
    kernel: our native code for a robot. peer: name of Pinocchio's function.
    """

    name: str
    inputs: tuple[str, ...]
    ours: str
    theirs: str
    kernel: Callable[[Robot], Kernel]

    @property
    def peer(self) -> str:
        return self.theirs.partition("(")[0]


def moving_bodies(robot: Robot) -> tuple[str, ...]:
    """Names of the bodies that are not fixed to another."""
    pairs = zip(robot.bodies, robot.joints, strict=True)
    return tuple(body.name for body, joint in pairs if joint.type is not JointType.FIXED)


def tip(robot: Robot) -> str:
    """The body at the end of the longest chain of joints."""
    tree = robot.tree
    return max(moving_bodies(robot), key=lambda name: len(tree.path(tree.attachments[name].link)))


def centroidal_kernel(robot: Robot) -> Kernel:
    """Momentum and its matrix in one kernel: two algorithms traced together share their work."""

    def centroidal(q: Array, v: Array) -> dict[str, Array]:
        return {
            "matrix": footfall.dynamics.centroidal_momentum_matrix(robot, q),
            "momentum": footfall.centroidal_momentum(robot, q, v),
        }

    key = f"{__name__} {robot.fingerprint}"
    return build_kernel(centroidal, {"q": robot.nq, "v": robot.nv}, name="centroidal", key=key)


CASES = (
    Case(
        "forward kinematics, moving bodies",
        ("q",),
        "forward_kinematics(robot, q, frames=moving)",
        "forwardKinematics(model, data, q)",
        lambda robot: footfall.forward_kinematics.kernel(robot, frames=moving_bodies(robot)),
    ),
    Case(
        "forward kinematics, all bodies",
        ("q",),
        "forward_kinematics(robot, q)",
        "framesForwardKinematics(model, data, q)",
        lambda robot: footfall.forward_kinematics.kernel(robot),
    ),
    Case(
        "Jacobian, all joints",
        ("q",),
        "joint_motions(robot, q)",
        "computeJointJacobians(model, data, q)",
        lambda robot: footfall.dynamics.joint_motions.kernel(robot),
    ),
    Case(
        "Jacobian, one frame",
        ("q",),
        "frame_jacobian(robot, q, tip)",
        "computeFrameJacobian(model, data, q, tip, aligned)",
        lambda robot: footfall.frame_jacobian.kernel(robot, frame=tip(robot)),
    ),
    Case(
        "inverse dynamics",
        ("q", "v", "a"),
        "inverse_dynamics(robot, q, v, a)",
        "rnea(model, data, q, v, a)",
        lambda robot: footfall.inverse_dynamics.kernel(robot),
    ),
    Case(
        "mass matrix",
        ("q",),
        "mass_matrix(robot, q)",
        "crba(model, data, q)",
        lambda robot: footfall.mass_matrix.kernel(robot),
    ),
    Case(
        "mass matrix, packed",
        ("q",),
        "mass_matrix(robot, q, packed=True)",
        "crba(model, data, q)",
        lambda robot: footfall.mass_matrix.kernel(robot, packed=True),
    ),
    Case(
        "forward dynamics",
        ("q", "v", "tau"),
        "forward_dynamics(robot, q, v, tau)",
        "aba(model, data, q, v, tau)",
        lambda robot: footfall.forward_dynamics.kernel(robot),
    ),
    Case(
        "centre of mass Jacobian",
        ("q",),
        "center_of_mass_jacobian(robot, q)",
        "jacobianCenterOfMass(model, data, q)",
        lambda robot: footfall.center_of_mass_jacobian.kernel(robot),
    ),
    Case(
        "centroidal momentum and matrix",
        ("q", "v"),
        "kernel(q, v)",
        "ccrba(model, data, q, v)",
        centroidal_kernel,
    ),
    Case(
        "derivatives of inverse dynamics",
        ("q", "v", "a"),
        "inverse_dynamics_derivatives(robot, q, v, a)",
        "computeRNEADerivatives(model, data, q, v, a)",
        lambda robot: footfall.inverse_dynamics_derivatives.kernel(robot),
    ),
    Case(
        "derivatives of forward dynamics",
        ("q", "v", "tau"),
        "forward_dynamics_derivatives(robot, q, v, tau)",
        "computeABADerivatives(model, data, q, v, tau)",
        lambda robot: footfall.forward_dynamics_derivatives.kernel(robot),
    ),
)


def matching(text: str) -> tuple[Case, ...]:
    """The cases with a text in their name; all with an empty one."""
    cases = tuple(case for case in CASES if text.lower() in case.name.lower())
    if not cases:
        raise UnknownName("algorithm", text, [case.name for case in CASES], "the benchmark")
    return cases
