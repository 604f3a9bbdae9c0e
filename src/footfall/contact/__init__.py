"""Contact: detection, complementarity problems and their solvers, penalty laws."""
