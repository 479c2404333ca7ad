/**
 * Builds a CX from another two-qubit gate (the entangler): one or two of it with one-qubit gates around them.
 * An iSWAP equals CX · SWAP up to one-qubit gates.
 */
import {
  adjoint,
  type ComplexMatrix,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import { tensorProduct } from '../../math/tensor-product.ts';
import type { GateOperation } from '../circuit.ts';
import { H, RX, RY, RZ, SWAP, X } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { Entangler } from './gate-set.ts';
import { COORDINATE_TOLERANCE, numCxOf } from './two-qubit-circuit.ts';
import { type OneQubitPair, weylDecomposition } from './weyl-decomposition.ts';

/**
 * CX = e^{i·phase} · after · entangler · before, or after · entangler · between · entangler · before, for the
 * CX from `targets[0]` to `targets[1]`. Where `exchanges` is set, the left side is CX · SWAP.
 */
export interface EntanglerFrame {
  readonly phase: number;
  readonly before: OneQubitPair;
  readonly between?: OneQubitPair;
  readonly after: OneQubitPair;
  /** Set for an entangler that equals CX · SWAP up to one-qubit gates, and is symmetric in its qubits. */
  readonly exchanges?: true;
}

const HALF = Math.PI / 2;

/** Frames of common entanglers, written by hand so that they are free of rounding. */
const EXACT: Readonly<Record<string, EntanglerFrame>> = {
  CX: { phase: 0, before: [identity(2), identity(2)], after: [identity(2), identity(2)] },
  CZ: { phase: 0, before: [identity(2), H()], after: [identity(2), H()] },
  // ECR = exp(iπ/4·XZ) · X on the first, and that equals a CX up to rotations by π/2.
  ECR: { phase: HALF / 2, before: [X(), identity(2)], after: [RZ(HALF), RX(HALF)] },
};

const frames = new Map<string, EntanglerFrame>();

/** Returns the frame of an entangler. */
export function entanglerFrame(entangler: Entangler): EntanglerFrame {
  const known = EXACT[entangler.gate] ?? frames.get(entangler.gate);
  if (known !== undefined) return known;
  const matrix = matrixOfOperations([entanglerOn(entangler, 0, 1)], 2);
  const frame = exchanges(matrix)
    ? { ...framed(matrix, multiply(CX, SWAP())), exchanges: true as const }
    : framedByCx(matrix);
  frames.set(entangler.gate, frame);
  return frame;
}

const CX = matrixOfOperations([entanglerOn({ gate: 'CX', angles: [] }, 0, 1)], 2);

/** Whether the entangler equals an iSWAP up to one-qubit gates, and is symmetric in its qubits. */
function exchanges(entangler: ComplexMatrix): boolean {
  const reversed = multiply(multiply(SWAP(), entangler), SWAP());
  const isSymmetric = maxAbsDifference(reversed, entangler) < COORDINATE_TOLERANCE;
  return isSymmetric && isLikeCx(multiply(entangler, SWAP()));
}

function isLikeCx(unitary: ComplexMatrix): boolean {
  return numCxOf(weylDecomposition(unitary).coordinates) === 1;
}

/** Candidates for the one-qubit gates between two entanglers that together are a CX up to one-qubit gates. */
const BETWEEN: readonly OneQubitPair[] = [identity(2), X(), RX(HALF), RY(HALF), RZ(HALF)].map(
  (matrix) => [matrix, identity(2)],
);

function framedByCx(entangler: ComplexMatrix): EntanglerFrame {
  if (isLikeCx(entangler)) return framed(entangler, CX);
  for (const between of BETWEEN) {
    const local = tensorProduct(between[1], between[0]);
    const two = multiply(multiply(entangler, local), entangler);
    if (isLikeCx(two)) return { ...framed(two, CX), between };
  }
  throw new Error('unreachable: no two of the entangler make a CX');
}

/** Frame of a unitary with the same coordinates in the Weyl chamber as the target. */
function framed(unitary: ComplexMatrix, target: ComplexMatrix): EntanglerFrame {
  const [own, its] = [weylDecomposition(unitary), weylDecomposition(target)];
  return {
    phase: its.phase - own.phase,
    before: pairwise(own.before, its.before, (mine, theirs) => multiply(adjoint(mine), theirs)),
    after: pairwise(own.after, its.after, (mine, theirs) => multiply(theirs, adjoint(mine))),
  };
}

/** Operation that applies the entangler to two qubits; the first is its control, if it has one. */
export function entanglerOn(
  { gate, angles }: Entangler,
  first: number,
  second: number,
): GateOperation {
  const isControlled = gateNamed(gate).numControls === 1;
  return {
    kind: 'gate',
    gate,
    controls: isControlled ? [first] : [],
    targets: isControlled ? [second] : [first, second],
    angles,
  };
}

function pairwise(
  mine: OneQubitPair,
  its: OneQubitPair,
  product: (mine: Float64Array, its: Float64Array) => Float64Array,
): OneQubitPair {
  return [product(mine[0], its[0]), product(mine[1], its[1])];
}
