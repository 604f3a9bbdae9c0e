"""Environments for learning whose every step is native: gymnasium.make_vec("footfall/Go2-Velocity-v0", num_envs=4096).

Observation, reward, ends and resets are plain functions of named quantities, traced into the step.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.learning.checker import check_vector_environment as check_vector_environment
    from footfall.learning.compiled import CompiledTask as CompiledTask
    from footfall.learning.judge import Verdict as Verdict
    from footfall.learning.judge import judge as judge
    from footfall.learning.observer import Felt as Felt
    from footfall.learning.observer import Observer as Observer
    from footfall.learning.policy import Policy as Policy
    from footfall.learning.policy import save_policy as save_policy
    from footfall.learning.policy import shipped_policies as shipped_policies
    from footfall.learning.policy_note import PolicyNote as PolicyNote
    from footfall.learning.policy_note import note_of as note_of
    from footfall.learning.policy_note import read_policy_note as read_policy_note
    from footfall.learning.policy_run import PolicyRun as PolicyRun
    from footfall.learning.quantities import Quantities as Quantities
    from footfall.learning.random_streams import Draw as Draw
    from footfall.learning.registration import register as register
    from footfall.learning.rsl_rl import RslRlEnv as RslRlEnv
    from footfall.learning.shipped_tasks import velocity_task as velocity_task
    from footfall.learning.single_environment import FootfallEnv as FootfallEnv
    from footfall.learning.task import LearningTask as LearningTask
    from footfall.learning.task import Term as Term
    from footfall.learning.task_file import read_task as read_task
    from footfall.learning.terrains import rough_velocity as rough_velocity
    from footfall.learning.terrains import terrain as terrain
    from footfall.learning.vector_environment import FootfallVectorEnv as FootfallVectorEnv
    from footfall.learning.velocity_tasks import biped_velocity as biped_velocity
    from footfall.learning.velocity_tasks import quadruped_velocity as quadruped_velocity
    from footfall.learning.velocity_tasks import scan_grid as scan_grid

open_to_users(__name__)
