"""Reduced models side by side: LOLA, G1 and TALOS walk by each of them under the same controller. Writes a report.

python -m benchmarks.reduced_models [--robots lola g1 talos] [--seeds 20 20 20] [--rows reduced_models.jsonl]
    [--output benchmarks/reduced_models.md] [--part walks gaps speeds pushes laws times]

Rows are saved one by one: a study that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

import footfall
from footfall.bench.surroundings import load_average, processor
from footfall.compiler.threads import available_cores
from footfall.errors import FootfallError
from footfall.gait.actions import stamping
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.five_mass import contact_wrenches, masses_of, zero_moment_point
from footfall.motion.following import follow_motion, followed_balance
from footfall.motion.motion import Motion
from footfall.motion.parameters import Generator, MotionParameters, PhaseParameters, TorsoParameters
from footfall.motion.pipeline import generate_motion
from footfall.motion.plans import load_plan
from footfall.motion.reduced.divergent import capture_radii, hip_strategy_radius
from footfall.motion.reduced.double_pendulum import double_pendulum, largest_impulse
from footfall.motion.reduced.from_plan import balance_problem
from footfall.motion.reduced.generators import GENERATORS, plan_center
from footfall.scene.load import load_scene
from footfall.walking import WalkRequest, walk
from footfall.walking.gains import ControlGains
from footfall.walking.request import Push
from footfall.walking.signals import Set, WalkStraight
from footfall.walking.walk import walking_body
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

NAMES: tuple[str, ...] = get_args(Generator)
FIRST_SEED = 1000
STEP, PACE = 0.36, 0.8  # of the height of the centre of mass, and s for one of 0.9 m: the usual step
SPEEDS = np.arange(0.15, 1.3, 0.05)  # m/s for a centre of mass of 0.9 m, that are tried
IMPACT = 0.1  # s, that a push lasts
COARSE, FINE = (
    8.0,
    1.0,
)  # N s for 67.3 kg, by which pushes grow until it falls, and how near the largest is found
ANGLES, LAW_ANGLES = (0, 45, 90, 135, 180), (0, 90)  # degrees, of pushes; 0: from behind


@lru_cache(maxsize=4)
def code_of(robot: str) -> WalkingCode:
    return WalkingCode(walking_body(footfall.load(robot, strict=False)))


def scale_of(robot: str) -> float:
    """How large a robot is, with LOLA 1."""
    return code_of(robot).body.model.com_height / 0.9


def parameters_by(generator: str, pace: float = 0.8) -> MotionParameters:
    return MotionParameters(
        torso=TorsoParameters(generator=generator),  # type: ignore[arg-type]
        phase=PhaseParameters(transition_s=pace),
    )


def motion_of(
    robot: str, generator: str, length: float, pace: float, *, count: int = 8, check: bool = False
) -> Motion:
    """Steps of a length, m, and a pace, s, with shorter ones at both ends."""
    code = code_of(robot)
    lengths = [0.5 * length, *[length] * count, 0.5 * length]
    plan = footfall.walking_plan(code.body.model, [WalkingTransition(forward=each) for each in lengths])
    return generate_motion(
        plan, code.body.model, parameters=parameters_by(generator, pace), body=code.whole, check=check
    )


# What is measured, one row each


def walked(robot: str, generator: str, seed: int) -> dict[str, Any]:
    """The usual walk with errors of sensors."""
    scale = scale_of(robot)
    length, pace = STEP * 0.9 * scale, PACE * np.sqrt(scale)
    request = WalkRequest(
        scene="flat",
        robot=robot,
        lenient=True,
        noise=True,
        seed=seed,
        rest=0.5,
        generator=generator,  # type: ignore[arg-type]
        signals=(
            Set(name="motion.phase.transition_s", value=float(pace)),
            WalkStraight(time=0.3, distance=9.0 * length, longest=length),
        ),
    )
    found = walk(request, code=code_of(robot), log_every=2).summary
    return {
        "stands": not found.fallen and found.problem is None,
        "speed": found.speed,
        "zmp": 1e3 * found.zmp_error_rms,
        "dcm": 1e3 * found.dcm_error_rms,
        "transport": found.cost_of_transport,
        "tilt": found.tilt,
    }


def gap(robot: str, generator: str, _: int) -> dict[str, Any]:
    """Zero-moment points of a planned motion on its own model, on five masses and on all bodies, from the planned
    one; mm, root mean squares."""
    code, scale = code_of(robot), scale_of(robot)
    motion = motion_of(robot, generator, STEP * 0.9 * scale, PACE * float(np.sqrt(scale)))
    five, margin = on_five_masses(motion)
    followed = follow_motion(code.body.robot, motion, allowed=0.05)
    found = followed_balance(code.body.robot, motion, followed)
    return {
        "five": 1e3 * five,
        "five_margin": 1e3 * margin,
        "whole": 1e3 * found.error,
        "whole_margin": 1e3 * float(found.margins.min()),
    }


PLANS = ("straight", "curve", "sideways", "turn", "stairs")


def gap_of_plan(robot: str, generator: str, number: int) -> dict[str, Any]:
    """The same for a shipped plan."""
    code = code_of(robot)
    plan = load_plan(PLANS[number], code.body.model)
    motion = generate_motion(
        plan, code.body.model, parameters=parameters_by(generator), body=code.whole, check=False
    )
    followed = follow_motion(code.body.robot, motion, allowed=0.05)
    found = followed_balance(code.body.robot, motion, followed)
    return {"whole": 1e3 * found.error, "margin": 1e3 * float(found.margins.min())}


def on_five_masses(motion: Motion) -> tuple[float, float]:
    """Root mean square distance of the zero-moment point of five masses from the planned one, and its least distance
    from the border of whole soles, m."""
    at = np.linspace(motion.begin_time, motion.end_time, 600)[1:-1]
    samples = motion.sample(at)
    limbs = motion.curves.packed.sample(at)
    for name in ("value", "rate", "second"):
        limbs[name]["momentum"] = 0.0
    torso = np.ascontiguousarray(np.moveaxis(samples.torso, 1, 0))
    wrench = contact_wrenches(limbs, torso, masses_of(motion.model))
    zmp = zero_moment_point(wrench, np.ascontiguousarray(samples.zmp[:, 0, 2]))[:, :2]
    away = np.linalg.norm(zmp - samples.zmp[:, 0, :2], axis=1)
    return float(np.sqrt(np.square(away).mean())), float(motion.phases.margins(at, zmp).min())


def fastest(robot: str, generator: str, _: int) -> dict[str, Any]:
    """The largest speed, m/s, that is planned on the model itself, whose plan is still one on five masses, and that all
    of the robot walks in closed loop: all slower ones that are tried, too."""
    scale = scale_of(robot)
    pace, code = 0.7 * float(np.sqrt(scale)), code_of(robot)
    found = {"own": 0.0, "five": 0.0, "walked": 0.0}
    open_ = set(found)
    for speed in SPEEDS * np.sqrt(scale):
        length = float(speed) * pace
        try:
            motion_of(robot, generator, length, pace, count=6, check=True)
        except FootfallError:
            open_.discard("own")
        try:
            motion = motion_of(robot, generator, length, pace, count=6)
        except FootfallError:
            break
        if on_five_masses(motion)[1] < -0.01:
            open_.discard("five")
        if "walked" in open_:
            walker = Walker(code, load_scene("flat"), motion, WalkerOptions(log_every=20))
            if not walker.run_until(motion.end_time + 1.0):
                open_.discard("walked")
        for name in open_:
            found[name] = float(speed)
        if not open_:
            break
    return found


def pushed(
    robot: str, generator: str, angle: int, tuned: Callable[[ControlGains], ControlGains] | None = None
) -> dict[str, Any]:
    """The largest impulse against the upper body that it bears in the usual walk, N s: the least of two steps."""
    scale = scale_of(robot)
    motion = motion_of(robot, generator, STEP * 0.9 * scale, PACE * float(np.sqrt(scale)))
    spans = tuple(motion.plan.spans())[5:7]
    starts = [0.5 * (begin + end) for _, _, begin, end in spans]
    return {"impulse": min(largest_push(robot, motion, angle, start, tuned) for start in starts)}


def largest_push(
    robot: str,
    motion: Motion,
    angle: int,
    start: float,
    tuned: Callable[[ControlGains], ControlGains] | None = None,
) -> float:
    """N s, from a direction in degrees, after which the robot still stands 4 s later; all smaller ones, too."""
    code, way = code_of(robot), np.deg2rad(angle)
    body, unit = code.body.body_of("UB"), code.body.model.mass / 67.3

    def bears(impulse: float) -> bool:
        force = impulse / IMPACT
        push = Push(body, (force * np.cos(way), force * np.sin(way), 0.0), start, IMPACT)
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions(pushes=(push,), log_every=20))
        if tuned is not None:
            walker.tune(tuned(walker.gains))
        return walker.run_until(start + 4.0)

    high = next((each for each in unit * np.arange(COARSE, 100.0, COARSE) if not bears(each)), unit * 100.0)
    low = high - unit * COARSE
    while high - low > unit * FINE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if bears(middle) else (low, middle)
    return float(low)


LAWS: dict[str, dict[str, float]] = {
    "divergent component": {},
    "flywheel": {"inclination_share": 1.0},
    "divergent component, observer": {"disturbance_share": 1.0},
    "flywheel, observer": {"inclination_share": 1.0, "disturbance_share": 1.0},
}


def pushed_by_law(robot: str, law: str, angle: int) -> dict[str, Any]:
    """The largest impulse that is borne in the usual walk, planned as usual, under a law of balance."""
    return pushed(robot, "whole_body", angle, lambda gains: gains._replace(**LAWS[law]))


def pulled_by_law(robot: str, law: str, angle: int) -> dict[str, Any]:
    """The largest force that is borne all the way of the usual walk, N, and the error of the divergent component under
    20 N for 67.3 kg, mm."""
    code, scale, way = code_of(robot), scale_of(robot), np.deg2rad(angle)
    motion = motion_of(robot, "whole_body", STEP * 0.9 * scale, PACE * float(np.sqrt(scale)))
    body, unit = code.body.body_of("UB"), code.body.model.mass / 67.3

    def walked_under(force: float) -> float:
        push = Push(body, (force * np.cos(way), force * np.sin(way), 0.0), 2.0, motion.end_time)
        options = WalkerOptions(pushes=(push,), log_every=5, noise=True, seed=FIRST_SEED)
        walker = Walker(code, load_scene("flat"), motion, options)
        walker.tune(walker.gains._replace(**LAWS[law]))
        if not walker.run_until(motion.end_time + 1.0):
            return np.inf
        return float(np.sqrt(np.square(walker.log.signals["dcm_error"]).sum(axis=1).mean()))

    low, high = 0.0, 80.0 * unit
    while high - low > 2.0 * unit:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.isfinite(walked_under(middle)) else (low, middle)
    return {"force": low, "error": 1e3 * walked_under(20.0 * unit)}


PARTS: dict[str, Callable[[str, str, int], dict[str, Any]]] = {
    "walks": walked,
    "gaps": gap,
    "plans": gap_of_plan,
    "speeds": fastest,
    "pushes": pushed,
    "laws": pushed_by_law,
    "pulls": pulled_by_law,
}


class Rows:
    """Rows that are saved as they come: one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known = {tuple(json.loads(line)["key"]): json.loads(line)["row"] for line in lines}

    def fill(self, part: str, robot: str, numbers: Sequence[int]) -> None:
        names = LAWS if part in ("laws", "pulls") else NAMES
        keys = [(part, robot, name, number) for name in names for number in numbers]
        missing = [key for key in keys if key not in self.known]
        if not missing:
            return
        self.take(missing[0])  # native code is made once
        with ThreadPoolExecutor(available_cores()) as pool:
            list(pool.map(self.take, missing[1:]))

    def take(self, key: tuple[str, str, str, int]) -> None:
        part, robot, name, number = key
        try:
            row = PARTS[part](robot, name, number)
        except FootfallError as error:
            row = {"refused": str(error)}
        self.known[key] = row
        with self.path.open("a") as file:
            file.write(json.dumps({"key": key, "row": row}) + "\n")
        print(key, row, flush=True)

    def of(self, part: str, robot: str, name: str) -> list[dict[str, Any]]:
        found = [(key, row) for key, row in self.known.items() if key[:3] == (part, robot, name)]
        return [row for _, row in sorted(found, key=lambda each: each[0][3])]


