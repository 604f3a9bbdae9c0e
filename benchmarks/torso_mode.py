"""Is the balance loop stable although the torso bends? Eigenvalues of the loop, and LOLA on its drives with a sprung
torso: tapped while it stands, and walking. Writes a report and a picture.

python benchmarks/torso_mode.py [--seeds 3] [--output benchmarks/torso_mode.md] [--picture docs/pictures/torso-mode.png]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import footfall

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

from benchmarks.lab.torso_loop import BendingRobot, bending_robot, closed_loop, growth, margin, modes
from footfall.arrays import Array
from footfall.bench.surroundings import load_average, processor
from footfall.errors import MotionWarning
from footfall.gait.actions import idle, straight
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import idle_pose
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.robot.model import Robot
from footfall.scene.load import load_scene
from footfall.simulation.torso_compliance import BENDING, with_torso_compliance
from footfall.walking.body import walking_body
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.request import Push
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

AXES = {"ahead and back": (0.0, 1.0, 0.0), "to the sides": (1.0, 0.0, 0.0)}  # which way it bends
FREQUENCIES = (2.0, 3.0, 4.0, 5.0, 7.0, 9.7, 11.6, 15.0, 20.0)
# Hz of the source's second mode (Seiwald 2023, section 3.5), and its ratio of damping.
SOURCE, DAMPING = (
    9.7,
    0.02,
)
TAPPED, TAP = 1.0, 0.02  # s, when the standing robot is tapped and for how long
SPEED = 3.0  # N s


class Ring(NamedTuple):
    """What a torso does after a tap. angles (n,): rad, from the tap on, 1 ms apart."""

    angles: Array
    frequency: float
    damping: float
    stands: bool


def model_of(robot: Robot, way: str, frequency: float) -> BendingRobot:
    return bending_robot(robot, "br", AXES[way], frequency=frequency, damping_ratio=DAMPING)


def loop_table(robot: Robot, gains: ControlGains) -> list[str]:
    lines = [
        "| bends | mode of the upper body, Hz | slowest eigenvalue, 1/s | torso in the loop: Hz, damping "
        "| without balance | loops may be faster by |",
        "|---|---|---|---|---|---|",
    ]
    blind = gains._replace(balance_rate=-gains.pendulum_rate)
    for way in AXES:
        for frequency in FREQUENCIES:
            bent = model_of(robot, way, frequency)
            matrix, alone = closed_loop(bent, gains), closed_loop(bent, blind)
            inside = min(modes(matrix), key=lambda mode: mode.damping if mode.frequency > 1.0 else np.inf)
            outside = min(modes(alone), key=lambda mode: mode.damping if mode.frequency > 1.0 else np.inf)
            stable = growth(matrix) < 0.0
            lines.append(
                f"| {way} | {frequency:g} | {growth(matrix):+.2f} | {inside.frequency:.1f}, {inside.damping:+.3f} "
                f"| {outside.frequency:.1f}, {outside.damping:+.3f} "
                f"| {f'{margin(bent, gains):.1f}' if stable else 'unstable'} |"
            )
    return lines


def swing(angles: Array, period: float) -> tuple[float, float]:
    """Frequency, Hz, and damping ratio of the greatest swing in what follows a tap: the poles of a linear prediction
    of the angles (Prony 1795), by least squares."""
    rows, order = angles[::8] - angles.mean(), 8
    system = np.stack([rows[order - k - 1 : len(rows) - k - 1] for k in range(order)], axis=1)
    weights = np.linalg.lstsq(system, rows[order:], rcond=None)[0]
    poles = np.log(np.roots([1.0, *-weights]).astype(complex)) / (8.0 * period)
    swings = [pole for pole in poles if 2.0 * np.pi * 4.0 < pole.imag < 2.0 * np.pi * 25.0]
    times = period * 8.0 * np.arange(len(rows))
    shapes = np.exp(np.outer(times, poles))
    sizes = dict(zip(poles, np.abs(np.linalg.lstsq(shapes, rows, rcond=None)[0]), strict=True))
    best = max(swings, key=lambda pole: sizes[pole], default=complex(np.nan, np.nan))
    return abs(best) / (2.0 * np.pi), -best.real / abs(best)


def tapped(code: WalkingCode, way: str, share: float) -> Ring:
    """Stand on drives, tapped against the upper body; share: of the balance loops' gains."""
    model = code.body.model
    standing = MotionPlan((idle(idle_pose(gait_dimensions(model)), duration=TAPPED + 4.0),))
    force = SPEED / TAP * np.array([AXES[way][1], AXES[way][0], 0.0])
    push = Push("torso", (float(force[0]), float(force[1]), 0.0), TAPPED, TAP)
    walker = Walker(
        code, load_scene("flat"), generate_motion(standing, model), WalkerOptions(mode="full", pushes=(push,))
    )
    gains = walker.gains
    walker.tune(
        gains._replace(
            balance_rate=share * (gains.balance_rate + gains.pendulum_rate) - gains.pendulum_rate,
            force_rate=share * gains.force_rate,
            step_share=0.0,
        )
    )
    stands = walker.run_until(TAPPED + 2.0)
    angles = walker.log.q[round(1e3 * (TAPPED + TAP)) :, code.body.robot.q_slice(BENDING).start]
    return Ring(angles, *swing(angles[:600], 1e-3), stands)


