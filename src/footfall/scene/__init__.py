"""The physical truth around the robots: objects, terrain, friction; scene files."""

from footfall.scene.given_motion import GivenMotion
from footfall.scene.load import load_scene, save_scene
from footfall.scene.model import Mass, Material, Scene, SceneObject, SceneRobot, free_body
from footfall.scene.terrain import random_terrain

__all__ = [
    "GivenMotion",
    "Mass",
    "Material",
    "Scene",
    "SceneObject",
    "SceneRobot",
    "free_body",
    "load_scene",
    "random_terrain",
    "save_scene",
]
