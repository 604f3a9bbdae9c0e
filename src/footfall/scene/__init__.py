"""The physical truth around the robots: objects, terrain, friction; `footfall` itself has `Scene` and `load_scene`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.geometry.height_map import HeightMap as HeightMap
    from footfall.scene.assembly import combined_robot as combined_robot
    from footfall.scene.given_motion import GivenMotion as GivenMotion
    from footfall.scene.model import Mass as Mass
    from footfall.scene.model import SceneRobot as SceneRobot
    from footfall.scene.terrain import random_terrain as random_terrain

open_to_users(__name__)
