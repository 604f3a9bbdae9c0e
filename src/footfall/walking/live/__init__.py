"""Walks in real time: the control loop, the planner beside it, and who commands it from outside."""
