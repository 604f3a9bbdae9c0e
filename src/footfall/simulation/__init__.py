"""How time passes: options of a step and what a run gives; `footfall` itself has `Simulation`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.simulation.drive_step import Gears as Gears
    from footfall.simulation.handover import hand_over as hand_over
    from footfall.simulation.lanes.batch import BatchReport as BatchReport
    from footfall.simulation.lanes.batch import RobotBatch as RobotBatch
    from footfall.simulation.lanes.batch_step import RowSettings as RowSettings
    from footfall.simulation.lanes.batch_step import RowState as RowState
    from footfall.simulation.lanes.foot_points import Foot as Foot
    from footfall.simulation.lanes.foot_points import FootPoint as FootPoint
    from footfall.simulation.lanes.foot_points import find_feet as find_feet
    from footfall.simulation.plants import FeetSimulation as FeetSimulation
    from footfall.simulation.plants import ImpactSimulation as ImpactSimulation
    from footfall.simulation.plants import LayerSimulation as LayerSimulation
    from footfall.simulation.plants import SmoothSimulation as SmoothSimulation
    from footfall.simulation.plants import SpringSimulation as SpringSimulation
    from footfall.simulation.plants import SweepSimulation as SweepSimulation
    from footfall.simulation.run_values import ContactLog as ContactLog
    from footfall.simulation.run_values import SimulationState as SimulationState
    from footfall.simulation.run_values import Trajectory as Trajectory
    from footfall.simulation.run_values import join_trajectories as join_trajectories
    from footfall.simulation.simulation import Controller as Controller
    from footfall.simulation.simulation import SimulationBase as SimulationBase
    from footfall.simulation.sources.smooth import ExtraRun as ExtraRun
    from footfall.simulation.sources.smooth import SmoothSystem as SmoothSystem
    from footfall.simulation.step_problem import StepProblem as StepProblem
    from footfall.simulation.step_problem import build_step_problem as build_step_problem
    from footfall.simulation.step_problem import step_impulses as step_impulses
    from footfall.simulation.step_problem import step_residuals as step_residuals
    from footfall.simulation.step_values import JointOptions as JointOptions
    from footfall.simulation.step_values import SolverOptions as SolverOptions
    from footfall.simulation.torso_compliance import with_torso_compliance as with_torso_compliance

open_to_users(__name__)
