"""How far our results are from Pinocchio's, normwise: relative to the size of what it gives. A fast wrong answer does
not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

import footfall
from footfall.arrays import Array
from footfall.bench.cases import moving_bodies, tip
from footfall.bench.pinocchio import PinocchioModel
from footfall.bench.states import BenchState
from footfall.errors import InvalidInput
from footfall.robot.model import Robot


def relative_error(actual: ArrayLike, expected: ArrayLike, *, scale: float = 0.0) -> float:
    """`|actual - expected| / max(|expected|, scale)` in the Frobenius norm; NaN counts as infinite.

    scale: the size of the terms that cancel where the expected value may vanish.
    """
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    if actual.shape != expected.shape:
        raise InvalidInput(f"shape {actual.shape}, expected {expected.shape}")
    error = float(np.linalg.norm(actual - expected))
    size = max(float(np.linalg.norm(expected)), scale)
    if error == 0.0:
        return 0.0
    return error / size if size > 0.0 and np.isfinite(error) else np.inf


Results = Sequence[Array]


def _poses_error(names: Callable[[Robot], Sequence[str]]) -> Callable[..., float]:
    def error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
        pin.framesForwardKinematics(peer.model, peer.data, peer.q(state.q))
        poses = [peer.data.oMf[peer.frame_id(name)] for name in names(peer.robot)]
        positions = relative_error(results[0], np.array([pose.translation for pose in poses]))
        return max(positions, relative_error(results[1], np.array([pose.rotation for pose in poses])))

    return error


def _joint_motions_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    theirs = pin.computeJointJacobians(peer.model, peer.data, peer.q(state.q))
    return relative_error(results[0], peer.columns(theirs))


def _frame_jacobian_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    frame = peer.frame_id(tip(peer.robot))
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    theirs = pin.computeFrameJacobian(peer.model, peer.data, peer.q(state.q), frame, aligned)
    return relative_error(results[0], peer.columns(theirs))


def _inverse_dynamics_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    q, v, a, _ = peer.state(state)
    return relative_error(results[0], peer.vector(pin.rnea(peer.model, peer.data, q, v, a)))


def _mass_matrix_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    theirs = peer.symmetric(pin.crba(peer.model, peer.data, peer.q(state.q)))
    if results[0].ndim == 1:  # packed
        theirs = theirs[footfall.dynamics.mass_matrix_pattern(peer.robot)]
    return relative_error(results[0], theirs)


def _forward_dynamics_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    """By the residual: `|ID(a) - tau| / (|tau| + |h|)`."""
    q, v, _, tau = peer.state(state)
    bias = pin.nonLinearEffects(peer.model, peer.data, q, v).copy()
    left = pin.rnea(peer.model, peer.data, q, v, peer.v(results[0])) - tau
    return float(np.linalg.norm(left) / (np.linalg.norm(tau) + np.linalg.norm(bias)))


def _center_of_mass_jacobian_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    theirs = pin.jacobianCenterOfMass(peer.model, peer.data, peer.q(state.q))
    return relative_error(results[0], peer.columns(theirs))


def _centroidal_error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
    q, v, *_ = peer.state(state)
    pin.ccrba(peer.model, peer.data, q, v)
    matrix = relative_error(results[0], peer.columns(peer.data.Ag))
    return max(matrix, relative_error(results[1], np.array(peer.data.hg.vector)))


def _derivatives_error(function: str) -> Callable[..., float]:
    def error(peer: PinocchioModel, state: BenchState, results: Results) -> float:
        q, v, a, tau = peer.state(state)
        last = a if function == "computeRNEADerivatives" else tau
        dq, dv, du = getattr(pin, function)(peer.model, peer.data, q, v, last)
        theirs = [peer.matrix(dq), peer.matrix(dv), peer.symmetric(du)]
        return max(relative_error(mine, other) for mine, other in zip(results, theirs, strict=True))

    return error


Error = Callable[[PinocchioModel, BenchState, Results], float]

# By the name of Pinocchio's function, the distance of our results at a state.
ERRORS: dict[str, Error] = {
    "forwardKinematics": _poses_error(moving_bodies),
    "framesForwardKinematics": _poses_error(lambda robot: [body.name for body in robot.bodies]),
    "computeJointJacobians": _joint_motions_error,
    "computeFrameJacobian": _frame_jacobian_error,
    "rnea": _inverse_dynamics_error,
    "crba": _mass_matrix_error,
    "aba": _forward_dynamics_error,
    "jacobianCenterOfMass": _center_of_mass_jacobian_error,
    "ccrba": _centroidal_error,
    "computeRNEADerivatives": _derivatives_error("computeRNEADerivatives"),
    "computeABADerivatives": _derivatives_error("computeABADerivatives"),
}
