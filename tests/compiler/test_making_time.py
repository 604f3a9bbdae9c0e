"""CPU time with and without the making of native code."""

from __future__ import annotations

import threading
import time

import pytest

from footfall.compiler import build_kernel
from footfall.compiler.making_time import making_code, making_seconds, running_seconds


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_both_add_up_and_inner_makings_count_once() -> None:
    before = time.thread_time()
    making, running = making_seconds(), running_seconds()
    begin = time.thread_time()
    busy(0.01)
    with making_code():
        busy(0.02)
        with making_code():
            busy(0.02)
    end = time.thread_time()
    made, ran = making_seconds() - making, running_seconds() - running
    after = time.thread_time()
    assert made >= 0.04  # the inner 0.02 s are in it once: not 0.06, if nothing else took time
    assert ran >= 0.01
    rounding = 1e-12 * after
    assert end - begin - rounding <= made + ran <= after - before + rounding


def test_a_failure_counts_and_ends() -> None:
    @making_code()
    def fail() -> None:
        busy(0.01)
        raise ValueError("after some work")

    making = making_seconds()
    with pytest.raises(ValueError, match="after some work"):
        fail()
    made = making_seconds()
    assert made - making >= 0.01
    busy(0.01)
    assert making_seconds() == made


def test_kernels_count_and_other_threads_do_not() -> None:
    making = making_seconds()
    thread = threading.Thread(target=lambda: build_kernel(lambda x: 2.0 * x, {"x": 3})([1.0, 2.0, 3.0]))
    thread.start()
    thread.join()
    assert making_seconds() == making
    kernel = build_kernel(lambda x: 3.0 * x, {"x": 3})
    kernel([1.0, 2.0, 3.0])
    made = making_seconds()
    assert made > making
    kernel([1.0, 2.0, 3.0])
    assert making_seconds() == made
