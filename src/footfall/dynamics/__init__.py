"""Rigid-body algorithms beyond those that everybody uses, which are in `footfall` itself; one algorithm a file."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.dynamics.analytic_jacobians import analytic_jacobian as analytic_jacobian
    from footfall.dynamics.analytic_jacobians import frame_parameters as frame_parameters
    from footfall.dynamics.center_of_mass import center_of_mass_bias as center_of_mass_bias
    from footfall.dynamics.center_of_mass import center_of_mass_velocity as center_of_mass_velocity
    from footfall.dynamics.centroidal import centroidal_momentum_bias as centroidal_momentum_bias
    from footfall.dynamics.centroidal import centroidal_momentum_matrix as centroidal_momentum_matrix
    from footfall.dynamics.configuration import configuration_rate as configuration_rate
    from footfall.dynamics.configuration import independent_forces as independent_forces
    from footfall.dynamics.configuration import joint_accelerations as joint_accelerations
    from footfall.dynamics.configuration import joint_rates as joint_rates
    from footfall.dynamics.configuration import velocity_from_rate as velocity_from_rate
    from footfall.dynamics.derivatives import ForwardDynamicsDerivatives as ForwardDynamicsDerivatives
    from footfall.dynamics.derivatives import InverseDynamicsDerivatives as InverseDynamicsDerivatives
    from footfall.dynamics.factorisation import MassFactor as MassFactor
    from footfall.dynamics.factorisation import factorise_mass_matrix as factorise_mass_matrix
    from footfall.dynamics.factorisation import solve_mass_matrix as solve_mass_matrix
    from footfall.dynamics.jacobians import frame_jacobian_bias as frame_jacobian_bias
    from footfall.dynamics.jacobians import frame_jacobian_rate as frame_jacobian_rate
    from footfall.dynamics.jacobians import joint_motions as joint_motions
    from footfall.dynamics.joint_wrenches import joint_wrenches as joint_wrenches
    from footfall.dynamics.joint_wrenches import loop_wrenches as loop_wrenches
    from footfall.dynamics.kinematics import Poses as Poses
    from footfall.dynamics.loop_forces import LoopForces as LoopForces
    from footfall.dynamics.loop_forces import LoopViolation as LoopViolation
    from footfall.dynamics.loop_forces import loop_forces as loop_forces
    from footfall.dynamics.loop_forces import loop_violation as loop_violation
    from footfall.dynamics.loop_margin import loop_margin as loop_margin
    from footfall.dynamics.mass_inverse import inverse_mass_matrix as inverse_mass_matrix
    from footfall.dynamics.mass_matrix import mass_matrix_pattern as mass_matrix_pattern
    from footfall.dynamics.modes import Vibration as Vibration
    from footfall.dynamics.modes import linear_vibration as linear_vibration
    from footfall.dynamics.modes import robot_modes as robot_modes

open_to_users(__name__)
