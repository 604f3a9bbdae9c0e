"""Mechanisms that several tests use, with ranges in which they are regular."""

from __future__ import annotations

import numpy as np

from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.knee_screw import KneeScrew

LEAD = 0.005
# The examples of Schwienbacher 2014, (3.3)-(3.21), (3.38)-(3.45); that vergence cannot reach q = 0.
SPEC_KNEE = KneeScrew((0.02, -0.30, 0.0), (-0.05, 0.02, 0.0), LEAD)
SPEC_VERGENCE = CameraVergence(0.02, 0.05, -0.015, (0.03, 0.0, 0.03), (0.005, 0.0, -0.008), 1.0, 0.1)
ANKLE = AnkleCranks(
    (
        SliderCrank((-0.05, 0.045, 0.05), (0.02, 0.0, -1.0), (-0.06, 0.05, 0.0), 0.22, LEAD),
        SliderCrank((-0.05, -0.045, 0.05), (0.0, 0.01, -1.0), (-0.06, -0.05, 0.01), 0.24, LEAD),
    ),
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.1),
    (0.0, 0.0, -0.4),
    (0.01, 0.0, -0.02),
)
CASES = {
    "harmonic": (HarmonicDrive(-100.0), [-3.0], [3.0]),
    "knee": (SPEC_KNEE, [-0.4], [1.1]),
    "vergence": (SPEC_VERGENCE, [0.05], [0.4]),
    "ankle": (ANKLE, [-0.35, -0.6], [0.35, 0.6]),
}


def random_state(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """q within the range of the case, and rates."""
    mechanism, lower, upper = CASES[name]
    random = np.random.default_rng(seed)
    return random.uniform(lower, upper), random.normal(size=mechanism.size)
