/** Gates on three or more qubits as gates on one and two, with their exact phase. */
import {
  type GateOperation,
  type Operation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { matrixOfOperations, targetMatrix } from '../../circuit/operation-matrix.ts';
import { twoQubitForm } from '../native/two-qubit-form.ts';

type GateLike = GateOperation | UnitaryOperation;

/** Most qubits of a decomposition whose phase is computed: a state on them has 2^12 amplitudes. */
const MAX_PHASE_QUBITS = 12;

/**
 * Decomposes a gate on three or more qubits. The phase is exact on up to 12 qubits, those included that a gate with many
 * controls borrows.
 */
export function pairDecomposition(operation: GateLike, numQubits: number): readonly Operation[] {
  const { operations } = twoQubitForm({ numQubits, numBits: 0, operations: [operation] });
  const parts = operations.filter(isGateLike);
  if (operation.condition !== undefined) return parts;
  const phase = phaseBetween(operation, parts);
  return phase === undefined ? parts : [...parts, phaseOn(operationQubits(operation)[0]!, phase)];
}

/** A global phase, as a gate on a qubit. */
export function phaseOn(qubit: Qubit, [re, im]: readonly [number, number]): UnitaryOperation {
  const matrix = Float64Array.of(re, im, 0, 0, 0, 0, re, im);
  return { kind: 'unitary', controls: [], targets: [qubit], matrix };
}

function isGateLike(operation: Operation): operation is GateLike {
  return operation.kind === 'gate' || operation.kind === 'unitary';
}

/** The phase that the parts lack; undefined if it is 1, or unknown. */
function phaseBetween(
  whole: GateLike,
  parts: readonly GateLike[],
): readonly [number, number] | undefined {
  const qubits = [...new Set([whole, ...parts].flatMap(operationQubits))];
  if (qubits.length > MAX_PHASE_QUBITS) return undefined;
  const place = new Map(qubits.map((qubit, i) => [qubit, i]));
  const amplitudes = new Float64Array(2 * 2 ** qubits.length);
  amplitudes[0] = 1;
  for (const part of parts) applyTo(amplitudes, part, place);
  // The image of |0…0⟩: itself under controls, else the first column of the matrix.
  const matrix = whole.controls.length > 0 ? [1, 0] : targetMatrix(whole);
  const size = whole.controls.length > 0 ? 1 : 2 ** whole.targets.length;
  let [row, largest] = [0, 0];
  for (let i = 0; i < size; i++) {
    const mass = matrix[2 * i * size]! ** 2 + matrix[2 * i * size + 1]! ** 2;
    if (mass > largest) [row, largest] = [i, mass];
  }
  let at = 0;
  for (const [t, target] of whole.targets.entries()) {
    if (((row >> t) & 1) === 1) at += 2 * 2 ** place.get(target)!;
  }
  const [ar, ai] = [amplitudes[at]!, amplitudes[at + 1]!];
  const [br, bi] = [matrix[2 * row * size]!, matrix[2 * row * size + 1]!];
  const [re, im] = [br * ar + bi * ai, bi * ar - br * ai];
  const length = Math.hypot(re, im);
  if (Math.abs(re - length) < 1e-15 && Math.abs(im) < 1e-15) return undefined;
  return [re / length, im / length];
}

/** Applies a gate on one or two qubits to amplitudes; `place` says which bit of their index a qubit is. */
function applyTo(
  amplitudes: Float64Array,
  part: GateLike,
  place: ReadonlyMap<Qubit, number>,
): void {
  const qubits = operationQubits(part);
  const numbers = new Map(qubits.map((qubit, i) => [qubit, i]));
  const onOwn = (qubit: Qubit) => numbers.get(qubit)!;
  const matrix = matrixOfOperations(
    [{ ...part, controls: part.controls.map(onOwn), targets: part.targets.map(onOwn) }],
    qubits.length,
  );
  const size = 2 ** qubits.length;
  const offsets = Array.from({ length: size }, (_, i) =>
    qubits.reduce((sum, qubit, t) => sum + ((i >> t) & 1) * 2 ** place.get(qubit)!, 0),
  );
  const mask = offsets[size - 1]!;
  const column = new Float64Array(2 * size);
  for (let base = 0; base < amplitudes.length / 2; base++) {
    if ((base & mask) !== 0) continue;
    for (const [i, offset] of offsets.entries()) {
      column[2 * i] = amplitudes[2 * (base + offset)]!;
      column[2 * i + 1] = amplitudes[2 * (base + offset) + 1]!;
    }
    for (const [row, offset] of offsets.entries()) {
      let [re, im] = [0, 0];
      for (let i = 0; i < size; i++) {
        const m = 2 * (row * size + i);
        re += matrix[m]! * column[2 * i]! - matrix[m + 1]! * column[2 * i + 1]!;
        im += matrix[m]! * column[2 * i + 1]! + matrix[m + 1]! * column[2 * i]!;
      }
      amplitudes[2 * (base + offset)] = re;
      amplitudes[2 * (base + offset) + 1] = im;
    }
  }
}
