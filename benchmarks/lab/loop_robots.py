"""Looped robots that are measured, and states in which their loops are closed."""

from __future__ import annotations

import numpy as np

from footfall.bench.states import BenchState
from footfall.dynamics.configuration import integrate
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.loops import Loop, LoopType
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot

FOUR_BAR_LEG = "four-bar-leg"


def load_looped(name: str) -> Robot:
    """A looped robot by name; `four-bar-leg` is made here."""
    return four_bar_leg() if name == FOUR_BAR_LEG else load(name)


def four_bar_leg() -> Robot:
    """A leg that hangs on the world: the hip turns the thigh, a crank at the hip bends the knee through a rod."""
    y = (0.0, 1.0, 0.0)
    parts = [
        ("thigh", WORLD, (0.0, 0.0, 0.0), 4.0, 0.4),
        ("shank", "thigh", (0.0, 0.0, -0.4), 2.0, 0.4),
        ("crank", "thigh", (0.0, 0.0, 0.0), 0.4, 0.06),
        ("rod", "crank", (-0.06, 0.0, 0.0), 0.3, 0.4),
    ]
    bodies, joints = [], []
    for name, parent, position, mass, length in parts:
        center = np.array([-length / 2, 0.0, 0.0]) if name == "crank" else np.array([0.0, 0.0, -length / 2])
        across = mass * length**2 / 12
        inertia = (
            np.diag([across / 20, across, across])
            if name == "crank"
            else np.diag([across, across, across / 20])
        )
        bodies.append(Body(name, mass, center, inertia))
        place = Transform(np.eye(3), np.array(position))
        joints.append(Joint(name, JointType.REVOLUTE, parent, name, place, y))
    frames = (
        Frame("rod_end", "rod", Transform(np.eye(3), np.array([0.0, 0.0, -0.39]))),
        Frame("knee_lever", "shank", Transform(np.eye(3), np.array([-0.05, 0.0, 0.01]))),
    )
    loop = Loop("rod", LoopType.POINT, "rod_end", "knee_lever", dependent=("rod", "shank"))
    bent = {"assembly": np.array([0.4, -0.2, -0.2, 0.0])}
    return Robot(FOUR_BAR_LEG, tuple(bodies), tuple(joints), frames, bent, loops=(loop,))


def closed_states(robot: Robot, count: int, *, seed: int = 0) -> BenchState:
    """`count` states around the robot's first configuration, with the loops closed; rates of order one."""
    random = np.random.default_rng(seed)
    start = next(iter(robot.configurations.values()))
    q = np.tile(start, (count, 1))
    for _ in range(3):
        moved = np.asarray(integrate(robot, q, 0.05 * random.normal(size=(count, robot.nv))))
        good = np.isfinite(moved).all(axis=1)  # a step that a loop cannot follow is not taken
        q = np.where(good[:, None], moved, q)
    shape = (count, robot.nv)
    return BenchState(
        q, random.normal(size=shape), random.normal(size=shape), 10.0 * random.normal(size=shape)
    )
