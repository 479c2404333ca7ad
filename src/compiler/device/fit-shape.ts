/**
 * Fits circuits that differ in their angles alone to a device: placed once, for all of them, and written in native gates
 * for each, because a native gate may depend on its angles in any way.
 *
 * They are placed with angles in their gates that stand for any. Where a gate on three or more qubits has such an angle,
 * its decomposition depends on the value, and each circuit is placed by itself.
 */
import {
  type Circuit,
  type GateOperation,
  type Operation,
  withAngles,
} from '../../circuit/circuit.ts';
import { twoQubitForm } from '../native/two-qubit-form.ts';
import { CONSTANT, type ParametricGate } from '../parametric.ts';
import { withParameters } from '../shape.ts';
import type { Device } from './device.ts';
import { type FittedCircuit, fitCircuit, inNativeGates, placed } from './fit-circuit.ts';

/**
 * Fits the circuits of a shape to a device.
 *
 * @param rows - Angles of the circuits, row after row, in the order of the operations.
 * @param uniform - Makes the random source of a layout: the same numbers each time.
 */
export function* fitShape(
  shape: Circuit,
  rows: Float64Array,
  numCircuits: number,
  device: Device,
  uniform: () => () => number,
): Generator<FittedCircuit, void, undefined> {
  const numAngles = rows.length / numCircuits;
  const row = (k: number) => rows.subarray(k * numAngles, (k + 1) * numAngles);
  const first = withAngles(shape, row(0));
  const slots = openAngles(rows, numAngles, numCircuits);
  const pairs = slots.every((slot) => slot === CONSTANT) ? undefined : openForm(first, slots);
  const place = pairs && placed(pairs, device, uniform());
  for (let k = 0; k < numCircuits; k++) {
    yield place === undefined
      ? fitCircuit(withAngles(shape, row(k)), device, uniform())
      : inNativeGates({ ...place, circuit: atAngles(place.circuit, row(k)) }, device);
  }
}

/** The number of each angle that differs between the rows; CONSTANT for the others. */
function openAngles(rows: Float64Array, numAngles: number, numCircuits: number): Int32Array {
  const slots = new Int32Array(numAngles).fill(CONSTANT);
  for (let i = numAngles; i < numAngles * numCircuits; i++) {
    if (rows[i] !== rows[i % numAngles]) slots[i % numAngles] = i % numAngles;
  }
  return slots;
}

/** The circuit in gates on at most two qubits, with all open angles still in it; undefined if it has no such form. */
function openForm(circuit: Circuit, slots: Int32Array): Circuit | undefined {
  // The cast is safe: the operations of a static circuit stay what they are.
  const pairs = twoQubitForm(withParameters(circuit, slots) as Circuit);
  const kept = new Set(pairs.operations.flatMap((operation) => slotsOf(operation) ?? []));
  return slots.every((slot) => slot === CONSTANT || kept.has(slot)) ? pairs : undefined;
}

function atAngles(circuit: Circuit, angles: Float64Array): Circuit {
  const operations = circuit.operations.map((operation) => {
    const slots = slotsOf(operation);
    if (slots === undefined) return operation;
    const { slots: _, ...gate } = operation as ParametricGate;
    return {
      ...gate,
      angles: gate.angles.map((angle, i) => (slots[i] === CONSTANT ? angle : angles[slots[i]!]!)),
    } satisfies GateOperation;
  });
  return { ...circuit, operations };
}

function slotsOf(operation: Operation): readonly number[] | undefined {
  // The cast is safe: `withParameters` alone adds slots, to gates.
  return 'slots' in operation ? (operation as ParametricGate).slots : undefined;
}
