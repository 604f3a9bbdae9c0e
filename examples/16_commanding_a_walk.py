"""Tell a robot what to do while it walks, change the world around it, and replay all of it."""

from __future__ import annotations

from footfall.walking import WalkSession

session = WalkSession(scene="flat", noise=True, seed=1)
session.drive(0.4)  # m/s
session.run(3.0)  # s
session.walk_to(3.0, 0.3)  # m
session.run(1.0)
session.happen("add", name="box", size=(0.3, 0.8, 0.5), position=(2.2, 0.2, 0.25))
print("arrived" if session.run_to_rest() else "fallen", f"after {session.time:.1f} s")

for plan in session.pilot.versions:
    print(f"plan {plan.number}, asked for at {plan.asked:.2f} s: {plan.about}")

# What was said is all that is needed to walk like this again, bit for bit.
again = WalkSession(session.request)
again.run_until(session.time)
print("the same bits:", again.walker.log.q.tobytes() == session.walker.log.q.tobytes())
