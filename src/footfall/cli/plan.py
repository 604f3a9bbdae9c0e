"""`footfall plan`: from a plan file to a motion, with plots and the view in the browser."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli import plan_options as options
from footfall.cli.files import output_folder
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, screen, table
from footfall.cli.view import until_interrupted

if TYPE_CHECKING:
    from footfall.motion.motion import Motion
    from footfall.motion.reduced_model import ReducedModel
    from footfall.robot.model import Robot
    from footfall.viewer.show import FollowedMotion, Subject


@grouped
def plan(
    source: Annotated[
        str,
        typer.Argument(
            help="A plan file (.toml) or the name of a shipped plan; `list` lists them. With --goal or --scene: a "
            "scene or an environment, by name or file."
        ),
    ],
    *,
    way: options.Way,
    walker: options.Walker,
    results: options.Results,
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
    if not way.through_scene:
        _refuse_scene_options(way, results)
    if results.writes:
        output_folder(results.output)  # rather fail now than after the work
    if results.plot or results.animate:
        load_pyplot()
    if way.through_scene:
        from footfall.cli import plan_scene

        raise typer.Exit(0 if plan_scene.run(source, way, walker, results) else 1)
    motion, machine = generate(source, robot=walker.robot, parameters=walker.parameters)
    print_summary(motion)
    begin = results.output / Path(source).stem
    if results.save:
        from footfall.gait.plan_record import write_plan

        path = begin.with_name(f"{begin.name}.json")
        write_plan(motion.plan, path)
        screen().print(f"plan written to {path}", highlight=False, soft_wrap=True)
    if results.plot:
        write_plot(motion, begin.with_name(f"{begin.name}.png"))
    if results.show or results.picture is not None:
        picture = begin.with_name(f"{begin.name}-view.png")
        show_subject(followed_motion(motion, machine), picture, results.picture, results.view_port)


def _refuse_scene_options(way: options.Way, results: options.Results) -> None:
    """Say so if an option needs a scene: it would be left out in silence."""
    given = {
        "--json": results.as_json,
        "--animate": results.animate,
        "--exact": way.exact,
        "--planner": way.planner is not None,
    }
    names = [name for name, asked in given.items() if asked]
    if names:
        raise typer.BadParameter(
            f"{', '.join(names)}: only with --goal X,Y or --scene, which plan through a scene"
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
    from footfall.errors import MisplacedFrame
    from footfall.motion.model_derivation import reduced_model
    from footfall.motion.standing import with_standing_frames
    from footfall.robot.variants import with_floating_base

    machine = with_floating_base(machine)
    try:
        return reduced_model(machine), machine
    except MisplacedFrame:
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
