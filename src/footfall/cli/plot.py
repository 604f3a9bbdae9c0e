"""`footfall plot`: signals of recordings as a picture, a page or a table; `footfall share`: recordings as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.screen import errors, progress, screen
from footfall.cli.screenshot import picture_size

_KINDS = (".png", ".html", ".csv", ".svg", ".pdf")


def plot(
    sources: Annotated[
        list[str], typer.Argument(help="Recordings (.mcap), then names of signals, or parts of them.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .png, .svg, .pdf, .html or .csv.")
    ] = Path("plot.png"),
    begin: Annotated[float | None, typer.Option("--from", help="First instant, s.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Last instant, s.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the signals of the recordings.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Plot signals of one or several recordings, those of one name in one axis.

    `ground` draws the ground plane: centre of mass, divergent component, zero-moment point and soles.

    [dim]$[/] footfall plot walk/flat.mcap zmp dcm

    [dim]$[/] footfall plot before.mcap after.mcap dcm_error tilt -o compared.html

    [dim]$[/] footfall plot walk/flat.mcap --list
    """
    from footfall.recording.reader import read_recording
    from footfall.viewer.plots import plot_signals, signal_list

    paths = [each for each in sources if each.endswith(".mcap")]
    names = [each for each in sources if not each.endswith(".mcap")]
    if not paths:
        raise typer.BadParameter(f"{sources} names no recording; name files that end in .mcap, then signals")
    recordings = [read_recording(path) for path in paths]
    for each in recordings:
        if each.damage is not None:
            errors().print(f"{each.path} is not whole: {each.damage}", markup=False)
    if listing:
        for line in signal_list(recordings[0]):
            screen().print(line, highlight=False, markup=False)
        return
    if output.suffix not in _KINDS:
        raise typer.BadParameter(f"{str(output)!r}; plots are {', '.join(_KINDS)}")
    if not names:
        raise typer.BadParameter("no signal is named; --list shows them")
    new_file(output, force=force)
    plot_signals(recordings, names, output, begin=begin, end=end)
    screen().print(f"written to {output}", highlight=False, markup=False)


def share(
    sources: Annotated[
        list[Path], typer.Argument(help="Recordings (.mcap); those after the first are ghosts.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .html (default, beside the recording), or a video: .mp4, .webm, .gif, .webp.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            min=1.0, max=200.0, help="Instants a second that are kept: 50; of a video 25, of .gif 10."
        ),
    ] = None,
    signal: Annotated[
        list[str] | None, typer.Option(help="Signals that are plotted at first; repeat it.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Of a video, pixels: 1280x720.")] = None,
    speed: Annotated[float, typer.Option(help="Of a video: recorded seconds in a second.")] = 1.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a recording as one HTML file that plays offline, in 3D and with plots of all signals, or as a video.

    [dim]$[/] footfall share walk/flat.mcap -o flat.html

    [dim]$[/] footfall share walk/flat.mcap -o flat.mp4 --speed 0.5
    """
    from footfall.recording.reader import read_recording
    from footfall.viewer.shared_page import write_shared
    from footfall.viewer.video import SUFFIXES, take_video

    target = output or sources[0].with_suffix(".html")
    if target.suffix not in (".html", *SUFFIXES):
        raise typer.BadParameter(f"{str(target)!r}; name a file that ends in .html, {', '.join(SUFFIXES)}")
    new_file(target, force=force)
    with progress("reading", 1.0) as report:
        recordings = [read_recording(path) for path in sources]
        if target.suffix == ".html":
            report(0.5, "packing")
            write_shared(recordings, target, chosen=signal or (), rate=rate or 50.0)
        else:
            pixels = None if size is None else picture_size(size)
            take_video(recordings[0], target, rate=rate, size=pixels, speed=speed, progress=report)
    written = target.stat().st_size / 1e6
    screen().print(f"written to {target}, {written:.1f} MB", highlight=False, markup=False)
