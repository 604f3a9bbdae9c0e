"""Poses, steps, actions and plans: the language of planner, generator and controller; gaits of quadrupeds.

steps = straight(dimensions, 3.0)
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.gait.actions import balance as balance
    from footfall.gait.actions import bow as bow
    from footfall.gait.actions import curve as curve
    from footfall.gait.actions import idle as idle
    from footfall.gait.actions import lean as lean
    from footfall.gait.actions import look_around as look_around
    from footfall.gait.actions import sideways as sideways
    from footfall.gait.actions import stairs as stairs
    from footfall.gait.actions import stamping as stamping
    from footfall.gait.actions import stand_on_one_leg as stand_on_one_leg
    from footfall.gait.actions import straight as straight
    from footfall.gait.actions import tiptoe as tiptoe
    from footfall.gait.actions import turn_in_place as turn_in_place
    from footfall.gait.actions import wave as wave
    from footfall.gait.gaits import Gait as Gait
    from footfall.gait.gaits import gait as gait
    from footfall.gait.pattern_generator import PatternGenerator as PatternGenerator
    from footfall.gait.plan import PlanSlot as PlanSlot
    from footfall.gait.plan import TransitionSequence as TransitionSequence
    from footfall.gait.plan_file import plan_names as plan_names
    from footfall.gait.plan_record import plan_from_json as plan_from_json
    from footfall.gait.plan_record import plan_to_json as plan_to_json
    from footfall.gait.plan_record import read_plan as read_plan
    from footfall.gait.plan_record import write_plan as write_plan
    from footfall.gait.plan_writer import write_plan_file as write_plan_file
    from footfall.gait.poses import FootContact as FootContact
    from footfall.gait.poses import FootState as FootState
    from footfall.gait.poses import HandState as HandState
    from footfall.gait.poses import RobotPose as RobotPose
    from footfall.gait.preview import CartTable as CartTable
    from footfall.gait.preview import PreviewGains as PreviewGains
    from footfall.gait.step_parameters import StepParameters as StepParameters
    from footfall.gait.walking_transitions import GaitDimensions as GaitDimensions
    from footfall.gait.walking_transitions import HandTarget as HandTarget
    from footfall.gait.walking_transitions import idle_pose as idle_pose
    from footfall.gait.walking_transitions import stop as stop
    from footfall.gait.walking_transitions import walking_sequence as walking_sequence

open_to_users(__name__)
