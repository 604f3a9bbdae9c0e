"""`footfall simulate`: let a robot go in a scene, and record what happens."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from footfall.cli.files import new_file
from footfall.cli.option_groups import grouped
from footfall.cli.options import RobotReading
from footfall.cli.policy import PolicyOptions
from footfall.cli.screen import program, progress, screen, table
from footfall.cli.view import ServerOptions

if TYPE_CHECKING:
    from footfall.recording.writer import RecordingWriter
    from footfall.robot.model import Robot
    from footfall.scene.model import Scene
    from footfall.simulation.simulation import SimulationBase


_TIME_STEP = 0.001  # s of a step
_RECORDED = 0.005  # s between recorded states
_SLICE = 0.1  # s between two looks at the progress
_PUSHED = 0.2  # s
_CLEARANCE = 0.02  # m


@dataclass(frozen=True)
class Start:
    """Where a run begins."""

    scene: Annotated[
        str | None,
        typer.Option(
            help="Shipped scene, a .toml file, or the world of an MJCF file; default: the world of the robot's "
            "file if it has one, else flat, nothing if all is fixed."
        ),
    ] = None
    height: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help=f"Clearance above the ground at the start, m; default: {_CLEARANCE:g}, in the world of its own "
            "file as it is there.",
        ),
    ] = None
    configuration: Annotated[
        str | None,
        typer.Option(help="Named configuration to start from; default: its first one, inside its limits."),
    ] = None
    touching: Annotated[
        list[str] | None,
        typer.Option(help="A body that may touch the scene; repeat it. Default: all that have shapes."),
    ] = None


@dataclass(frozen=True)
class RunOptions:
    """What happens, and for how long."""

    duration: Annotated[float, typer.Option("--duration", "--seconds", min=0.0, help="How long, s.")] = 3.0
    dt: Annotated[
        float | None, typer.Option(min=1e-6, help="Time step, s; default: 0.001, or the policy's own.")
    ] = None
    limp: Annotated[bool, typer.Option("--limp", help="No torques: it falls like a puppet.")] = False
    stiffness: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="With which joints hold their positions, N m/rad; default: from the weight."
        ),
    ] = None
    push: Annotated[float, typer.Option(help="Push the base to the left half way through, for 0.2 s, N.")] = (
        0.0
    )


@grouped
def simulate(
    source: Annotated[
        str | None,
        typer.Argument(
            help="A robot: name or file (.urdf, .xacro, .sdf, .xml, .toml); or a scene with things that move. "
            "Policies name theirs."
        ),
    ] = None,
    *,
    start: Start,
    course: RunOptions,
    learned: PolicyOptions,
    reading: RobotReading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Recording to write; default: the robot's name.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    server: ServerOptions,
) -> None:
    """Let a robot, or all that can move in a scene, go while the joints hold their positions, and record it.

    [dim]$[/] footfall simulate lola

    [dim]$[/] footfall simulate go2.urdf --floating-base --scene rough --height 0.3

    [dim]$[/] footfall simulate quadruped --push 200 --duration 5 -o pushed.mcap

    [dim]$[/] footfall simulate blocks

    [dim]$[/] footfall simulate arena.xml

    [dim]$[/] footfall simulate --policy go2.onnx --velocity 0.6,0,0.3 --duration 10

    [dim]$[/] footfall simulate --policy go2.onnx --scene rough --panel --open

    Ctrl-C ends it early; what was recorded until then is kept.
    """
    from footfall.recording.writer import RecordingWriter
    from footfall.scene.load import is_scene, load_scene

    if learned.policy is not None:
        _under_policy(source, start, course, learned, reading, output, force, server)
        return
    learned.require_policy()
    if source is None:
        raise typer.BadParameter(
            "what to simulate is missing: name a robot or a scene, or give --policy FILE"
        )
    step = _TIME_STEP if course.dt is None else course.dt
    if is_scene(source):
        machine, place = None, load_scene(source)
    else:
        machine, place, start = _robot_and_scene(source, start, reading)
    name = place.name if machine is None else machine.name.replace("/", "-")
    target = new_file(output or Path(f"{name}.mcap"), force=force)
    run = prepared(machine, place, start, dt=step)
    _tell_start(run, machine, start, reading)
    with RecordingWriter(target, run.robot, scene=run.scene, dt=step, overwrite=force) as writer:
        writer.state(0.0, run.state.q, run.state.v)
        rows, stopped = _advance(run, course, writer)
    console = screen()
    if rows:
        console.print(_summary(run, rows))
    if stopped:
        console.print(
            f"stopped by Ctrl-C at {run.state.time:.3f} s; what was recorded is kept", highlight=False
        )
    console.print(f"View it: {program()} view {target}", highlight=False, soft_wrap=True)
    if stopped:
        raise typer.Exit(130)


def _under_policy(
    source: str | None, start: Start, course: RunOptions, learned: PolicyOptions, reading: RobotReading,
    output: Path | None, force: bool, server: ServerOptions,
) -> None:  # fmt: skip
    """A policy commands the robot, by a velocity that is given or from the browser."""
    from footfall.recording.writer import RecordingWriter

    for option, given in (("--limp", course.limp), ("--stiffness", course.stiffness), ("--push", course.push),
                          ("--touching", start.touching), ("--configuration", start.configuration),
                          ("--height", start.height)):  # fmt: skip
        if given:
            raise typer.BadParameter(f"{option} and --policy do not go together: the policy moves the joints")
    robot = None if source is None else reading.load(source)
    run = learned.prepared(robot, start.scene or "flat", course.dt)
    target = new_file(output or Path(f"{run.observer.robot.name.replace('/', '-')}.mcap"), force=force)
    simulation = run.simulation
    with RecordingWriter(
        target, simulation.robot, scene=simulation.scene, dt=run.note.period, overwrite=force
    ) as writer:
        writer.state(0.0, simulation.q, simulation.v)
        stopped = learned.run(run, course.duration, writer, server)
    console = screen()
    console.print(learned.summary(run))
    console.print(f"View it: {program()} view {target}", highlight=False, soft_wrap=True)
    if stopped:
        raise typer.Exit(130)


def _robot_and_scene(source: str, start: Start, reading: RobotReading) -> tuple[Robot, Scene, Start]:
    """A robot, what it is put into, and where it starts there: above the ground, or as a file has both."""
    from footfall.errors import SceneWarning
    from footfall.scene.load import load_scene
    from footfall.scene.mjcf import world_of
    from footfall.scene.model import Scene

    with warnings.catch_warnings():
        if start.scene is None:
            warnings.simplefilter("ignore", SceneWarning)  # it is simulated with it
        robot = reading.load(source)
    world = world_of(source) if start.scene is None else None
    if world is not None:
        names = ", ".join(each.name for each in world.objects if each.contact)
        screen().print(f"the scene is the world of {source}: {names}", highlight=False, markup=False)
        return robot, world, start
    empty = start.scene is None and not _has_loose(robot)
    place = Scene("empty") if empty else load_scene(start.scene or "flat")
    return robot, place, replace(start, height=_CLEARANCE if start.height is None else start.height)


def _tell_start(run: SimulationBase, machine: Robot | None, start: Start, reading: RobotReading) -> None:
    """What is simulated, and what the robot begins from."""
    from footfall.robot.start import start_of

    console = screen()
    console.print(repr(run), highlight=False, markup=False, soft_wrap=True)
    if machine is None:
        return
    begun = start_of(machine, start.configuration)
    console.print(f"it starts from {begun}", highlight=False, markup=False)
    if reading.floating_base is None and not _has_loose(machine):
        console.print("its root is fixed to the world; --floating-base sets it free", highlight=False)


def prepared(robot: Robot | None, scene: Scene, start: Start, *, dt: float) -> SimulationBase:
    """A simulation of a robot that starts a height above the ground, if one is given, or of a scene as it is."""
    from footfall.contact.ground import Clearance, lowered
    from footfall.errors import FootfallWarning
    from footfall.robot.start import start_of
    from footfall.simulation.plants import FeetSimulation
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.start import without_missing_meshes

    steps = max(1, round(_RECORDED / dt))
    simulation: SimulationBase
    if start.touching is None:
        simulation = Simulation(robot, scene, dt=dt, substeps=steps)
    else:
        simulation = FeetSimulation(robot, scene, dt=dt, substeps=steps, feet=start.touching)
    if robot is None:
        return simulation
    own = start_of(robot, start.configuration).q
    if _is_free(robot) and start.height is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FootfallWarning)  # the simulation said it
            own = lowered(own, Clearance(without_missing_meshes(robot), scene), start.height)
    simulation.reset(np.concatenate([own, simulation.q[robot.nq :]]))
    return simulation


def _has_loose(robot: Robot) -> bool:
    """Whether anything of it is fixed to nothing."""
    return any(joint.type == "floating" and joint.parent == "world" for joint in robot.joints)


def _is_free(robot: Robot) -> bool:
    """Whether its first root is."""
    return robot.joints[0].type == "floating" and robot.joints[0].parent == "world"


def _advance(
    simulation: SimulationBase, course: RunOptions, writer: RecordingWriter
) -> tuple[list[Any], bool]:
    """Run in slices; what each gave, and whether Ctrl-C ended it."""
    rows: list[Any] = []
    command = simulation.zero_command if course.limp else simulation.hold(kp=course.stiffness)
    base, duration = simulation.robot.bodies[0].name, course.duration
    compiled = "compiling native code; it is kept for the next time"
    try:
        with progress(compiled, duration) as show:
            while duration - simulation.state.time > 0.5 * simulation.control_period:
                now = simulation.state.time
                if course.push and now <= duration / 2 < now + _SLICE:
                    simulation.push(base, np.array([0.0, course.push, 0.0, 0.0, 0.0, 0.0]), _PUSHED)
                rows.append(simulation.run(command, min(_SLICE, duration - now), recorder=writer))
                show(simulation.state.time, "simulating")
    except KeyboardInterrupt:
        return rows, True
    return rows, False


def _summary(simulation: SimulationBase, rows: list[Any]) -> Any:
    """How it ended."""
    from footfall.simulation.run_values import join_trajectories

    whole = join_trajectories(rows)
    time, q, v, effort, log = whole.time, whole.q, whole.v, whole.effort, whole.contacts
    weight = simulation.robot.mass * float(np.linalg.norm(simulation.robot.gravity))
    fixed = {"world", *(each.name for each in simulation.scene.fixed_objects)}
    grounds = [name for name in log.names if name in fixed]
    carried = -sum((whole.force_on(name)[:, 2] for name in grounds), start=np.zeros(len(time)))
    last = carried[time > time[-1] - 0.1].mean()
    lines = [
        ["simulated, s", f"{time[-1]:.3f}"],
        ["fastest at the end, m/s or rad/s", f"{np.abs(v[-1]).max(initial=0.0):.2g}"],
        ["greatest joint torque, N m or N", f"{np.abs(effort).max(initial=0.0):.4g}"],
    ]
    if log.names:
        lines += [
            ["greatest contact force, N", f"{np.linalg.norm(log.forces, axis=1).max(initial=0.0):.4g}"],
            [
                "carried by the ground in the last 0.1 s, of the weight",
                f"{last / weight:.3f}" if weight else "",
            ],
        ]
    root = simulation.robot.joints[0]
    if _is_free(simulation.robot):
        position = ", ".join(f"{value:.3f}" for value in np.round(q[-1, :3], 3) + 0.0)  # no "-0.000"
        lines.insert(1, [f"{root.child} at, m", position])
    return table("What happened", ["", "value"], lines, numbers="value")
