"""Options of `footfall plan` in groups: where to, who walks, and what is made of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.goal_option import METAVAR

_WAY, _WALKER, _OUTPUT = "Contacts through a scene", "Who walks, and how", "What is made of it"


@dataclass(frozen=True)
class Way:
    """What to plan through a scene; neither goal nor scene: the source is a plan."""

    goal: Annotated[
        str | None,
        typer.Option(
            metavar=METAVAR,
            help="Plan contacts through a scene to this goal, m and degrees.",
            rich_help_panel=_WAY,
        ),
    ] = None
    scene: Annotated[
        bool,
        typer.Option(
            "--scene",
            help="Plan contacts through a scene to the goal that its file names.",
            rich_help_panel=_WAY,
        ),
    ] = False
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="See the scene as it is, instead of with a camera's noise.", rich_help_panel=_WAY
        ),
    ] = False
    planner: Annotated[
        Path | None,
        typer.Option(help="TOML file with parameters of the contact planner.", rich_help_panel=_WAY),
    ] = None

    @property
    def through_scene(self) -> bool:
        """Whether contacts are to be planned."""
        return self.goal is not None or self.scene


@dataclass(frozen=True)
class Walker:
    """Who walks."""

    robot: Annotated[
        str | None,
        typer.Option(
            help="Robot to plan for: shipped name or file. Default: that of the plan, in a scene lola.",
            rich_help_panel=_WALKER,
        ),
    ] = None
    parameters: Annotated[
        Path | None,
        typer.Option(help="TOML file with parameters of the motion generator.", rich_help_panel=_WALKER),
    ] = None


@dataclass(frozen=True)
class Results:
    """What is made of a plan."""

    plot: Annotated[
        bool,
        typer.Option(
            "--plot",
            help="Draw into a PNG file: the motion, or a scene from above with its contacts.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    save: Annotated[
        bool,
        typer.Option(
            "--save",
            help="Write a plan through a scene as TOML, which `footfall plan` plays again; a plan with all poses and "
            "phases as JSON.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    show: Annotated[
        bool, typer.Option("--view", help="Show it in the browser, until Ctrl-C.", rich_help_panel=_OUTPUT)
    ] = False
    picture: Annotated[
        float | None,
        typer.Option(
            help="Take a picture of the view at this instant, s. Needs Chromium.", rich_help_panel=_OUTPUT
        ),
    ] = None
    animate: Annotated[
        bool,
        typer.Option(
            "--animate",
            help="In a scene: draw where the search looks into an animation (GIF).",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="In a scene: print what was planned as JSON, and nothing else.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for what is written.", rich_help_panel=_OUTPUT)
    ] = Path()
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of the view; 0 takes a free one.", rich_help_panel=_OUTPUT),
    ] = 8080

    @property
    def view_port(self) -> int | None:
        """Port of the view, None without."""
        return self.port if self.show else None

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return self.plot or self.save or self.animate or self.picture is not None
