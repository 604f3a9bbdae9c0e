"""The entries of a one-lane kernel, among them functions that Python calls directly.

An ordinary binding spends 100 ns an array on checks. Here the check of an argument is five compares, emitted next to
the kernel: `call` takes arrays and gives new ones, `bound` works on arrays fixed beforehand. Whatever `call` does not
recognise at once goes to a function in Python, which converts, runs batches and explains what is wrong.
"""

from __future__ import annotations

import math

from footfall.compiler.emit import Core
from footfall.compiler.schedule import Schedule
from footfall.compiler.trace import Shape

CALL, BOUND, NATIVE = "footfall_call", "footfall_bound", "footfall_native"
STACK = 8192  # values; a larger workspace is allocated for each call
BYTES = 8  # of a value
LONG = 50_000  # operations; a kernel with more releases the interpreter's lock

# Functions of the interpreter that emitted code calls
PYTHON_FUNCTIONS = (
    "PyObject_Vectorcall",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyFloat_FromDouble",
    "PyLong_AsLongLong",
    "PyLong_FromLongLong",
    "PyErr_Occurred",
    "PyErr_NoMemory",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "Py_IncRef",
    "Py_DecRef",
    "PyObject_GetAttr",
)
# Fields of the context that `call` and `bound` find in their first argument, an array of 64-bit integers
CONTEXT = (
    "array_type",
    "float64",
    "float_type",
    "float64_type",
    "int_type",
    "fallback",
    "check_finite",
    "none",
    "true",
    "false",
    "PyArray_New",
    "PyArray_NewFromDescr",
    *PYTHON_FUNCTIONS,
)
# Byte offsets in NumPy's array object (its fields are part of NumPy's binary interface)
DATA, DIMENSION_COUNT, DIMENSIONS, DESCRIPTOR, FLAGS = 16, 24, 32, 56, 64
CONTIGUOUS_ALIGNED = 0x0001 | 0x0100
NPY_DOUBLE = 12


def single_functions(plan: Schedule, core: Core) -> str:
    """IR of `@footfall_call`, `@footfall_bound` and `@footfall_native`."""
    writer = _Interface(plan, core)
    parts = [
        writer.run(),
        writer.finite(),
        writer.call(),
        writer.bound(),
        writer.native(),
        "",
    ]
    return "\n".join([*writer.constants, *parts])


