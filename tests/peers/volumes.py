"""Swept-sphere volumes in coal, by themselves and on the bodies of Pinocchio's robots."""

from __future__ import annotations

from typing import Any, NamedTuple

import coal
import numpy as np
import pinocchio as pin

from footfall.arrays import Array
from footfall.bench.pinocchio import PinocchioModel
from footfall.geometry.swept_sphere import SweptSphere
from footfall.robot.model import Robot
from footfall.robot.tree import rotation_with_z_along
from footfall.robot.volumes import checked_pairs, pair_places


def coal_shape(element: SweptSphere) -> tuple[Any, Any]:
    """coal's shape and its pose: a sphere, a capsule, or a flat convex with a swept radius.

    coal has no distances between its own triangles.
    """
    corners, radius = element.corners, element.radius
    middle, along = corners.mean(axis=0), corners[-1] - corners[0]
    length = float(np.linalg.norm(along))
    if len(corners) == 1:
        return coal.Sphere(radius), coal.Transform3s(np.eye(3), corners[0])
    if len(corners) == 2:
        turn = rotation_with_z_along(along / length) if length > 0.0 else np.eye(3)
        return coal.Capsule(radius, length), coal.Transform3s(turn, middle)
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in corners:
        points.append(corner)
    for sides in ((0, 1, 2), (0, 2, 1)):
        triangles.append(coal.Triangle(*sides))
    triangle = coal.Convex(points, triangles)
    triangle.setSweptSphereRadius(radius)
    return triangle, coal.Transform3s.Identity()


class VolumePeer(NamedTuple):
    """A robot of Pinocchio with its volumes; owners: for each of its pairs of elements the pair of volumes."""

    peer: PinocchioModel
    geometry: Any
    geometry_data: Any
    owners: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def from_robot(cls, robot: Robot) -> VolumePeer:
        """All elements of the volumes, and all pairs of elements of the pairs that the robot checks."""
        peer = PinocchioModel.from_robot(robot)
        geometry = pin.GeometryModel()
        members: list[list[int]] = []
        for volume in robot.volumes:
            frame = peer.model.frames[peer.frame_id(volume.body)]
            members.append([])
            for k, element in enumerate(volume.shape.elements):
                shape, pose = coal_shape(element)
                placement = frame.placement * pin.SE3(pose.getRotation(), pose.getTranslation())
                name = f"{volume.name}/{k}"
                each = pin.GeometryObject(name, frame.parentJoint, placement, shape)
                members[-1].append(geometry.addGeometryObject(each))
        owners = []
        for pair, (first, second) in enumerate(pair_places(robot, checked_pairs(robot))):
            for i in members[first]:
                for j in members[second]:
                    geometry.addCollisionPair(pin.CollisionPair(i, j))
                    owners.append(pair)
        return cls(peer, geometry, geometry.createData(), np.array(owners))

    def measure(self, q: Array) -> None:
        """All distances at Pinocchio's configuration q: one call of C++."""
        pin.computeDistances(self.peer.model, self.peer.data, self.geometry, self.geometry_data, q)

    def distances(self, q: Array) -> Array:
        """Least distance of each pair of volumes at our configuration q (nq,), m."""
        self.measure(self.peer.q(q))
        every = np.array([result.min_distance for result in self.geometry_data.distanceResults])
        least = np.full(int(self.owners.max()) + 1, np.inf)
        np.minimum.at(least, self.owners, every)
        return least
