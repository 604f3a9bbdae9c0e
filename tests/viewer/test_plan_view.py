"""A motion in the browser: what is drawn where, with and without the robot; plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.following import follow_motion
from footfall.viewer.plan_player import PlanPlayer
from footfall.viewer.plan_supports import draw_supports
from footfall.viewer.show import FollowedMotion, View
from tests.motion.lola import MODEL, straight


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
        assert list(view.player._layers) == ["Courses", "Footprints", "Supports"]
        box, node = view.player._boxes["Courses"], view.player._layers["Courses"]
        box.value = False
        assert not node.visible
        assert view.player._layers["Footprints"].visible


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


def test_blocks_carry_raised_soles_and_a_plate_is_behind_the_hand() -> None:
    """The platform is 0.125 m high, the wall at y = 0.7 m."""

    class Boxes(list[Any]):
        def add_box(self, _: str, **values: Any) -> None:
            self.append(values)

    motion = footfall.generate_motion(footfall.load_plan("platform", MODEL), MODEL)
    boxes = Boxes()
    draw_supports(boxes, motion)
    blocks = [box for box in boxes if box["position"][2] < 0.5]
    plates = [box for box in boxes if box["position"][2] > 0.5]
    assert len(blocks) == 6  # steps 8 to 13
    for box in blocks:
        assert box["dimensions"][2] == pytest.approx(0.125)
        assert box["position"][2] == pytest.approx(0.0625)
    assert blocks[0]["dimensions"][0] == pytest.approx(0.085)  # the toe pad
    assert len(plates) == 2
    for box in plates:
        assert box["position"][1] - box["dimensions"][2] / 2 == pytest.approx(0.7)
        assert rotate_by_quaternion(box["wxyz"], np.array([0.0, 0.0, 1.0])) == pytest.approx(
            [0.0, -1.0, 0.0], abs=1e-12
        )


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
