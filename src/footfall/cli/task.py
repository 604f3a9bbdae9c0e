"""`footfall task`: use cases of hybrid dynamics, run in simulation and judged by their criteria."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from footfall.cli.files import output_folder
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, screen, table
from footfall.cli.task_options import OpeningOptions, read_point, read_pose, read_robot


@grouped
def task(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A use case, all, or a file of tasks (.toml) for --robot; without one they are listed."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for recordings, curves and plots.")
    ] = Path("tasks"),
    plots: Annotated[bool, typer.Option(help="Draw the plots.")] = True,
    *,
    opening: OpeningOptions,
) -> None:
    """Run a task of hybrid dynamics in simulation: drive, dock, push, draw, open; with real contact and limits.

    Each run ends with a table of its criteria (those of Devaramani 2019) and writes a recording, its curves
    and a page of plots. Drawers, doors and valves may be anywhere and in any direction, and be opened by any arm.

    [dim]$[/] footfall task

    [dim]$[/] footfall task docking

    [dim]$[/] footfall task drawer --pose 0.6,0.1,0.5,0,0,180 --mass 8 --friction 15 --robot arm-7r

    [dim]$[/] footfall task valve --robot youbot --size 0.1 --open 360

    [dim]$[/] footfall task my-tasks.toml --robot arm-7r

    [dim]$[/] footfall task all --output results --no-plots
    """
    from footfall.scenarios.hybrid import USE_CASES, find_use_case
    from footfall.scenarios.pyplot import load_pyplot

    if name is None:
        rows = [[each, case.description] for each, case in USE_CASES.items()]
        screen().print(table("Tasks", ["name", "what happens"], rows))
        return
    if name.endswith(".toml"):
        _run_file(Path(name), output, opening, plots=plots)
        return
    cases = dict(USE_CASES) if name == "all" else {name: find_use_case(name)}
    if opening.given:
        if name not in ("drawer", "door", "valve"):
            raise typer.BadParameter(
                f"{opening.given[0]} goes with drawer, door and valve; not with {name!r}"
            )
        cases = {name: cases[name]._replace(run=_opening(name, opening))}
    if plots:
        load_pyplot()  # rather fail now than after the run
    output_folder(output)
    for each, case in cases.items():
        _run(each, case, output, plots=plots)


def _run_file(path: Path, output: Path, given: OpeningOptions, *, plots: bool) -> None:
    """Tasks of a file, with what is wrong with them together."""
    from footfall.robot.load import load
    from footfall.scenarios.hybrid import UseCase
    from footfall.scenarios.hybrid.task_file import read_task_file, run_task_file, task_file_ranks
    from footfall.scenarios.pyplot import load_pyplot

    others = [option for option in given.given if option != "--robot"]
    if others:
        raise typer.BadParameter(f"{others[0]} goes with drawer, door and valve; not with a file of tasks")
    if given.given == []:
        raise typer.BadParameter("a file of tasks needs a robot; name one, --robot arm-7r say")
    text, robot = read_task_file(path), load(given.robot)
    screen().print(task_file_ranks(text, robot).text, highlight=False, soft_wrap=True)
    if plots:
        load_pyplot()
    output_folder(output)
    case = UseCase(f"tasks of {path}", partial(run_task_file, text, robot, name=path.stem))
    _run(path.stem, case, output, plots=plots)


def _opening(kind: Any, given: OpeningOptions) -> Any:
    """The run that options ask for."""
    from footfall.scenarios.hybrid.opening import Pull, run_opening, usual_mechanism

    far = given.open if kind == "drawer" or given.open is None else math.radians(given.open)
    mechanism = usual_mechanism(
        kind,
        pose=read_pose(given.pose),
        hinge=given.hinge,  # type: ignore[arg-type]
        mass=given.mass,
        friction=given.friction,
        size=given.size,
        opening=far,
    )
    return partial(
        run_opening,
        mechanism,
        robot=read_robot(given.robot, given.wheel),
        frame=given.frame,
        point=read_point(given.finger),
        pull=Pull(speed=given.speed, force=given.force),
    )


def _run(name: str, case: Any, output: Path, *, plots: bool) -> None:
    from footfall.scenarios.hybrid import write_course

    with errors().status(f"{name}: {case.description}"):
        course = case.run()
        written = write_course(course, output, plots=plots)
    rows = [
        [criterion.what, f"{criterion.value:.4g}", criterion.demand, "yes" if criterion.passed else "no"]
        for criterion in course.criteria
    ]
    console = screen()
    console.print(table(course.title, ["criterion", "is", "must be", "met"], rows, numbers="is"))
    if case.baseline:
        console.print("A baseline: it shows what goes wrong without the task's force limit.")
    console.print(f"View it: {program()} view {written[0]}", highlight=False, soft_wrap=True)
