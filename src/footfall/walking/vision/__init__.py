"""Sight of a walking robot: where it is in its map, and perception that other processes or files bring."""
