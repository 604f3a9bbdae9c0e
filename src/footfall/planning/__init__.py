"""The contact planner: where a biped puts its feet and hands on its way to a goal; docs/planning.md."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.planning.biped import Biped as Biped
    from footfall.planning.biped import biped_of as biped_of
    from footfall.planning.contacts import Blockage as Blockage
    from footfall.planning.contacts import FootPlacement as FootPlacement
    from footfall.planning.contacts import Goal as Goal
    from footfall.planning.contacts import HandContact as HandContact
    from footfall.planning.contacts import PlannedContacts as PlannedContacts
    from footfall.planning.contacts import SearchEffort as SearchEffort
    from footfall.planning.contacts import Stance as Stance
    from footfall.planning.parameters import PlannerParameters as PlannerParameters
    from footfall.planning.parameters import parameters_for as parameters_for
    from footfall.planning.parameters import read_planner_parameters as read_planner_parameters
    from footfall.planning.parameters import write_planner_parameters as write_planner_parameters
    from footfall.planning.planner import plan_contacts as plan_contacts
    from footfall.planning.teleoperation import VelocityCommand as VelocityCommand
    from footfall.planning.teleoperation import commanded_step as commanded_step
    from footfall.planning.teleoperation import commanded_steps as commanded_steps
    from footfall.planning.transition_planner import FollowFile as FollowFile
    from footfall.planning.transition_planner import FollowSteps as FollowSteps
    from footfall.planning.transition_planner import GoTo as GoTo
    from footfall.planning.transition_planner import Perform as Perform
    from footfall.planning.transition_planner import PlanningContext as PlanningContext
    from footfall.planning.transition_planner import Stand as Stand
    from footfall.planning.transition_planner import Teleoperate as Teleoperate
    from footfall.planning.transition_planner import TransitionPlanner as TransitionPlanner
    from footfall.planning.transition_planner import WalkStraight as WalkStraight
    from footfall.planning.watch import Progress as Progress

open_to_users(__name__)
