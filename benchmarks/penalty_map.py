"""Where penalty contact fails: falls of the quadruped over stiffness, damping, step and integrator.

Ayit 2015, chapter 5.
A fall fails if the robot is thrown above the height it was let go from, or if numbers overflow. One native call makes
all falls of a panel; the lines are the limit k + 2 d = 4 of semi-implicit Euler, for one foot and for all together.

    python benchmarks/penalty_map.py --output penalty-map.png
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler import absolute, build_kernel, maximum, repeat
from footfall.robot.library import quadruped
from footfall.scenarios.quadruped import load_scenario
from footfall.scenarios.quadruped.legs import standing_configuration
from footfall.scenarios.quadruped.run import build_simulation
from footfall.simulation.lanes.values import StepState
from footfall.simulation.sources.springs import SmoothStep, SpringStep, penalty_delassus
from footfall.simulation.step_values import Command

HEIGHTS = (0.1, 0.5, 1.5)  # m
STEPS = (0.0005, 0.002)  # s
INTEGRATORS = ("semi-implicit", "rk4", "explicit")
DURATION = 1.2  # s
MARGIN = 0.02  # m above the release that count as thrown
TITLES = {"semi-implicit": "semi-implicit Euler", "rk4": "Runge-Kutta 4", "explicit": "explicit Euler"}


class Law(NamedTuple):
    """A penalty law whose normal part is known when the kernel runs."""

    normal_stiffness: Any
    normal_damping: Any
    tangential_stiffness: float
    tangential_damping: float
    integral: float


def fall_kernel(dt: float, integrator: str) -> tuple[Any, Any]:
    """A kernel that lets the robot fall, and the simulation it was made of.

    start, stiffness, damping -> top height, peak force, speed and height at the end.
    """
    scenario = load_scenario("fall").changed(step__dt=dt, penalty__integrator=integrator)
    simulation = build_simulation(scenario, "penalty")
    stand = standing_configuration(quadruped(), scenario.robot.hip_height)
    gains = {name: np.tile(getattr(scenario.control, name), 4) for name in ("kp", "ki", "kd")}
    command: Command = simulation.pd(stand[7:], **gains)
    law = scenario.penalty

    def fall(q: Any, stiffness: Any, damping: Any) -> dict[str, Any]:
        contact: Any = Law(stiffness, damping, law.tangential_stiffness, law.tangential_damping, 0.0)
        kind: Any = SpringStep(contact)
        if integrator != "semi-implicit":
            kind = SmoothStep(integrator, contact)  # type: ignore[arg-type]

        def step(top: Any, peak: Any, *parts: Any) -> tuple[Any, ...]:
            following, happened = kind.advance(
                simulation.engine.place, StepState(*parts), command, friction=simulation.friction
            )
            load = maximum(maximum(happened.forces[0, 2], happened.forces[1, 2]), peak)
            load = maximum(maximum(happened.forces[2, 2], happened.forces[3, 2]), load)
            return maximum(top, following.q[2]), load, *following

        start = (np.zeros(simulation.robot.nv), np.zeros(simulation.joints), np.zeros(simulation.rows))
        top, peak, last, v, *_ = repeat(step, (0.0, 0.0, q, *start), count=round(DURATION / dt))
        speed = absolute(v[0])
        for entry in v[1:]:
            speed = maximum(speed, absolute(entry))
        return {"top": top, "peak": peak, "speed": speed, "height": last[2]}

    inputs = {"q": simulation.robot.nq, "stiffness": (), "damping": ()}
    return build_kernel(fall, inputs, name="fall", check_finite=False), simulation


def failures(kernel: Any, stand: Any, stiffness: Any, damping: Any) -> Any:
    """For each law the number of HEIGHTS from which the fall fails."""
    count = np.zeros(len(stiffness), dtype=int)
    for height in HEIGHTS:
        start = np.array(stand)
        start[2] += height
        with np.errstate(all="ignore"):
            top, _, speed, last = kernel(np.tile(start, (len(stiffness), 1)), stiffness, damping)
            failed = ~(np.isfinite(speed) & np.isfinite(last) & (top < start[2] + MARGIN) & (speed < 1e3))
        count += failed
    return count


def main() -> None:
    """Compute and draw the map."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("penalty-map.png"))
    parser.add_argument("--grid", type=int, default=24, help="laws along each axis")
    options = parser.parse_args()
    stiffness = np.logspace(5, 8.5, options.grid)
    damping = np.logspace(2, 4.7, options.grid)
    k, d = (part.ravel() for part in np.meshgrid(stiffness, damping, indexing="ij"))
    panels = {}
    for dt in STEPS:
        for integrator in INTEGRATORS:
            kernel, simulation = fall_kernel(dt, integrator)
            stand = standing_configuration(quadruped(), 0.6064)
            mobility = penalty_delassus(simulation.robot, stand, simulation.candidates)[2::3, 2::3]
            count = failures(kernel, stand, k, d)
            panels[dt, integrator] = count.reshape(options.grid, options.grid)
            shares = ", ".join(f"{np.mean(count >= n):.0%} at {n} or more heights" for n in (1, 2, 3))
            print(f"{1e3 * dt:g} ms, {integrator}: fails {shares}", flush=True)
    draw(panels, stiffness, damping, (mobility[0, 0], np.linalg.eigvalsh(mobility).max()), options.output)


def draw(panels: dict[Any, Any], stiffness: Any, damping: Any, mobilities: Any, path: Path) -> None:
    """One panel for each step and integrator."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    colors = ListedColormap(["#2b8cbe", "#a6bddb", "#fdae61", "#d7191c"])
    size = (len(STEPS), len(INTEGRATORS))
    figure, axes = plt.subplots(*size, figsize=(12, 7.5), sharex=True, sharey=True, layout="constrained")
    for (dt, integrator), axis in zip(panels, axes.ravel(), strict=True):
        image = axis.pcolormesh(
            stiffness, damping, panels[dt, integrator].T, cmap=colors, vmin=-0.5, vmax=3.5, shading="nearest"
        )
        for mobility, style in zip(mobilities, ("-", "--"), strict=True):
            fine = np.logspace(5, 8.5, 400)
            limit = (4 / (dt * mobility) - fine * dt) / 2  # k + 2 d = 4
            axis.plot(fine[limit > 0], limit[limit > 0], style, color="black", linewidth=1)
        axis.set(xscale="log", yscale="log", xlim=stiffness[[0, -1]], ylim=damping[[0, -1]])
        axis.set_title(f"{TITLES[integrator]}, {1e3 * dt:g} ms", fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("stiffness K, N/m")
    for axis in axes[:, 0]:
        axis.set_ylabel("damping D, N s/m")
    bar = figure.colorbar(image, ax=axes, ticks=range(4), shrink=0.8)
    bar.ax.set_yticklabels(["succeeds from all", "fails from one", "fails from two", "fails from all"])
    figure.suptitle("Falls of the quadruped from 0.1, 0.5 and 1.5 m with penalty contact")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