def tap_table(code: WalkingCode, way: str) -> tuple[list[str], dict[float, Ring]]:
    lines, rings = [], {}
    for share in (0.0, 1.0, 2.0, 4.0, 8.0):
        ring = rings[share] = tapped(code, way, share)
        early, late = (np.ptp(ring.angles[part]) for part in (slice(0, 200), slice(-200, None)))
        lines.append(
            f"| {way} | {share:g} | {'yes' if ring.stands else 'no'} | {ring.frequency:.1f}, {ring.damping:.3f} "
            f"| {np.rad2deg(early):.3f} | {np.rad2deg(late):.4f} |"
        )
        print(lines[-1], flush=True)
    return lines, rings


def straight_walk(code: WalkingCode) -> Motion:
    model = code.body.model
    return generate_motion(footfall.walking_plan(model, straight(3.0)), model, body=code.whole)


def walk_row(code: WalkingCode, name: str, seeds: Sequence[int]) -> str:
    """Noisy walks of 3 m on drives."""
    motion, arrived, tilts, bends, causes = straight_walk(code), 0, [], [0.0], []
    for seed in seeds:
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions(mode="full", noise=True, seed=seed))
        if walker.run_until(motion.end_time + 1.0):
            arrived += 1
        else:
            causes.append(str(cause_of_fall(walker)))
        tilts.append(float(np.rad2deg(np.abs(walker.log.signals["tilt"]).max())))
        if code.body.robot.springs:
            place = code.body.robot.q_slice(BENDING).start
            bends.append(float(np.rad2deg(np.abs(walker.log.q[:, place]).max())))
    row = (
        f"| {name} | {arrived} of {len(seeds)} | {max(tilts):.1f} | {max(bends):.2f} | {'; '.join(causes)} |"
    )
    print(row, flush=True)
    return row


def draw(robot: Robot, gains: ControlGains, rings: dict[float, Ring], path: Path) -> None:
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    at = np.geomspace(1.5, 25.0, 80)
    for way in AXES:
        real = [growth(closed_loop(model_of(robot, way, float(f)), gains)) for f in at]
        left.semilogx(at, real, label=f"bends {way}")
    left.axhline(0.0, color="black", linewidth=0.8)
    for frequency in (SOURCE, 11.6):
        left.axvline(frequency, color="grey", linestyle=":")
        left.text(frequency, 4.0, f"{frequency:g} Hz", rotation=90, ha="right")
    left.set_xticks([2, 3, 5, 7, 10, 15, 20], labels=["2", "3", "5", "7", "10", "15", "20"], minor=False)
    left.minorticks_off()
    left.set(xlabel="mode of the upper body, Hz", ylabel="greatest real part, 1/s", title="Balance loop")
    left.legend()
    for share, name in ((0.0, "balance off"), (1.0, "balance on")):
        angles = rings[share].angles[:600]
        right.plot(np.arange(len(angles)), np.rad2deg(angles), label=name, linewidth=1.0)
    right.set(
        xlabel="ms after the tap", ylabel="torso bends, degrees", title=f"{SOURCE:g} Hz torso, on drives"
    )
    right.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", MotionWarning)
    robot = footfall.load("lola")
    gains = control_gains(walking_body(robot).model)
    lines = [
        "# A torso that bends",
        "",
        f"Machine: {processor()}, load {load_average()}. `python benchmarks/torso_mode.py`",
        "",
        "The second mode of LOLA's structure, a bending torso, lay at 9.7 Hz and lies 20 % higher since (Seiwald 2023, "
        "section 3.5). The controller knows nothing of it: it takes the tilt of the upper body for that of the robot.",
        "",
        "![Eigenvalues over the mode's frequency, and the torso after a tap](../docs/pictures/torso-mode.png)",
        "",
        "## The loop by its eigenvalues",
        "",
        "Two bodies on a sole with observer, balance, lag of force control, late and isolated inertial unit, linear "
        "(`benchmarks/lab/torso_loop.py`). The last column: by how much all rates of balance could be greater before "
        "something grows.",
        "",
        *loop_table(robot, gains),
    ]
    print("\n".join(lines[-30:]))
    tap_lines, walk_lines, shown = [], [], {}
    seeds = range(arguments.seeds)
    for way, axis in AXES.items():
        bent = with_torso_compliance(robot, frequency=SOURCE, damping_ratio=DAMPING, axis=axis)
        code = WalkingCode(walking_body(bent))
        found, rings = tap_table(code, way)
        shown = shown or rings
        tap_lines += found
        walk_lines.append(walk_row(code, f"{SOURCE:g} Hz, {way}", seeds))
    walk_lines.append(walk_row(WalkingCode(walking_body(robot)), "stiff", seeds))
    lines += [
        "",
        f"## Tapped while it stands: the whole robot on its drives, torso of {SOURCE:g} Hz",
        "",
        f"A tap of {SPEED:g} N s against the upper body. Gains: of balance and of force control, times those of all "
        "walks; 0: no balance. The swing of the torso in the 0.6 s after it, and how far it still swings 1.8 s later. "
        "The whole robot bears less than the linear loop says: to the sides it stands on two feet that are pressed "
        "against each other, through legs with elastic gears.",
        "",
        "| bends | gains | stands | swing: Hz, damping | first swing, degrees | last, degrees |",
        "|---|---|---|---|---|---|",
        *tap_lines,
        "",
        "## Walking: 3 m on drives, sensors with errors",
        "",
        "| torso | arrived | tilt, most, degrees | bends, most, degrees | |",
        "|---|---|---|---|---|",
        *walk_lines,
        "",
    ]
    if arguments.output:
        arguments.output.write_text("\n".join(lines), encoding="utf-8")
    if arguments.picture:
        draw(robot, gains, shown, arguments.picture)


if __name__ == "__main__":
    main()
