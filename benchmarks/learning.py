"""Measure environments for learning: python -m benchmarks.learning [TABLE ...] [--output benchmarks/learning.md].

Physics steps a second on one core under a policy against MuJoCo, one step a call against many, two cores, memory,
native share, and where the time of a step goes.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from benchmarks.lab.learning_mujoco import FLAGS, MujocoRows, Shapes
from footfall.arrays import Array
from footfall.bench.measure import Spread
from footfall.bench.surroundings import lanes, load_average, processor
from footfall.compiler import batches
from footfall.learning import FootfallVectorEnv, Policy, rough_velocity, terms, velocity_task
from footfall.learning.observer import Observer
from footfall.learning.policy_note import note_of
from footfall.learning.task import LearningTask
from footfall.simulation import RobotBatch

_ROWS, _THEIRS = (
    1024,
    48,
)  # of ours, which run in lanes, and of MuJoCo, whose cost a row does not depend on their number
_LYING = 256  # of ours where most steps have found contacts, one row after the other
_KINDS: tuple[Shapes, ...] = ("feet", "all")
_WARM = 100  # steps of the environment before anything is timed
_RANDOM = 0.1  # rad, of each joint where there is no policy

Act = Callable[[Array], Array]


@dataclass(frozen=True)
class Case:
    """A task and what acts. name: for tables."""

    name: str
    task: LearningTask
    act: Act
    acting: str


def actor(task: LearningTask, path: Path | None) -> tuple[Act, str]:
    """A policy from a file, else random goals."""
    if path is not None:
        return Policy(path), "policy"
    rng, joints = np.random.default_rng(0), len(task.joints)
    return (
        lambda seen: rng.normal(0.0, _RANDOM, (len(seen), joints)) / task.scales,
        f"random goals, {_RANDOM:g} rad",
    )


# Against MuJoCo


class Ours:
    """The environment with all its terms, one thread."""

    def __init__(self, case: Case, rows: int) -> None:
        self.env = FootfallVectorEnv(case.task, rows, autoreset_mode="SameStep", threads=1)
        self.act, self.rows = case.act, rows
        self.seen, _ = self.env.reset(seed=1000)
        self.residual, self.falls = 0.0, 0

    def advance(self) -> float:
        """One step; s of CPU a step of the physics of one robot, without the policy."""
        action = self.act(self.seen).astype(np.float32)
        began = time.thread_time_ns()
        self.seen, _, terminated, _, _ = self.env.step(action)
        took = time.thread_time_ns() - began
        self.residual = max(self.residual, float(self.env._outputs["residual"].max()))
        self.falls += int(terminated.sum())
        return 1e-9 * took / (self.rows * self.env.substeps)


class Theirs:
    """MuJoCo: physics alone; observations by our terms are made outside of the clock. starts (rows, nq): where rows
    begin, and begin anew when they have fallen."""

    def __init__(self, case: Case, rows: int, shapes: Shapes, starts: Array | None = None) -> None:
        self.peer = MujocoRows(case.task, rows, shapes=shapes)
        self.ends = bool(case.task.terminations)
        self.starts = np.tile(case.task.default, (rows, 1)) if starts is None else starts[:rows]
        self.peer.reset(np.ones(rows, dtype=bool), self.starts)
        self.act, self.rows = case.act, rows
        self.observe = Observer(note_of(case.task), task=case.task)
        self.action = np.zeros((rows, len(case.task.joints)))
        self.last = self.action.copy()
        speeds = np.array(self.observe.note.speeds)
        self.command = np.random.default_rng(1000).uniform(-1.0, 1.0, (rows, 3)) * speeds
        self.falls, self.contacts = 0, 0.0

    def advance(self) -> float:
        peer = self.peer
        seen = self.observe(
            peer.positions, peer.velocities, command=self.command, action=self.action, last_action=self.last
        )
        self.last, self.action = self.action, self.act(seen.astype(np.float32))
        goals = peer.goals(self.action)
        began = time.thread_time_ns()
        peer.step(goals)
        took = time.thread_time_ns() - began
        fallen = peer.fallen & self.ends
        self.falls += int(fallen.sum())
        if fallen.any():
            peer.reset(fallen, self.starts[fallen])
            self.action[fallen] = self.last[fallen] = 0.0
        self.contacts = peer._data.ncon
        return 1e-9 * took / (self.rows * peer.substeps)


def against_mujoco(cases: list[Case], blocks: int) -> Iterator[str]:
    yield from (
        "## Physics steps a second on one core, beside MuJoCo",
        "",
        f"Ours: `FootfallVectorEnv`, {_ROWS} rows, all terms, noise, commands, kicks and resets included; with all",
        "shapes, as environments are, and with feet alone (`exact=False`). MuJoCo",
        f"{mujoco.__version__} ({FLAGS}): physics alone, `mujoco.rollout` one step of the environment a call,",
        f"{_THEIRS} rows; with the same feet (balls), and with all shapes of the file against the ground (not against",
        "each other). Each is commanded by the same policy on its own observations, which are made outside of the",
        "clock. CPU time of one thread, interleaved blocks in one process, medians and quartiles of ratios. Found:",
        "share of our steps with found contacts. Residual: the worst of ours, of the weight times dt.",
        "",
        *_COLUMNS,
    )
    for case in cases:
        alone = replace(case, task=replace(case.task, exact=False))
        ours: dict[Shapes, Ours] = {"feet": Ours(alone, _ROWS), "all": Ours(case, _ROWS)}
        peers = {shapes: Theirs(case, _THEIRS, shapes) for shapes in _KINDS}
        yield from _raced(case, ours, peers, blocks)


def _raced(
    case: Case, ours: Mapping[Shapes, Ours], peers: Mapping[Shapes, Theirs], blocks: int
) -> Iterator[str]:
    """A row of a table for each choice of shapes."""
    for contestant in (*ours.values(), *peers.values()):
        for _ in range(_WARM):
            contestant.advance()
        contestant.falls = 0
    steps, found = 5, 0.0
    times: dict[tuple[str, Shapes], list[float]] = {}
    for _ in range(blocks):
        for shapes in ours:
            for name, each in (("ours", ours[shapes]), ("theirs", peers[shapes])):
                took = float(np.mean([each.advance() for _ in range(steps)]))
                times.setdefault((name, shapes), []).append(took)
        found += float(ours["all"].env._outputs["found"].mean()) / case.task.substeps / blocks
    weight = case.task.model.mass * 9.81 * case.task.dt
    for shapes in ours:
        mine, theirs = (np.array(times[name, shapes]) for name in ("ours", "theirs"))
        ratio = Spread.of(theirs / mine)
        falls = [1000 * each.falls / (each.rows * blocks * steps) for each in (ours[shapes], peers[shapes])]
        yield (
            f"| {case.name} | {case.acting} | {shapes} | {1 / np.median(mine):,.0f} | "
            f"{1 / np.median(theirs):,.0f} | {ratio.median:.1f} ({ratio.lower:.1f} to {ratio.upper:.1f}) | "
            f"{f'{100 * found:.1f} %' if shapes == 'all' else ''} | "
            f"{ours[shapes].residual / weight:.1e} | {', '.join(f'{each:.2g}' for each in falls)} |"
        )


_COLUMNS = (
    "| robot | acting | shapes | ours | MuJoCo | ratio | found | residual | falls a 1000 steps: ours, theirs |",
    "|---|---|---|---:|---:|---:|---:|---:|---:|",
)


def rough(blocks: int) -> Iterator[str]:
    yield from (
        "## On rough ground, beside MuJoCo",
        "",
        "As above, on `terrain` (stairs, slopes, boxes, stones, noise; levels from flat to hard; a height",
        "map, in MuJoCo a height field), under the policy of level ground, which sees none of it. The bar is 8.",
        "",
        *_COLUMNS,
    )
    flat = velocity_task("Go2-Velocity")
    task = rough_velocity("go2", kp=flat.kp, kd=flat.kd, observations=flat.observations, scan=None)
    ours: dict[Shapes, Ours] = {}
    case = Case("Go2", task, *actor(task, Path("go2")))
    for shapes in _KINDS:
        made = ours[shapes] = Ours(replace(case, task=replace(task, exact=shapes == "all")), _ROWS)
        made.env.rows["level"][:] = np.random.default_rng(0).uniform(size=_ROWS)
        made.seen, _ = made.env.reset(seed=1000)
    starts = ours["all"].env.rows["q"].copy()
    peers = {shapes: Theirs(case, _THEIRS, shapes, starts) for shapes in _KINDS}
    yield from _raced(case, ours, peers, blocks)


def fallen(cases: list[Case], blocks: int) -> Iterator[str]:
    yield from (
        "## Robots that fall and crawl, beside MuJoCo",
        "",
        "Dropped in any posture and orientation, then under goals 0.5 rad around the default posture that change every",
        "0.2 s; no episode ends. Ours touch themselves, too, MuJoCo's only the ground. The bar is 2.",
        "",
        *_COLUMNS,
    )
    for case in cases:
        task = replace(case.task, terminations={}, seconds=1e6, kick=None)
        rng = np.random.default_rng(0)
        starts = np.tile(task.default, (_LYING, 1))
        starts[:, 2] += 0.5
        starts[:, 3:7] = rng.normal(size=(_LYING, 4))
        starts[:, 3:7] /= np.linalg.norm(starts[:, 3:7], axis=1, keepdims=True)
        low, high = (np.asarray(each)[7:] for each in (task.model.lower_limits, task.model.upper_limits))
        starts[:, 7:] = np.clip(starts[:, 7:] + rng.uniform(-0.5, 0.5, starts[:, 7:].shape), low, high)
        crawling = Case(case.name, task, _Crawl(task), "random goals, 0.5 rad")
        ours = Ours(crawling, _LYING)
        ours.env.rows["q"][:] = starts
        yield from _raced(crawling, {"all": ours}, {"all": Theirs(crawling, _THEIRS, "all", starts)}, blocks)


class _Crawl:
    """Goals that are held for some steps; rows of each number have their own."""

    def __init__(self, task: LearningTask) -> None:
        self.scales, self.rng = task.scales, np.random.default_rng(0)
        self.steps: dict[int, int] = {}
        self.goals: dict[int, Array] = {}

    def __call__(self, seen: Array) -> Array:
        rows = len(seen)
        self.steps[rows] = self.steps.get(rows, -1) + 1
        if self.steps[rows] % 10 == 0:
            self.goals[rows] = self.rng.normal(0.0, 0.5, (rows, len(self.scales))) / self.scales
        return self.goals[rows]


# One step a call, two cores, memory, native share


def _batch(case: Case, rows: int, threads: int) -> tuple[RobotBatch, Array]:
    """Robots of a case without an environment around them, and goals (rows, periods, joints)."""
    task = case.task
    batch = RobotBatch(task.model, rows, dt=task.dt, substeps=task.substeps, q=task.default, threads=threads)
    batch.settings.kp[:], batch.settings.kd[:] = task.gains
    places = [coordinate for coordinate, _ in task.step.joints]
    wild = np.random.default_rng(0).normal(0.0, 0.1, (rows, 10, len(places)))
    return batch, task.default[places] + wild


def one_step_a_call(cases: list[Case], blocks: int) -> Iterator[str]:
    yield from (
        "## One step a call against many",
        "",
        f"`RobotBatch`, {_ROWS} rows, one thread: ten calls of `step` against one `rollout` of ten periods from the",
        "same states, under new goals each period; the bar is 3 %. Results have the same bits.",
        "",
        "| robot | us a period, one a call | ten a call | one a call takes more by |",
        "|---|---:|---:|---:|",
    )
    for case in cases:
        batch, goals = _batch(case, _ROWS, 1)
        for k in range(5):
            batch.step(goals[:, k])
        state = [each.copy() for each in batch.state]
        single, many = [], []

        def begin(batch: RobotBatch = batch, state: list[Array] = state) -> int:
            for array, value in zip(batch.state, state, strict=True):
                array[:] = value
            return time.thread_time_ns()

        for _ in range(blocks + 1):
            began = begin()
            for k in range(goals.shape[1]):
                batch.step(goals[:, k])
            single.append(time.thread_time_ns() - began)
            after = batch.state.q.copy()
            began = begin()
            batch.rollout(goals)
            many.append(time.thread_time_ns() - began)
            assert np.array_equal(after, batch.state.q)
        more = Spread.of(np.array(single[1:]) / np.array(many[1:]) - 1.0)
        scale = 1e-3 / goals[:, :, 0].size
        yield (
            f"| {case.name} | {scale * np.median(single[1:]):.2f} | {scale * np.median(many[1:]):.2f} | "
            f"{100 * more.median:.1f} % ({100 * more.lower:.1f} to {100 * more.upper:.1f}) |"
        )


def two_cores(cases: list[Case], blocks: int) -> Iterator[str]:
    yield from (
        "## Two cores",
        "",
        "`FootfallVectorEnv.step`, 4096 rows, wall clock: only on a quiet machine does this say anything. The bar is",
        "1.9.",
        "",
        "| robot | ms a step, one thread | two | ratio |",
        "|---|---:|---:|---:|",
    )
    for case in cases:
        envs = [
            FootfallVectorEnv(case.task, 4096, autoreset_mode="SameStep", threads=threads)
            for threads in (1, 2)
        ]
        seen = [env.reset(seed=1000)[0] for env in envs]
        took: list[list[float]] = [[], []]
        for _ in range(blocks + 20):
            for k, env in enumerate(envs):
                action = case.act(seen[k]).astype(np.float32)
                began = time.perf_counter()
                seen[k], *_ = env.step(action)
                took[k].append(time.perf_counter() - began)
        one, two = (np.array(each[20:]) for each in took)
        ratio = Spread.of(one / two)
        yield (
            f"| {case.name} | {1e3 * np.median(one):.1f} | {1e3 * np.median(two):.1f} | "
            f"{ratio.median:.2f} ({ratio.lower:.2f} to {ratio.upper:.2f}) |"
        )


_MEMORY = """
import resource, sys, numpy as np
from footfall.learning import FootfallVectorEnv
env = FootfallVectorEnv(sys.argv[1], 4096, autoreset_mode="SameStep")
env.reset(seed=0)
for _ in range(3):
    env.step(np.zeros(env.action_space.shape, np.float32))
