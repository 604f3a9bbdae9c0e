"""`footfall perceive`: what a robot would believe of a scene, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.screen import screen


def perceive(
    source: Annotated[str, typer.Argument(help="A scene: shipped name or file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = Path("environment.toml"),
    voxel: Annotated[float, typer.Option(help="Grid of rebuilt surfaces, m; 0: as they are.")] = 0.05,
    noise: Annotated[float, typer.Option(help="Standard deviation of surfaces, m.")] = 0.004,
    seed: Annotated[int, typer.Option(help="Of the noise.")] = 0,
    time: Annotated[float, typer.Option(help="Of objects on given paths, s.")] = 0.0,
    beside: Annotated[
        bool, typer.Option("--beside", help="Write pictures and meshes as files beside it.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Make the environment that good cameras would see of a scene.

    [dim]$[/] footfall perceive stairs -o stairs-seen.toml

    [dim]$[/] footfall view stairs-seen.toml
    """
    from footfall.environment.files import save_environment
    from footfall.environment.perception import PerceptionOptions
    from footfall.environment.perception import perceive as see
    from footfall.scene.load import load_scene

    new_file(output, force=force)
    environment = see(load_scene(source), PerceptionOptions(voxel=voxel, noise=noise, seed=seed), time=time)
    save_environment(environment, output, embedded=not beside, compressed=not beside)
    screen().print(f"{environment!r}\nwritten to {output}", highlight=False, markup=False)
