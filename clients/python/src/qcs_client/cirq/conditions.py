"""Classical conditions of Cirq as expressions of measured bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cirq

from ..openqasm import NEVER, negated, reads, where
from .errors import QcsCirqError
from .records import Records


def condition_text(condition: Any, records: Mapping[str, Records]) -> str:
    """Expression of the bits of the last measurements; a key is a number whose most significant bit is its first qubit."""
    if isinstance(condition, (cirq.KeyCondition, cirq.BitMaskKeyCondition)):
        return _comparison(condition, records)
    if not isinstance(condition, cirq.SympyCondition):
        raise QcsCirqError(
            f"The condition {condition!r} is not supported; those on keys, bit masks and sympy expressions are."
        )
    bits: list[str] = []
    flips: list[bool] = []
    keys = sorted(set(condition.keys))
    for key in keys:
        of_key, inverted = _bits(condition, key, -1, records)
        bits += of_key
        flips += inverted

    def holds(values: tuple[int, ...]) -> bool:
        store = cirq.ClassicalDataDictionaryStore()
        reported = [value ^ flip for value, flip in zip(values, flips, strict=True)]
        for key in keys:
            width = records[str(key)].width
            store.record_measurement(key, reported[:width], cirq.LineQubit.range(width))
            del reported[:width]
        try:
            return bool(condition.resolve(store))
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            raise QcsCirqError(
                f"The condition {condition} has no value where {store.records}: {error}"
            ) from error

    return where(bits, holds)


def _comparison(condition: Any, records: Mapping[str, Records]) -> str:
    """A key, or some of its bits, compared with a number. Without more, a key is compared with 0."""
    bits, flips = _bits(condition, condition.key, condition.index, records)
    mask = getattr(condition, "bitmask", None)
    target: int = getattr(condition, "target_value", 0)
    allowed = (1 << len(bits)) - 1
    if mask is not None:
        allowed &= mask
    test = NEVER
    if target & ~allowed == 0:
        places = [place for place in range(len(bits)) if allowed >> place & 1]
        names, inverted = bits[::-1], flips[::-1]
        test = reads([names[k] for k in places], [(target >> k & 1) ^ inverted[k] for k in places])
    return test if getattr(condition, "equal_target", False) else negated(test)


def _bits(
    condition: Any, key: Any, index: int, records: Mapping[str, Records]
) -> tuple[list[str], list[bool]]:
    """Bits of a measurement, and for each whether Cirq reports the opposite."""
    found = records.get(str(key))
    if found is None:
        raise QcsCirqError(f"The condition {condition} comes before the measurement of its key {key}.")
    try:
        return found.bits(index), list(found.inverted(index))
    except IndexError:
        raise QcsCirqError(
            f"The condition {condition} needs the measurement {index} of the key {key}, which has not been made."
        ) from None
