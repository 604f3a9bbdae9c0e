"""Shapes beyond single primitives, and questions about them: height maps, triangle meshes, distance grids."""