# Report


def planning_times() -> dict[str, tuple[float, float]]:
    """CPU time of each generator, ms: of a whole walk of 12 steps, and of the 4 steps of a replan."""
    model = code_of("lola").body.model
    found = {}
    for name in GENERATORS:
        times = []
        for count in (12, 4):
            plan = footfall.walking_plan(model, [WalkingTransition(forward=0.3)] * count)
            problem = balance_problem(plan, model)
            plan_center(problem, name)
            taken = []
            for _ in range(30):
                fresh = balance_problem(plan, model)
                begin = time.thread_time()
                plan_center(fresh, name)
                taken.append(time.thread_time() - begin)
            times.append(1e3 * float(np.median(taken)))
        found[name] = (times[0], times[1])
    return found


def standing_limits() -> list[str]:
    """Pushes against a robot that stands and takes no step: what models say, and what the whole robot bears, N s."""
    code = code_of("lola")
    model = code.body.model
    omega = float(np.sqrt(model.gravity / model.com_height))
    rear, front, right, left = model.sole
    reach = {0: 0.5 * (front - rear), 90: 0.5 * model.foot_distance + 0.5 * (left - right)}
    inertia = float(model.torso_inertia[1, 1])
    hip = hip_strategy_radius(
        torque=100.0, angle=0.5, inertia=inertia, mass=model.mass, gravity=model.gravity, omega=omega
    )
    unit = model.mass * omega
    plan = footfall.walking_plan(model, stamping(1))
    motion = generate_motion(plan, model, body=code.whole)
    borne = {
        angle: largest_push(
            "lola", motion, angle, motion.end_time + 0.5, lambda gains: gains._replace(catching_step=0.0)
        )
        for angle in reach
    }
    pendulum = double_pendulum(model)
    step = capture_radii(1, reach=0.4, sole=reach[0], time=0.5, omega=omega)[1]
    return [
        "| a push against LOLA that stands | from behind | from the side |",
        "|---|---|---|",
        f"| linear inverted pendulum, `m w d` | {unit * reach[0]:.1f} | {unit * reach[90]:.1f} |",
        f"| with a flywheel (100 N m, 0.5 rad) | {unit * (reach[0] + hip):.1f} | {unit * (reach[90] + hip):.1f} |",
        f"| double pendulum, ankle alone | {largest_impulse(pendulum, hip=False):.1f} | |",
        f"| double pendulum, ankle and hip | {largest_impulse(pendulum):.1f} | |",
        f"| all bodies, no step | {borne[0]:.1f} | {borne[90]:.1f} |",
        f"| pendulum, one step of 0.4 m in 0.5 s | {unit * step:.1f} | |",
    ]


