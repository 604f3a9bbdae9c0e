"""What the viewer shows: a recording by its path, a robot by its name or path, or a generated motion."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.environment.files import is_environment, load_environment
from footfall.environment.model import Environment
from footfall.errors import InvalidInput, RobotError
from footfall.motion.following import Followed
from footfall.motion.motion import Motion
from footfall.recording.reader import Recording, read_recording
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.scene.load import is_scene, load_scene
from footfall.scene.model import Scene
from footfall.simulation.simulation import SimulationBase
from footfall.viewer.environment_panel import EnvironmentPanel
from footfall.viewer.live import LivePanel
from footfall.viewer.page_link import VIEWER, PageLink
from footfall.viewer.plan_player import PlanPlayer
from footfall.viewer.playback import Playback
from footfall.viewer.player import Player
from footfall.viewer.robot_panel import RobotPanel
from footfall.viewer.scene_panel import ScenePanel
from footfall.viewer.stage import Stage
from footfall.viewer.workspace_panel import WorkspacePanel
from footfall.workspace.files import is_workspace, load_workspace
from footfall.workspace.workspace import Workspace

RECORDING_SUFFIX = ".mcap"
_FRAME_HEIGHT = 520  # pixels, in a notebook


class FollowedMotion(NamedTuple):
    """A motion and a robot that follows it."""

    motion: Motion
    robot: Robot
    followed: Followed


class PlannedScene(NamedTuple):
    """A planned motion in what the robot knows around it."""

    walked: Motion | FollowedMotion
    environment: Environment

    @property
    def motion(self) -> Motion:
        """The motion itself."""
        return self.walked if isinstance(self.walked, Motion) else self.walked.motion


Subject = (
    Recording
    | Robot
    | Scene
    | Environment
    | Workspace
    | Motion
    | FollowedMotion
    | PlannedScene
    | SimulationBase
)


def load_subject(
    source: str | os.PathLike[str],
    *,
    floating_base: bool | None = None,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
) -> Recording | Robot | Scene | Environment | Workspace:
    """A recording (.mcap), a workspace, an environment, a scene (what `footfall.load_scene` takes) or a robot."""
    if Path(source).suffix.lower() == RECORDING_SUFFIX:
        return read_recording(source)
    if is_workspace(source):
        return load_workspace(source)
    if is_environment(source):
        return load_environment(source)
    if is_scene(source):
        return load_scene(source)
    return load(source, floating_base=floating_base, strict=False, package_dirs=package_dirs)


def view(
    subject: Subject | str | os.PathLike[str],
    *,
    host: str = "localhost",
    port: int = 0,
    token: bool | None = None,
    origins: Collection[str] = (),
) -> View:
    """Show a robot, a recording, a motion or a simulation in the browser, until `close`; a notebook shows the page.

    A simulation is shown as it runs; `View.show(q)` shows a robot in any configuration. Recordings and motions play
    from when the first page is open.
    subject: also a name or path, as `footfall view` takes it. port: 0 takes a free one. token: whether the address has
    a secret part, by default where others than this machine are served. origins: of pages that may use it besides its
    own, such as "https://hub.example.org" where a notebook server passes it on.
    """
    if isinstance(subject, (str, os.PathLike)):
        subject = load_subject(subject)
    return View(subject, host=host, port=port, play=True, loop=True, token=token, origins=origins)


class View:
    """A server that shows a recording, a motion, a robot or a running simulation; use it as a context manager.

    host, port: where it listens; port 0 takes any free one, None the first from 8080 on. loop: play again and again.
    configuration: of a robot. play: whether it starts to play. volumes: whether those of a robot or of objects are
    drawn. confidence: whether terrain is coloured by it instead of by height. token, origins: who may use it, see
    `view`. others: recordings that are ghosts beside the first, on one time.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        host: str = "localhost",
        port: int | None = None,
        loop: bool = False,
        configuration: str | None = None,
        play: bool = False,
        volumes: bool = False,
        confidence: bool = False,
        token: bool | None = None,
        origins: Collection[str] = (),
        others: Sequence[Recording] = (),
    ) -> None:
        if others and not isinstance(subject, Recording):
            raise InvalidInput(f"{_title(subject)!r} is no recording: only these have others beside them")
        self.subject = subject
        link = PageLink(VIEWER) if isinstance(subject, Recording) else None
        self.stage = Stage(
            host=host, port=port, title=_title(subject), token=token, origins=origins, link=link
        )
        self.player: Playback | None = None
        self._panel: RobotPanel | LivePanel | None = None
        try:
            if isinstance(subject, Recording):
                self.player = Player(
                    self.stage, subject, others=others, loop=loop, volumes=volumes, link=link
                )
            elif isinstance(subject, (Motion, FollowedMotion)):
                self.player = _plan_player(self.stage, subject, loop)
            elif isinstance(subject, PlannedScene):
                EnvironmentPanel(self.stage, subject.environment, confidence=confidence, volumes=volumes)
                self.player = _plan_player(self.stage, subject.walked, loop)
            elif isinstance(subject, SimulationBase):
                self._panel = LivePanel(self.stage, subject)
            elif isinstance(subject, Scene):
                ScenePanel(self.stage, subject)
            elif isinstance(subject, Workspace):
                WorkspacePanel(self.stage, subject)
            elif isinstance(subject, Environment):
                EnvironmentPanel(self.stage, subject, confidence=confidence, volumes=volumes)
            else:
                self._panel = RobotPanel(self.stage, subject, configuration=configuration, volumes=volumes)
            if self.player is not None:
                if play:
                    self.player.play()
                self.player.start()
        except BaseException:
            self.stage.close()
            raise

    @property
    def address(self) -> str:
        """What to type into a browser."""
        return self.stage.address

    def _repr_html_(self) -> str:
        """The page itself, in a notebook whose browser runs on this machine."""
        address = escape(self.address)
        return f'<iframe src="{address}" width="100%" height="{_FRAME_HEIGHT}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"View of {_title(self.subject)!r}: open {self.address} in a browser"

    def show(self, q: Array) -> None:
        """Draw the robot at q (nq,): of a view of a robot or a simulation."""
        if self._panel is None:
            raise InvalidInput(f"a view of {_title(self.subject)!r} shows no robot that could be moved")
        robot = self._panel.robot
        q = np.asarray(q, np.float64)
        if q.shape != (robot.nq,) or not np.isfinite(q).all():
            raise RobotError(
                f"q has shape {q.shape}; it must be ({robot.nq},) and finite", subject=("robot", robot.name)
            )
        self._panel.show(q)

    def close(self) -> None:
        """Stop playing and serving."""
        if self.player is not None:
            self.player.close()
        if isinstance(self._panel, LivePanel):
            self._panel.close()
        self.stage.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _plan_player(stage: Stage, subject: Motion | FollowedMotion, loop: bool) -> PlanPlayer:
    if isinstance(subject, Motion):
        return PlanPlayer(stage, subject, loop=loop)
    return PlanPlayer(stage, subject.motion, robot=subject.robot, followed=subject.followed, loop=loop)


def _title(subject: Subject) -> str:
    if isinstance(subject, (Motion, PlannedScene)):
        return subject.model.name if isinstance(subject, Motion) else subject.motion.model.name
    if isinstance(subject, Environment):
        return "environment"
    if isinstance(subject, Workspace):
        return f"workspace of {subject.description.robot}"
    if isinstance(subject, SimulationBase):
        return f"{subject.robot.name} in {subject.scene.name}"
    return subject.name if isinstance(subject, (Robot, Scene)) else subject.robot.name
