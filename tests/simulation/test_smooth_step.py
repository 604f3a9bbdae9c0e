"""Integrators of smooth systems: their orders, on a robot that tumbles with joints under control."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.simulation.plants import FeetSimulation, SmoothSimulation
from footfall.simulation.step_values import JointOptions, StepOptions

DURATION = 0.16


def tumble(integrator: str, steps: int) -> np.ndarray:
    """State at the end of a free flight with spinning base and springs in the joints."""
    robot = footfall.load("point-foot-quadruped")
    rng = np.random.default_rng(3)
    v = rng.normal(size=robot.nv)
    v[3:6] = [3.0, -2.0, 4.0]
    options = StepOptions(dt=DURATION / steps, joints=JointOptions(implicit_gains=False, friction=False))
    plant: Any = FeetSimulation
    if integrator != "semi-implicit":
        plant = partial(SmoothSimulation, integrator=integrator)
    simulation = plant(robot, options=options, q=footfall.neutral(robot), v=v)
    command = simulation.pd(np.zeros(simulation.joints), kp=20.0, kd=0.2)
    path = simulation.run(command, DURATION)
    return np.concatenate([path.q[-1], path.v[-1]])


@pytest.mark.parametrize(("integrator", "order"), [("explicit", 1), ("semi-implicit", 1), ("rk4", 4)])
def test_order(integrator: str, order: int) -> None:
    exact = tumble("rk4", 1280)
    errors = [np.abs(tumble(integrator, steps) - exact).max() for steps in (20, 40)]
    assert errors[1] > 1e-14
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_runge_kutta_is_more_exact() -> None:
    exact = tumble("rk4", 1280)
    assert np.abs(tumble("rk4", 40) - exact).max() < 1e-3 * np.abs(tumble("semi-implicit", 40) - exact).max()
