"""`footfall plan`: from a plan file to a motion, with plots and the view in the browser."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.files import output_folder
from footfall.cli.screen import errors, screen, table
from footfall.cli.view import until_interrupted

if TYPE_CHECKING:
    from footfall.motion.motion import Motion
    from footfall.motion.reduced_model import ReducedModel
    from footfall.robot.model import Robot
    from footfall.viewer.show import FollowedMotion, Subject


def plan(
    source: Annotated[
        str,
        typer.Argument(
            help="A plan file (.toml) or the name of a shipped plan; `list` lists them. With --goal or --scene: a "
            "scene or an environment, by name or file."
        ),
    ],
    goal: Annotated[
        str | None,
        typer.Option(metavar="X,Y[,YAW]", help="Plan contacts through a scene to this goal, m and rad."),
    ] = None,
    scene: Annotated[
        bool, typer.Option("--scene", help="Plan contacts through a scene to the goal that its file names.")
    ] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the motion into a PNG file.")] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Write the plan with all poses and phases as JSON.")
    ] = False,
    show: Annotated[bool, typer.Option("--view", help="Show it in the browser, until Ctrl-C.")] = False,
    picture: Annotated[
        float | None, typer.Option(help="Take a picture of the view at this instant, s. Needs Chromium.")
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Robot to plan for, instead of the file's.")] = None,
    parameters: Annotated[
        Path | None, typer.Option(help="TOML file with parameters of the generator.")
    ] = None,
    planner: Annotated[
        Path | None, typer.Option(help="TOML file with parameters of the contact planner.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="See the scene as it is, instead of with a camera's noise.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was planned as JSON, and nothing else.")
    ] = False,
    animate: Annotated[
        bool, typer.Option("--animate", help="Draw where the search looks into an animation (GIF).")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what is written.")] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the view; 0 takes a free one.")] = 8080,
) -> None:
    """Generate the motion of a plan: where feet, hands, torso and centre of mass are at any time. Or plan where to
    put feet and hands on the way through a scene.

    [dim]$[/] footfall plan platform --plot

    [dim]$[/] footfall plan my-steps.toml --view

    [dim]$[/] footfall plan stairs --goal 3.5,0 --plot

    [dim]$[/] footfall plan my-scene.toml --scene --json
    """
    from footfall.gait.plan_file import plan_names, read_plan_description
    from footfall.scenarios.pyplot import load_pyplot

    if source == "list":
        rows = [[name, read_plan_description(name).description] for name in plan_names()]
        screen().print(table("Shipped plans", ["name", "what"], rows))
        return
    if plot or save or animate or picture is not None:
        output_folder(output)  # rather fail now than after the work
    if plot or animate:
        load_pyplot()
    if goal is not None or scene:
        from footfall.cli import plan_scene

        request = plan_scene.SceneRequest(source, goal, robot or "lola", exact, planner, parameters)
        wishes = plan_scene.Wishes(as_json, plot, animate, save, picture, port if show else None, output)
        raise typer.Exit(0 if plan_scene.run(request, wishes) else 1)
    motion, machine = generate(source, robot=robot, parameters=parameters)
    print_summary(motion)
    name = Path(source).stem
    if save:
        from footfall.gait.plan_record import write_plan

        write_plan(motion.plan, output / f"{name}.json")
        screen().print(f"plan written to {output / f'{name}.json'}", highlight=False, soft_wrap=True)
    if plot:
        write_plot(motion, output / f"{name}.png")
    if show or picture is not None:
        show_subject(
            followed_motion(motion, machine), output / f"{name}-view.png", picture, port if show else None
        )


def write_plot(motion: Motion, path: Path) -> None:
    """Draw the motion into a PNG file."""
    from footfall.viewer.plan_plots import plot_motion

    plot_motion(motion, path)
    screen().print(f"plot written to {path}", highlight=False, soft_wrap=True)


def generate(
    source: str, *, robot: str | None = None, parameters: Path | None = None
) -> tuple[Motion, Robot]:
    """The motion of a plan file, and the robot it is for."""
    from footfall.gait.plan_file import build_plan, read_plan_description
    from footfall.motion.parameters import read_parameters
    from footfall.motion.pipeline import gait_dimensions, generate_motion
    from footfall.robot.load import load

    description = read_plan_description(source)
    given = None if parameters is None else read_parameters(parameters)
    model, machine = walking_model(load(robot or description.robot))
    tree = build_plan(description, gait_dimensions(model))
    with errors().status("generating the motion; the first time its code is compiled, which takes a minute"):
        return generate_motion(tree, model, parameters=given), machine


def walking_model(machine: Robot) -> tuple[ReducedModel, Robot]:
    """The reduced model of a robot, and the robot, free to move, with frames on its soles if it had none."""
    from footfall.errors import NoSole, TurnedLandmark
    from footfall.motion.model_derivation import reduced_model
    from footfall.motion.standing import with_standing_frames
    from footfall.robot.variants import with_floating_base

    machine = with_floating_base(machine)
    try:
        return reduced_model(machine), machine
    except (NoSole, TurnedLandmark):
        machine = with_standing_frames(machine)
        return reduced_model(machine), machine


def print_summary(motion: Motion) -> None:
    """Print what each stage takes once its code is loaded, how long the motion lasts, and how much room it leaves."""
    from footfall.motion.pipeline import generate_motion
    from footfall.motion.verification import verify_motion

    begin = time.perf_counter()
    again = generate_motion(motion.plan, motion.model, parameters=motion.parameters)  # warm: code is loaded
    elapsed = time.perf_counter() - begin
    rows = [[name, f"{1e6 * seconds:.0f}"] for name, seconds in again.seconds.items()]
    screen().print(table("Stages", ["stage", "time, us"], rows, numbers="time, us"))
    transitions = len(motion.plan.transitions)
    screen().print(
        f"{motion.model.name}: {transitions} transitions, {motion.duration:.2f} s of motion in {1e3 * elapsed:.2f} ms",
        highlight=False,
    )
    found = verify_motion(motion)
    screen().print(
        f"room: zero-moment point {1e3 * found.zmp_margin:.1f} mm from the edge of the soles, torso "
        f"{1e3 * found.leg_margin:.1f} mm from the bounds of the legs",
        highlight=False,
        soft_wrap=True,
    )
    if len(motion.overlaps):
        screen().print(
            f"the bounds of the legs leave less than their margin at {len(motion.overlaps)} instants, "
            f"first at {motion.overlaps[0]:.2f} s",
            highlight=False,
        )


def followed_motion(motion: Motion, machine: Robot) -> Motion | FollowedMotion:
    """The motion with the robot that follows it, where it can."""
    from footfall.errors import FootfallError
    from footfall.motion.following import follow_motion
    from footfall.viewer.show import FollowedMotion

    idle = machine.configuration("idle") if "idle" in machine.configurations else None
    try:
        followed = follow_motion(machine, motion, idle, allowed=0.2)
    except FootfallError as problem:
        screen().print(f"shown without the robot: {problem}", highlight=False, markup=False)
        return motion
    return FollowedMotion(motion, machine, followed)


def show_subject(subject: Subject, path: Path, picture: float | None, port: int | None) -> None:
    """Take a picture at an instant, s, and show it in the browser at a port; either may be None."""
    from footfall.viewer.show import View

    if picture is not None:
        from footfall.viewer.screenshot import take_screenshot

        take_screenshot(subject, path, time=picture)
        screen().print(f"picture written to {path}", highlight=False, soft_wrap=True)
    if port is not None:
        with until_interrupted() as wait, View(subject, port=port, play=True, loop=True) as shown:
            screen().print(f"open {shown.address} in a browser; Ctrl-C ends", highlight=False, markup=False)
            wait()
