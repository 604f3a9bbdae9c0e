"""Why the quadruped of Ayit 2015 drifts along y: what each cause contributes, over an ensemble of runs, as Markdown.

    python benchmarks/quadruped_drift.py > benchmarks/quadruped_drift.md
    python benchmarks/quadruped_drift.py --schemes

The trot is chaotic, so each row is run from several starts whose joints differ by 1e-9 rad. With --schemes: single runs
by the source's own solver, from zero impulses in every step, and by friction pyramids; these step in Python.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.contact.classic.gauss_seidel import solve_gauss_seidel_source
from footfall.contact.classic.pyramid import solve_gauss_seidel_pyramid
from footfall.contact.problem import ContactProblem, ContactSolution
from footfall.gait.gaits import LEGS
from footfall.robot.library import quadruped
from footfall.scenarios.quadruped import Scenario, load_scenario
from footfall.scenarios.quadruped.legs import (
    Reference,
    TrotCourse,
    foot_homes,
    joint_angles,
    standing_configuration,
    trot_course,
)
from footfall.scenarios.quadruped.run import build_simulation, commands, unwrapped_angles
from footfall.simulation.step_values import Command

Edit = Callable[[TrotCourse], None]

ROBOT = quadruped()
RIGHT = [k for k, leg in enumerate(LEGS) if leg.startswith("R")]


def edited(scenario: Scenario, edit: Edit | None = None) -> Reference:
    """The reference of a trot whose course of body and feet is changed in place before legs are bent to it."""
    dt, start = scenario.step.dt, standing_configuration(ROBOT, scenario.robot.hip_height)
    assert scenario.trot is not None
    course = trot_course(
        ROBOT, scenario.trot, start, dt * np.arange(round(scenario.duration / dt), dtype=np.float64)
    )
    if edit is not None:
        edit(course)
    position = joint_angles(ROBOT, course.body, course.feet)
    return Reference(np.concatenate([start[:7], position[0]]), position, np.gradient(position, dt, axis=0))


def blend(course: TrotCourse, begin: float, end: float) -> Array:
    """From 0 to 1 between two times, (n,)."""
    part = np.clip((course.time - begin) / (end - begin), 0.0, 1.0)
    return np.asarray(part * part * (3 - 2 * part))


def first_swings(course: TrotCourse, leg: int) -> tuple[float, float, float, float]:
    """Times at which a foot's first two swings begin and end, s."""
    turns = np.flatnonzero(np.diff(course.swing[:, leg].astype(int))) + 1
    begin, end, again, over = course.time[turns[:4]]
    return float(begin), float(end), float(again), float(over)


def behind(course: TrotCourse, way: float) -> None:
    """Right feet begin behind, until they swing for the first time."""
    for leg in RIGHT:
        begin, end, *_ = first_swings(course, leg)
        course.feet[:, leg, 0] -= way * (1 - blend(course, begin, end))


def lift_first(course: TrotCourse) -> None:
    """Right feet first lift on the spot; their second swing makes up for it."""
    for leg in RIGHT:
        begin, end, again, over = first_swings(course, leg)
        way = course.feet[np.searchsorted(course.time, end), leg, 0] - foot_homes(ROBOT)[leg, 0]
        course.feet[:, leg, 0] -= way * (blend(course, begin, end) - blend(course, again, over))


def outwards(course: TrotCourse, way: float) -> None:
    """Right feet stand further out."""
    course.feet[:, RIGHT, 1] -= way


def longer(course: TrotCourse, part: float) -> None:
    """Right feet reach further forward and back."""
    for leg in RIGHT:
        home = course.body[:, 0] + foot_homes(ROBOT)[leg, 0]
        course.feet[:, leg, 0] += part * (course.feet[:, leg, 0] - home)


def higher(course: TrotCourse, part: float) -> None:
    """Right feet are lifted higher."""
    course.feet[:, RIGHT, 2] *= 1 + part


def beside(course: TrotCourse, way: float, seconds: float) -> None:
    """The body goes to the left at the first step and comes back."""
    begin = float(course.time[np.argmax(course.swing.any(axis=1))])
    course.body[:, 1] += way * (
        blend(course, begin, begin + 0.25) - blend(course, begin + seconds, begin + seconds + 0.25)
    )


CAUSES: list[tuple[str, dict[str, Any], Edit | None]] = [
    ("as shipped", {}, None),
    ("other diagonal first", {"trot__first_pair": 1}, None),
    ("no standing before the trot", {"trot__stand": 0.0}, None),
    ("contact from gap <= 0 on", {"step__gap_term": "source"}, None),
    (
        "the same, 10 sweeps in a step at most",
        {"step__gap_term": "source", "step__newton_steps": 0, "step__sweeps": 10},
        None,
    ),
    ("step 0.25 ms", {"step__dt": 0.00025}, None),
    ("step 1 ms", {"step__dt": 0.001}, None),
    ("right feet begin 1 cm behind", {}, partial(behind, way=0.01)),
    ("right feet begin 5 cm behind", {}, partial(behind, way=0.05)),
    ("right feet first lift on the spot", {}, lift_first),
    ("right feet reach 5 % further", {}, partial(longer, part=0.05)),
    ("right feet reach 20 % further", {}, partial(longer, part=0.2)),
    ("right feet lifted 20 % higher", {}, partial(higher, part=0.2)),
    ("body 1 cm to the left for 0.5 s", {}, partial(beside, way=0.01, seconds=0.5)),
    ("body 1 cm to the left for 2 s", {}, partial(beside, way=0.01, seconds=2.0)),
    ("right feet 1 cm further out", {}, partial(outwards, way=0.01)),
    ("body 2 mm to the left for good", {"trot__lateral_offset": 0.002}, None),
    ("body 7 mm to the left for good", {"trot__lateral_offset": 0.007}, None),
    ("body 20 mm to the left for good", {"trot__lateral_offset": 0.02}, None),
]


