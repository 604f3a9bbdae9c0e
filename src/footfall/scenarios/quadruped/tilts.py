"""Falls over an ensemble of tilts: whether the robot ends on its feet depends on how it is let go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.robot.library import quadruped
from footfall.scenarios.quadruped.legs import standing_configuration
from footfall.scenarios.quadruped.parameters import FallPart, Scenario
from footfall.scenarios.quadruped.references import released
from footfall.scenarios.quadruped.run import ContactModel, build_simulation

_PERIOD = 0.01  # s between the states that are kept


@dataclass(frozen=True, eq=False)
class Tilts:
    """Outcome of falls, one row each.

    tilts: (n, 2) roll and pitch at release, rad. end_height, top_height: (n,) of the torso, m. upright: (n,) z
    component of its axis at the end. speed: (n,) largest velocity at the end, m/s or rad/s. residual: (n,) worst change
    of impulses in a last sweep, over weight times dt. finite: (n,).
    """

    tilts: Array
    end_height: Array
    top_height: Array
    upright: Array
    speed: Array
    residual: Array
    finite: np.ndarray[Any, np.dtype[np.bool_]]


def fall_tilted(scenario: Scenario, tilts: Array, contact: ContactModel = "exact") -> Tilts:
    """Let the robot fall from tilts (n, 2) of roll and pitch, rad, all in one native call."""
    if scenario.fall is None:
        raise InvalidInput(f"tilts are for falls only, but the scenario is a {scenario.kind}")
    substeps = max(1, round(_PERIOD / scenario.step.dt))
    simulation = build_simulation(scenario, contact, substeps=substeps)
    robot = quadruped(foot_height=scenario.robot.foot_height)
    stand = standing_configuration(robot, scenario.robot.hip_height)
    tilts = np.asarray(tilts, dtype=np.float64)
    starts = np.array(
        [
            released(
                robot, stand, FallPart(height=scenario.fall.height, roll=float(roll), pitch=float(pitch))
            )
            for roll, pitch in tilts
        ]
    )
    control = scenario.control
    gains = {name: np.tile(getattr(control, name), 4) for name in ("kp", "ki", "kd")}
    command = simulation.pd(stand[7:], **gains)
    steps = max(1, round(scenario.duration / simulation.control_period))
    q, v, residual = simulation.rollout(starts, np.zeros(robot.nv), command, steps=steps)
    weight = robot.mass * 9.81 * scenario.step.dt
    x, y = q[:, -1, 4], q[:, -1, 5]
    return Tilts(
        tilts,
        q[:, -1, 2],
        q[:, :, 2].max(axis=1),
        1 - 2 * (x * x + y * y),
        np.abs(v[:, -1]).max(axis=1),
        residual.reshape(len(tilts), -1).max(axis=1) / weight,
        np.asarray(np.isfinite(q).all(axis=(1, 2))),
    )
