"""Bodies of requests, as both clients send them."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from .arrays import pack, state_field
from .errors import QcsError

DEFAULT_PROCESSOR = "statevector-sim"
#: Processors that are no devices, and methods that begin in any amplitudes there.
SIMULATORS = frozenset({"statevector-sim", "gpu-fleet", "qvm"})
STATE_METHODS = (None, "automatic", "statevector", "density_matrix")



class StimCircuit(Protocol):
    """A ``stim.Circuit``."""

    @property
    def num_detectors(self) -> int: ...

    @property
    def num_observables(self) -> int: ...

    @property
    def num_measurements(self) -> int: ...


@dataclass(frozen=True)
class StimText:
    """Text in Stim's format, for gates that ``stim.Circuit`` does not read, such as T."""

    text: str


@dataclass(frozen=True)
class Qir:
    """A program in QIR: text of LLVM IR, or bitcode, such as ``module.bitcode`` of PyQIR."""

    program: str | bytes


Circuit: TypeAlias = Sequence[Mapping[str, Any]] | str | StimCircuit | StimText | Qir
"""Gate objects, OpenQASM text, a ``stim.Circuit``, text in Stim's format, or a program in QIR."""


class Program:
    """A circuit of a batch with values of its inputs.

    A structure that is sent many times is written as JSON once: pass ``source_json`` and ``observables_json`` from an
    earlier program instead of the objects (``program.source_json``).

    Args:
        circuit: gate objects or OpenQASM text.
        inputs: values by name: numbers, or arrays of one length, which make a sweep.
        observables: Pauli terms, or lists of terms that are summed.
        fields: further fields of a program: ``shots``, ``seed``, ``qubits``, ``name``, and ``return_`` for ``return``.
            ``initial_state`` may be a label, a vector of amplitudes or a density matrix.
    """

    def __init__(
        self,
        circuit: Circuit | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        observables: Sequence[Any] | None = None,
        source_json: str | None = None,
        observables_json: str | None = None,
        **fields: Any,
    ) -> None:
        if circuit is not None:
            source_json = _inner(source(circuit))
        if source_json is None:
            raise ValueError("A program needs a circuit.")
        self.source_json = source_json
        self.observables_json = json.dumps(observables) if observables is not None else observables_json
        self._inputs = inputs or {}
        self._fields = _named(fields)

    def to_json(self) -> str:
        """The program as it stands in the request."""
        parts = [self.source_json]
        if self._inputs:
            parts.append(f'"inputs":{json.dumps(_input_values(self._inputs), allow_nan=False)}')
        if self.observables_json is not None:
            parts.append(f'"observables":{self.observables_json}')
        if self._fields:
            parts.append(_inner(self._fields))
        return "{" + ",".join(parts) + "}"


def source(circuit: Circuit) -> dict[str, Any]:
    """Field of a request that holds a circuit: ``qasm`` for text, ``stim`` for a ``stim.Circuit`` or ``StimText``, ``qir``
    for a ``Qir``, ``circuit`` for gate objects."""
    if isinstance(circuit, str):
        return {"qasm": circuit}
    if isinstance(circuit, StimText):
        return {"stim": circuit.text}
    if isinstance(circuit, Qir):
        program = circuit.program
        return {"qir": program if isinstance(program, str) else base64.b64encode(program).decode()}
    if type(circuit).__module__.split(".")[0] == "stim":
        return {"stim": str(circuit)}
    return {"circuit": list(cast("Sequence[Mapping[str, Any]]", circuit))}


def circuit_body(circuit: Circuit, shots: int, processor: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**source(circuit), "target_processor": processor, "shots": shots, **_named(fields)}


def compile_body(circuit: Circuit, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**source(circuit), **_named(fields)}


def batch_body(
    programs: Sequence[Mapping[str, Any] | Program], processor: str, fields: Mapping[str, Any]
) -> bytes:
    listed = ",".join(
        program.to_json() if isinstance(program, Program) else _object_json(program) for program in programs
    )
    body = {"target_processor": processor, "array_format": "base64", **_named(fields)}
    return f'{{{_inner(body)},"programs":[{listed}]}}'.encode()


def _object_json(program: Mapping[str, Any]) -> str:
    changed = dict(program)
    if "inputs" in program:
        changed["inputs"] = _input_values(program["inputs"])
    if "initial_state" in program:
        changed["initial_state"] = state_field(program["initial_state"])
    return json.dumps(changed, allow_nan=False)


def _input_values(inputs: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in inputs.items():
        # JSON has no such numbers. Those in arrays are refused by the service.
        if isinstance(value, float) and not math.isfinite(value):
            raise QcsError(f"The input {name} is {value}; it must be finite.")
    return {name: _input_value(value) for name, value in inputs.items()}


def _input_value(value: Any) -> Any:
    """Arrays of numbers go as base64; what is not an array of numbers goes as it is."""
    if isinstance(value, (bool, int, float, str)):
        return value
    array = np.asarray(value)
    if array.ndim == 0:
        return array.item()
    return array.tolist() if array.dtype.kind == "b" else pack(array)


def _inner(fields: Mapping[str, Any]) -> str:
    """Members of an object as JSON, without the braces."""
    return json.dumps(fields, allow_nan=False, separators=(",", ":"))[1:-1]


def _named(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a request. ``return`` is a word of Python and comes as ``return_``, a noise model may be its name, also
    that of a device, and None stands for absent."""
    named = {name.rstrip("_"): value for name, value in fields.items() if value is not None}
    if isinstance(named.get("device"), Mapping):
        named["device"] = _with_model(named["device"])
    if "initial_state" in named:
        named["initial_state"] = state_field(named["initial_state"])
    return _with_model(named)


def _with_model(fields: Mapping[str, Any]) -> dict[str, Any]:
    noise = fields.get("noise")
    return {**fields, "noise": {"model": noise}} if isinstance(noise, str) else dict(fields)
