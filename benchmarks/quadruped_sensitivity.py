"""How the quadruped's results depend on what its source leaves open: tables of runs, as Markdown.

    python benchmarks/quadruped_sensitivity.py > benchmarks/quadruped_sensitivity.md

takes ten to twenty minutes. The second table has the way along x and the ratio of both models over stride and
centering, which were fitted.
"""

from __future__ import annotations

import argparse
from typing import Any

from footfall.scenarios.quadruped import load_scenario, run_scenario, summarise

TROTS: list[tuple[str, dict[str, Any]]] = [
    ("as shipped", {}),
    ("other diagonal first", {"trot__first_pair": 1}),
    ("stride 0.015 m", {"trot__stride": 0.015}),
    ("stride 0.022 m", {"trot__stride": 0.022}),
    ("half cycle 0.20 s", {"trot__half_cycle": 0.2}),
    ("half cycle 0.30 s", {"trot__half_cycle": 0.3}),
    ("clearance 0.02 m", {"trot__clearance": 0.02}),
    ("clearance 0.05 m", {"trot__clearance": 0.05}),
    ("centering 0", {"trot__centering": 0.0}),
    ("centering 1", {"trot__centering": 1.0}),
    ("hips at 0.58 m", {"robot__hip_height": 0.58}),
    ("feet 0.5 m high", {"robot__foot_height": 0.5}),
    ("restitution 0.3", {"ground__restitution": 0.3}),
    ("no viscous ground friction", {"ground__viscous_friction": 0.0}),
    ("ground friction 0.6", {"ground__friction": 0.6}),
    ("contact from gap <= 0 on", {"step__gap_term": "source"}),
    *(
        (
            f"at most {count} sweeps, contact from gap <= 0 on",
            {"step__newton_steps": 0, "step__sweeps": count, "step__gap_term": "source"},
        )
        for count in (100, 10, 2)
    ),
    ("gains at the end of the step", {"control__gains": "implicit"}),
    ("step 0.25 ms", {"step__dt": 0.00025}),
    ("step 1 ms", {"step__dt": 0.001}),
    ("step 2 ms", {"step__dt": 0.002}),
    ("step 5 ms", {"step__dt": 0.005}),
    ("K_n 1e6", {"penalty__normal_stiffness": 1e6}),
    ("K_t 1e6", {"penalty__tangential_stiffness": 1e6}),
    ("D_n 5e3", {"penalty__normal_damping": 5e3}),
    ("integral term 1e5", {"penalty__integral": 1e5}),
    ("Runge-Kutta", {"penalty__integrator": "rk4"}),
]


def print_pairs(duration: float) -> None:
    """The way of the exact model, m, and that of the penalty model as a part of it, for pairs of what was fitted."""
    centerings = (0.0, 0.25, 0.5, 0.75, 1.0)
    print("| | " + " | ".join(f"centering {each:g}" for each in centerings) + " |")
    print("|---" * (len(centerings) + 1) + "|")
    for stride in (0.015, 0.0185, 0.022, 0.026):
        cells = []
        for centering in centerings:
            changes = {"duration": duration, "trot__stride": stride, "trot__centering": centering}
            scenario = load_scenario("trot").changed(**changes)
            exact, springs = (summarise(run_scenario(scenario, model)) for model in ("exact", "penalty"))
            cells.append(
                f"{exact.distance:.3f} m, {springs.distance / exact.distance:.2f}, y {exact.drift:.3f} m"
            )
        print(f"| stride of {stride:g} m | {' | '.join(cells)} |", flush=True)


def print_trots(duration: float) -> None:
    """One change at a time; rows without exact columns change the springs only."""
    print("| trot | x exact, m | y exact, m | tilt exact, rad | x penalty, m | y penalty, m | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, changes in TROTS:
        scenario = load_scenario("trot").changed(duration=duration, **changes)
        only_penalty = all(key.startswith("penalty__") for key in changes) and changes
        exact = None if only_penalty else summarise(run_scenario(scenario, "exact"))
        springs = summarise(run_scenario(scenario, "penalty"))
        cells = ["", "", ""] if exact is None else [
            f"{exact.distance:.3f}", f"{exact.drift:.3f}", f"{exact.tilt:.3f}"
        ]  # fmt: skip
        ratio = "" if exact is None else f"{springs.distance / exact.distance:.2f}"
        failed = springs.diverged is not None
        cells += ["diverged", ""] if failed else [f"{springs.distance:.3f}", f"{springs.drift:.3f}"]
        print(f"| {name} | {' | '.join(cells)} | {'' if failed else ratio} |", flush=True)


def main() -> None:
    """Run all and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--duration", type=float, default=10.6, help="s, of each run")
    duration = parser.parse_args().duration
    print("# What the trot of the quadruped depends on\n")
    print(f"Runs of {duration:g} s, one of each. The exact trot is chaotic after some seconds.\n")
    print_trots(duration)
    print("\n## Stride and centering\n")
    print("Way of the exact model, that of the penalty model as a part of it, drift of the exact model.\n")
    print_pairs(duration)


if __name__ == "__main__":
    main()