def ensemble(scenario: Scenario, course: Reference, contact: Any, members: int) -> tuple[Array, Array, Array]:
    """Ends of runs from starts that are almost the same, (members,) each: x and y, m, and yaw, rad."""
    simulation = build_simulation(scenario, contact)
    path = commands(scenario, course)[0]
    starts = np.tile(course.start, (members, 1))
    starts[1:, 7:] += 1e-9 * np.random.default_rng(0).normal(size=(members - 1, 16))
    rows = Command(course.position[None], course.rate[None], *path[2:])
    q, _, _ = simulation.rollout(starts, np.zeros(ROBOT.nv), rows)
    return q[:, -1, 0], q[:, -1, 1], unwrapped_angles(q[:, -1, 3:7])[:, 2]


def source_step_run(
    scenario: Scenario, solve: Callable[[ContactProblem], ContactSolution], *, order: Any, turn: float = 0.0
) -> tuple[float, float, float]:
    """x, y and yaw at the end of a trot with the source's step, Ayit 2015, chapter 4, by another solver.

    order: of the feet. turn: of the tangents about the normal, rad.
    """
    dt, course = scenario.step.dt, edited(scenario)
    q, v, integral = course.start, np.zeros(ROBOT.nv), np.zeros(16)
    axes = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    joints = np.eye(ROBOT.nv)[6:]
    for command in commands(scenario, course):
        error = command.position - q[7:]
        integral = integral + dt * error
        effort = np.zeros(ROBOT.nv)
        effort[6:] = command.kp * error + command.ki * integral + command.kd * (command.velocity - v[6:])
        inertia = footfall.mass_matrix(ROBOT, q) + np.diag(dt * ROBOT.damping)
        forces = effort - footfall.bias_forces(ROBOT, q, v) - ROBOT.damping * v
        feet = footfall.forward_kinematics(ROBOT, q, frames=LEGS).position
        down = [axes @ footfall.frame_jacobian(ROBOT, q, LEGS[k])[:3] for k in order if feet[k, 2] <= 0.0]
        rows = np.concatenate([*down, joints])
        answer = np.linalg.solve(inertia, np.column_stack([rows.T, dt * forces]))
        free, response = v + answer[:, -1], answer[:, :-1]
        delassus = rows @ response
        sliding = np.array([np.linalg.norm((each @ v)[:2]) for each in down])
        problem = ContactProblem(
            delassus=(delassus + delassus.T) / 2,
            bias=rows @ free,
            friction=np.full(len(down), scenario.ground.friction),
            extra=scenario.ground.viscous_friction * dt * sliding,  # Ayit 2015, (4.22)
            box=dt * ROBOT.friction[6:],
        )
        v = free + response @ solve(problem).impulses
        q = footfall.integrate(ROBOT, q, dt * v)
    return float(q[0]), float(q[1]), float(unwrapped_angles(q[None, 3:7])[0, 2])


FEET, REVERSE = (0, 1, 2, 3), (3, 2, 1, 0)
SCHEMES: list[tuple[str, Any, tuple[int, ...], float]] = [
    ("source, 100 sweeps", partial(solve_gauss_seidel_source, max_sweeps=100), FEET, 0.0),
    ("source, 10 sweeps", partial(solve_gauss_seidel_source, max_sweeps=10), FEET, 0.0),
    ("source, 10 sweeps, feet in reverse", partial(solve_gauss_seidel_source, max_sweeps=10), REVERSE, 0.0),
    ("source, 3 sweeps", partial(solve_gauss_seidel_source, max_sweeps=3), FEET, 0.0),
    ("pyramid, corners along x and y", partial(solve_gauss_seidel_pyramid, facets=4), FEET, 0.0),
    ("pyramid, faces along x and y", partial(solve_gauss_seidel_pyramid, facets=4), FEET, np.pi / 4),
]


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", type=int, default=8)
    parser.add_argument("--duration", type=float, default=10.6, help="s, at least 2")
    parser.add_argument("--schemes", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    trot = load_scenario("trot").changed(duration=options.duration)
    if options.schemes:
        print("| solver | x, m | y, m | yaw, rad |\n|---|---|---|---|")
        for name, solve, order, turn in SCHEMES:
            end = source_step_run(trot, solve, order=order, turn=turn)
            print(f"| {name} | {end[0]:.3f} | {end[1]:.3f} | {end[2]:.3f} |", flush=True)
        return
    print("# Why the trot of the quadruped drifts\n")
    print(
        f"Runs of {options.duration:g} s: mean and standard deviation of {options.members} with exact contact.\n"
    )
    print(
        "| cause | x exact, m | y exact, m | yaw exact, rad | x penalty, m | y penalty, m |\n|---|---|---|---|---|---|"
    )
    for name, changes, edit in CAUSES:
        scenario = trot.changed(**changes)
        course = edited(scenario, edit)
        x, y, yaw = ensemble(scenario, course, "exact", options.members)
        px, py, _ = ensemble(scenario, course, "penalty", 1)
        cells = [f"{each.mean():.3f} +- {each.std():.3f}" for each in (x, y, yaw)]
        print(f"| {name} | {' | '.join(cells)} | {px[0]:.3f} | {py[0]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
