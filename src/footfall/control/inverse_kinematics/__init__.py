"""Inverse kinematics: tasks in, joint motion out."""
