"""Policies as ONNX files: a network with the task that it was trained for, so that it runs wherever the robot does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, MissingFile, MissingPackage
from footfall.learning.policy_note import note_from_json, note_of, note_text
from footfall.learning.task import LearningTask
from footfall.whole_file import is_file, written_whole

Activation = Literal["elu", "relu", "tanh"]

_MOST_BYTES = 200_000_000  # bytes of a policy
_SMALLEST = 1e-12


class Policy:
    """A policy from an ONNX file, or a shipped one by its name: observations (n, size) to actions (n, joints). note: of
    `save_policy`, None of files of others."""

    def __init__(self, path: str | Path) -> None:
        shipped = shipped_policies().get(str(path))
        path = Path(path) if shipped is None else shipped
        if not is_file(path):
            raise MissingFile(
                f"policy {str(path)!r} is not there; examples/18_learning_to_walk.py writes one; shipped is: "
                f"{', '.join(shipped_policies())}"
            )
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(
                f"policy {str(path)!r} has {path.stat().st_size} bytes; at most {_MOST_BYTES} are read"
            )
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingPackage("policies need onnxruntime: pip install 'footfall[learning]'") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                path.read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise InvalidInput(f"policy {str(path)!r} is no ONNX model that can be run: {error}") from error
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(inputs[0].shape) != 2:
            raise InvalidInput(
                f"policy {str(path)!r} has inputs {[(each.name, each.shape) for each in inputs]}; it must have one, "
                "(rows, observations)"
            )
        self.inputs, self.outputs = inputs[0].shape[1], outputs[0].shape[-1]
        self._one_by_one = inputs[0].shape[0] == 1  # files of others are often made for one robot
        self._names = inputs[0].name, outputs[0].name
        text = self._session.get_modelmeta().custom_metadata_map.get("footfall")
        self.note = None if text is None else note_from_json(text, f"policy {str(path)!r}")

    def __call__(self, observations: Array) -> Array:
        """Actions (n, joints) for observations (n, size)."""
        given = np.ascontiguousarray(observations, dtype=np.float32)
        if given.ndim != 2 or (isinstance(self.inputs, int) and given.shape[1] != self.inputs):
            raise InvalidInput(
                f"observations have shape {given.shape}; the policy takes (rows, {self.inputs})"
            )
        name, result = self._names
        parts = np.split(given, len(given)) if self._one_by_one else [given]
        found = [self._session.run([result], {name: part})[0] for part in parts]
        return np.concatenate(found).astype(np.float64).reshape(len(given), -1)


def shipped_policies() -> dict[str, Path]:
    """Files of policies that we ship, by name."""
    folder = Path(__file__).parent / "library"
    return {path.stem: path for path in sorted(folder.glob("*.onnx"))}


def save_policy(
    path: str | Path,
    task: LearningTask,
    layers: Sequence[tuple[Array, Array]],
    *,
    mean: Array,
    variance: Array,
    activation: Activation = "elu",
) -> None:
    """Write a network as ONNX, with what it was trained for.

    layers: weights (outputs, inputs) and biases of each; the activation is between them. mean, variance: of the
    observations, by which they are scaled first, cut at 10 deviations.
    """
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise MissingPackage("to save policies needs onnx: pip install 'footfall[learning]'") from error
    operators = {"elu": "Elu", "relu": "Relu", "tanh": "Tanh"}
    if activation not in operators:
        raise InvalidInput(f"activation is {activation!r}; there are: {', '.join(operators)}")
    note = note_of(task)
    size, width = sum(note.parts.values()), len(note.joints)
    shapes = [np.shape(weight) for weight, _ in layers]
    if not shapes or shapes[0][1] != size or shapes[-1][0] != width:
        raise InvalidInput(
            f"layers have weights of shapes {shapes}; they must lead from {size} to {width} numbers"
        )
    weights = {
        "mean": np.asarray(mean), "deviation": np.sqrt(np.maximum(variance, _SMALLEST)),
        "least": np.array(-10.0), "most": np.array(10.0),
    }  # fmt: skip
    nodes = [
        helper.make_node("Sub", ["observation", "mean"], ["centred"]),
        helper.make_node("Div", ["centred", "deviation"], ["scaled"]),
        helper.make_node("Clip", ["scaled", "least", "most"], ["value0"]),
    ]
    for k, (weight, bias) in enumerate(layers):
        weights |= {f"weight{k}": np.asarray(weight), f"bias{k}": np.asarray(bias)}
        last = k == len(layers) - 1
        result = "action" if last else f"linear{k}"
        nodes.append(helper.make_node("Gemm", [f"value{k}", f"weight{k}", f"bias{k}"], [result], transB=1))
        if not last:
            nodes.append(helper.make_node(operators[activation], [result], [f"value{k + 1}"]))
    for name, value in weights.items():
        if not np.isfinite(value).all():
            raise InvalidInput(
                f"{name} of the policy has entries that are not finite; it would not be written"
            )
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, ["rows", size])],
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, ["rows", width])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    helper.set_model_props(model, {"footfall": note_text(note)})
    onnx.checker.check_model(model)
    with written_whole(Path(path)) as file:
        file.write(model.SerializeToString())
