"""`footfall robots`: what we ship."""

from __future__ import annotations

from footfall.cli.screen import screen, table
from footfall.robot import library
from footfall.robot.load import load


def robots() -> None:
    """List the robots that footfall ships.

    Any of the names goes where a command or `footfall.load` wants a robot; so does the path of a .urdf, .xml
    (MJCF) or .toml file.
    """
    rows = []
    for name in library.names():
        robot = load(name)
        rows.append([name, library.describe(name), str(robot.nq), str(robot.nv), f"{robot.mass:.2f}"])
    screen().print(table("Robots", ["name", "what", "nq", "nv", "kg"], rows, numbers="nq; nv; kg"))
