"""What the robot believes: terrain and objects, how it sees them, and the interface to vision; docs/environment.md."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.environment.depth_camera import DepthCamera as DepthCamera
    from footfall.environment.depth_camera import DepthFrame as DepthFrame
    from footfall.environment.depth_camera import SeenScene as SeenScene
    from footfall.environment.depth_camera import render_depth as render_depth
    from footfall.environment.depth_mapper import DepthMapper as DepthMapper
    from footfall.environment.depth_mapper import FindingOptions as FindingOptions
    from footfall.environment.depth_mapper import ObjectFinder as ObjectFinder
    from footfall.environment.distances import ObjectDistances as ObjectDistances
    from footfall.environment.distances import object_distances as object_distances
    from footfall.environment.files import load_environment as load_environment
    from footfall.environment.files import save_environment as save_environment
    from footfall.environment.fusion import FusedSurface as FusedSurface
    from footfall.environment.fusion import FusionOptions as FusionOptions
    from footfall.environment.height_images import save_height_image as save_height_image
    from footfall.environment.height_images import save_map_picture as save_map_picture
    from footfall.environment.height_images import terrain_from_image as terrain_from_image
    from footfall.environment.manager import EnvironmentManager as EnvironmentManager
    from footfall.environment.mapping import MappingOptions as MappingOptions
    from footfall.environment.mapping import map_frame as map_frame
    from footfall.environment.model import Environment as Environment
    from footfall.environment.model import EnvironmentUpdate as EnvironmentUpdate
    from footfall.environment.model import updated as updated
    from footfall.environment.objects import EnvironmentObject as EnvironmentObject
    from footfall.environment.objects import ObjectSurface as ObjectSurface
    from footfall.environment.objects import box_volume as box_volume
    from footfall.environment.patch import Patch as Patch
    from footfall.environment.patch import TerrainLevel as TerrainLevel
    from footfall.environment.perception import PerceptionOptions as PerceptionOptions
    from footfall.environment.perception import perceive as perceive
    from footfall.environment.perception import truth as truth
    from footfall.environment.point_clouds import read_points as read_points
    from footfall.environment.point_clouds import save_points as save_points
    from footfall.environment.point_clouds import terrain_from_points as terrain_from_points
    from footfall.environment.point_clouds import terrain_points as terrain_points
    from footfall.environment.reset_area import reset_area as reset_area
    from footfall.environment.sampling import Footprints as Footprints
    from footfall.environment.sampling import TerrainSamples as TerrainSamples
    from footfall.environment.sampling import sample_footprints as sample_footprints
    from footfall.environment.sampling import sample_terrain as sample_terrain
    from footfall.environment.terrain import Terrain as Terrain
    from footfall.environment.terrain import TerrainWindow as TerrainWindow
    from footfall.environment.terrain import terrain_from_cells as terrain_from_cells
    from footfall.environment.vision.alignment import PoseHistory as PoseHistory
    from footfall.environment.vision.alignment import WorldAlignment as WorldAlignment
    from footfall.environment.vision.alignment import vision_in_planning as vision_in_planning
    from footfall.environment.vision.containers import ControlToVision as ControlToVision
    from footfall.environment.vision.containers import FrameMotion as FrameMotion
    from footfall.environment.vision.containers import ImuReading as ImuReading
    from footfall.environment.vision.containers import MotionCapture as MotionCapture
    from footfall.environment.vision.containers import VisionToControl as VisionToControl
    from footfall.environment.vision.link import ControlSide as ControlSide
    from footfall.environment.vision.link import VisionSide as VisionSide
    from footfall.environment.vision.recordings import PerceptionRecorder as PerceptionRecorder
    from footfall.environment.vision.recordings import read_perception as read_perception
    from footfall.environment.vision.tracking import TrackingCamera as TrackingCamera
    from footfall.environment.vision.tracking import TrackingQuality as TrackingQuality

open_to_users(__name__)
