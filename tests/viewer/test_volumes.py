"""Volumes in the viewer: surfaces that are where the elements are, nodes that move with the bodies, a switch."""

from __future__ import annotations

import pytest

import footfall
from footfall.geometry.swept_sphere import swept_line, swept_point, swept_triangle
from footfall.viewer.show import View
from footfall.viewer.volumes import VolumeDrawing, element_surface

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
        drawing.visible = False
        drawing.show(q)
    with View(robot, port=0, volumes=True):
        pass
    bare = footfall.load("double-pendulum")
    with View(bare, port=0, volumes=True):  # has none
        pass
