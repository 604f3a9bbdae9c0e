"""Reduced models side by side, from one mass to all bodies: a chapter to read from `problem` to `generators`.

Every model answers the same question (`problem`): feet step here, at these times; where does the centre of mass go, so
that the zero-moment point stays below the soles? Seiwald 2023, section 2.4, has the history of these answers.

| file | model | source |
|---|---|---|
| `pendulum` | linear inverted pendulum, closed form | Kajita 1991 |
| `preview` | the same by preview control | Kajita 2003 |
| `divergent` | the same by its divergent component; capture point and capturability | Takenaka 2009, Koolen 2012 |
| `predictive` | the same by a quadratic program a step; with a flywheel | Wieber 2006, Pratt 2006 |
| `biped` | two pendulums, one a leg | Stephens 2010 |
| `masses` | three masses by cubic collocation, five by quintics | Buschmann 2007, Seiwald 2023 |
| `centroidal` | centre of mass and angular momentum, with a check of the legs | Carpentier 2016 |
| `double_pendulum` | leg and trunk: stands, by ankle and hip | Stephens 2007 |
| `spring_leg` | a mass on a spring: runs in the plane | Blickhan 1989 |
"""
