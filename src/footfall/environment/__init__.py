"""What the robot believes: terrain and objects, how it sees them, and the interface to vision; docs/environment.md."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.environment.distances import ObjectDistances as ObjectDistances
    from footfall.environment.distances import object_distances as object_distances
    from footfall.environment.files import load_environment as load_environment
    from footfall.environment.files import save_environment as save_environment
    from footfall.environment.manager import EnvironmentManager as EnvironmentManager
    from footfall.environment.model import Environment as Environment
    from footfall.environment.model import EnvironmentUpdate as EnvironmentUpdate
    from footfall.environment.model import updated as updated
    from footfall.environment.objects import EnvironmentObject as EnvironmentObject
    from footfall.environment.objects import ObjectSurface as ObjectSurface
    from footfall.environment.objects import box_volume as box_volume
    from footfall.environment.patch import Patch as Patch
    from footfall.environment.patch import TerrainLevel as TerrainLevel
    from footfall.environment.reset_area import reset_area as reset_area
    from footfall.environment.sampling import Footprints as Footprints
    from footfall.environment.sampling import TerrainSamples as TerrainSamples
    from footfall.environment.sampling import sample_footprints as sample_footprints
    from footfall.environment.sampling import sample_terrain as sample_terrain
    from footfall.environment.terrain import Terrain as Terrain
    from footfall.environment.terrain import TerrainWindow as TerrainWindow
    from footfall.environment.terrain import terrain_from_cells as terrain_from_cells

open_to_users(__name__)
