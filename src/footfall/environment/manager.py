"""Keeps the newest environment while updates come in from other threads.

Readers take `current`: an immutable value, which stays as it is however long they plan on it. Writers either wait for
their update (`apply`) or leave it (`post`): what was left is merged, so a slow reader costs no memory, and published
by a thread of its own (Seiwald 2023, figure 4.1, thread 8).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from footfall.environment.model import Environment, EnvironmentUpdate, updated


class EnvironmentManager:
    """The newest environment; use it as a context manager where updates are posted.

    environment: what is believed at the start. changed: called with each new environment, by the thread that made it.
    """

    def __init__(
        self,
        environment: Environment | None = None,
        *,
        changed: Callable[[Environment], None] | None = None,
    ) -> None:
        self._current = environment or Environment()
        self._changed = changed
        self._writing = threading.Lock()
        self._news = threading.Condition()
        self._waiting: EnvironmentUpdate | None = None
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None
        self.problem: Exception | None = None  # what a posted update or `changed` raised last

    @property
    def current(self) -> Environment:
        """The newest environment; taking it never waits."""
        return self._current

    def apply(self, update: EnvironmentUpdate) -> Environment:
        """Publish an update and give the new environment."""
        return self.change(lambda _: update)

    def change(self, make: Callable[[Environment], EnvironmentUpdate]) -> Environment:
        """Publish what `make` wants done to the newest environment, with no other update in between."""
        with self._writing:
            environment = updated(self._current, make(self._current))
            self._current = environment
            if self._changed is not None:
                self._changed(environment)
        return environment

    def post(self, update: EnvironmentUpdate) -> None:
        """Leave an update to be published soon; does not wait for anything."""
        with self._news:
            if self._closed:
                return
            self._waiting = update if self._waiting is None else self._waiting.then(update)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="environment", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def settle(self, timeout: float = 10.0) -> bool:
        """Wait (s) until all that was posted is published; whether it is."""
        with self._news:
            return self._news.wait_for(lambda: self._waiting is None and not self._busy, timeout)

    def close(self) -> None:
        """Publish what was posted, and end the thread."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> EnvironmentManager:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting is not None or self._closed)
                update, self._waiting = self._waiting, None
                if update is None:
                    return
                self._busy = True
            try:
                self.apply(update)
            except Exception as problem:  # a bad update must not end the thread that takes the good ones
                self.problem = problem
            with self._news:
                self._busy = False
                self._news.notify_all()
