/**
 * Writes the product of gates on at most three qubits as few operations with controls: phases and flips for a
 * permutation with phases, one gate for a controlled one-qubit matrix.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { nameUnderControls } from './gate-facts.ts';
import { type GateLike, phaseOn, wrapped } from './gate-like.ts';
import { operationOf } from './operation-of-matrix.ts';
import { DIMENSION, isNear0, WINDOW_ROUNDING } from './window-product.ts';

/** A product as operations. */
export interface ControlledForm {
  /** Comparable with the costs of `window-members.ts`. */
  readonly cost: number;
  readonly numOperations: number;
  /** Global phase, in radians. */
  readonly phase: number;
  /** Returns the operations, in order. */
  write(): readonly GateLike[];
}

const PHASE_COST = 1;
/** Cost of a general 2×2 matrix, with or without controls. */
const DENSE_COST = 4;

const STATES = Array.from({ length: DIMENSION }, (_, j) => j);

/**
 * Returns the form of a product; undefined where it is neither of the two.
 *
 * @param qubits - Bit i of the matrix's index is `qubits[i]`; the matrix is the identity on further bits.
 */
export function controlledForm(
  matrix: ComplexMatrix,
  qubits: readonly Qubit[],
): ControlledForm | undefined {
  const images = imagesOf(matrix);
  return images === undefined ? controlledGate(matrix, qubits) : flipsAndPhases(images, qubits);
}

interface Images {
  readonly rows: readonly number[];
  /** Phase of each column, in radians. */
  readonly phases: readonly number[];
}

/** Images of the basis states, if each is a single basis state. */
function imagesOf(matrix: ComplexMatrix): Images | undefined {
  const rows: number[] = [];
  const phases: number[] = [];
  for (let col = 0; col < DIMENSION; col++) {
    for (let row = 0; row < DIMENSION; row++) {
      const i = 2 * (row * DIMENSION + col);
      if (isNear0(matrix[i]!) && isNear0(matrix[i + 1]!)) continue;
      if (rows.length > col) return undefined;
      rows.push(row);
      phases.push(Math.atan2(matrix[i + 1]!, matrix[i]!));
    }
    if (rows.length <= col) return undefined;
  }
  return { rows, phases };
}

function flipsAndPhases(
  { rows, phases }: Images,
  qubits: readonly Qubit[],
): ControlledForm | undefined {
  const flips = permutationFactors(rows, qubits.length);
  if (flips === undefined) return undefined;
  const before = phaseTerms(phases);
  const behind = phaseTerms(STATES.map((row) => phases[rows.indexOf(row)]!));
  const isBefore = before.numTerms <= behind.numTerms;
  const { angles, numTerms } = isBefore ? before : behind;
  return {
    cost: flips.cost + PHASE_COST * numTerms,
    numOperations: flips.gates.length + numTerms,
    phase: angles[0]!,
    write: () => {
      const gates = flips.gates.map((gate) => onQubits(gate, qubits));
      const diagonal = phasesOf(angles, qubits);
      return isBefore ? [...diagonal, ...gates] : [...gates, ...diagonal];
    },
  };
}

function onQubits(
  { base, controls, targets }: PermutationGate,
  qubits: readonly Qubit[],
): GateLike {
  return {
    kind: 'gate',
    gate: nameUnderControls(base, controls.length),
    controls: controls.map((bit) => qubits[bit]!),
    targets: targets.map((bit) => qubits[bit]!),
    angles: [],
  };
}

/**
 * Splits a diagonal into phases: angles[m] applies where all qubits of the mask m are |1⟩. A single matrix
 * would tie together qubits that the scheduler can keep apart.
 */
function phaseTerms(phases: readonly number[]): {
  readonly angles: readonly number[];
  /** Number of terms without the global phase. */
  readonly numTerms: number;
} {
  const angles = [...phases];
  for (let bit = 1; bit < DIMENSION; bit *= 2) {
    for (let j = 0; j < DIMENSION; j++) if (j & bit) angles[j]! -= angles[j ^ bit]!;
  }
  let numTerms = 0;
  for (let j = 0; j < DIMENSION; j++) {
    angles[j] = nearestEighth(angles[j]!);
    if (j > 0 && angles[j] !== 0) numTerms++;
  }
  return { angles, numTerms };
}

