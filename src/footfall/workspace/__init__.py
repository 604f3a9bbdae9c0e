"""Where arms reach and how well they move there; which arm would be better."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.workspace.analysis import WorkspaceProgress as WorkspaceProgress
    from footfall.workspace.analysis import analyse_workspace as analyse_workspace
    from footfall.workspace.candidates import ArmCandidate as ArmCandidate
    from footfall.workspace.chain import ArmChain as ArmChain
    from footfall.workspace.chain import arm_chain as arm_chain
    from footfall.workspace.design import arm_robot as arm_robot
    from footfall.workspace.design import robot_with_arms as robot_with_arms
    from footfall.workspace.evaluation import spiral_points as spiral_points
    from footfall.workspace.files import load_workspace as load_workspace
    from footfall.workspace.files import save_surface as save_surface
    from footfall.workspace.files import save_vtk as save_vtk
    from footfall.workspace.files import save_workspace as save_workspace
    from footfall.workspace.gathering import reachable as reachable
    from footfall.workspace.indices import MEANINGS as MEANINGS
    from footfall.workspace.optimisation import Best as Best
    from footfall.workspace.optimisation import OptimisationProgress as OptimisationProgress
    from footfall.workspace.optimisation import Score as Score
    from footfall.workspace.optimisation import optimise_arms as optimise_arms
    from footfall.workspace.optimisation import optimise_topology as optimise_topology
    from footfall.workspace.optimisation import score_arm as score_arm
    from footfall.workspace.samples import sample_counts as sample_counts
    from footfall.workspace.surface import CrossSection as CrossSection
    from footfall.workspace.surface import WorkspaceSurface as WorkspaceSurface
    from footfall.workspace.surface import cross_section as cross_section
    from footfall.workspace.surface import workspace_surface as workspace_surface
    from footfall.workspace.tasks import Tasks as Tasks
    from footfall.workspace.tasks import read_tasks as read_tasks
    from footfall.workspace.workspace import CellLevel as CellLevel
    from footfall.workspace.workspace import Found as Found
    from footfall.workspace.workspace import FoundHere as FoundHere
    from footfall.workspace.workspace import Workspace as Workspace

open_to_users(__name__)
