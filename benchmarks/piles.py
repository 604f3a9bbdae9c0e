"""Measure many things that touch each other against MuJoCo with its default options (pyramidal cone), phase by phase.

    python -m benchmarks.piles [NAME ...] [--seeds 1001 1002]
    python -m benchmarks.piles --threads 2     # what several threads gain; wall clock, wants a quiet machine

A phase of ours and the same stretch of MuJoCo's run follow each other in one process; CPU time of the thread. Worlds of
this kind are chaotic: after a second the two are two different piles.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.lab.pile_scenes import card_house, dominoes, heaps, pile, wall
from benchmarks.lab.world_mujoco import add_thing
from footfall import Scene, Simulation
from footfall.bench.surroundings import load_average
from footfall.errors import FootfallWarning

_WORLDS: dict[str, tuple[Callable[[], tuple[Scene, float]], tuple[float, ...]]] = {
    "wall of 50, hit": (lambda: wall(10, 5, hit=True), (0.25, 0.5, 1.0, 2.0)),
    "wall of 50": (lambda: wall(10, 5, hit=False), (0.5, 1.0)),
    "40 dominoes": (dominoes, (0.5, 1.0, 1.6)),
    "card house": (card_house, (0.3, 0.6, 1.2)),
    "pile of 50": (lambda: pile(50, 1001), (1.0, 2.0, 3.0)),
} | {
    f"wall hit elsewhere, seed {k}": (lambda k=k: wall(10, 5, hit=True, seed=k), (0.25, 0.5, 1.0, 2.0))
    for k in range(1000, 1006)
}
_PHASES = (1.0, 2.0, 3.0, 5.0)  # s, of a pile of 100


def _peer(scene: Scene, dt: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.timestep = dt
    for thing in scene.objects:
        add_thing(spec, thing, margin=0.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    speeds = [thing.free.velocity for thing in scene.free_objects if thing.free is not None]
    data.qvel[:] = np.ravel(speeds)
    return model, data


def measure(name: str, scene: Scene, dt: float, phases: tuple[float, ...]) -> None:
    """Print a row a phase."""
    simulation = Simulation(None, scene, dt=dt, sleep=False)
    simulation.step(simulation.zero_command)
    simulation.reset()
    model, data = _peer(scene, dt)
    weight, start = 9.81 * simulation.robot.mass * dt, 0.0
    for end in phases:
        steps = round((end - start) / dt)
        began = time.thread_time()
        run = simulation.run(simulation.zero_command, steps * dt)
        ours = (time.thread_time() - began) / steps
        began = time.thread_time()
        mujoco.mj_step(model, data, steps)
        theirs = (time.thread_time() - began) / steps
        residual = run.residual / weight
        deepest = 1e3 * max(0.0, -float(run.contacts.gaps.min(initial=0.0)))
        print(
            f"| {name} | {start:g} to {end:g} s | {run.contacts.counts.mean():.0f} | {1e6 * ours:.0f} | "
            f"{1e6 * theirs:.0f} | {theirs / ours:.2f} | {run.solver_steps.mean():.1f} | "
            f"{100 * (residual > 1e-8).mean():.1f} % | {100 * (residual > 1.001e-6).mean():.1f} % | "
            f"{residual.max():.1e} | {deepest:.2f} |",
            flush=True,
        )
        start = end


_HEAPS = {
    "10 heaps of 100": (10, 100),
    "100 heaps of 10": (100, 10),
    "900 boxes apart, each spinning": (900, 1),
    "one heap of 1,000": (1, 1000),
}
_BLOCKS, _BLOCK_STEPS = 7, 16


def measure_threads(threads: int) -> None:
    """Print a row a world: blocks of steps in turn with one thread and with several, half a second after things began
    to fall; wall clock."""
    print(f"| world | contacts | one thread, ms a step | {threads} | ratio | blocks | same bits |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for name, (count, each) in _HEAPS.items():
        scene, dt = heaps(count, each)
        both = [Simulation(None, scene, dt=dt, threads=number) for number in (1, threads)]
        for simulation in both:
            simulation.run(simulation.zero_command, 0.5)
        taken = np.empty((_BLOCKS, 2))
        for block in range(_BLOCKS):
            for place, simulation in enumerate(both):
                began = time.perf_counter()
                run = simulation.run(simulation.zero_command, _BLOCK_STEPS * dt)
                taken[block, place] = 1e3 * (time.perf_counter() - began) / _BLOCK_STEPS
        one, several = np.median(taken, axis=0)
        ratios = taken[:, 0] / taken[:, 1]
        same = np.array_equal(both[0].q, both[1].q) and np.array_equal(both[0].v, both[1].v)
        print(
            f"| {name} | {run.contacts.counts.mean():.0f} | {one:.1f} | {several:.1f} | {np.median(ratios):.2f} | "
            f"{ratios.min():.2f} to {ratios.max():.2f} | {'yes' if same else 'NO'} |",
            flush=True,
        )
    print(f"\nLoad {load_average()}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="text in the name of a world; all without it")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1001, 1002, 1003], help="of piles of 100")
    parser.add_argument("--threads", type=int, help="measure what so many gain")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FootfallWarning)
    if options.threads:
        measure_threads(options.threads)
        return
    worlds = {f"pile of 100, seed {k}": (lambda k=k: pile(100, k), _PHASES) for k in options.seeds} | _WORLDS
    print(
        "| world | phase | contacts | us a step | MuJoCo | ratio | solver steps | above 1e-8 | above 1e-6 | "
        "largest | deepest, mm |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, (made, phases) in worlds.items():
        if not options.names or any(text in name for text in options.names):
            scene, dt = made()
            measure(name, scene, dt, phases)
    print(f"\nMuJoCo {mujoco.__version__}, default options; load {load_average()}.")


if __name__ == "__main__":
    main()
