"""What touches what, contact problems, their solvers, and a validator that knows none of them.

problem = build_contact_problem(robot, q, v, tau, contacts, dt=1e-3)
check_solution(problem, solve_hybrid(problem).impulses)
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.contact.assembly import RobotContactProblem as RobotContactProblem
    from footfall.contact.assembly import build_contact_problem as build_contact_problem
    from footfall.contact.candidates import Candidate as Candidate
    from footfall.contact.candidates import Surface as Surface
    from footfall.contact.candidates import detect_contacts as detect_contacts
    from footfall.contact.candidates import point_candidates as point_candidates
    from footfall.contact.candidates import scene_candidates as scene_candidates
    from footfall.contact.candidates import surface_of as surface_of
    from footfall.contact.classic.broad_phase import BroadPhase as BroadPhase
    from footfall.contact.classic.broad_phase import bounding_box as bounding_box
    from footfall.contact.classic.broad_phase import broad_phase as broad_phase
    from footfall.contact.classic.broad_phase import swept_bounds as swept_bounds
    from footfall.contact.classic.complementarity import solve_interior_point as solve_interior_point
    from footfall.contact.classic.complementarity import solve_lemke as solve_lemke
    from footfall.contact.classic.complementarity import solve_newton as solve_newton
    from footfall.contact.classic.gauss_seidel import solve_gauss_seidel as solve_gauss_seidel
    from footfall.contact.classic.hybrid import solve_hybrid as solve_hybrid
    from footfall.contact.classic.impacts import solve_impact_sequence as solve_impact_sequence
    from footfall.contact.classic.polyhedron import Polyhedron as Polyhedron
    from footfall.contact.classic.polyhedron import polyhedron as polyhedron
    from footfall.contact.classic.pyramid import solve_gauss_seidel_pyramid as solve_gauss_seidel_pyramid
    from footfall.contact.classic.v_clip import Manifold as Manifold
    from footfall.contact.classic.v_clip import PolyhedronDistance as PolyhedronDistance
    from footfall.contact.classic.v_clip import contact_manifold as contact_manifold
    from footfall.contact.classic.v_clip import polyhedron_distance as polyhedron_distance
    from footfall.contact.contact_layer import ContactLayer as ContactLayer
    from footfall.contact.contact_layer import Elastic as Elastic
    from footfall.contact.contact_layer import sole_layers as sole_layers
    from footfall.contact.contact_layer import sole_stiffness as sole_stiffness
    from footfall.contact.contacts import Contacts as Contacts
    from footfall.contact.convex import Convex as Convex
    from footfall.contact.convex import ConvexDistance as ConvexDistance
    from footfall.contact.convex import convex_distance as convex_distance
    from footfall.contact.convex import convex_of as convex_of
    from footfall.contact.detection.world import ContactWorld as ContactWorld
    from footfall.contact.detection.world import bodies_at as bodies_at
    from footfall.contact.detection.world import build_contact_world as build_contact_world
    from footfall.contact.detection.world import contacts_of as contacts_of
    from footfall.contact.options import ContactOptions as ContactOptions
    from footfall.contact.options import JointRows as JointRows
    from footfall.contact.penalty import PenaltyLaw as PenaltyLaw
    from footfall.contact.penalty import penalty_stability as penalty_stability
    from footfall.contact.problem import ContactProblem as ContactProblem
    from footfall.contact.problem import ContactSolution as ContactSolution
    from footfall.contact.problem import load_problems as load_problems
    from footfall.contact.problem import save_problems as save_problems
    from footfall.contact.validation import Residuals as Residuals
    from footfall.contact.validation import check_solution as check_solution

open_to_users(__name__)
