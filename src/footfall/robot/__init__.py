"""What a robot is, and the robots we ship; `footfall` itself has `load`, `Robot` and its parts.

robot = quadruped(foot_height=0.1)  # as `footfall.load("quadruped")`, with other numbers
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.robot.library.adjusted import lola as lola
    from footfall.robot.library.adjusted import lola_2012 as lola_2012
    from footfall.robot.library.adjusted import quadruped as quadruped
    from footfall.robot.library.families import chain as chain
    from footfall.robot.library.families import dill as dill
    from footfall.robot.library.lwr import kuka_lwr as kuka_lwr
    from footfall.robot.model import Mimic as Mimic
    from footfall.robot.shapes import Geometry as Geometry
    from footfall.robot.validation import WORLD as WORLD
    from footfall.robot.validation import check_physics as check_physics
    from footfall.robot.variants import with_configuration as with_configuration
    from footfall.robot.variants import with_sprung_joint as with_sprung_joint

open_to_users(__name__)