def _mean(rows: list[dict[str, Any]], name: str, digits: int) -> str:
    values = [row[name] for row in rows if "refused" not in row and row.get("stands", True)]
    return f"{np.mean(values):.{digits}f}" if values else "falls"


def table(rows: Rows, robot: str) -> list[str]:
    """All that was measured of a robot."""
    lines = [
        "| generator | stands | speed, m/s | effort | ZMP, mm | DCM, mm | gap to five masses, mm | to all bodies, mm | "
        "fastest: own model, five masses, robot, m/s | pushes " + ", ".join(map(str, ANGLES)) + ", N s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in NAMES:
        walks, gaps = rows.of("walks", robot, name), rows.of("gaps", robot, name)
        speeds = rows.of("speeds", robot, name)
        pushes = [rows.known.get(("pushes", robot, name, angle), {}) for angle in ANGLES]
        stands = f"{sum(row.get('stands', False) for row in walks)} of {len(walks)}"
        limits = ", ".join(f"{speeds[0][key]:.2f}" for key in ("own", "five", "walked")) if speeds else ""
        borne = ", ".join(f"{row['impulse']:.0f}" if "impulse" in row else "-" for row in pushes)
        away = [_mean(gaps, key, 0) for key in ("five", "whole")] if gaps else ["", ""]
        lines.append(
            f"| `{name}` | {stands} | {_mean(walks, 'speed', 2)} | {_mean(walks, 'transport', 2)} | "
            f"{_mean(walks, 'zmp', 0)} | {_mean(walks, 'dcm', 0)} | {away[0]} | {away[1]} | {limits} | {borne} |"
        )
    return lines


def law_table(rows: Rows) -> list[str]:
    """Laws of balance side by side."""
    lines = [
        f"| law | pushes {', '.join(map(str, LAW_ANGLES))}, N s | steady force from behind, N | DCM at 20 N, mm | "
        "from the right, N | DCM at 20 N, mm |",
        "|---|---|---|---|---|---|",
    ]
    for law in LAWS:
        pushes = ", ".join(f"{row['impulse']:.0f}" for row in rows.of("laws", "lola", law))
        pulls = " | ".join(
            f"{row['force']:.0f} | {row['error']:.0f}" for row in rows.of("pulls", "lola", law)
        )
        lines.append(f"| {law} | {pushes} | {pulls} |")
    return lines


def report(
    rows: Rows, robots: Sequence[str], times: dict[str, tuple[float, float]], standing: list[str]
) -> str:
    lines = [
        "# Reduced models side by side",
        "",
        f"Machine: {processor()}, load {load_average()}. `python -m benchmarks.reduced_models`. Steps of 0.36 heights "
        "of the centre of mass, LOLA: 0.32 m in 0.8 s, on level ground, with errors of sensors, seeds from "
        f"{FIRST_SEED}; means of walks that stand. Effort: cost of transport, power of all joints by weight and "
        "speed. ZMP: true zero-moment point of the feet from the planned one, DCM: error of the divergent component, "
        "root mean squares. Gaps: the planned motion on five masses and on all bodies (inverse dynamics), from the "
        "model's own zero-moment point. Fastest: steps of 0.7 s, six at full length; planned within the limits of the "
        "model itself; zero-moment point of five masses at most 10 mm outside of the soles; walked by the robot in "
        "closed loop without a fall. Pushes: 0.1 s against the upper body in the middle of a swing, the least of two "
        "steps; 0 degrees from behind, 90 from the right.",
        "",
    ]
    for robot in robots:
        lines += [f"## {robot.upper()}", "", *table(rows, robot), ""]
    if rows.of("plans", "lola", "lipm"):
        lines += [
            "## Other plans: zero-moment point of all bodies of LOLA from the model's own, mm",
            "",
            "| generator | " + " | ".join(PLANS) + " |",
            "|---|" + "---|" * len(PLANS),
            *(
                f"| `{name}` | "
                + " | ".join(_mean([row], "whole", 0) for row in rows.of("plans", "lola", name))
                + " |"
                for name in NAMES
            ),
            "",
        ]
    if rows.of("pulls", "lola", "flywheel"):
        lines += ["## Laws of balance, LOLA, the usual plan", "", *law_table(rows), ""]
    if standing:
        lines += ["## Standing, N s", "", *standing, ""]
    if times:
        lines += [
            "## Time to plan, ms of CPU",
            "",
            "| generator | 12 steps | 4 steps |",
            "|---|---|---|",
            *(f"| `{name}` | {whole:.2f} | {part:.2f} |" for name, (whole, part) in times.items()),
            "",
        ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=["lola", "g1", "talos"])
    parser.add_argument("--seeds", type=int, nargs="*", default=[20, 20, 20])
    parser.add_argument("--part", nargs="*", default=[*PARTS, "times"])
    parser.add_argument("--rows", type=Path, default=Path("reduced_models.jsonl"))
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows = Rows(given.rows)
    for robot, seeds in zip(given.robots, given.seeds, strict=False):
        for part in given.part:
            if part in PARTS and (robot == "lola" or part not in ("laws", "pulls", "plans")):
                numbers = {
                    "walks": range(FIRST_SEED, FIRST_SEED + seeds),
                    "plans": range(len(PLANS)),
                    "pushes": ANGLES,
                    "laws": LAW_ANGLES,
                    "pulls": LAW_ANGLES,
                }.get(part, range(1))
                rows.fill(part, robot, list(numbers))
    times = planning_times() if "times" in given.part else {}
    text = report(rows, given.robots, times, standing_limits() if "times" in given.part else [])
    print(text)
    if given.output:
        given.output.write_text(text)


if __name__ == "__main__":
    main()
