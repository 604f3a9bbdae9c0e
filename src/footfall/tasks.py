"""One language of tasks: what is wanted of a part of the robot, for every solver and controller.

hand = PoseTask("RH", pose, gains=5.0)
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.control.tasks.accelerations import FrameAcceleration as FrameAcceleration
    from footfall.control.tasks.accelerations import JointAcceleration as JointAcceleration
    from footfall.control.tasks.accelerations import MomentumTask as MomentumTask
    from footfall.control.tasks.custom import CombinedTask as CombinedTask
    from footfall.control.tasks.custom import CustomTask as CustomTask
    from footfall.control.tasks.features import FeatureTask as FeatureTask
    from footfall.control.tasks.forces import ContactForce as ContactForce
    from footfall.control.tasks.forces import LeastForce as LeastForce
    from footfall.control.tasks.forces import LeastTorque as LeastTorque
    from footfall.control.tasks.forces import WholeBodyTask as WholeBodyTask
    from footfall.control.tasks.frames import AxisGoal as AxisGoal
    from footfall.control.tasks.frames import FrameTask as FrameTask
    from footfall.control.tasks.frames import Guard as Guard
    from footfall.control.tasks.frames import TaskProgress as TaskProgress
    from footfall.control.tasks.lola import lola_task_space as lola_task_space
    from footfall.control.tasks.lola import lola_task_space_2012 as lola_task_space_2012
    from footfall.control.tasks.orientations import AimTask as AimTask
    from footfall.control.tasks.orientations import OrientationTask as OrientationTask
    from footfall.control.tasks.orientations import RotationParametersTask as RotationParametersTask
    from footfall.control.tasks.points import CenterOf as CenterOf
    from footfall.control.tasks.points import FramePoint as FramePoint
    from footfall.control.tasks.poses import PoseTask as PoseTask
    from footfall.control.tasks.poses import support_tasks as support_tasks
    from footfall.control.tasks.positions import Boundary as Boundary
    from footfall.control.tasks.positions import HalfSpaceTask as HalfSpaceTask
    from footfall.control.tasks.positions import LineTask as LineTask
    from footfall.control.tasks.positions import PlaneTask as PlaneTask
    from footfall.control.tasks.positions import PositionTask as PositionTask
    from footfall.control.tasks.positions import center_of_mass_position as center_of_mass_position
    from footfall.control.tasks.positions import frame_position as frame_position
    from footfall.control.tasks.postures import PostureTask as PostureTask
    from footfall.control.tasks.postures import posture as posture
    from footfall.control.tasks.ranks import RankReport as RankReport
    from footfall.control.tasks.ranks import check_ranks as check_ranks
    from footfall.control.tasks.stack import TaskStack as TaskStack
    from footfall.control.tasks.task import MotionTask as MotionTask
    from footfall.control.tasks.task import Task as Task
    from footfall.control.tasks.task import TaskValue as TaskValue
    from footfall.control.tasks.text import parse_frames as parse_frames
    from footfall.control.tasks.text import parse_tasks as parse_tasks
    from footfall.control.tasks.text import tasks_text as tasks_text

open_to_users(__name__)
