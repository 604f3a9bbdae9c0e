"""What arms do while LOLA walks: costs on angular momentum and on closeness to the body, on and off. Writes a report.

Slip is how far a sole that carries load moves along the ground and turns on it. Ground of friction 0.8, and of 0.25,
where torques about the vertical turn soles.

python benchmarks/free_arms.py [--output benchmarks/free_arms.md]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.bench.surroundings import load_average, processor
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import MotionWarning
from footfall.gait.actions import straight
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.motion.plans import load_plan
from footfall.scene.load import load_scene
from footfall.walking.body import FEET, WalkingBody, walking_body
from footfall.walking.clearance import arm_pairs
from footfall.walking.walk import control_time
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

COSTS = {"none": (0, 0), "momentum": (1, 0), "self-collision": (0, 1), "both": (1, 1)}
FRICTIONS = (0.8, 0.25)
POSTURES, WIDEST = 12, 0.8  # of arms, and how far their joints are off, rad
EVERY = 5  # periods between two states that are looked at


@dataclass(frozen=True, eq=False)
class OtherPosture(WalkingBody):
    """A robot that would like to keep another configuration (nq,)."""

    wanted: Array

    @cached_property
    def comfort(self) -> Array:
        """The one that was asked for."""
        return self.wanted


class Seen(NamedTuple):
    """Of a walk: whether it arrived; momentum about the vertical, most and RMS, kg m2/s; torque on a sole, Nm; slip, m
    and rad; least distance between arms and body, m; time of a control period, us."""

    arrived: bool
    momentum: float
    momentum_rms: float
    torque: float
    slip: float
    turned: float
    distance: float
    control: float


def motions(code: WalkingCode) -> Iterator[tuple[str, str, Motion]]:
    """Name, scene and motion of the walks."""
    model = code.body.model
    for longest, duration in ((0.4, 0.8), (0.5, 0.7), (0.63, 0.67)):
        plan = footfall.walking_plan(model, straight(10.0 * longest, longest=longest, duration=duration))
        yield (
            f"straight, {longest} m in {duration} s",
            "flat",
            generate_motion(plan, model, body=code.whole),
        )
    for name, scene in (("curve", "flat"), ("turn", "flat"), ("platform", "platform")):
        yield name, scene, generate_motion(load_plan(name, model), model, body=code.whole)


def walk(
    code: WalkingCode, scene: str, motion: Motion, costs: tuple[int, int], friction: float | None
) -> Walker:
    walker = Walker(code, load_scene(scene), motion, WalkerOptions(friction=friction))
    gains = walker.gains
    walker.tune(
        gains._replace(
            momentum_weight=costs[0] * gains.momentum_weight,
            clearance_strength=costs[1] * gains.clearance_strength,
        )
    )
    walker.run_until(motion.end_time)
    return walker


def slips(walker: Walker, q: Array) -> tuple[float, float]:
    """How far a sole moves and turns at most between two instants while it carries a tenth of the weight, m and rad;
    its frame lies below the toes, about which it rolls."""
    body, weight = walker.code.body, walker.gains.mass * walker.gains.gravity
    most, turned = 0.0, 0.0
    for foot, part in zip(FEET, ("right_foot", "left_foot"), strict=True):
        loaded = walker.log.signals[part][::EVERY, 2] > 0.1 * weight
        pose = frame_pose(body.robot, q, body.model.frames[foot])
        place, ahead = np.array(pose.translation)[:, :2], np.array(pose.rotation)[:, :2, 0]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], loaded, [False]]).astype(int)))
        for begin, end in zip(edges[::2] + 2, edges[1::2] - 2, strict=True):  # less what touching down takes
            if end <= begin:
                continue
            most = max(most, float(np.linalg.norm(place[begin:end] - place[begin], axis=1).max()))
            yaw = np.unwrap(np.arctan2(ahead[begin:end, 1], ahead[begin:end, 0]))
            turned = max(turned, float(np.abs(yaw - yaw[0]).max()))
    return most, turned


def look(walker: Walker, end: float) -> Seen:
    robot, log = walker.code.body.robot, walker.log
    q, v = (np.ascontiguousarray(each[::EVERY]) for each in (log.q[:, : robot.nq], log.v[:, : robot.nv]))
    momentum = centroidal_momentum(robot, q, v)[:, 5]
    torque = max(float(np.abs(log.signals[part][:, 5]).max()) for part in ("right_foot", "left_foot"))
    distance = volume_distances(robot, q, pairs=arm_pairs(walker.code.body)).distance
    return Seen(
        not walker.fallen and walker.time > end - 1e-6,
        float(np.abs(momentum).max()),
        float(np.sqrt(np.mean(momentum**2))),
        torque,
        *slips(walker, q),
        float(distance.min()),
        control_time(walker),
    )


def cost_table(code: WalkingCode) -> list[str]:
    lines = [
        "| walk | friction | costs | arrived | momentum, most (RMS), kg m2/s | torque on a sole, Nm "
        "| slip, mm, degrees | arms and body, least, mm | control period, us |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, scene, motion in motions(code):
        for friction in FRICTIONS if scene == "flat" else (None,):
            for costs, switches in COSTS.items():
                seen = look(walk(code, scene, motion, switches, friction), motion.end_time)
                lines.append(
                    f"| {name} | {friction or 'of the scene'} | {costs} | {'yes' if seen.arrived else 'no'} "
                    f"| {seen.momentum:.2f} ({seen.momentum_rms:.2f}) | {seen.torque:.0f} "
                    f"| {1e3 * seen.slip:.0f}, {np.rad2deg(seen.turned):.1f} | {1e3 * seen.distance:.0f} "
                    f"| {seen.control:.1f} |"
                )
                print(lines[-1], flush=True)
    return lines


def postures(body: WalkingBody, count: int) -> list[Array]:
    """Configurations (nq,) with arms elsewhere, within their limits, such that they are inside of the body."""
    robot, rng, found = body.robot, np.random.default_rng(0), []
    arms = [robot.q_slice(joint).start for joint in (*robot.groups["right_arm"], *robot.groups["left_arm"])]
    while len(found) < count:
        q = body.comfort.copy()
        q[arms] += rng.uniform(-WIDEST, WIDEST, len(arms))
        q[arms] = np.clip(q[arms], robot.lower_limits[arms], robot.upper_limits[arms])
        if -0.06 < volume_distances(robot, q, pairs=arm_pairs(body)).distance.min() < -0.01:
            found.append(q)
    return found


def posture_table(code: WalkingCode) -> list[str]:
    """Robots that pull their arms into their bodies; what they begin with is past after a second."""
    body, model = code.body, code.body.model
    steps = straight(1.2, longest=0.4, duration=0.8)
    motion = generate_motion(footfall.walking_plan(model, steps), model, body=code.whole)
    lines = ["| wanted | without | with |", "|---|---|---|"]
    for q in postures(body, POSTURES):
        other = WalkingCode(OtherPosture(body.robot, model, q))
        found = [1e3 * float(volume_distances(body.robot, q, pairs=arm_pairs(body)).distance.min())]
        for switches in (COSTS["momentum"], COSTS["both"]):
            walker = walk(other, "flat", motion, switches, None)
            late = np.ascontiguousarray(walker.log.q[1000::EVERY])
            found.append(
                1e3 * float(volume_distances(body.robot, late, pairs=arm_pairs(body)).distance.min())
            )
        lines.append("| " + " | ".join(f"{each:.0f}" for each in found) + " |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", MotionWarning)
    code = WalkingCode(walking_body(footfall.load("lola")))
    lines = [
        "# Arms while it walks: angular momentum and self-collision",
        "",
        f"Machine: {processor()}, load {load_average()}. `python benchmarks/free_arms.py`, reduced mode, no noise.",
        "",
        "Costs of the null space on and off (`ControlGains.momentum_weight`, `clearance_strength`). Torque: about the "
        "vertical, at the frame of a foot. Slip: how far a loaded sole moves along the ground, and turns on it.",
        "",
        *cost_table(code),
        "",
        f"## Arms that are drawn into the body: {POSTURES} random postures",
        "",
        "Least distance between arms and body, mm, from 1 s on in a walk of 1.2 m. Wanted: in the posture that "
        "joints are pulled to; negative: volumes overlap.",
        "",
        *posture_table(code),
        "",
    ]
    if arguments.output:
        arguments.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
