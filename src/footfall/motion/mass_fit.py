"""How the mass of a robot is best shared among five points, fitted to recorded motions (Seiwald 2023).

What moves is known (feet, hands, upper body, centre of mass), and so is the torque of the ground. The shares of feet
and hands, and the inertia of the torso, are those that explain the torque best.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.motion.limbs import Limbs, contact_wrench, torso_motion
from footfall.motion.reduced_model import ReducedModel

_UPPER = np.triu_indices(3)
_LARGEST_SHARE = 0.24  # feet and hands together leave mass for the torso


class MassFit(NamedTuple):
    """model: with the shares and inertia that were found. deviations: standard deviations of `foot_share`,
    `hand_share` and the inertia's entries xx, xy, xz, yy, yz, zz that the remaining error leaves; infinite for what
    the motion does not show. error_before, error: root mean square of the torque's error, N m."""

    model: ReducedModel
    deviations: Array
    error_before: float
    error: float


def fit_masses(
    model: ReducedModel, limbs: Limbs, center: Array, torque: Array, *, with_inertia: bool = True
) -> MassFit:
    """The model whose contact torque is closest to a recorded one.

    model: where to start. limbs: at k times. center (3, k, 3): centre of mass with velocity and acceleration, m.
    torque (k, 3): of the ground on the feet about the world's origin, N m. with_inertia: also fit the torso's.
    """
    if center.shape != (3, *torque.shape) or torque.shape[1:] != (3,) or len(torque) < 3:
        raise InvalidInput(
            f"centre of mass of shape {center.shape} and torque of shape {torque.shape}; they must be (3, k, 3) and "
            "(k, 3), k at least 3"
        )
    count = 8 if with_inertia else 2

    def changed(values: Array) -> ReducedModel:
        inertia = model.torso_inertia
        if with_inertia:
            upper = np.zeros((3, 3))
            upper[_UPPER] = values[2:]
            inertia = upper + np.triu(upper, 1).T
        return replace(model, foot_share=float(values[0]), hand_share=float(values[1]), torso_inertia=inertia)

    def error(values: Array) -> Array:
        now = changed(values)
        torso = torso_motion(limbs, center, now)
        return np.asarray((contact_wrench(limbs, torso, now).torque - torque).ravel())

    start = np.concatenate([[model.foot_share, model.hand_share], model.torso_inertia[_UPPER]])[:count]
    lower = np.concatenate([[0.0, 0.0], np.full(count - 2, -np.inf)])
    upper = np.concatenate([[_LARGEST_SHARE] * 2, np.full(count - 2, np.inf)])
    found = least_squares(error, np.clip(start, lower, upper), bounds=(lower, upper), x_scale="jac")
    return MassFit(
        changed(found.x),
        _deviations(found.jac, found.fun),
        _mean_square(error(start)),
        _mean_square(found.fun),
    )


def _mean_square(errors: Array) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _deviations(jacobian: Array, errors: Array) -> Array:
    """Standard deviations of the parameters, for errors that are independent of each other."""
    variance = errors @ errors / max(len(errors) - jacobian.shape[1], 1)
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    shown = singular > 1e-10 * singular[0]
    deviations = np.sqrt(variance * np.sum((directions[shown] / singular[shown, None]) ** 2, axis=0))
    hidden = np.abs(directions[~shown]).max(axis=0, initial=0.0) > 1e-6
    return np.asarray(np.where(hidden, np.inf, deviations))
