/**
 * How a CX is made of another two-qubit gate: by one-qubit gates around one of it, or around two. An iSWAP is
 * a CX but for one-qubit gates and an exchange of the qubits.
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
 * CX = e^{i·phase} · after · entangler · before, or after · entangler · between · entangler · before, the CX
 * from `targets[0]` to `targets[1]`; of an entangler that exchanges the qubits it is CX · SWAP.
 */
export interface EntanglerFrame {
  readonly phase: number;
  readonly before: OneQubitPair;
  readonly between?: OneQubitPair;
  readonly after: OneQubitPair;
  /** Set where either qubit may be the entangler's first. */
  readonly exchanges?: true;
}

const HALF = Math.PI / 2;

/** Where rounding can be left out of it, by hand. */
const EXACT: Readonly<Record<string, EntanglerFrame>> = {
  CX: { phase: 0, before: [identity(2), identity(2)], after: [identity(2), identity(2)] },
  CZ: { phase: 0, before: [identity(2), H()], after: [identity(2), H()] },
  // ECR = exp(iπ/4·XZ) · X on the first, and that is a CX but for rotations by a quarter turn.
  ECR: { phase: HALF / 2, before: [X(), identity(2)], after: [RZ(HALF), RX(HALF)] },
};

const frames = new Map<string, EntanglerFrame>();

/** The frame of an entangler. */
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

/** Whether it is an iSWAP but for one-qubit gates, and the same seen from either qubit. */
function exchanges(entangler: ComplexMatrix): boolean {
  const reversed = multiply(multiply(SWAP(), entangler), SWAP());
  const isSymmetric = maxAbsDifference(reversed, entangler) < COORDINATE_TOLERANCE;
  return isSymmetric && isLikeCx(multiply(entangler, SWAP()));
}

function isLikeCx(unitary: ComplexMatrix): boolean {
  return numCxOf(weylDecomposition(unitary).coordinates) === 1;
}

/** What may stand between two of an entangler so that they are a CX but for one-qubit gates. */
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
  throw new Error('unreachable: an entangler of which no two are a CX');
}

/** Both are the same gate of the Weyl chamber between other one-qubit gates. */
function framed(unitary: ComplexMatrix, target: ComplexMatrix): EntanglerFrame {
  const [own, its] = [weylDecomposition(unitary), weylDecomposition(target)];
  return {
    phase: its.phase - own.phase,
    before: pairwise(own.before, its.before, (mine, theirs) => multiply(adjoint(mine), theirs)),
    after: pairwise(own.after, its.after, (mine, theirs) => multiply(theirs, adjoint(mine))),
  };
}

/** The entangler on two qubits, the first being its control if it has one. */
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
