"""LOLA on soft soles beside LOLA on hard ones: what a step costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import footfall
from benchmarks.lab.world_scenes import SCENES, WorldScene
from footfall import Scene, Simulation
from footfall.bench.measure import Contestant, race

STIFFNESS, DAMPING = 5e4, 5e2  # N/m and N s/m a point


@dataclass(frozen=True)
class SoftRow:
    """us a step on hard and soft ground, their ratio with quartiles, and solver steps of both."""

    name: str
    hard: float
    soft: float
    ratio: float
    quartiles: tuple[float, float]
    hard_steps: float
    soft_steps: float


def softened(scene: Scene) -> Scene:
    """The same scene with a spring and a damper at every contact point."""
    return replace(
        scene,
        objects=tuple(
            replace(thing, material=replace(thing.material, stiffness=STIFFNESS, damping=DAMPING))
            for thing in scene.objects
        ),
    )


def soft_rows(blocks: int) -> list[SoftRow]:
    """Standing, rocking and dropped on `flat`."""
    return [_row(SCENES[f"lola-{kind}-flat"](), blocks) for kind in ("standing", "rocking", "dropped")]


def _row(world: WorldScene, blocks: int) -> SoftRow:
    seconds = world.fall or 0.5
    runs, steps = {}, {}
    for name, scene in (("hard", world.scene), ("soft", softened(world.scene))):
        simulation = Simulation(world.robot, scene, dt=world.dt)
        start = np.array(simulation.q)
        own = world.start()
        assert own is not None
        start[: len(own)] = own
        simulation.reset(start)
        held = simulation.pd(simulation.joint_positions(), kp=world.kp, kd=world.kd)
        if world.settle:
            simulation.run(held, world.settle)
        begin = simulation.state

        def run(simulation: Simulation = simulation, begin: object = begin, held: object = held) -> None:
            simulation.reset(begin.q, begin.v)  # type: ignore[attr-defined]
            simulation.run(held, seconds)  # type: ignore[arg-type]

        run()
        simulation.reset(begin.q, begin.v)
        steps[name] = float(simulation.run(held, seconds).solver_steps.mean())
        runs[name] = Contestant(run, round(seconds / world.dt))
    found = race(runs, blocks=blocks, block_seconds=0.0)
    ratio = found.ratio("soft", "hard")
    return SoftRow(
        world.name,
        1e6 * found.time("hard").median,
        1e6 * found.time("soft").median,
        ratio.median,
        (ratio.lower, ratio.upper),
        steps["hard"],
        steps["soft"],
    )


def soft_table(rows: list[SoftRow]) -> list[str]:
    """Markdown."""
    lines = [
        "## Soft soles",
        "",
        f"The ground gives way with {STIFFNESS:g} N/m and {DAMPING:g} N s/m at each of 32 points (footfall",
        f"{footfall.__version__} against itself; how many times as long a step takes as on hard ground).",
        "",
        "| world | hard, us a step | soft | times as long | solver steps, hard | soft |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        low, high = row.quartiles
        lines.append(
            f"| {row.name} | {row.hard:.1f} | {row.soft:.1f} | {row.ratio:.2f} ({low:.2f} to {high:.2f}) | "
            f"{row.hard_steps:.1f} | {row.soft_steps:.1f} |"
        )
    return [*lines, ""]
