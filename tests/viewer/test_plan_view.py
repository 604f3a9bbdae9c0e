"""A motion in the browser: what is drawn where, with and without the robot; plots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.motion.following import follow_motion
from footfall.viewer.plan_player import PlanPlayer
from footfall.viewer.show import FollowedMotion, View
from tests.motion.lola import straight


def test_marks_are_where_the_motion_is() -> None:
    motion = straight(2)
    with View(motion, port=0) as view:
        assert isinstance(view.player, PlanPlayer)
        for time in (0.7, 2.0):
            view.player.seek(time)
            samples = motion.snapshot(time)
            assert view.player._markers["zmp"].position == pytest.approx(samples.zmp[0])
            assert view.player._markers["center"].position == pytest.approx(samples.center_of_mass[0])
            assert view.player._feet[0].position == pytest.approx(samples.feet[0, 0])
            assert view.player._clock.value.startswith(f"{time:.3f} s")


def test_the_robot_walks_along() -> None:
    lola = footfall.load("lola")
    motion = straight(1)
    followed = follow_motion(lola, motion, lola.configuration("idle"), dt=0.02, gain=30.0, allowed=0.1)
    with View(FollowedMotion(motion, lola, followed), port=0) as view:
        assert isinstance(view.player, PlanPlayer)
        view.player.seek(motion.end_time)
        base = np.asarray(view.player._robot._frames[0].position)  # type: ignore[union-attr]
        assert base == pytest.approx(followed.q[-1, :3], abs=1e-6)
        assert base[0] - followed.q[0, 0] == pytest.approx(0.4, abs=0.02)


def test_plot_has_its_panels(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from footfall.viewer.plan_plots import motion_figure, plot_motion

    motion = straight(2)
    figure = motion_figure(motion)
    assert [axes.get_title() for axes in figure.axes[:2]] == ["from above", "from the side"]
    assert len(figure.axes) == 6
    labels = {text for axes in figure.axes for text in axes.get_legend_handles_labels()[1]}
    assert {
        "zero-moment point, wanted",
        "recomputed",
        "centre of mass",
        "right foot",
        "bounds of the legs",
    } <= labels
    plot_motion(motion, tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 20_000
