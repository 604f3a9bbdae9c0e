"""States and references that the tests of the dynamics share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.robot.model import Robot


@dataclass(frozen=True)
class PlanarArmCase:
    """Numbers of RSL 2022, chapter 3 for the planar arm."""

    q: tuple[float, ...]
    v: tuple[float, ...]
    mass_matrix: tuple[tuple[float, ...], ...]
    velocity_forces: tuple[float, ...]
    gravity_forces: tuple[float, ...]


CASE_A = PlanarArmCase(
    q=(np.pi / 6, np.pi / 3, np.pi / 3),
    v=(0.1, -0.2, 0.3),
    mass_matrix=((11 / 2, 8 / 3, 1 / 3), (8 / 3, 13 / 6, 7 / 12), (1 / 3, 7 / 12, 1 / 3)),
    velocity_forces=(-0.02598076, 0.00433013, 0.00866025),
    gravity_forces=(-29.43, -17.1675, -2.4525),
)
CASE_B = PlanarArmCase(
    q=(0.3, 0.7, -0.4),
    v=(0.5, -1.0, 0.8),
    mass_matrix=(
        (8.17092404, 4.21265919, 1.27153207),
        (4.21265919, 2.58772766, 0.79386383),
        (1.27153207, 0.79386383, 0.33333333),
    ),
    velocity_forces=(-0.00751185, 0.24736819, -0.01173727),
    gravity_forces=(-22.39944994, -15.15181687, -2.76957133),
)


@dataclass(frozen=True)
class DillCase:
    """Numbers of Schwienbacher 2014, chapter 2: at q = pi/6, v = 1, without joint forces; gravity: of the last two
    only."""

    levels: int
    mass: float
    kinetic_energy: float
    first_inertia: float
    first_acceleration: float
    size: float
    first_acceleration_with_gravity: float = np.nan
    size_with_gravity: float = np.nan


DILL_CASES = (
    DillCase(1, 0.2, 0.002158861877, 0.002528837617, 1.40102723, 4.069757852, 32.81656275, 117.8317871),
    DillCase(2, 1.1, 0.02267106424, 0.02923354528, 0.4696530682, 11.48639396, 12.60508686, 125.7254636),
    DillCase(3, 4.1, 0.2094660991, 0.2944702198, 0.4492118797, 24.13354566, 8.467698948, 168.160373),
    DillCase(4, 11.9, 1.311412229, 2.042920041, 0.3110562627, 38.34090776, 4.923305348, 179.3603803),
    DillCase(5, 29.9, 5.455305993, 10.98503685, 0.1383130299, 53.83717851, 1.932194189, 199.811962),
    DillCase(6, 68.9, 17.40747874, 50.42720633, -0.05062486678, 74.69923672),
    DillCase(7, 150.5, 53.02955343, 203.9994301, -0.2883538775, 104.6931723),
)


def some_wrenches(robot: Robot, seed: int = 0) -> dict[str, Array]:
    """Wrenches on all frames and on the last body."""
    rng = np.random.default_rng(seed)
    names = [frame.name for frame in robot.frames] + [robot.bodies[-1].name]
    return {name: 10.0 * rng.normal(size=6) for name in names}


def moved(robot: Robot, q: Array, step: Array) -> Array:
    """`integrate` as the textbook has it."""
    return np.asarray(integrate.textbook(robot, q, step))
