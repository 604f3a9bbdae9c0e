"""`footfall robots`: what we ship, and what is installed."""

from __future__ import annotations

from footfall.cli.screen import screen, table
from footfall.robot import library
from footfall.robot.installed import installed_names
from footfall.robot.load import load


def robots() -> None:
    """List the robots that footfall ships, and those of example-robot-data if it is installed.

    Any of the names goes where a command or `footfall.load` wants a robot; so does the path of a .urdf, .xacro, .sdf,
    .xml (MJCF) or .toml file, and a name of robot_descriptions that has been fetched.
    """
    rows = []
    for name in library.names():
        robot = load(name)
        rows.append([name, library.describe(name), str(robot.nq), str(robot.nv), f"{robot.mass:.2f}"])
    screen().print(table("Robots", ["name", "what", "nq", "nv", "kg"], rows, numbers="nq; nv; kg"))
    others = installed_names()
    where = (
        ", ".join(others) if others else "pip install 'footfall[robots]' brings 45 more (talos, g1, go2, ...)"
    )
    screen().print(f"Of example-robot-data: {where}", highlight=False, markup=False)
