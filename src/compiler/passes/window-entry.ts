/** Operations with facts that the search for windows uses often. */
import type { Operation, Qubit } from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import { type ComplexMatrix, monomialRows } from '../../math/complex-matrix.ts';
import { isParametric } from '../parametric.ts';
import { type Axes, factsNamed, Z_AXIS } from './gate-facts.ts';
import { axesOf, type GateLike, matrixOf, targetAxes } from './gate-like.ts';
import { MAX_WINDOW_QUBITS, type WindowGate } from './window-product.ts';

/** A gate without a condition. */
export class GateEntry implements WindowGate {
  readonly operation: GateLike;
  /** Controls first. */
  readonly qubits: readonly Qubit[];
  /** Axes that it commutes with on each of its qubits. */
  readonly axes: readonly Axes[];
  /** Whether it makes superpositions of basis states. */
  readonly isDense: boolean;
  readonly cost: number;
  /** Whether the matrix depends on parameters. */
  readonly isParametric: boolean;
  #matrix: ComplexMatrix | undefined;

  constructor(operation: GateLike) {
    const { isDense, cost } = traitsOf(operation);
    this.operation = operation;
    this.qubits = operationQubits(operation);
    this.axes = axesOf(operation);
    this.isDense = isDense;
    this.cost = cost;
    this.isParametric = isParametric(operation);
  }

  /** Computed on demand, because most matrices are never needed. */
  get matrix(): ComplexMatrix {
    this.#matrix ??= matrixOf(this.operation);
    return this.#matrix;
  }
}

/** Any other operation: no gate of a window moves past it. */
export interface FenceEntry {
  readonly operation: Operation;
  readonly qubits: readonly Qubit[];
  readonly axes?: never;
}

/** An operation of the circuit. */
export type Entry = GateEntry | FenceEntry;

/** Makes the entry of an operation. */
export function entryOf(operation: Operation): Entry {
  const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
  if (isGate && operation.condition === undefined) return new GateEntry(operation);
  return { operation, qubits: operationQubits(operation) };
}

/** One bit per qubit of an operation, modulo 32: no common bit means no common qubit. */
export function bitsOf(operation: Operation): number {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return bitsOfQubits(operation.targets) | bitsOfQubits(operation.controls);
    case 'measure':
    case 'reset':
    case 'barrier':
      return bitsOfQubits(operation.qubits);
  }
}

function bitsOfQubits(qubits: readonly Qubit[]): number {
  let bits = 0;
  for (let i = 0; i < qubits.length; i++) bits |= 1 << (qubits[i]! & 31);
  return bits;
}

/** Whether a window may start with an entry. */
export function isOpener(entry: Entry): entry is GateEntry {
  if (entry.axes === undefined || !entry.isDense || entry.isParametric) return false;
  return entry.operation.targets.length === 1 && entry.qubits.length <= MAX_WINDOW_QUBITS;
}

interface Traits {
  readonly isDense: boolean;
  readonly cost: number;
}

const traitsByName = new Map<string, Traits>();
const traitsByMatrix = new WeakMap<ComplexMatrix, Traits>();

/** Traits of a gate with any angles: RX(π) counts as dense, like RX(1). */
function traitsOf(operation: GateLike): Traits {
  const known =
    operation.kind === 'gate'
      ? traitsByName.get(operation.gate)
      : traitsByMatrix.get(operation.matrix);
  if (known !== undefined) return known;
  const traits = findTraits(operation);
  if (operation.kind === 'gate') traitsByName.set(operation.gate, traits);
  else traitsByMatrix.set(operation.matrix, traits);
  return traits;
}

/** Costs only rank rewritings: a diagonal is cheap, a permutation moves amplitudes, a matrix multiplies. */
function findTraits(operation: GateLike): Traits {
  const isDiagonal = targetAxes(operation).every((axes) => (axes & Z_AXIS) !== 0);
  if (isDiagonal) return { isDense: false, cost: 1 };
  const hasAngles = operation.kind === 'gate' && factsNamed(operation.gate).matrix === undefined;
  if (!hasAngles && monomialRows(matrixOf(operation)) !== undefined) {
    const isSwap = operation.kind === 'gate' && operation.gate === 'SWAP';
    return { isDense: false, cost: isSwap ? 0.5 : 2 };
  }
  return { isDense: true, cost: 2 * 2 ** operation.targets.length };
}
