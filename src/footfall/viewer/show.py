"""What the viewer shows: a recording by its path, or a robot by its name or path."""

from __future__ import annotations

import os
from pathlib import Path

from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.simulation.recording import Recording, read_recording
from footfall.viewer.player import Player
from footfall.viewer.robot_panel import RobotPanel
from footfall.viewer.stage import Stage

RECORDING_SUFFIX = ".mcap"

Subject = Recording | Robot


def load_subject(source: str | os.PathLike[str], *, floating_base: bool | None = None) -> Subject:
    """A recording (.mcap) or a robot (what `footfall.load` takes)."""
    if Path(source).suffix.lower() == RECORDING_SUFFIX:
        return read_recording(source)
    return load(source, floating_base=floating_base, strict=False)


class View:
    """A server that shows a recording or a robot; use it as a context manager.

    host, port: where it listens; port 0 takes a free one. loop: play a recording again and again. configuration: of
    a robot. play: whether a recording starts to play.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        host: str = "localhost",
        port: int = 8080,
        loop: bool = False,
        configuration: str | None = None,
        play: bool = False,
    ) -> None:
        robot = subject.robot if isinstance(subject, Recording) else subject
        self.stage = Stage(host=host, port=port, title=robot.name)
        self.player: Player | None = None
        try:
            if isinstance(subject, Recording):
                self.player = Player(self.stage, subject, loop=loop)
                if play:
                    self.player.play()
                self.player.start()
            else:
                RobotPanel(self.stage, subject, configuration=configuration)
        except BaseException:
            self.stage.close()
            raise

    @property
    def address(self) -> str:
        """What to type into a browser."""
        return self.stage.address

    def close(self) -> None:
        """Stop playing and serving."""
        if self.player is not None:
            self.player.close()
        self.stage.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
