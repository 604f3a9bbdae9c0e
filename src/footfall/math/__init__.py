"""Rotations, rigid transforms and spatial vectors, on floats and on symbols alike."""
