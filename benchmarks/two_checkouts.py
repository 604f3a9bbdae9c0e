"""This checkout against another one: contact, worlds, control and walking, CPU time of a thread.

python -m benchmarks.two_checkouts ../other --blocks 30 --processes 5

Two processes, one a checkout, take turns block by block on the same case; the ratio is that of a block with the one
beside it. Other pairs of processes follow, since where things lie in memory is drawn once a process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parent.parent
DT, ROBOTS = 2e-3, 256


class Case(NamedTuple):
    """Something that is timed. run: does some of it, and gives how much of it that was. prepare: before, not timed."""

    name: str
    run: Callable[[], int]
    prepare: Callable[[], None] = lambda: None


def contact_cases() -> Iterator[Case]:
    """Narrow phase, and dense problems by the solvers that users call."""
    from benchmarks.lab.random_problems import foot_problem, stack_problem
    from footfall import Transform
    from footfall.contact import (
        convex_distance,
        convex_of,
        solve_gauss_seidel,
        solve_interior_point,
        solve_lemke,
        solve_newton,
    )
    from footfall.math.rotations import matrix_from_rotation_vector
    from footfall.robot.shapes import Box

    box = convex_of(Box((0.2, 0.1, 0.1)))
    rng = np.random.default_rng(0)
    here = Transform(np.eye(3), np.zeros(3))
    places = [
        Transform(
            matrix_from_rotation_vector(rng.normal(size=3)),
            rng.uniform([-0.2, -0.2, -0.05], [0.2, 0.2, 0.35]),
        )
        for _ in range(200)
    ]

    def distances() -> int:
        for place in places:
            convex_distance(box, here, box, place)
        return len(places)

    yield Case("convex_distance, boxes", distances)
    feet = [foot_problem(4, feet=2, seed=seed) for seed in range(20)]
    stacks = [stack_problem(3, seed=seed) for seed in range(5)]
    for label, solve, problems in (
        ("solve_newton, two feet", solve_newton, feet),
        ("solve_interior_point, two feet", solve_interior_point, feet),
        ("solve_gauss_seidel, two feet", solve_gauss_seidel, feet),
        ("solve_lemke, two feet", solve_lemke, feet),
        ("solve_newton, three boxes", solve_newton, stacks),
    ):

        def solve_all(solve: Any = solve, problems: Any = problems) -> int:
            for problem in problems:
                solve(problem)
            return len(problems)

        yield Case(label, solve_all)


def world_cases() -> Iterator[Case]:
    """Steps of whole robots and of loose things, with found contacts and with listed feet in lanes."""
    import footfall

    for name, robot, touching in (
        ("quadruped", footfall.load("quadruped"), None),
        ("LOLA", footfall.load("lola"), None),
    ):
        found = footfall.Simulation(robot, "flat", dt=DT, substeps=5)
        hold = found.hold()
        found.run(hold, 0.4)
        yield Case(f"{name} standing, found", _again(found, hold, 0.4))
        limp = footfall.Simulation(robot, "flat", dt=DT, substeps=5)
        limp.run(limp.zero_command, 0.1)
        yield Case(f"{name} falling limp, found", _again(limp, limp.zero_command, 0.6))
        lanes = _in_lanes(robot, touching)
        still, start = lanes.hold(), found.state.q
        starts = np.tile(start, (ROBOTS, 1))
        starts[:, 2] += np.random.default_rng(1).uniform(0.0, 0.01, ROBOTS)

        def one(lanes: Any = lanes, still: Any = still, start: Any = start) -> int:
            lanes.reset(start)
            lanes.run(still, 0.4)
            return round(0.4 / DT)

        def many(lanes: Any = lanes, still: Any = still, starts: Any = starts, robot: Any = robot) -> int:
            lanes.rollout(starts, np.zeros(robot.nv), still, steps=50, threads=1)
            return ROBOTS * 50

        yield Case(f"{name}, one in lanes", one)
        yield Case(f"{name}, {ROBOTS} set down, in lanes", many)
    blocks = footfall.Simulation(None, "blocks", dt=DT)
    blocks.run(blocks.zero_command, 0.2)
    yield Case("blocks, found", _again(blocks, blocks.zero_command, 1.0))


def _again(simulation: Any, command: Any, seconds: float) -> Callable[[], int]:
    """Runs from the state that a simulation has now."""
    begun = simulation.state

    def run() -> int:
        simulation.state = begun
        simulation.run(command, seconds)
        return round(seconds / DT)

    return run


def _in_lanes(robot: Any, touching: list[str] | None) -> Any:
    """Feet in lanes, by the words of this checkout or of those before them."""
    import footfall

    if hasattr(footfall.simulation, "FeetSimulation"):
        return footfall.simulation.FeetSimulation(robot, "flat", feet=touching, dt=DT)
    return footfall.Simulation(robot, "flat", contacts="listed", touching=touching, dt=DT)


def control_cases() -> Iterator[Case]:
    """Steps of inverse kinematics and of whole-body control of LOLA on her feet, and goals of an arm."""
    import footfall
    from benchmarks.lab.control import lola_steps
    from benchmarks.lab.control_peers import FRAMES, resting_states
    from footfall.bench.robots import load_measured, measurable
    from footfall.ik import (
        BoundedRate,
        CollisionLimits,
        ComfortCost,
        GuardedRate,
        Limits,
        ResolvedRate,
        solve_ik,
    )
    from footfall.tasks import PoseTask, lola_task_space, posture

    for step in lola_steps():

        def sweep(step: Any = step) -> int:
            step.sweep()
            return 20

        yield Case(step.name, sweep)
    lola = footfall.load("lola")
    idle = lola.configuration("idle")
    resolved = ResolvedRate(lola, lola_task_space(lola, idle), cost=ComfortCost(tuple(idle.tolist())))
    arms = tuple(pair for pair in lola.volume_pairs if "arm" in pair[0])
    apart = CollisionLimits(pairs=arms, clearance=0.03)
    rng = np.random.default_rng(3)
    near = [footfall.integrate(lola, idle, 0.1 * rng.normal(size=lola.nv)) for _ in range(20)]
    rates: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "GuardedRate, joint limits": (GuardedRate(resolved, dt=0.01), near),
        "GuardedRate, arms apart": (GuardedRate(resolved, dt=0.01, collisions=apart), near),
    }
    if "talos" in measurable():
        talos = load_measured("talos")
        rest, states = resting_states(talos, 20)
        poses = [PoseTask(frame, footfall.frame_pose(talos, rest, frame), gains=50.0) for frame in FRAMES]
        tasks = [*poses, posture(talos, rest, gains=50.0, weight=1e-4)]
        rates["BoundedRate, TALOS"] = BoundedRate(talos, tasks, dt=0.01, limits=Limits(approach=0.5)), states
    for name, (rate, states) in rates.items():

        def steps(rate: Callable[[Any], Any] = rate, states: Any = states) -> int:
            for q in states:
                rate(q)
            return len(states)

        yield Case(name, steps)
    arm = footfall.load("arm-7r")
    frame = arm.bodies[-1].name
    rng = np.random.default_rng(2)
    start = rng.uniform(-1.0, 1.0, arm.nq)
    goals = [footfall.frame_pose(arm, rng.uniform(-1.5, 1.5, arm.nq), frame) for _ in range(20)]

    def reach() -> int:
        for goal in goals:
            solve_ik(arm, start, [PoseTask(frame, goal)])
        return len(goals)

    yield Case("solve_ik, an arm of seven joints", reach)


def walking_cases() -> Iterator[Case]:
    """Periods of a walk that is planned already, one by one and many in one call."""
    import footfall
    from footfall.walking import Walker, WalkerOptions, WalkingCode, walk_many, walking_body

    code = WalkingCode(walking_body(footfall.load("lola")))
    model = code.body.model
    motion = footfall.generate_motion(footfall.load_plan("straight", model), model)
    scene = footfall.load_scene("flat")
    for label, options in (
        ("walk, a period", WalkerOptions()),
        ("walk, a period, noisy sensors", WalkerOptions(noise=True)),
    ):
        walkers: list[Any] = []

        def prepare(options: Any = options, walkers: list[Any] = walkers) -> None:
            walkers[:] = [Walker(code, scene, motion, options)]
            walkers[0].run_until(1.0)

        def periods(walkers: list[Any] = walkers) -> int:
            walkers[0].run_until(3.0)
            return 2000

        yield Case(label, periods, prepare)

    def four() -> int:
        many = [WalkerOptions(noise=True, seed=seed, log_every=20) for seed in range(4)]
        walkers = walk_many(code, scene, motion, many)
        return round(sum(walker.time for walker in walkers) * 1e3)

    yield Case("walk_many with its walkers, a period of one of four", four)

    def plan() -> int:
        footfall.generate_motion(footfall.load_plan("straight", model), model)
        return 1

    yield Case("generate_motion, straight", plan)


PARTS = {"contact": contact_cases, "worlds": world_cases, "control": control_cases, "walking": walking_cases}


def serve(part: str) -> None:
    """Names of the cases on one line, then microseconds for each number that is asked for."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    cases = list(PARTS[part]())
    for case in cases:
        case.prepare()
        case.run()
    print("\t".join(case.name for case in cases), flush=True)
    for line in sys.stdin:
        case = cases[int(line)]
        case.prepare()
        begin = time.thread_time()
        amount = case.run()
        print((time.thread_time() - begin) / amount * 1e6, flush=True)


