"""From a plan to trajectories: parameters, changes while it runs, checks; `footfall` itself has `generate_motion`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.motion.arm_reach import ArmReach as ArmReach
    from footfall.motion.arm_reach import arm_reach as arm_reach
    from footfall.motion.following import Followed as Followed
    from footfall.motion.following import FollowedBalance as FollowedBalance
    from footfall.motion.following import FreeMotion as FreeMotion
    from footfall.motion.following import follow_motion as follow_motion
    from footfall.motion.following import followed_balance as followed_balance
    from footfall.motion.joint_loads import JointLoads as JointLoads
    from footfall.motion.joint_loads import joint_loads as joint_loads
    from footfall.motion.mass_fit import fit_masses as fit_masses
    from footfall.motion.parameters import MotionParameters as MotionParameters
    from footfall.motion.parameters import read_parameters as read_parameters
    from footfall.motion.parameters import write_parameters as write_parameters
    from footfall.motion.pipeline import gait_dimensions as gait_dimensions
    from footfall.motion.reduced_model_file import published_model as published_model
    from footfall.motion.reduced_model_file import read_reduced_model as read_reduced_model
    from footfall.motion.reduced_model_file import write_reduced_model as write_reduced_model
    from footfall.motion.replanning import Replanner as Replanner
    from footfall.motion.replanning import replan as replan
    from footfall.motion.replanning import stop_motion as stop_motion
    from footfall.motion.standing import with_standing_frames as with_standing_frames
    from footfall.motion.stream import TaskSpaceStream as TaskSpaceStream
    from footfall.motion.stream import stream as stream
    from footfall.motion.verification import Verification as Verification
    from footfall.motion.verification import verify_motion as verify_motion
    from footfall.motion.walk_check import Finding as Finding
    from footfall.motion.walk_check import check_walking as check_walking
    from footfall.motion.walking_speed import StepChoice as StepChoice
    from footfall.motion.walking_speed import choose_step as choose_step
    from footfall.motion.walking_speed import fastest_step as fastest_step
    from footfall.motion.walking_speed import walk_at_speed as walk_at_speed
    from footfall.motion.whole_body import WholeBody as WholeBody

open_to_users(__name__)
