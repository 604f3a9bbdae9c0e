"""`footfall demo dynamics`: rigid-body algorithms checked and timed, in a few seconds."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

import footfall
from footfall.arrays import Array
from footfall.cli.screen import screen, table
from footfall.robot.model import Robot

_STATES = 256
_BATCH = 4096


def dynamics(
    robots: Annotated[
        list[str] | None,
        typer.Argument(help="Robots to show; default: LOLA and a real robot that is at hand."),
    ] = None,
) -> None:
    """Load robots, check native dynamics against other algorithms, and time it.

    [dim]$[/] footfall demo dynamics

    [dim]$[/] footfall demo dynamics my_robot.urdf
    """
    from footfall.bench.robots import examples_folder, load_measured

    console = screen()
    second = "talos" if examples_folder() is not None else "quadruped"
    for name in robots or ("lola", second):
        robot = load_measured(name)
        console.print(repr(robot), style="bold", markup=False)
        _introduce(console, robot)
        _verify(console, robot)
        _time(console, robot)
    console.print("More: footfall show lola, footfall bench dynamics, and the scripts in examples/.")


def _introduce(console: Console, robot: Robot) -> None:
    heaviest = sorted(robot.bodies, key=lambda body: -body.mass)[:3]
    parts = ", ".join(f"{body.name} {body.mass:.1f} kg" for body in heaviest)
    console.print(f"  heaviest bodies: {parts}", highlight=False)
    if "idle" in robot.configurations:
        height = footfall.center_of_mass(robot, robot.configuration("idle"))[2]
        base = robot.configuration("idle")[2]
        console.print(
            f"  standing idle: base at {base:.3f} m, centre of mass at {height:.3f} m", highlight=False
        )


def _verify(console: Console, robot: Robot) -> None:
    """Accelerations three ways, and the forces that they take."""
    q, v, tau = _states(robot, _STATES)
    begin = time.perf_counter()
    kernel = footfall.forward_dynamics.kernel(robot)
    seconds = time.perf_counter() - begin
    a = footfall.forward_dynamics(robot, q, v, tau)
    factorised = footfall.forward_dynamics(robot, q, v, tau, method="factorised")
    back = footfall.inverse_dynamics(robot, q, v, a)
    bias = footfall.bias_forces(robot, q, v)
    plain = np.array(
        [footfall.forward_dynamics.textbook(robot, *state) for state in zip(q[:4], v, tau, strict=False)]
    )
    size = np.linalg.norm(tau, axis=1) + np.linalg.norm(bias, axis=1)
    rows = [
        ["articulated bodies against mass matrix and factorisation", _error(a, factorised)],
        ["inverse dynamics of the result against the given forces", f"{_largest(back - tau, size):.1e}"],
        ["native code against the same Python on plain NumPy", _error(a[:4], plain)],
    ]
    console.print(
        f"  forward dynamics: {kernel.operations} operations, ready in {seconds:.2f} s "
        "(compiled or from the cache)",
        highlight=False,
    )
    title = f"Agreement of accelerations, {_STATES} random states"
    console.print(table(title, ["", "relative error"], rows, numbers="relative error"))


def _time(console: Console, robot: Robot) -> None:
    from footfall.bench.measure import Contestant, race, sweep
    from footfall.bench.surroundings import cores, lanes

    q, v, tau = _states(robot, _BATCH)
    kernels = {
        "inverse dynamics": footfall.inverse_dynamics.kernel(robot),
        "mass matrix": footfall.mass_matrix.kernel(robot),
        "forward dynamics": footfall.forward_dynamics.kernel(robot),
    }
    rows = []
    for name, kernel in kernels.items():
        arrays = [q, v, tau][: len(kernel.signature.inputs)]
        shapes = [shape for _, shape in kernel.signature.outputs]
        out, many = (
            [np.empty(shape) for shape in shapes],
            tuple(np.empty((_BATCH, *shape)) for shape in shapes),
        )
        bound = [kernel.bind(*(np.array(x[k]) for x in arrays), *out) for k in range(_STATES)]
        one_core = partial(kernel.batch, *arrays, out=many, threads=1)
        all_cores = partial(kernel.batch, *arrays, out=many)
        contestants = {
            "bound": Contestant(sweep("call()", {"call": bound}, {}), _STATES),
            "batch": Contestant(one_core, _BATCH),
            "cores": Contestant(all_cores, _BATCH, time.perf_counter_ns),
        }
        result = race(contestants, blocks=10)
        rows.append([name, *(f"{1e6 * result.time(way).median:.2f}" for way in contestants)])
    columns = ["", "a call", "a robot in a batch", f"on {cores()} cores"]
    title = f"Microseconds; batches of {_BATCH}, {lanes()} robots an instruction"
    console.print(table(title, columns, rows, numbers="; ".join(columns[1:])))


def _states(robot: Robot, count: int) -> tuple[Array, Array, Array]:
    from footfall.bench.states import random_states

    q, v, _, tau = random_states(robot, count)
    return q, v, tau


def _error(one: Array, other: Array) -> str:
    return f"{_largest(one - other, np.linalg.norm(other, axis=1)):.1e}"


def _largest(difference: Array, size: Array) -> float:
    return float(np.max(np.linalg.norm(difference, axis=1) / size))
