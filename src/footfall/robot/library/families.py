"""Robots with a parameter in their name: chains of N links and the fractal trees Dill(n)."""

from __future__ import annotations

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Capsule, Frame, Geometry, Joint, JointType, Robot

MOST_LINKS = 10_000
MOST_LEVELS = 12

_BLUE = (0.0, 0.40, 0.74, 1.0)
_Z_TO_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


def chain(
    links: int, *, link_length: float = 0.2, link_mass: float = 0.5, link_radius: float = 0.02
) -> Robot:
    """A hanging chain of solid cylinders whose joints turn about y and x by turns.

    links: 1 to 10,000. link_length and link_radius in m, link_mass in kg, all above zero. The frame `tip` is
    the end of the last link.
    """
    name = f"chain-{links}"
    _check_range(name, "links", links, 1, MOST_LINKS)
    for what, size in (("length", link_length), ("mass", link_mass), ("radius", link_radius)):
        if not size > 0.0:
            raise RobotError(f"link_{what} is {size}; it must be above zero", subject=("robot", name))
    across = link_mass * (3 * link_radius**2 + link_length**2) / 12
    inertia = np.diag([across, across, link_mass * link_radius**2 / 2])
    middle = np.array([0.0, 0.0, -link_length / 2])
    shape = Geometry(Capsule(link_radius, link_length), Transform(np.eye(3), middle), color=_BLUE)
    end = Transform(np.eye(3), 2 * middle)
    bodies, joints = [], []
    for index in range(1, links + 1):
        body = f"link{index}"
        bodies.append(Body(body, link_mass, middle, inertia, visuals=(shape,)))
        parent, placement = (
            (WORLD, Transform(np.eye(3), np.zeros(3))) if index == 1 else (f"link{index - 1}", end)
        )
        axis = (0.0, 1.0, 0.0) if index % 2 else (1.0, 0.0, 0.0)
        joints.append(Joint(f"joint{index}", JointType.REVOLUTE, parent, body, placement, axis))
    return Robot(name, tuple(bodies), tuple(joints), frames=(Frame("tip", bodies[-1].name, end),))


def dill(levels: int) -> Robot:
    """Featherstone's fractal tree Dill(n) of 2^n links with revolute joints about z (Schwienbacher 2014).

    levels: n, 0 to 12. Links are numbered depth first.
    """
    name = f"dill-{levels}"
    _check_range(name, "levels", levels, 0, MOST_LEVELS)
    bodies: list[Body] = []
    joints: list[Joint] = []

    def grow(level: int, parent: str, placement: Transform) -> None:
        body = _dill_link(f"link{len(bodies)}", max(level, 1))
        joints.append(Joint(f"joint{len(bodies)}", JointType.REVOLUTE, parent, body.name, placement))
        bodies.append(body)
        for branch in range(1, level + 1):
            grow(branch - 1, body.name, Transform(_turn_x(branch / 3), np.array([0.1 * branch, 0.0, 0.0])))

    grow(levels, WORLD, Transform(np.eye(3), np.zeros(3)))
    return Robot(name, tuple(bodies), tuple(joints))


def _dill_link(name: str, scale: int) -> Body:
    """A cylinder along x whose joint lies at its end. The inertias of the source are about the joint."""
    mass = 0.1 * scale**3
    center = np.array([0.05 * scale, 0.0, 0.0])
    about_joint = np.diag([1 / 200_000, 403 / 1_200_000, 403 / 1_200_000]) * scale**5
    inertia = about_joint - mass * (center @ center * np.eye(3) - np.outer(center, center))
    shape = Geometry(Capsule(0.01 * scale, 0.1 * scale), Transform(_Z_TO_X, center), color=_BLUE)
    return Body(name, mass, center, inertia, visuals=(shape,))


def _turn_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _check_range(robot: str, what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        message = f"{what} is {value}; it must be {least} to {most}"
        raise RobotError(message, subject=("robot", robot))