function phasesOf(angles: readonly number[], qubits: readonly Qubit[]): readonly GateLike[] {
  const operations: GateLike[] = [];
  for (const [mask, angle] of angles.entries()) {
    const on = qubits.filter((_, i) => (mask >> i) & 1);
    const operation = mask === 0 ? undefined : phaseOn(on, angle, {});
    if (operation !== undefined) operations.push(operation);
  }
  return operations;
}

/** Reduces an angle to (−π, π] and rounds it to a multiple of π/4 that is within rounding. */
function nearestEighth(angle: number): number {
  const eighth = Math.PI / 4;
  const nearest = eighth * Math.round(angle / eighth);
  const isNearest = Math.abs(angle - nearest) < DIMENSION * WINDOW_ROUNDING;
  return wrapped(isNearest ? nearest : angle, 2 * Math.PI);
}

/** Writes the product as one gate on one qubit, controlled by others. */
function controlledGate(
  matrix: ComplexMatrix,
  qubits: readonly Qubit[],
): ControlledForm | undefined {
  const [re, im] = [matrix[0]!, matrix[1]!];
  if (Math.abs(Math.hypot(re, im) - 1) > WINDOW_ROUNDING) return undefined;
  for (const [target, qubit] of qubits.entries()) {
    for (let mask = 2 ** qubits.length - 1; mask > 0; mask--) {
      if ((mask >> target) & 1 || !actsUnder(mask, target, matrix)) continue;
      const block = blockAt(mask, target, matrix);
      const controls = qubits.filter((_, i) => (mask >> i) & 1);
      const write = () => {
        const operation = operationOf(block, { controls, targets: [qubit] });
        return operation === undefined ? [] : [operation];
      };
      return { cost: DENSE_COST, numOperations: 1, phase: Math.atan2(im, re), write };
    }
  }
  return undefined;
}

/** The 2×2 block of a target where the controls are |1⟩ and other qubits |0⟩, divided by the phase. */
function blockAt(mask: number, target: number, matrix: ComplexMatrix): ComplexMatrix {
  const [re, im] = [matrix[0]!, matrix[1]!];
  const block = new Float64Array(8);
  for (let k = 0; k < 4; k++) {
    const i = indexOf(mask | ((k >> 1) << target), mask | ((k & 1) << target));
    block[2 * k] = matrix[i]! * re + matrix[i + 1]! * im;
    block[2 * k + 1] = matrix[i + 1]! * re - matrix[i]! * im;
  }
  return block;
}

/** Whether a matrix is one block on a target where the controls are |1⟩, and a phase elsewhere. */
function actsUnder(mask: number, target: number, matrix: ComplexMatrix): boolean {
  const bit = 1 << target;
  for (let col = 0; col < DIMENSION; col++) {
    const isControlled = (col & mask) === mask;
    for (let row = 0; row < DIMENSION; row++) {
      const i = indexOf(row, col);
      if (((row ^ col) & ~bit) !== 0 || (!isControlled && row !== col)) {
        if (!isNear0(matrix[i]!) || !isNear0(matrix[i + 1]!)) return false;
        continue;
      }
      const j = isControlled ? indexOf(mask | (row & bit), mask | (col & bit)) : 0;
      if (!isNear0(matrix[i]! - matrix[j]!)) return false;
      if (!isNear0(matrix[i + 1]! - matrix[j + 1]!)) return false;
    }
  }
  return true;
}

const indexOf = (row: number, col: number) => 2 * (row * DIMENSION + col);

// Factors permutations of the basis states of at most three qubits into X, CX and CCX on few targets, and
// SWAPs.
//
// Each factor flips one bit where a function of the others is 1. As a sum of products (its algebraic normal
// form), such a function is one X, CX or CCX for each product. The controls stay controls, which a matrix on
// three targets would lose.