arrays = [*env._rows.values(), *env._next.values(), *env._outputs.values()]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, sum(each.nbytes for each in arrays) / 2**20)
"""


def memory() -> Iterator[str]:
    yield from (
        "## Memory of 4096 robots",
        "",
        "A process of its own, at its largest, code from the cache; the bar for G1 is 2 GB.",
        "",
        "| task | process, MB | arrays of the rows, MB |",
        "|---|---:|---:|",
    )
    for name in ("Go2-Velocity", "G1-Velocity"):
        for _ in range(2):  # the first may compile
            found = subprocess.run(
                [sys.executable, "-c", _MEMORY, name], capture_output=True, text=True, check=True
            )
        process, arrays = (float(value) for value in found.stdout.split())
        yield f"| {name} | {process:.0f} | {arrays:.0f} |"


class NativeClock:
    """Time inside of native code of batches, ns of CPU."""

    def __init__(self) -> None:
        self.spent = 0

    def __enter__(self) -> "NativeClock":
        self._plain = plain = batches.BatchCode.run

        def timed(code: Any, *arguments: Any) -> Any:
            began = time.thread_time_ns()
            result = plain(code, *arguments)
            self.spent += time.thread_time_ns() - began
            return result

        batches.BatchCode.run = timed  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        batches.BatchCode.run = self._plain  # type: ignore[method-assign]


def native_share(cases: list[Case], steps: int) -> Iterator[str]:
    yield from (
        "## Share outside of native code",
        "",
        "`FootfallVectorEnv.step`, 4096 rows, one thread; what is not spent in the kernel's machine code: copies,",
        "checks of actions and rewards, means of terms, Python. The bar is 10 %.",
        "",
        "| robot | ms a step | native | outside |",
        "|---|---:|---:|---:|",
    )
    for case in cases:
        ours = Ours(case, 4096)
        for _ in range(20):
            ours.advance()
        with NativeClock() as clock:
            total = sum(ours.advance() for _ in range(steps)) * 4096 * ours.env.substeps
        native = 1e-9 * clock.spent
        outside = f"{100 * (1 - native / total):.1f} %"
        yield f"| {case.name} | {1e3 * total / steps:.2f} | {1e3 * native / steps:.2f} | {outside} |"


def where_it_goes(cases: list[Case], blocks: int) -> Iterator[str]:
    yield from (
        "## Where the time of a step goes",
        "",
        f"us of CPU a step of the environment of one robot, {_ROWS} rows, one thread; differences of kernels with more",
        "and more in them, interleaved.",
        "",
        "| robot | physics | and one term each | and all observations, with noise | and all rewards and ends "
        "| and kicks, draws, resets: native | all of `step` | policy (ONNX) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    )
    for case in cases:
        task = case.task
        least = replace(
            task, observations={"gravity": terms.gravity}, rewards={"alive": terms.alive},
            terminations={}, resets={}, kick=None,
        )  # fmt: skip
        seeing = replace(least, observations=task.observations)
        rewarded = replace(seeing, rewards=task.rewards, terminations=task.terminations)
        envs = [
            FootfallVectorEnv(each, _ROWS, autoreset_mode="SameStep", threads=1)
            for each in (least, seeing, rewarded, task)
        ]
        batch, _ = _batch(case, _ROWS, 1)
        for env in envs:
            env.reset(seed=1000)
        seen = np.zeros((_ROWS, envs[-1].single_observation_space.shape[0]), np.float32)
        found = np.zeros((blocks, 7))
        for block in range(-20, blocks):
            began = time.thread_time_ns()
            action = case.act(seen).astype(np.float32)
            acted = time.thread_time_ns() - began
            row = []
            goal = task.goals(action)
            with NativeClock() as clock:
                batch.step(goal)
            row.append(clock.spent)
            for env in envs:
                for name in ("q", "v", "impulses"):  # all from the same states
                    env.rows[name][:] = envs[-1].rows[name]
                with NativeClock() as clock:
                    began = time.thread_time_ns()
                    seen, *_ = env.step(action)
                    whole = time.thread_time_ns() - began
                row.append(clock.spent)
            batch.state.q[:], batch.state.v[:] = envs[-1].rows["q"], envs[-1].rows["v"]
            batch.state.impulses[:] = envs[-1].rows["impulses"]
            if block >= 0:
                found[block] = [*row, whole, acted]
        cells = " | ".join(f"{1e-3 * value / _ROWS:.2f}" for value in np.median(found, axis=0))
        yield f"| {case.name} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tables", nargs="*", help="mujoco, rough, fallen, calls, cores, memory, native, parts; all without it"
    )
    parser.add_argument(
        "--go2", type=Path, default=Path("go2"), help="a policy for Go2; by default the shipped one"
    )
    parser.add_argument("--g1", type=Path, help="a policy for G1; else random goals")
    parser.add_argument("--robots", nargs="*", default=["Go2", "G1"])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument(
        "--output", type=Path, help="write the tables into this file, before what it has by hand"
    )
    options = parser.parse_args()
    cases = []
    for name in options.robots:
        task, policy = velocity_task(f"{name}-Velocity"), getattr(options, name.lower(), None)
        if policy is None:  # of all joints
            task = replace(task, action_scale=_RANDOM)
        cases.append(Case(name, task, *actor(task, policy)))
    tables: dict[str, Callable[[], Iterator[str]]] = {
        "mujoco": lambda: against_mujoco(cases, options.blocks),
        "rough": lambda: rough(options.blocks),
        "fallen": lambda: fallen(cases, options.blocks),
        "calls": lambda: one_step_a_call(cases, options.blocks),
        "cores": lambda: two_cores(cases, options.blocks),
        "memory": memory,
        "native": lambda: native_share(cases, options.blocks),
        "parts": lambda: where_it_goes(cases, options.blocks),
    }
    before, text = load_average(), ""
    for name, made in tables.items():
        if not options.tables or name in options.tables:
            for line in (*made(), ""):
                print(line, flush=True)
                text += line + "\n"
    words = (
        f"{processor()}, {lanes()} lanes; load average before {before}, after {load_average()}. "
        f"`python -m benchmarks.learning {' '.join(sys.argv[1:])}`"
    )
    print(words)
    if options.output is not None:
        _write(options.output, f"{_HEAD}{words}\n\n{text}")


_HEAD = "# Learning: what was measured\n\n"
_REST = "<!-- below: written by hand -->\n"


def _write(path: Path, tables: str) -> None:
    """What stands below the mark is kept."""
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    path.write_text(tables + _REST + old.partition(_REST)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
