"""A walk in real time: the planner in a process of its own, signals on the way, and what the periods took.

Other processes may command it too while it runs: `footfall signal drive --forward 0.3`, `footfall signal stop`.
"""

from footfall.walking import LiveSession, PlannerProcess, WalkRequest, run_live


def main() -> None:
    request = WalkRequest(scene="flat", live=True)
    planner = PlannerProcess(request)
    session = LiveSession(request, planner=planner)
    planner.wait()
    said: list[str] = []

    def tell(now: float) -> None:
        if not said and now > 1.0:
            said.append("drive")
            session.drive(0.3)
        elif len(said) == 1 and now > 3.5:
            said.append("stop")
            session.stop()

    met = run_live(session, seconds=6.0, progress=tell)
    print(f"walked {session.walker.arrays[0].q[0]:.2f} m in {session.time:.1f} s, fallen: {session.fallen}")
    for name, found in met.levels.items():
        print(f"{name}: {found.mean:.1f} us in the mean, largest {found.largest:.1f} us")
    print(f"{met.missed} of {met.periods} periods ended late")
    session.close()


if __name__ == "__main__":  # processes are started
    main()
