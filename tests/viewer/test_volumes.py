"""Volumes in the viewer: surfaces that are where the elements are, nodes that move with the bodies, a switch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.geometry.swept_sphere import swept_line, swept_point, swept_triangle
from footfall.recording.reader import read_recording
from footfall.recording.writer import RecordingWriter
from footfall.viewer.player import Player
from footfall.viewer.show import View
from footfall.viewer.volumes import (
    CLOSE,
    VolumeDrawing,
    distance_colors,
    distance_scale,
    element_surface,
)

ELEMENTS = [
    swept_point((0.1, 0.2, 0.3), 0.1),
    swept_line((0, 0, 0), (0, 0.3, 0.4), 0.05),
    swept_triangle((0, 0, 0), (0.5, 0, 0), (0, 0.4, 0), 0.02),
]


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element.kind)
def test_surface_of_an_element(element: footfall.volumes.SweptSphere) -> None:
    vertices, triangles = element_surface(element)
    depths = [
        footfall.volumes.swept_distance(footfall.volumes.swept_point(each, 0.0), element).distance
        for each in vertices
    ]
    assert max(depths) < 1e-9
    assert min(depths) > -0.02 * element.radius  # spheres are polyhedra here
    assert triangles.max() < len(vertices)


def test_volumes_are_drawn_when_asked_for() -> None:
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    with View(robot, port=0) as view:
        drawing = VolumeDrawing(view.stage.server.scene, robot)
        assert drawing.visible
        drawing.show(q)
        found = footfall.volumes.volume_distances(robot, q, threshold=CLOSE)
        assert drawing.closest is not None
        assert drawing.closest[1] == found.distance[found.exact].min()
        assert drawing.closest[0] == robot.volume_pairs[int(np.argmin(found.distance))]
        drawing.visible = False
        drawing.show(q)
    with View(robot, port=0, volumes=True):
        pass
    assert drawing.closest is None
    bare = footfall.load("double-pendulum")
    with View(bare, port=0, volumes=True):  # has none
        pass


def test_scale_of_distances() -> None:
    """Red at zero and below, green far away, a mark in between; names from files are text, not part of the page."""
    colors = distance_colors(np.array([-0.1, 0.0, CLOSE, 1.0]))
    np.testing.assert_array_equal(colors[0], colors[1])
    np.testing.assert_array_equal(colors[2], colors[3])
    assert colors[0][0] > 200 > colors[3][0]
    page = distance_scale((("<b>arm</b>", "torso"), CLOSE / 2))
    assert "left:50%" in page
    assert "<b>" not in page
    assert "no pair" in distance_scale(None)


def test_recordings_show_distances_as_they_play(tmp_path: Path) -> None:
    """Volumes travel with the robot of a recording; the scale has the closest pair of the instant that is shown."""
    robot = footfall.load("lola")
    path, lowered = tmp_path / "arms.mcap", robot.configuration("idle").copy()
    lowered[robot.q_slice("aar")] += 0.6
    with RecordingWriter(path, robot, preview_rate=0.0) as writer:
        for time, q in ((0.0, robot.configuration("idle")), (1.0, lowered)):
            writer.state(time, q, np.zeros(robot.nv))
    recording = read_recording(path)
    told = []
    with View(recording, port=0, volumes=True) as view:
        assert isinstance(view.player, Player)
        for row, instant in enumerate((0.0, 1.0)):
            view.player.seek(instant)
            found = footfall.volumes.volume_distances(robot, recording.q[row], threshold=CLOSE)
            gap = 1e3 * found.distance[found.exact].min()
            told.append(view.player.volumes.scale)
            assert f": {gap:.0f} mm" in told[-1]
    assert told[0] != told[1]
