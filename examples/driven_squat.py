"""The leg under the weight of the whole robot: its pelvis slides along a vertical guide while the knee bends.

python examples/driven_squat.py
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall import Command, Joint, JointType, Plane, Robot, Scene, SceneObject, frame_pose
from footfall.arrays import Array
from footfall.contact import scene_candidates
from footfall.robot import WORLD
from footfall.scenarios import LEG_JOINTS, StepReference, lola_leg, step_reference
from footfall.simulation import FeetSimulation, Gears, Trajectory

GUIDE, FOOT = "guide", "RF"
SERVO_PERIOD = 250e-6  # s
COMMAND_TICKS = 4  # servo periods between two targets


@dataclass(frozen=True, eq=False)
class SquatResult:
    """robot: with the guide in front of the leg. wanted (n, 7): joint positions of the reference, rad."""

    robot: Robot
    path: Trajectory
    wanted: Array

    @property
    def weight(self) -> float:
        """N that the sole must bear at rest."""
        return self.robot.mass * float(np.linalg.norm(self.robot.gravity))


def guided_leg(leg: Robot) -> Robot:
    """The leg with its pelvis on a vertical slide."""
    root = leg.joints[0]
    guide = Joint(GUIDE, JointType.PRISMATIC, WORLD, root.child, root.placement, (0.0, 0.0, 1.0))
    at = {name: np.concatenate([np.zeros(1), q]) for name, q in leg.configurations.items()}
    return replace(leg, joints=(guide, *leg.joints[1:]), configurations=at)


def follow_squat(
    gears: Gears,
    *,
    depth: float = 0.06,
    duration: float = 0.8,
    rest: float = 0.4,
    leg: Robot | None = None,
    dt: float = SERVO_PERIOD,
) -> SquatResult:
    """Down by `depth` (m) and up again in `duration` (s) on one foot that bears all of LOLA, then `rest` (s)."""
    leg = lola_leg() if leg is None else leg
    # For the pelvis it is the foot that goes up and down.
    reference: StepReference = step_reference(leg, length=0.0, height=depth, duration=duration)
    robot = guided_leg(leg)
    q = np.concatenate([np.zeros(1), reference.position(0.0)])
    q[0] = -frame_pose(robot, q, FOOT).translation[2]
    scene = Scene("floor", (SceneObject("floor", Plane()),))
    own = {joint.child for joint in robot.joints if joint.name in LEG_JOINTS}
    soles = [each for each in scene_candidates(robot, scene) if each.body in own]
    simulation = FeetSimulation(
        robot,
        scene,
        candidates=soles,
        dt=dt,
        substeps=round(COMMAND_TICKS * SERVO_PERIOD / dt),
        q=q,
        drives=gears,
    )
    zero = np.zeros(simulation.joints)

    def command(time: float, q: Array, v: Array) -> Command:
        wanted, rate = (
            np.concatenate([np.zeros(1), part(time)]) for part in (reference.position, reference.velocity)
        )
        return Command(wanted, rate, zero, zero, zero, zero)

    path = simulation.run(command, duration + rest)
    return SquatResult(robot, path, np.array([reference.position(time) for time in path.time]))


if __name__ == "__main__":
    for gears in ("rigid", "elastic"):
        squat = follow_squat(gears)
        height, load = squat.path.q[:, 0], squat.path.forces[:, :, 2].sum(axis=1)
        off = np.degrees(np.abs(squat.path.q[:, 1:] - squat.wanted).max())
        knee = np.abs(squat.path.currents).max(axis=0)[LEG_JOINTS.index("kfr")]
        print(
            f"{gears} gears: down by {1e3 * (height[-1] - height.min()):.1f} mm, joints within {off:.2f} degrees; "
            f"the sole bears {load[-1] / squat.weight:.4f} of the weight at rest, the knee takes {knee:.1f} A at most"
        )
