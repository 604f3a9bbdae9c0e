"""Arms whose workspaces are known in closed form."""

from __future__ import annotations

import numpy as np

import footfall
from footfall.arrays import Array, Flags
from footfall.robot.toml import parse_toml
from footfall.workspace import ArmChain, arm_chain

SHOULDER = np.array([0.108, 0.287, 0.223])  # of LOLA's right arm, in the torso's axes (z points outwards), m
UPPER, LOWER, ASIDE = 0.383, 0.345, 0.05055  # its lengths, m
ELBOW = np.radians(158.0)  # that it bends at most


def lola_arm(**options: object) -> ArmChain:
    """LOLA's right arm, seen from the torso."""
    return arm_chain(footfall.load("lola"), "torso", "RH", **options)  # type: ignore[arg-type]


def planar_arm(first: float = 0.4, second: float = 0.25) -> ArmChain:
    """Two hinges in a plane, which turn all the way round."""
    rows = f"""
        name = "planar"
        [denavit_hartenberg]
        tool = [{second}, 0.0, 0.0]
        [[denavit_hartenberg.row]]
        type = "continuous"
        [[denavit_hartenberg.row]]
        type = "continuous"
        a = {first}
    """
    return arm_chain(parse_toml(rows), "base", "tool")


def railed_scara() -> ArmChain:
    """A rail of 1 m upwards, two hinges that turn all the way round (0.35 and 0.25 m), and a slide of 0.2 m."""
    rows = """
        name = "railed scara"
        [denavit_hartenberg]
        [[denavit_hartenberg.row]]
        type = "prismatic"
        lower = 0.0
        upper = 1.0
        [[denavit_hartenberg.row]]
        type = "continuous"
        d = 0.3
        [[denavit_hartenberg.row]]
        type = "continuous"
        a = 0.35
        [[denavit_hartenberg.row]]
        type = "prismatic"
        a = 0.25
        lower = -0.2
        upper = 0.0
    """
    return arm_chain(parse_toml(rows), "base", "tool")


def lola_reaches(points: Array) -> Flags:
    """Whether LOLA's right hand gets to points (n, 3) in the torso's axes, in closed form.

    The shoulder's axes meet, and the last one turns about the upper arm all the way round: so a hand at distance d from
    the shoulder, which fixes the elbow's angle e by d^2 = l2^2 + l4^2 + 2 l2 l4 cos e + l3^2, is on a cone about the
    upper arm with cos b = (l2 + l4 cos e) / d. The upper arm points anywhere on the outer side (aa from -180 to 0
    degrees): a hand is reached if its direction is within 90 degrees + b of outwards.
    """
    away = points - SHOULDER
    distance = np.linalg.norm(away, axis=1)
    bend = (distance**2 - UPPER**2 - LOWER**2 - ASIDE**2) / (2.0 * UPPER * LOWER)
    cone = np.arccos(np.clip((UPPER + LOWER * np.clip(bend, -1.0, 1.0)) / distance, -1.0, 1.0))
    outwards = np.arccos(np.clip(away[:, 2] / distance, -1.0, 1.0))
    return (bend <= 1.0) & (bend >= np.cos(ELBOW)) & (outwards <= 0.5 * np.pi + cone)


def lola_volume() -> float:
    """Of that, m3: the integral of 2 pi (1 - cos(90 deg + b)) d^2 over the distance d."""
    bend = np.linspace(0.0, ELBOW, 200_001)
    distance = np.sqrt(UPPER**2 + LOWER**2 + 2.0 * UPPER * LOWER * np.cos(bend) + ASIDE**2)
    cone = np.arccos((UPPER + LOWER * np.cos(bend)) / distance)
    solid = 2.0 * np.pi * (1.0 - np.cos(np.minimum(0.5 * np.pi + cone, np.pi)))
    return float(abs(np.trapezoid(solid * distance**2, distance)))