class Worker:
    """A process with the source of a checkout; cases: their names."""

    def __init__(self, checkout: Path, part: str) -> None:
        checkout = checkout.resolve()
        environment = {**os.environ, "PYTHONPATH": f"{checkout / 'src'}:{checkout}", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--serve", part]
        self.process = subprocess.Popen(
            command, env=environment, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.cases = self._answer().split("\t")

    def microseconds(self, case: str) -> float:
        print(self.cases.index(case), file=self._pipe(self.process.stdin), flush=True)
        return float(self._answer())

    def end(self) -> None:
        self._pipe(self.process.stdin).close()
        self.process.wait()

    def _answer(self) -> str:
        line = self._pipe(self.process.stdout).readline().rstrip("\n")
        if not line:
            raise SystemExit(f"no answer from {self.process.args}; its message stands above")
        return line

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def compared(other: Path, part: str, blocks: int) -> dict[str, list[tuple[float, float]]]:
    """Times of all cases that both have, block by block, of one pair of processes: the other, this."""
    workers = Worker(other, part), Worker(ROOT, part)
    times: dict[str, list[tuple[float, float]]] = {
        name: [] for name in workers[1].cases if name in workers[0].cases
    }
    for name, pairs in times.items():
        for block in range(blocks):
            first = block % 2  # who goes first changes
            found = {k: workers[k].microseconds(name) for k in (first, 1 - first)}
            pairs.append((found[0], found[1]))
    for worker in workers:
        worker.end()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--blocks", type=int, default=30, help="in all")
    parser.add_argument("--processes", type=int, default=5, help="pairs of processes that share the blocks")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--serve", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
        return
    if options.other is None:
        parser.error("name the other checkout")
    print("| us | the other | this | ratio, quartiles |\n|---|---|---|---|")
    for part in options.parts:
        times: dict[str, list[tuple[float, float]]] = {}
        for _ in range(options.processes):
            share = -(-options.blocks // options.processes)
            for name, pairs in compared(options.other, part, share).items():
                times.setdefault(name, []).extend(pairs)
        for name, pairs in times.items():
            before, after = np.array(pairs).T
            low, middle, high = np.quantile(after / before, (0.25, 0.5, 0.75))
            print(
                f"| {name} | {np.median(before):.3g} | {np.median(after):.3g} "
                f"| {middle:.2f}, {low:.2f} to {high:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
