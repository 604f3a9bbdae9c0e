"""`footfall view`: robots and recordings in the browser."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from footfall.cli.option_groups import grouped
from footfall.cli.options import SubjectOptions
from footfall.cli.screen import errors, screen

_SERVER = "Who may look"


@dataclass(frozen=True)
class ServerOptions:
    """Who may look."""

    host: Annotated[
        str,
        typer.Option(help="Where to listen; 0.0.0.0 lets other machines see it.", rich_help_panel=_SERVER),
    ] = "localhost"
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port to listen on; default: the first free one from 8080 on.",
            rich_help_panel=_SERVER,
        ),
    ] = None
    token: Annotated[
        bool | None,
        typer.Option(
            "--token/--no-token",
            help="Have a secret part in the address; by default where other machines are served.",
            rich_help_panel=_SERVER,
        ),
    ] = None
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in your browser.", rich_help_panel=_SERVER)
    ] = False

    def announce(self, address: str, what: str = "Ctrl-C ends") -> None:
        """Say where the page is, and open it if that is wanted."""
        screen().print(f"open {address} in a browser; {what}", highlight=False, markup=False, soft_wrap=True)
        if self.open_page:
            import webbrowser

            if not webbrowser.open(address):
                errors().print("no browser could be opened: copy the address", highlight=False)


@grouped
def view(
    source: Annotated[
        str,
        typer.Argument(
            help="A recording, an environment, a workspace, or a robot or scene: shipped name or file."
        ),
    ],
    others: Annotated[
        list[str] | None,
        typer.Argument(
            help="Further recordings: ghosts beside the first, in the same plots.", show_default=False
        ),
    ] = None,
    *,
    play: Annotated[bool, typer.Option("--play/--pause", help="Start to play a recording.")] = True,
    loop: Annotated[bool, typer.Option("--loop", help="Play a recording again and again.")] = False,
    reading: SubjectOptions,
    server: ServerOptions,
) -> None:
    """Show a recording or a robot in the browser, until Ctrl-C.

    [dim]$[/] footfall view trot.mcap --loop

    [dim]$[/] footfall view today.mcap yesterday.mcap

    [dim]$[/] footfall view lola --configuration idle
    """
    from footfall.errors import InvalidInput
    from footfall.recording.reader import Recording
    from footfall.viewer.show import View

    subject = reading.load(source)
    beside = [reading.load(each) for each in others or ()]
    wrong = [name for name, each in zip(others or (), beside, strict=True) if not isinstance(each, Recording)]
    if wrong:
        raise InvalidInput(f"{wrong[0]!r} is no recording: only these are shown beside another")
    if isinstance(subject, Recording) and subject.damage is not None:
        errors().print(f"the recording is not whole: {subject.damage}", markup=False)
    with (
        until_interrupted() as wait,
        View(
            subject,
            host=server.host,
            port=server.port,
            token=server.token,
            loop=loop,
            play=play,
            configuration=reading.configuration,
            others=[each for each in beside if isinstance(each, Recording)],
        ) as shown,
    ):
        screen().print(repr(subject), highlight=False, markup=False)
        server.announce(shown.address)
        wait()


@contextmanager
def until_interrupted() -> Iterator[Callable[..., bool]]:
    """A function that waits for Ctrl-C or the signal to end, which inside the block are no errors."""
    stopped = threading.Event()
    previous = {
        number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped.wait
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
