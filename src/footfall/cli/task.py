"""`footfall task`: use cases of hybrid dynamics, run in simulation and judged by their criteria.

Options of `footfall task` for what is opened, and who opens it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.files import output_folder
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, screen, table

if TYPE_CHECKING:
    from footfall.control.hybrid_drive import MobileRobot
    from footfall.math.transform import Transform
    from footfall.robot.model import Robot

PANEL = "Drawers, doors and valves"
_POSE_METAVAR = "X,Y,Z[,ROLL,PITCH,YAW]"
_SHIPPED = "mobile-manipulator"


def _option(*names: str, help: str, **options: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=PANEL, **options)


@dataclass(frozen=True)
class OpeningOptions:
    """What is opened, and who opens it; None: as usual."""

    pose: Annotated[
        str | None,
        _option(
            help="Where the handle of the closed drawer or door is, or the hub of the valve, m and degrees: x points "
            "out of the furniture, z up.",
            metavar=_POSE_METAVAR,
        ),
    ] = None
    mass: Annotated[float | None, _option(help="Of the drawer, of the door, of the valve's rim, kg.")] = None
    friction: Annotated[float | None, _option(help="Dry, N; of hinges and hubs N m.")] = None
    size: Annotated[
        float | None,
        _option(help="Depth of the drawer, from the hinge to the handle, radius of the valve, m."),
    ] = None
    open: Annotated[float | None, _option(help="How far, m; doors and valves: degrees.")] = None
    hinge: Annotated[str, _option(help="Of a door, seen from the front: left or right.")] = "left"
    robot: Annotated[
        str,
        _option(help="An arm by name or file, youbot, or another mobile robot with its wheels (--wheel)."),
    ] = _SHIPPED
    wheel: Annotated[
        list[str] | None,
        _option(
            help="A wheel of a mobile robot: its body, its radius in m, and the angle of its rollers in degrees if it "
            "is a Mecanum wheel; may be repeated.",
            metavar="BODY=RADIUS[:ROLLER]",
        ),
    ] = None
    frame: Annotated[
        str | None, _option(help="Frame of the finger; by default the one that is named like a tool.")
    ] = None
    finger: Annotated[str, _option(help="Where the finger is in that frame, m.", metavar="X,Y,Z")] = "0,0,0"
    force: Annotated[float, _option(help="At the handle, at most, N.")] = 40.0
    speed: Annotated[float, _option(help="Of the handle, at most, m/s.")] = 0.15

    @property
    def given(self) -> list[str]:
        """Names of the options that are not as usual."""
        return [f"--{each.name}" for each in fields(self) if getattr(self, each.name) != each.default]


def read_pose(text: str | None) -> Transform | None:
    """A pose as it is typed, refused if it is none."""
    from footfall.math.rotations import rotation_x, rotation_y, rotation_z
    from footfall.math.transform import Transform

    if text is None:
        return None
    numbers = _numbers(text)
    if len(numbers) not in (3, 6):
        raise typer.BadParameter(
            f"--pose is {text!r}; it must be X,Y,Z or X,Y,Z,ROLL,PITCH,YAW in m and degrees, "
            "0.6,0,0.4,0,0,180 say"
        )
    import numpy as np

    roll, pitch, yaw = (math.radians(angle) for angle in (*numbers, 0.0, 0.0, 0.0)[3:6])
    return Transform(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), np.array(numbers[:3]))


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return []
    return numbers if all(math.isfinite(number) for number in numbers) else []


def read_point(text: str) -> tuple[float, float, float]:
    """Three numbers, m."""
    numbers = _numbers(text)
    if len(numbers) != 3:
        raise typer.BadParameter(f"--finger is {text!r}; it must be X,Y,Z in m, 0,0,0.05 say")
    return numbers[0], numbers[1], numbers[2]


def read_robot(name: str, wheels: list[str] | None) -> Robot | MobileRobot | None:
    """Who opens; None for the shipped mobile manipulator."""
    from footfall.control.hybrid_drive import MobileRobot
    from footfall.dynamics.hybrid_wheels import Wheel
    from footfall.robot.load import load
    from footfall.scenarios.hybrid.bases import youbot

    if wheels:
        made = []
        for entry in wheels:
            body, sign, numbers = entry.partition("=")
            radius, _, roller = numbers.partition(":")
            try:
                size, angle = float(radius), math.radians(float(roller or 0.0))
            except ValueError:
                sign = ""
            if not (sign and body):
                raise typer.BadParameter(
                    f"--wheel is {entry!r}; it must be like left_wheel=0.08 or front_left=0.05:-45"
                )
            made.append(Wheel(body, size, "mecanum", angle) if roller else Wheel(body, size))
        robot = load(name, floating_base=True)
        return MobileRobot(robot, tuple(made), robot.bodies[0].name)
    if name == _SHIPPED:
        return None
    return youbot() if name == "youbot" else load(name)


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