/** An X with controls, or a SWAP; numbers are bits of the basis index. */
export interface PermutationGate {
  readonly base: 'X' | 'SWAP';
  readonly controls: readonly number[];
  readonly targets: readonly number[];
}

/** Gates in order, and their cost. */
export interface Factors {
  readonly gates: readonly PermutationGate[];
  readonly cost: number;
}

interface Factor extends Factors {
  /** Each factor is its own inverse. */
  readonly rows: readonly number[];
}

/** Cost of an X with any controls. A phase costs 1; a SWAP is relabelling. */
const X_COST = 2;
const SWAP_COST = 0.5;
const MAX_FACTORS = 3;
const NOTHING: Factors = { gates: [], cost: 0 };

/**
 * Returns the gates of the permutation |j⟩ → |rows[j]⟩; undefined if it needs more than three factors.
 *
 * @param rows - Images of 8 basis states.
 * @param numBits - Bits used; the permutation must keep the others.
 */
function permutationFactors(rows: readonly number[], numBits: number): Factors | undefined {
  const key = keyOf(rows);
  const known = factorings[numBits]!;
  if (!known.has(key)) known.set(key, factorsWithin(MAX_FACTORS, rows, numBits));
  return known.get(key);
}

const factorings = Array.from({ length: 4 }, () => new Map<number, Factors | undefined>());

function factorsWithin(
  numFactors: number,
  rows: readonly number[],
  numBits: number,
): Factors | undefined {
  if (rows.every((row, j) => row === j)) return NOTHING;
  const { list, byKey } = factorsOn[numBits]!;
  if (numFactors === 1) return byKey.get(keyOf(rows));
  let best = factorsWithin(numFactors - 1, rows, numBits);
  if (best !== undefined) return best;
  for (const first of list) {
    // Remaining permutation after the first factor, which is its own inverse.
    const left = first.rows.map((row) => rows[row]!);
    const rest = factorsWithin(numFactors - 1, left, numBits);
    const cost = first.cost + (rest?.cost ?? Number.POSITIVE_INFINITY);
    if (rest !== undefined && cost < (best?.cost ?? Number.POSITIVE_INFINITY)) {
      best = { gates: [...first.gates, ...rest.gates], cost };
    }
  }
  return best;
}

/** Number whose octal digits are the rows. */
function keyOf(rows: readonly number[]): number {
  return rows.reduce((key, row) => 8 * key + row, 0);
}

/** All factors on 0 to 3 bits. */
const factorsOn = [0, 1, 2, 3].map((numBits) => {
  const list: Factor[] = [];
  for (let target = 0; target < numBits; target++) {
    const others = [0, 1, 2].filter((bit) => bit !== target && bit < numBits);
    const products = subsetsOf(others);
    for (const controls of subsetsOf(products)) {
      if (controls.length > 0) list.push(flips(target, controls));
    }
    for (const other of others) if (other < target) list.push(swap(other, target));
  }
  return { list, byKey: new Map(list.map((factor) => [keyOf(factor.rows), factor])) };
});

/** Flips a bit once for each product that is 1. */
function flips(target: number, products: readonly (readonly number[])[]): Factor {
  const rows = Array.from({ length: 8 }, (_, j) =>
    products.reduce(
      (row, bits) => (bits.every((bit) => (j >> bit) & 1) ? row ^ (1 << target) : row),
      j,
    ),
  );
  const gates = products.map((controls) => ({ base: 'X' as const, controls, targets: [target] }));
  return { rows, gates, cost: X_COST * gates.length };
}

function swap(a: number, b: number): Factor {
  const rows = Array.from({ length: 8 }, (_, j) => {
    const differ = ((j >> a) ^ (j >> b)) & 1;
    return differ === 0 ? j : j ^ (1 << a) ^ (1 << b);
  });
  return { rows, gates: [{ base: 'SWAP', controls: [], targets: [a, b] }], cost: SWAP_COST };
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: 2 ** items.length }, (_, mask) =>
    items.filter((_item, i) => (mask >> i) & 1),
  );
}
