"""Swept-sphere volumes of robots, and how far they are apart; docs/volumes.md explains."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.dynamics.collision_distances import CollisionModel as CollisionModel
    from footfall.dynamics.collision_distances import robot_obstacles as robot_obstacles
    from footfall.dynamics.first_collision import Collision as Collision
    from footfall.dynamics.first_collision import first_collision as first_collision
    from footfall.dynamics.fitted_volumes import fit_volumes as fit_volumes
    from footfall.dynamics.volume_distances import free_pairs as free_pairs
    from footfall.dynamics.volume_distances import volume_distances as volume_distances
    from footfall.dynamics.volume_pairs import PairChoice as PairChoice
    from footfall.dynamics.volume_pairs import choose_volume_pairs as choose_volume_pairs
    from footfall.geometry.swept_coverage import Coverage as Coverage
    from footfall.geometry.swept_distance import SweptDistances as SweptDistances
    from footfall.geometry.swept_distance import swept_distance as swept_distance
    from footfall.geometry.swept_distance import swept_distances as swept_distances
    from footfall.geometry.swept_distance import swept_gaps as swept_gaps
    from footfall.geometry.swept_pairs import VolumeDistances as VolumeDistances
    from footfall.geometry.swept_parts import as_balls as as_balls
    from footfall.geometry.swept_parts import as_capsules as as_capsules
    from footfall.geometry.swept_sphere import SweptSphere as SweptSphere
    from footfall.geometry.swept_sphere import SweptVolume as SweptVolume
    from footfall.geometry.swept_sphere import swept_line as swept_line
    from footfall.geometry.swept_sphere import swept_point as swept_point
    from footfall.geometry.swept_sphere import swept_triangle as swept_triangle
    from footfall.robot.obstacles import Obstacle as Obstacle
    from footfall.robot.volume_export import export_volumes as export_volumes
    from footfall.robot.volume_fitting import volume_coverage as volume_coverage
    from footfall.robot.volume_schema import load_volumes as load_volumes
    from footfall.robot.volume_schema import save_volumes as save_volumes
    from footfall.robot.volumes import BodyVolume as BodyVolume
    from footfall.scene.obstacles import scene_obstacles as scene_obstacles

open_to_users(__name__)
