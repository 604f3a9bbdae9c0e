"""Scenarios: whole simulations with their parameters, references, measures and plots."""
