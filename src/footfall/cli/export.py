"""`footfall export`: recordings for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.screen import errors, screen


def export(
    recording: Annotated[Path, typer.Argument(help="A recording, .mcap.")],
    target: Annotated[Path, typer.Argument(help="File to write: .csv, .npz, .parquet, or .mcap (ROS 2).")],
    table: Annotated[
        str, typer.Option(help="states, contacts or events: CSV and Parquet hold one of them.")
    ] = "states",
    rate: Annotated[
        float | None, typer.Option(help="Of ROS 2 messages: at most so many a second; default 100.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a recording as CSV, NPZ or Parquet, where numbers stay exact, or as MCAP with ROS 2 messages.

    [dim]$[/] footfall export trot.mcap trot.npz

    [dim]$[/] footfall export trot.mcap forces.csv --table contacts

    [dim]$[/] footfall export trot.mcap trot.ros2.mcap

    NPZ holds everything. Parquet needs pyarrow: pip install 'footfall\\[parquet]'. An .mcap with ROS 2 messages opens
    in Foxglove, Lichtblick, Rerun and rosbag2, with the layout that is written beside it; it needs mcap-ros2-support:
    pip install 'footfall\\[ros2]'.
    """
    from footfall.recording.export import export_recording
    from footfall.recording.reader import read_recording
    from footfall.recording.ros2 import RATE, write_ros2

    new_file(target, force=force)
    ros2 = target.suffix.lower() == ".mcap"
    if rate is not None and not ros2:
        raise typer.BadParameter("--rate is for ROS 2 messages: name a target that ends in .mcap")
    if ros2 and target.exists() and target.samefile(recording):
        raise typer.BadParameter("the target is the recording itself; name another file")
    content = read_recording(recording)
    if content.damage is not None:
        errors().print(f"the recording is not whole: {content.damage}", markup=False)
    written = [target]
    if ros2:
        written = write_ros2(content, target, rate=RATE if rate is None else rate)
    else:
        export_recording(content, target, table=table)
    names = ", ".join(str(path) for path in written)
    screen().print(f"{content!r}\nwritten to {names}", highlight=False, markup=False)
