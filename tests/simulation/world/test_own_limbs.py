"""Limbs of one robot that are in each other come apart down to a hundredth of a millimetre, and gain nothing by it."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Simulation
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Geometry, Sphere
from footfall.scene.model import Scene
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.laws import JAMMED

_RADIUS, _DT = 0.1, 2e-3


def _two_slides() -> Robot:
    """Two balls of 1 kg on one rail along x."""
    ball = (Geometry(Sphere(_RADIUS), Transform(np.eye(3), np.zeros(3))),)
    inertia = 0.004 * np.eye(3)
    base = Body("base", 1.0, np.zeros(3), np.eye(3))
    bodies = (base, *(Body(name, 1.0, np.zeros(3), inertia, (), ball) for name in ("left", "right")))
    joints = (
        Joint("base", JointType.FIXED, WORLD, "base"),
        Joint("left", JointType.PRISMATIC, "base", "left", axis=(1.0, 0.0, 0.0)),
        # Away from the other one at zero: what touches there is never asked again
        Joint(
            "right",
            JointType.PRISMATIC,
            "base",
            "right",
            Transform(np.eye(3), np.array([1.0, 0.0, 0.0])),
            axis=(1.0, 0.0, 0.0),
        ),
    )
    return Robot("slides", bodies, joints)


def _coming_apart(depth: float, steps: int) -> tuple[Simulation, float]:
    scene = Scene("nowhere", (), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(_two_slides(), scene, options=StepOptions(dt=_DT))
    simulation.reset(np.array([0.0, 2.0 * _RADIUS - depth - 1.0]), np.zeros(2))
    run = simulation.run(simulation.zero_command, steps * _DT)
    return simulation, float(np.abs(run.v).max())


@pytest.mark.filterwarnings("ignore::footfall.errors.FootfallWarning")
def test_what_is_not_deep_stays_at_rest() -> None:
    simulation, fastest = _coming_apart(0.9 * JAMMED, 20)
    assert fastest == 0.0
    assert simulation.q[1] - simulation.q[0] == pytest.approx(2.0 * _RADIUS - 0.9 * JAMMED - 1.0, abs=1e-15)


@pytest.mark.filterwarnings("ignore::footfall.errors.FootfallWarning")
def test_what_is_deeper_comes_out_with_what_is_too_much() -> None:
    # The first step asks for a part r of what is too much, (d - JAMMED) r / dt, and nothing holds it afterwards; they
    # give way by a thousandth of three times their mobility, so that a share of 0.003 is left at the most.
    depth = 10.0 * JAMMED
    recovery = StepOptions(dt=_DT).contact.recovery
    simulation, _ = _coming_apart(depth, 1)
    apart = simulation.v[1] - simulation.v[0]
    assert apart == pytest.approx((depth - JAMMED) * recovery / _DT, rel=4e-3)
