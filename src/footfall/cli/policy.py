"""Options of `footfall simulate` for policies that were trained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from footfall.cli.screen import progress, screen, table
from footfall.cli.view import ServerOptions, until_interrupted

if TYPE_CHECKING:
    from footfall.learning.policy_run import PolicyRun
    from footfall.recording.writer import RecordingWriter
    from footfall.robot.model import Robot

_GROUP = "Policy"


@dataclass(frozen=True)
class PolicyOptions:
    """A policy instead of joints that hold their positions."""

    policy: Annotated[
        Path | None,
        typer.Option(
            help="ONNX file of a policy that moves the joints, or a shipped one: go2.", rich_help_panel=_GROUP
        ),
    ] = None
    observations: Annotated[
        Path | None,
        typer.Option(
            help="TOML file with what a policy that was trained elsewhere sees and moves.",
            rich_help_panel=_GROUP,
        ),
    ] = None
    velocity: Annotated[
        str | None,
        typer.Option(
            metavar="AHEAD,LEFT,TURN",
            help="Wanted velocity, m/s, m/s and rad/s; default: it stands, or walks as the panel says.",
            rich_help_panel=_GROUP,
        ),
    ] = None
    panel: Annotated[
        bool,
        typer.Option(
            "--panel",
            help="Command it from the browser by keys, stick or gamepad, until Ctrl-C.",
            rich_help_panel=_GROUP,
        ),
    ] = False

    def require_policy(self) -> None:
        """That nothing is said about a policy that is not there."""
        for option, given in (
            ("--observations", self.observations), ("--velocity", self.velocity), ("--panel", self.panel)
        ):  # fmt: skip
            if given:
                raise typer.BadParameter(f"{option} needs a policy: --policy FILE.onnx")

    def prepared(self, robot: Robot | None, scene: str, dt: float | None) -> PolicyRun:
        """The robot in the scene, at rest."""
        from footfall.learning.policy import Policy
        from footfall.learning.policy_note import read_policy_note
        from footfall.learning.policy_run import PolicyRun

        assert self.policy is not None
        note = None if self.observations is None else read_policy_note(self.observations)
        wanted = self._wanted()
        with progress("compiling native code; it is kept for the next time", 1.0):
            run = PolicyRun(Policy(self.policy), note=note, robot=robot, scene=scene, dt=dt)
            run.step()
            run.reset()
        run.command = wanted
        names = ", ".join(f"{name} ({size})" for name, size in run.observer.sizes.items())
        screen().print(
            f"{run.simulation!r}\n{self.policy.name} moves {len(run.note.joints)} joints every {run.note.period:g} s; "
            f"it sees {names}",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip
        return run

    def run(self, run: PolicyRun, duration: float, writer: RecordingWriter, server: ServerOptions) -> bool:
        """Walk; whether Ctrl-C ended it early."""
        if self.panel:
            self._by_hand(run, writer, server)
            return False
        try:
            with progress("walking", duration) as show:
                while duration - run.simulation.time > 0.5 * run.note.period and not run.fallen:
                    run.step(recorder=writer)
                    show(run.simulation.time, "walking")
        except KeyboardInterrupt:
            return True
        return False

    def summary(self, run: PolicyRun) -> Any:
        """How it ended."""
        state, (ahead, left, turn) = run.simulation, run.velocity
        lines = [
            ["simulated, s", f"{state.time:.2f}"],
            ["base at, m", ", ".join(f"{value:.3f}" for value in np.round(state.q[:3], 3) + 0.0)],
            ["velocity at the end, m/s, m/s, rad/s", f"{ahead:.2f}, {left:.2f}, {turn:.2f}"],
            ["fallen", "yes" if run.fallen else "no"],
        ]
        return table("What happened", ["", "value"], lines, numbers="value")

    def _by_hand(self, run: PolicyRun, writer: RecordingWriter, server: ServerOptions) -> None:
        from footfall.viewer.page_link import PageLink
        from footfall.viewer.policy_panel import PolicyPanel
        from footfall.viewer.stage import Stage

        link = PageLink(("link.js", "panel.js"))  # there is nothing to plot
        stage = Stage(
            host=server.host,
            port=server.port,
            token=server.token,
            title=f"policy: {run.note.robot}",
            link=link,
        )
        try:
            panel = PolicyPanel(stage, run, link=link, usual=run.command)
            server.announce(stage.address, "W, A, S, D, Q, E walk and turn; Ctrl-C ends")
            try:
                with until_interrupted() as wait:
                    panel.run(lambda: bool(wait(0.0)), recorder=writer)
            finally:
                panel.close()
        finally:
            stage.close()

    def _wanted(self) -> Any:
        if self.velocity is None:
            return np.zeros(3)
        try:
            values = np.array([float(each) for each in self.velocity.split(",")])
        except ValueError:
            values = np.zeros(0)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise typer.BadParameter(
                f"--velocity is {self.velocity!r}; it must be three numbers, such as 0.5,0,0.3"
            )
        return values