class _Interface:
    def __init__(self, plan: Schedule, core: Core) -> None:
        self.plan = plan
        self.core = core
        self.inputs = [shape for _, shape in plan.program.signature.inputs]
        self.outputs = [shape for _, shape in plan.program.signature.outputs]
        self.constants: list[str] = []
        self.arrays = [f"%in{k}" for k in range(len(self.inputs))]
        self.arrays += [f"%out{k}" for k in range(len(self.outputs))]
        self.parameters = ", ".join(f"ptr {name}" for name in self.arrays)

    def run(self) -> str:
        """`@run(arrays...)`: one evaluation, with its workspace; false if there is no memory for it."""
        size = self.plan.size
        if size <= STACK:
            allocation, release = [f"  %work = alloca [{max(size, 1)} x double], align 8"], []
        else:
            allocation = [
                f"  %work = call ptr @malloc(i64 {size * BYTES})",
                "  %none = icmp eq ptr %work, null",
                "  br i1 %none, label %without, label %with",
                "without:",
                "  ret i1 false",
                "with:",
            ]
            release = ["  call void @free(ptr %work)"]
        return "\n".join(
            [
                f"define internal fastcc i1 @run({self.parameters}) nounwind {{",
                *allocation,
                f"  call fastcc void @region0({self.core.arguments})",
                *release,
                "  ret i1 true",
                "}",
            ]
        )

    def finite(self) -> str:
        """`@finite(sum, array, n)`: the sum, or NaN if an element is not finite."""
        return "\n".join(
            [
                "define internal fastcc double @finite(double %sum, ptr %array, i64 %n) nounwind {",
                "entry:",
                "  %some = icmp sgt i64 %n, 0",
                "  %start = insertelement <4 x double> zeroinitializer, double %sum, i32 0",
                "  %whole = and i64 %n, -4",
                "  %wide = icmp sgt i64 %whole, 0",
                "  br i1 %wide, label %body, label %reduce",
                "body:",
                "  %j = phi i64 [0, %entry], [%jn, %body]",
                "  %acc = phi <4 x double> [%start, %entry], [%accn, %body]",
                "  %p = getelementptr double, ptr %array, i64 %j",
                "  %x = load <4 x double>, ptr %p, align 8",
                "  %z = fmul <4 x double> %x, zeroinitializer",
                "  %accn = fadd <4 x double> %acc, %z",
                "  %jn = add i64 %j, 4",
                "  %again = icmp slt i64 %jn, %whole",
                "  br i1 %again, label %body, label %reduce",
                "reduce:",
                "  %k = phi i64 [0, %entry], [%jn, %body]",
                "  %total = phi <4 x double> [%start, %entry], [%accn, %body]",
                "  %a0 = extractelement <4 x double> %total, i32 0",
                "  %a1 = extractelement <4 x double> %total, i32 1",
                "  %a2 = extractelement <4 x double> %total, i32 2",
                "  %a3 = extractelement <4 x double> %total, i32 3",
                "  %s1 = fadd double %a0, %a1",
                "  %s2 = fadd double %a2, %a3",
                "  %s3 = fadd double %s1, %s2",
                "  br label %test",
                "test:",
                "  %m = phi i64 [%k, %reduce], [%mn, %tail]",
                "  %s = phi double [%s3, %reduce], [%sn, %tail]",
                "  %rest = icmp slt i64 %m, %n",
                "  br i1 %rest, label %tail, label %end",
                "tail:",
                "  %tp = getelementptr double, ptr %array, i64 %m",
                "  %tx = load double, ptr %tp, align 8",
                "  %tz = fmul double %tx, 0.0",
                "  %sn = fadd double %s, %tz",
                "  %mn = add i64 %m, 1",
                "  br label %test",
                "end:",
                "  ret double %s",
                "}",
            ]
        )

    def context(self, *fields: str) -> list[str]:
        """Load fields of the context."""
        lines = []
        for name in fields:
            lines += [
                f"  %{name}_p = getelementptr i64, ptr %context, i64 {CONTEXT.index(name)}",
                f"  %{name} = load {'i64' if name == 'check_finite' else 'ptr'}, ptr %{name}_p, align 8",
            ]
        return lines

    def evaluate(self) -> list[str]:
        """Run the kernel; a long one lets other threads have the interpreter meanwhile."""
        run = f"  %enough_memory = call fastcc i1 @run({self.parameters})"
        check = ["  br i1 %enough_memory, label %computed, label %no_memory", "computed:"]
        if self.plan.work < LONG:
            return [run, *check]
        return [
            *self.context("PyEval_SaveThread", "PyEval_RestoreThread"),
            "  %state = call ptr %PyEval_SaveThread()",
            run,
            "  call void %PyEval_RestoreThread(ptr %state)",
            *check,
        ]

    def no_memory(self, made: list[str]) -> list[str]:
        """Where `evaluate` goes if there is no memory; made: objects to give back."""
        return [
            "no_memory:",
            *self.context("PyErr_NoMemory", *(["Py_DecRef"] if made else [])),
            *(f"  call void %Py_DecRef(ptr {name})" for name in made),
            "  %nothing = call ptr %PyErr_NoMemory()",
            "  ret ptr null",
        ]

    def call(self) -> str:
        """`PyObject* footfall_call(PyObject* context, PyObject** arguments, Py_ssize_t count)`."""
        count = len(self.inputs)
        lines = [
            f"define ptr @{CALL}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            f"  %context_p = getelementptr i8, ptr %self, i64 {DATA}",
            "  %context = load ptr, ptr %context_p, align 8",
            *self.context("array_type", "float64", "check_finite"),
            f"  %enough = icmp eq i64 %nargs, {count}",
            "  br i1 %enough, label %types, label %slow",
            "types:",
        ]
        lines += self._check_types() + self._check_shapes() + self._check_finite()
        lines += self._allocate()
        lines += self.evaluate()
        lines += self._give_back()
        lines += [
            "slow:",
            *self.context("fallback", "PyObject_Vectorcall"),
            "  %answer = call ptr %PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)",
            "  ret ptr %answer",
            "failed:",
            "  ret ptr null",
            *self.no_memory([f"%new{k}" for k, shape in enumerate(self.outputs) if shape]),
            "}",
        ]
        return "\n".join(lines)

    def _check_types(self) -> list[str]:
        lines, passed = [], "true"
        for k in range(len(self.inputs)):
            lines += [
                f"  %argp{k} = getelementptr ptr, ptr %args, i64 {k}",
                f"  %arg{k} = load ptr, ptr %argp{k}, align 8",
                f"  %typep{k} = getelementptr i8, ptr %arg{k}, i64 8",
                f"  %type{k} = load ptr, ptr %typep{k}, align 8",
                f"  %ok{k} = icmp eq ptr %type{k}, %array_type",
                f"  %types{k} = and i1 {passed}, %ok{k}",
            ]
            passed = f"%types{k}"
        lines += [f"  br i1 {passed}, label %counts, label %slow", "counts:"]
        passed = "true"
        for k, shape in enumerate(self.inputs):
            lines += [
                f"  %ndp{k} = getelementptr i8, ptr %arg{k}, i64 {DIMENSION_COUNT}",
                f"  %nd{k} = load i32, ptr %ndp{k}, align 4",
                f"  %ndok{k} = icmp eq i32 %nd{k}, {len(shape)}",
                f"  %nds{k} = and i1 {passed}, %ndok{k}",
            ]
            passed = f"%nds{k}"
        return [*lines, f"  br i1 {passed}, label %shapes, label %slow", "shapes:"]

    def _check_shapes(self) -> list[str]:
        lines, passed = [], "true"
        for k, shape in enumerate(self.inputs):
            lines += [
                f"  %descrp{k} = getelementptr i8, ptr %arg{k}, i64 {DESCRIPTOR}",
                f"  %descr{k} = load ptr, ptr %descrp{k}, align 8",
                f"  %descrok{k} = icmp eq ptr %descr{k}, %float64",
                f"  %flagp{k} = getelementptr i8, ptr %arg{k}, i64 {FLAGS}",
                f"  %flag{k} = load i32, ptr %flagp{k}, align 4",
                f"  %flagm{k} = and i32 %flag{k}, {CONTIGUOUS_ALIGNED}",
                f"  %flagok{k} = icmp eq i32 %flagm{k}, {CONTIGUOUS_ALIGNED}",
                f"  %both{k} = and i1 %descrok{k}, %flagok{k}",
                f"  %pass{k} = and i1 {passed}, %both{k}",
                f"  %dimsp{k} = getelementptr i8, ptr %arg{k}, i64 {DIMENSIONS}",
                f"  %dims{k} = load ptr, ptr %dimsp{k}, align 8",
                f"  %datap{k} = getelementptr i8, ptr %arg{k}, i64 {DATA}",
                f"  %in{k} = load ptr, ptr %datap{k}, align 8",
            ]
            passed = f"%pass{k}"
            for axis, length in enumerate(shape):
                tag = f"{k}_{axis}"
                lines += [
                    f"  %dimp{tag} = getelementptr i64, ptr %dims{k}, i64 {axis}",
                    f"  %dim{tag} = load i64, ptr %dimp{tag}, align 8",
                    f"  %dimok{tag} = icmp eq i64 %dim{tag}, {length}",
                    f"  %pass{tag} = and i1 {passed}, %dimok{tag}",
                ]
                passed = f"%pass{tag}"
        return [*lines, f"  br i1 {passed}, label %fits, label %slow", "fits:"]

    def _check_finite(self) -> list[str]:
        lines = [
            "  %wanted = icmp ne i64 %check_finite, 0",
            "  br i1 %wanted, label %finiteness, label %allocate",
            "finiteness:",
        ]
        total = "0.0"
        for k, shape in enumerate(self.inputs):
            size = math.prod(shape)
            lines.append(f"  %sum{k} = call fastcc double @finite(double {total}, ptr %in{k}, i64 {size})")
            total = f"%sum{k}"
        return [
            *lines,
            f"  %clean = fcmp ord double {total}, 0.0",
            "  br i1 %clean, label %allocate, label %slow",
            "allocate:",
        ]

    def _allocate(self) -> list[str]:
        """New output arrays; single numbers become Python floats."""
        lines = self.context("PyArray_New", "PyFloat_FromDouble", "PyTuple_New", "PyTuple_SetItem")
        for k, shape in enumerate(self.outputs):
            if not shape:
                lines.append(f"  %out{k} = alloca double, align 8")
                continue
            self.constants.append(_dimensions(k, shape))
            lines += [
                f"  %new{k} = call ptr %PyArray_New(ptr %array_type, i32 {len(shape)}, ptr @dims{k}, "
                f"i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)",
                f"  %null{k} = icmp eq ptr %new{k}, null",
                f"  br i1 %null{k}, label %failed, label %have{k}",
                f"have{k}:",
                f"  %newdata{k} = getelementptr i8, ptr %new{k}, i64 {DATA}",
                f"  %out{k} = load ptr, ptr %newdata{k}, align 8",
            ]
        return lines

    def _give_back(self) -> list[str]:
        lines = []
        for k, shape in enumerate(self.outputs):
            if not shape:
                lines += [
                    f"  %number{k} = load double, ptr %out{k}, align 8",
                    f"  %new{k} = call ptr %PyFloat_FromDouble(double %number{k})",
                ]
        if len(self.outputs) == 1:
            return [*lines, "  ret ptr %new0"]
        lines.append(f"  %tuple = call ptr %PyTuple_New(i64 {len(self.outputs)})")
        for k in range(len(self.outputs)):
            lines.append(f"  %set{k} = call i32 %PyTuple_SetItem(ptr %tuple, i64 {k}, ptr %new{k})")
        return [*lines, "  ret ptr %tuple"]

    def bound(self) -> str:
        """`PyObject* footfall_bound(PyObject* context, PyObject*)`; the arrays' addresses follow the context."""
        lines = [
            f"define ptr @{BOUND}(ptr %self, ptr %unused) nounwind {{",
            f"  %context_p = getelementptr i8, ptr %self, i64 {DATA}",
            "  %context = load ptr, ptr %context_p, align 8",
        ]
        for k, name in enumerate(self.arrays):
            lines += [
                f"  {name}_p = getelementptr i64, ptr %context, i64 {len(CONTEXT) + k}",
                f"  {name} = load ptr, ptr {name}_p, align 8",
            ]
        lines += [
            *self.evaluate(),
            *self.context("none", "Py_IncRef"),
            "  call void %Py_IncRef(ptr %none)",
            "  ret ptr %none",
            *self.no_memory([]),
            "}",
        ]
        return "\n".join(lines)

    def native(self) -> str:
        """`void footfall_native(const double* inputs, double* outputs, void*)`: arrays one after another.

        It cannot say that there is no memory; then its outputs are NaN (all bits one).
        """
        lines = [f"define void @{NATIVE}(ptr %inputs, ptr %outputs, ptr %data) nounwind {{"]
        for kind, shapes in (("in", self.inputs), ("out", self.outputs)):
            offset = 0
            for k, shape in enumerate(shapes):
                lines.append(f"  %{kind}{k} = getelementptr double, ptr %{kind}puts, i64 {offset}")
                offset += math.prod(shape)
        size = 8 * sum(math.prod(shape) for shape in self.outputs)
        lines += [
            f"  %enough_memory = call fastcc i1 @run({self.parameters})",
            "  br i1 %enough_memory, label %computed, label %no_memory",
            "no_memory:",
            f"  call void @llvm.memset.p0.i64(ptr %outputs, i8 -1, i64 {size}, i1 false)",
            "  br label %computed",
            "computed:",
            "  ret void",
            "}",
        ]
        return "\n".join(lines)


def _dimensions(number: int, shape: Shape) -> str:
    values = ", ".join(f"i64 {length}" for length in shape)
    return f"@dims{number} = internal constant [{len(shape)} x i64] [{values}]"
