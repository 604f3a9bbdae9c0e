"""The physical truth around the robots: objects, terrain, friction; scene files."""
