/**
 * Compiles a circuit for Pauli propagation: each gate and channel as a linear map on the Pauli strings of its qubits, the
 * last one first.
 *
 * @see Rudolph, Jones, Teng, Angrisani & Holmes, "Pauli propagation: a computational framework for simulating quantum
 *   systems", 2025.
 */
import type { DynamicCircuit, DynamicOperation, Qubit } from '../../circuit/circuit.ts';
import { krausMatrices } from '../../circuit/noise/channel.ts';
import { flip, resetTo } from '../../circuit/noise/named-channels.ts';
import { matrixOfOperations } from '../../circuit/operation-matrix.ts';
import { adjoint, type ComplexMatrix, dimension, multiply } from '../../math/complex-matrix.ts';
import { lastReadings } from '../noise/last-readings.ts';
import type { GateLike } from '../passes/gate-like.ts';
import type { PauliLimits, PauliMap, PauliProgram } from '../program.ts';

/** Most qubits of a gate or channel: a map on them has 4^4 rows. */
export const MAX_MAP_QUBITS = 4;

/** Limits where a request has none. */
export const DEFAULT_PAULI_LIMITS: PauliLimits = {
  isApproximate: false,
  maxTerms: 2 ** 20,
  minCoefficient: 0,
  maxWeight: Number.POSITIVE_INFINITY,
};

/** Compiles a circuit, or says which of its operations has no map. */
export function compilePaulis(
  circuit: DynamicCircuit,
  limits: Partial<PauliLimits> = {},
): PauliProgram | { readonly problem: string } {
  const maps: PauliMap[] = [];
  const known = new Map<unknown, PauliMap['strings']>();
  const mapOf = (key: unknown, make: () => readonly ComplexMatrix[]) => {
    const strings = known.get(key) ?? stringMap(make());
    known.set(key, strings);
    return strings;
  };
  // Values are those before the measurements that come last.
  for (const operation of lastReadings(circuit.operations).operations.toReversed()) {
    if (operation.kind === 'barrier' || operation.kind === 'misread') continue;
    if (operation.condition !== undefined) return { problem: NO_MAP };
    if (operation.kind === 'measure' || operation.kind === 'reset') {
      const channel = COLLAPSES[operation.kind];
      const strings = mapOf(channel, () => krausMatrices(channel));
      for (const qubit of operation.qubits) maps.push({ qubits: [qubit], strings });
      continue;
    }
    const qubits = qubitsOfMap(operation);
    if (qubits === undefined) return { problem: NO_MAP };
    if (qubits.length > MAX_MAP_QUBITS) {
      return { problem: `gates and channels on more than ${MAX_MAP_QUBITS} qubits` };
    }
    if (qubits.length === 0) continue;
    const strings =
      operation.kind === 'noise'
        ? mapOf(operation.channel, () => krausMatrices(operation.channel))
        : mapOf(keyOf(operation as GateLike), () => [wholeMatrix(operation as GateLike)]);
    maps.push({ qubits, strings });
  }
  return {
    numQubits: circuit.numQubits,
    numBits: circuit.numBits,
    maps,
    ...DEFAULT_PAULI_LIMITS,
    ...limits,
  };
}

const NO_MAP = 'conditions, classical computation and initial states given by numbers';

/** What happens to the mean state: a measurement takes the phases of its qubit. */
const COLLAPSES = { measure: flip('Z', 0.5)!, reset: resetTo(0, 1)! } as const;

/** Qubits of the map of an operation; undefined if it has none. */
function qubitsOfMap(operation: DynamicOperation): readonly Qubit[] | undefined {
  if (operation.kind === 'noise') return operation.qubits;
  if (operation.kind !== 'gate' && operation.kind !== 'unitary') return undefined;
  return [...operation.controls, ...operation.targets];
}

/** The same for operations with the same map. Unitaries may share a matrix, and not their controls. */
const keyOf = (operation: GateLike) =>
  operation.kind === 'gate'
    ? `${operation.gate} ${operation.controls.length} ${operation.angles.join()}`
    : operation.controls.length === 0
      ? operation.matrix
      : operation;

function wholeMatrix(operation: GateLike): ComplexMatrix {
  const { length } = operation.controls;
  const controls = operation.controls.map((_, i) => i);
  const targets = operation.targets.map((_, i) => length + i);
  return matrixOfOperations([{ ...operation, controls, targets }], length + targets.length);
}

/** Parts of a map that are rounding errors. */
const ROUNDING = 1e-15;

/**
 * The map P → Σ K†·P·K on strings of k qubits. Bits 2j and 2j + 1 of the number of a string say whether it has X and Z on
 * qubit j; with both it has Y.
 */
function stringMap(kraus: readonly ComplexMatrix[]): PauliMap['strings'] {
  const d = dimension(kraus[0]!);
  const numStrings = d * d;
  const starts = new Int32Array(numStrings + 1);
  const images: number[] = [];
  const factors: number[] = [];
  const matrices = Array.from({ length: numStrings }, (_, p) => matrixOfString(p, d));
  for (let p = 0; p < numStrings; p++) {
    const image = new Float64Array(2 * d * d);
    for (const k of kraus) {
      const part = multiply(adjoint(k), multiply(matrices[p]!, k));
      for (const [i, entry] of part.entries()) image[i]! += entry;
    }
    for (let q = 0; q < numStrings; q++) {
      const factor = overlap(matrices[q]!, image, d);
      if (Math.abs(factor) <= ROUNDING) continue;
      images.push(q);
      factors.push(factor);
    }
    starts[p + 1] = images.length;
  }
  return { starts, images: Int32Array.from(images), factors: Float64Array.from(factors) };
}

function matrixOfString(p: number, d: number): ComplexMatrix {
  const matrix = new Float64Array(2 * d * d);
  for (let column = 0; column < d; column++) {
    let [row, turns] = [column, 0];
    for (let j = 0; 2 ** j < d; j++) {
      const [hasX, hasZ] = [(p >>> (2 * j)) & 1, (p >>> (2 * j + 1)) & 1];
      row ^= hasX << j;
      // Y = i·X·Z.
      turns += hasX * hasZ + 2 * hasZ * ((column >>> j) & 1);
    }
    const at = 2 * (row * d + column);
    matrix[at] = [1, 0, -1, 0][turns & 3]!;
    matrix[at + 1] = [0, 1, 0, -1][turns & 3]!;
  }
  return matrix;
}

/** tr(P·A)/d of a Hermitian P and A: a real number. */
function overlap(pauli: ComplexMatrix, a: ComplexMatrix, d: number): number {
  let sum = 0;
  for (let i = 0; i < pauli.length; i++) sum += pauli[i]! * a[i]!;
  return sum / d;
}
