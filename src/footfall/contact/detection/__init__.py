"""What touches what: shapes of bodies and of the scene, which of them are near each other, and where they touch."""
