"""Whole runs that the command line offers, from Python."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.scenarios.driven_leg import LEG_JOINTS as LEG_JOINTS
    from footfall.scenarios.driven_leg import StepReference as StepReference
    from footfall.scenarios.driven_leg import follow_step as follow_step
    from footfall.scenarios.driven_leg import lola_leg as lola_leg
    from footfall.scenarios.driven_leg import step_reference as step_reference
    from footfall.scenarios.quadruped.parameters import load_scenario as load_scenario
    from footfall.scenarios.quadruped.run import run_scenario as run_scenario
    from footfall.scenarios.quadruped.summary import summarise as summarise
    from footfall.scenarios.walk_outputs import WalkRecorder as WalkRecorder

open_to_users(__name__)
