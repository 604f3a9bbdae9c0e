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
    from footfall.motion.reduced.centroidal import least_leg_room as least_leg_room
    from footfall.motion.reduced.divergent import capture_limit as capture_limit
    from footfall.motion.reduced.divergent import capture_radii as capture_radii
    from footfall.motion.reduced.divergent import divergent_before as divergent_before
    from footfall.motion.reduced.divergent import hip_strategy_radius as hip_strategy_radius
    from footfall.motion.reduced.double_pendulum import DoublePendulum as DoublePendulum
    from footfall.motion.reduced.double_pendulum import double_pendulum as double_pendulum
    from footfall.motion.reduced.double_pendulum import largest_impulse as largest_impulse
    from footfall.motion.reduced.from_plan import balance_problem as balance_problem
    from footfall.motion.reduced.generators import GENERATORS as GENERATORS
    from footfall.motion.reduced.generators import plan_center as plan_center
    from footfall.motion.reduced.pendulum import orbital_energy as orbital_energy
    from footfall.motion.reduced.problem import BalanceProblem as BalanceProblem
    from footfall.motion.reduced.problem import CentreMotion as CentreMotion
    from footfall.motion.reduced.spring_leg import RunningStep as RunningStep
    from footfall.motion.reduced.spring_leg import SpringLeg as SpringLeg
    from footfall.motion.reduced.spring_leg import running_angle as running_angle
    from footfall.motion.reduced.spring_leg import running_step as running_step
    from footfall.motion.reduced.spring_leg import spring_leg as spring_leg
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
    from footfall.motion.walk_check import StepChoice as StepChoice
    from footfall.motion.walk_check import check_walking as check_walking
    from footfall.motion.walk_check import choose_step as choose_step
    from footfall.motion.walk_check import fastest_step as fastest_step
    from footfall.motion.walk_check import walk_at_speed as walk_at_speed
    from footfall.motion.whole_body import WholeBody as WholeBody

open_to_users(__name__)
