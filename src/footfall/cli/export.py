"""`footfall export`: recordings for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.screen import errors, screen


def export(
    recording: Annotated[Path, typer.Argument(help="A recording, .mcap.")],
    target: Annotated[Path, typer.Argument(help="File to write: .csv, .npz or .parquet.")],
    table: Annotated[
        str, typer.Option(help="states, contacts or events: CSV and Parquet hold one of them.")
    ] = "states",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a recording as CSV, NPZ or Parquet; numbers stay exact.

    [dim]$[/] footfall export trot.mcap trot.npz

    [dim]$[/] footfall export trot.mcap forces.csv --table contacts

    NPZ holds everything. Parquet needs pyarrow: pip install 'footfall\\[parquet]'.
    """
    from footfall.recording.export import export_recording
    from footfall.recording.reader import read_recording

    new_file(target, force=force)
    content = read_recording(recording)
    if content.damage is not None:
        errors().print(f"the recording is not whole: {content.damage}", markup=False)
    export_recording(content, target, table=table)
    screen().print(f"{content!r}\nwritten to {target}", highlight=False, markup=False)
