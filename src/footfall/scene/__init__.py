"""The physical truth around the robots: objects, terrain, friction; `footfall` itself has `Scene` and `load_scene`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.geometry.height_map import HeightMap as HeightMap
    from footfall.scene.assembly import combined_robot as combined_robot
    from footfall.scene.catalogue import make_scene as make_scene
    from footfall.scene.given_motion import GivenMotion as GivenMotion
    from footfall.scene.model import Mass as Mass
    from footfall.scene.model import Perception as Perception
    from footfall.scene.model import SceneRobot as SceneRobot
    from footfall.scene.shapes import Circle as Circle
    from footfall.scene.shapes import Cone as Cone
    from footfall.scene.shapes import Icosphere as Icosphere
    from footfall.scene.shapes import Rectangle as Rectangle
    from footfall.scene.shapes import Triangles as Triangles
    from footfall.scene.shapes import triangles_shape as triangles_shape
    from footfall.scene.terrain import random_terrain as random_terrain

open_to_users(__name__)
