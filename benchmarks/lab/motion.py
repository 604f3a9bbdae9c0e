"""Measuring the motion generator: run time stage by stage, snapshots, sampling, growth, and what motions keep."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lab.random_walks import random_walk
from footfall.gait.plan import MotionPlan
from footfall.gait.plan_file import build_plan, read_plan_description
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.limbs import centre_of_mass, limbs_of
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.stream import stream
from footfall.motion.verification import Verification, verify_motion

# Seiwald 2023, table 6.1: total of the source's C++ in ms for numbers of transitions; snapshots in us.
SOURCE_TOTALS = {9: 1.9, 12: 3.0, 26: 7.0}
SOURCE_SNAPSHOT = 11.3
SOURCE_COM_ERROR = (1.2e-6, 50e-6, 4e-3)  # m, m/s, m/s2


@dataclass(frozen=True)
class GenerationTimes:
    """Of one plan: transitions, s of motion, total and by stage in s, all means of the middle 80 % of runs."""

    name: str
    transitions: int
    duration: float
    total: float
    stages: dict[str, float]


class SampleTimes(NamedTuple):
    """Seconds: of a snapshot, of the stream of one, and of a whole plan at 1 kHz, with its number of samples."""

    snapshot: float
    stream: float
    whole: float
    samples: int


class Study(NamedTuple):
    """Random walks: how many were generated, the worst of each promise, and the seeds that broke one."""

    walks: int
    worst: Verification
    broken: tuple[int, ...]


def straight_plan(model: ReducedModel, transitions: int) -> MotionPlan:
    """A straight walk of that many transitions, steps of 0.4 m for LOLA's legs."""
    dimensions = gait_dimensions(model)
    step = WalkingTransition(forward=0.4 / 0.87 * dimensions.leg_length)
    return MotionPlan((walking_sequence([step] * (transitions - 2), idle_pose(dimensions), dimensions),))


def measured_plans(model: ReducedModel) -> dict[str, MotionPlan]:
    """Plans like those of the source's table, and the platform as its file says."""
    plans = {f"straight, {count}": straight_plan(model, count) for count in SOURCE_TOTALS}
    plans["platform"] = build_plan(read_plan_description("platform"), gait_dimensions(model))
    return plans


def measure_generation(
    name: str, plan: MotionPlan, model: ReducedModel, *, runs: int = 200
) -> GenerationTimes:
    """Run times of a plan, warm, in one thread."""
    for _ in range(3):
        motion = generate_motion(plan, model)
    totals, stages = np.empty(runs), []
    with _no_garbage_collection():
        for run in range(runs):
            begin = time.thread_time()
            motion = generate_motion(plan, model)
            totals[run] = time.thread_time() - begin
            stages.append(motion.seconds)
    by_stage = {stage: _middle([seconds[stage] for seconds in stages]) for stage in stages[0]}
    return GenerationTimes(name, len(plan.transitions), motion.duration, _middle(totals), by_stage)


def measure_samples(motion: Motion, *, runs: int = 2000) -> SampleTimes:
    """Run times of looking at a motion."""
    times = np.random.default_rng(0).uniform(motion.begin_time, motion.end_time, runs)
    every = np.arange(motion.begin_time, motion.end_time, 1e-3)
    samples = motion.snapshot(1.0)
    return SampleTimes(
        _each(lambda index: motion.snapshot(times[index]), runs),
        _each(lambda index: stream(samples, motion.model), max(runs // 10, 1)),
        _each(lambda index: motion.sample(every), max(runs // 200, 1)),
        len(every),
    )


def measure_growth(
    model: ReducedModel, counts: Sequence[int] = (10, 100, 1000), *, runs: int = 5
) -> dict[int, float]:
    """Seconds for straight walks of some numbers of transitions."""
    return {
        count: measure_generation("", straight_plan(model, count), model, runs=runs).total for count in counts
    }


def study_random_walks(
    model: ReducedModel, count: int, *, first: int = 0, progress: Callable[[int], None] | None = None
) -> Study:
    """Generate and verify random walks, seeds from `first` on."""
    dimensions = gait_dimensions(model)
    found, broken = [], []
    for seed in range(first, first + count):
        motion = generate_motion(random_walk(np.random.default_rng(seed), dimensions), model)
        found.append(verify_motion(motion))
        if not _keeps(found[-1]):
            broken.append(seed)
        if progress is not None:
            progress(seed)
    numbers = np.array(found)
    largest = np.isin(Verification._fields, ("zmp_error", "jump", "speed"))
    worst = np.where(largest, numbers.max(axis=0), numbers.min(axis=0))
    return Study(count, Verification(*worst.tolist()), tuple(broken))


def com_errors(motion: Motion) -> tuple[float, float, float]:
    """R-02: largest distance of the planned centre of mass from that of the five masses, m, and of two derivatives."""
    times = np.arange(motion.begin_time, motion.end_time, 1e-3)
    samples = motion.sample(times)
    exact = centre_of_mass(limbs_of(samples), np.moveaxis(samples.torso, -2, 0), motion.model)
    apart = np.abs(np.moveaxis(samples.center_of_mass, -2, 0) - exact).max(axis=(1, 2))
    return float(apart[0]), float(apart[1]), float(apart[2])


def _keeps(found: Verification) -> bool:
    return (
        found.zmp_margin > 0.0
        and found.clearance > -1e-9
        and found.leg_margin > 0.0
        and found.jump < 1e-8
        and found.speed < 1e-9
    )


def _middle(seconds: Any) -> float:
    """Mean without the slowest and fastest tenth, as the source does."""
    ordered = np.sort(np.asarray(seconds, dtype=np.float64))
    tenth = len(ordered) // 10
    return float(ordered[tenth : len(ordered) - tenth].mean())


def _each(function: Callable[[int], Any], runs: int) -> float:
    function(0)
    with _no_garbage_collection():
        begin = time.thread_time()
        for index in range(runs):
            function(index)
        return (time.thread_time() - begin) / runs


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
