"""`footfall workspace`: where an arm reaches, and how well it moves there."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.cli.first_command import first_command
from footfall.cli.help_pages import Commands
from footfall.cli.option_groups import grouped
from footfall.cli.options import RobotArgument, RobotReading
from footfall.cli.screen import errors, program, progress, screen, table

if TYPE_CHECKING:
    from footfall.robot.model import Robot
    from footfall.workspace import ArmChain, Workspace

_INTERRUPTED = 130
_UNFINISHED = "unfinished.npz"

app = Commands(cls=first_command("analyse"), no_args_is_help=True)


@app.callback()
def workspace() -> None:
    """Find where an arm reaches and how well it moves there; look at it.

    [dim]$[/] footfall workspace lola --from torso --to RH

    [dim]$[/] footfall workspace panda --from panda_link0 --to panda_hand --clearance 0 --size 0.03

    [dim]$[/] footfall workspace ur5 --from base_link --to tool0 --load 3 --push 1 0 0

    [dim]$[/] footfall workspace lola --from torso --to RH --method grid --step 0.02 --workers 2

    [dim]$[/] footfall workspace optimise support
    """


@dataclass(frozen=True)
class Sampling:
    """How much is tried."""

    samples: Annotated[
        int | None, typer.Option(min=1, help="How many configurations; default: 10 million.")
    ] = None
    method: Annotated[
        str, typer.Option(help="random, sobol, or grid: all combinations of the joints' angles.")
    ] = "random"
    step: Annotated[
        float | None, typer.Option(help="m that the hand moves from one sample of a grid to the next.")
    ] = None
    size: Annotated[float, typer.Option(help="m, of the finest cells; the coarsest are 8 times as wide.")] = (
        0.02
    )
    seed: Annotated[int, typer.Option(help="Of random samples.")] = 0
    workers: Annotated[int, typer.Option("--workers", "-j", min=1, help="Processes of this machine.")] = 1
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://HOST:8786, instead.")
    ] = None
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what was interrupted.")] = False


@dataclass(frozen=True)
class Abilities:
    """What an arm has to be able to do."""

    axis: Annotated[
        str, typer.Option(help="Of the hand, whose directions are counted: x, y, z, -x, -y or -z.")
    ] = "z"
    length: Annotated[
        float, typer.Option(help="m by which velocities are divided: 1 leaves manipulability in m3.")
    ] = 1.0
    clearance: Annotated[
        float | None,
        typer.Option(
            help="m between the robot's own volumes; 0: no touch. Default: self-collision is ignored."
        ),
    ] = None
    elements: Annotated[
        int,
        typer.Option(
            min=1,
            max=64,
            help="Of each body's volume, at most, where the robot's file has none: more are tighter and slower.",
        ),
    ] = 2
    load: Annotated[
        float | None, typer.Option(help="kg on the hand; poses beyond the torque limits do not count.")
    ] = None
    push: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Direction in which forces are asked for, in axes of the root: 1 0 0."),
    ] = None
    limit_set: Annotated[str | None, typer.Option(help="Joint limits of the robot's file, by name.")] = None
    limit: Annotated[
        list[str] | None,
        typer.Option(help="JOINT=LOW:HIGH in degrees, or m for joints that slide; repeat it."),
    ] = None
    configuration: Annotated[
        str | None, typer.Option(help="Where all other joints are; default: all zero.")
    ] = None


@dataclass(frozen=True)
class Picture:
    """What is drawn."""

    index: Annotated[str, typer.Option(help="Index that colours the surface in the .ply file.")] = "condition"
    cut: Annotated[str, typer.Option(help="Axis that the drawn cross-sections are normal to.")] = "x"
    at: Annotated[float | None, typer.Option(help="m along it; default: the middle of the workspace.")] = None
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw surface and cross-sections.")] = True
    vtk: Annotated[bool, typer.Option("--vtk", help="Write cells for ParaView, too.")] = False


@app.command("analyse")
@grouped
def analyse(
    robot: RobotArgument,
    *,
    root: Annotated[str, typer.Option("--from", help="Frame or body that the workspace is seen from.")],
    hand: Annotated[str, typer.Option("--to", help="Frame or body that reaches.")],
    sampling: Sampling,
    abilities: Abilities,
    picture: Picture,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder; default: workspace-ROBOT-HAND.")
    ] = None,
    reading: RobotReading,
) -> None:
    """Sample the joints between two frames: volume, compactness, condition, manipulability, room to joint limits.

    Writes workspace.parquet (cells), surface.ply (coloured by --index) and workspace.png. Ctrl-C keeps what is done;
    the same command goes on.

    [dim]$[/] footfall workspace lola --from torso --to RH --output arm
    """
    from footfall.errors import CannotWrite
    from footfall.workspace import analyse_workspace

    chain = _chain(robot, root, hand, abilities, reading)
    folder = output or Path(f"workspace-{chain.robot.name}-{hand}".replace("/", "-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    kept = folder / _UNFINISHED
    if sampling.restart:
        kept.unlink(missing_ok=True)
    try:
        with progress("sampling", 1.0) as report:
            found = analyse_workspace(
                chain,
                size=sampling.size,
                samples=sampling.samples,
                method=sampling.method,
                step=sampling.step,
                seed=sampling.seed,
                axis=abilities.axis,
                length=abilities.length,
                load=abilities.load,
                push=abilities.push,
                clearance=abilities.clearance,
                workers=sampling.workers,
                cluster=sampling.cluster,
                keep=kept,
                progress=lambda now: report(
                    now.samples / now.expected,
                    f"{now.stage}: {now.samples:.3g} samples, {now.rate:.2g} a second",
                ),
            )
    except KeyboardInterrupt:
        errors().print(f"interrupted: what is done is in {kept}; the same command goes on", highlight=False)
        raise typer.Exit(_INTERRUPTED) from None
    _write(found, folder, picture)


def _chain(robot: str, root: str, hand: str, abilities: Abilities, reading: RobotReading) -> ArmChain:
    from footfall.workspace import arm_chain

    loaded = reading.load(robot)
    if abilities.clearance is not None and not loaded.volumes:
        loaded = _with_volumes(loaded, abilities.elements)
    q = None if abilities.configuration is None else loaded.configuration(abilities.configuration)
    limits = dict(_limit(loaded, text) for text in abilities.limit or ())
    return arm_chain(loaded, root, hand, q=q, limit_set=abilities.limit_set, limits=limits)


def _with_volumes(robot: Robot, elements: int) -> Robot:
    """A robot whose file has no volumes, with some around its shapes."""
    from footfall.dynamics.fitted_volumes import fit_volumes

    with progress("volumes", len(robot.bodies)) as report:
        found = fit_volumes(robot, most=elements, progress=report)
    errors().print(
        f"{robot.name} has no volumes of its own: {len(found.volumes)} are fitted to its shapes, {elements} "
        f"elements each at most; better ones: {program()} volumes",
        highlight=False,
        soft_wrap=True,
    )
    return found


def _limit(robot: Any, text: str) -> tuple[str, tuple[float, float]]:
    import math

    from footfall.errors import InvalidInput

    name, _, bounds = text.partition("=")
    low, _, high = bounds.partition(":")
    try:
        numbers = float(low), float(high)
    except ValueError:
        raise InvalidInput(f"--limit is {text!r}; it must be JOINT=LOW:HIGH, such as elbow=-120:0") from None
    scale = math.radians(1.0) if robot.joint(name).type.turns else 1.0
    return name, (scale * numbers[0], scale * numbers[1])


def _write(found: Workspace, folder: Path, picture: Picture) -> None:
    """Files, a table, and where they are."""
    from footfall.errors import MissingPackage
    from footfall.workspace import save_surface, save_vtk, save_workspace, workspace_surface
    from footfall.workspace.files import FILE

    files = [save_workspace(found, folder / FILE)]
    surface = workspace_surface(found, picture.index)
    files.append(save_surface(surface, folder / "surface.ply"))
    if picture.vtk:
        files.append(save_vtk(found, folder / "cells.vtk"))
    if picture.plot:
        from footfall.viewer.workspace_plots import draw_workspace

        try:
            files.append(draw_workspace(found, folder / "workspace.png", axis=picture.cut, at=picture.at))
        except MissingPackage as missing:
            errors().print(f"no picture: {missing}", highlight=False, soft_wrap=True)
    print_workspace(found)
    written = ", ".join(path.name for path in files)
    screen().print(f"in {folder}: {written}; in the browser: {program()} view {folder}", highlight=False)


def print_workspace(found: Workspace) -> None:
    """What a workspace is, in a few lines and a table."""
    from footfall.workspace import MEANINGS

    about, (low, high) = found.description, found.box
    screen().print(repr(found), highlight=False, soft_wrap=True)
    box = "; ".join(f"{a:.2f} to {b:.2f}" for a, b in zip(low, high, strict=True))
    lines = [
        f"joints: {', '.join(about.joints)}",
        f"within x, y, z: {box} m in axes of {about.root}",
        f"compactness {found.compactness:.3f} (1: a ball)",
    ]
    for line in lines:
        screen().print(line, highlight=False, soft_wrap=True)
    there = found.counts > 0.0
    rows = []
    for name in ("reachability", *found.names):
        small = name in ("joint_distance", "load")  # is good
        values = found.values(name, "least" if small else "greatest")[there]
        best = values.argmin() if small else values.argmax()
        place = ", ".join(f"{x:.2f}" for x in found.centers()[there][best])
        rows.append([name, f"{statistics.median(values):.4g}", f"{values[best]:.4g}", place, MEANINGS[name]])
    columns = ["index", "median", "best cell", "best at, m", "what"]
    screen().print(table("Best of each cell", columns, rows, numbers="median; best cell"))


@app.command("optimise")
def optimise(
    source: Annotated[
        str, typer.Argument(help="Tasks and topologies: file (.toml) or shipped name: support.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder; default: the name of the file.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-j", min=1, help="Processes of this machine.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://HOST:8786, instead.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="cma or swarm, instead of the file's.")] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="Arms that are tried of each topology, instead of the file's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the file's.")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what was interrupted.")] = False,
) -> None:
    """Find the best arm of each topology for some tasks, rank them, and write the best as a robot.

    Ctrl-C keeps topologies that are done; the same command goes on.

    [dim]$[/] footfall workspace optimise support --workers 2

    [dim]$[/] footfall view support/arm.toml
    """
    import msgspec

    from footfall.errors import CannotWrite, InvalidInput
    from footfall.robot.save import save
    from footfall.workspace import arm_robot, optimise_arms, read_tasks, robot_with_arms

    tasks = read_tasks(source)
    if method is not None and method not in ("cma", "swarm"):
        raise InvalidInput(f"--method is {method!r}; it must be cma or swarm")
    changed = {"method": method, "evaluations": evaluations, "seed": seed}
    tasks = msgspec.structs.replace(
        tasks, **{name: value for name, value in changed.items() if value is not None}
    )
    folder = output or Path(Path(source).stem)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    kept = folder / "ranking.json"
    if restart:
        kept.unlink(missing_ok=True)
    try:
        with progress("optimising", 1.0) as report:
            ranking = optimise_arms(
                tasks,
                workers=workers,
                cluster=cluster,
                keep=kept,
                progress=lambda now: report(
                    now.topologies / now.expected,
                    f"{now.topologies} of {now.expected} topologies"
                    + ("" if now.best is None else f", {now.best.topology}: {now.best.score.total:.3f}"),
                ),
            )
    except KeyboardInterrupt:
        errors().print(f"interrupted: what is done is in {kept}; the same command goes on", highlight=False)
        raise typer.Exit(_INTERRUPTED) from None
    rows = [
        [
            best.topology,
            f"{best.score.total:.4f}",
            *(f"{value:.3f}" for value in best.score.tasks),
            f"{best.score.volume:.2f}",
            f"{best.arm(tasks).length:.3f}",
            _chosen(tasks, best),
        ]
        for best in ranking
    ]
    names = [task.name for task in tasks.task]
    columns = ["topology", "score", *names, "volume, m3", "length, m", "found"]
    numbers = "; ".join(["score", *names, "volume, m3", "length, m"])
    screen().print(table(tasks.name, columns, rows, numbers=numbers))
    arm = ranking[0].arm(tasks)
    save(arm_robot(arm, ranking[0].topology), folder / "arm.toml")
    written = ["ranking.json", "arm.toml"]
    if tasks.robot is not None:
        save(robot_with_arms(arm, tasks.robot), folder / "robot.toml")
        written.append("robot.toml")
    screen().print(
        f"in {folder}: {', '.join(written)}; {program()} view {folder / written[-1]}", highlight=False
    )


def _chosen(tasks: Any, best: Any) -> str:
    """What was searched for, and the axes where they were free."""
    (topology,) = (each for each in tasks.topology if each.name == best.topology)
    found = dict(zip(best.unknowns, best.shares, strict=True))
    words = [
        f"{name} {low + found[name] * (high - low):.3f}" for name, (low, high) in topology.parameters.items()
    ]
    if any(joint.axis == "free" or joint.type == "free" for joint in topology.joint):
        arm = best.arm(tasks)
        axes = ["xyz"[int(abs(axis).argmax())] for axis in arm.axes]
        words.append(
            "axes " + " ".join(f"{a} (slides)" if s else a for a, s in zip(axes, arm.slides, strict=True))
        )
    return ", ".join(words)
