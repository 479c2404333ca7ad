/** How a CX is made of another two-qubit gate: by one-qubit gates around one of it, or around two. */
import { adjoint, type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { tensorProduct } from '../../math/tensor-product.ts';
import type { GateOperation } from '../circuit.ts';
import { H, RX, RY, RZ, X } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { Entangler } from './gate-set.ts';
import { numCxOf } from './two-qubit-circuit.ts';
import { type OneQubitPair, weylDecomposition } from './weyl-decomposition.ts';

/**
 * CX = e^{i·phase} · after · entangler · before, or after · entangler · between · entangler · before, the CX
 * from `targets[0]` to `targets[1]`.
 */
export interface EntanglerFrame {
  readonly phase: number;
  readonly before: OneQubitPair;
  readonly between?: OneQubitPair;
  readonly after: OneQubitPair;
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
  const { unitary, between } = likeCx(matrixOfOperations([entanglerOn(entangler, 0, 1)], 2));
  const own = weylDecomposition(unitary);
  const cx = weylDecomposition(
    matrixOfOperations([entanglerOn({ gate: 'CX', angles: [] }, 0, 1)], 2),
  );
  // Both are the same gate of the Weyl chamber between other one-qubit gates.
  const frame: EntanglerFrame = {
    phase: cx.phase - own.phase,
    before: pairwise(own.before, cx.before, (mine, its) => multiply(adjoint(mine), its)),
    after: pairwise(own.after, cx.after, (mine, its) => multiply(its, adjoint(mine))),
    ...(between !== undefined && { between }),
  };
  frames.set(entangler.gate, frame);
  return frame;
}

/** What may stand between two of an entangler so that they are a CX but for one-qubit gates. */
const BETWEEN: readonly OneQubitPair[] = [identity(2), X(), RX(HALF), RY(HALF), RZ(HALF), H()].map(
  (matrix) => [matrix, identity(2)],
);

/** The entangler, or two of it, as a gate that is a CX but for one-qubit gates. */
function likeCx(entangler: ComplexMatrix): {
  readonly unitary: ComplexMatrix;
  readonly between?: OneQubitPair;
} {
  const isLikeCx = (unitary: ComplexMatrix) =>
    numCxOf(weylDecomposition(unitary).coordinates) === 1;
  if (isLikeCx(entangler)) return { unitary: entangler };
  for (const between of BETWEEN) {
    const local = tensorProduct(between[1], between[0]);
    const unitary = multiply(multiply(entangler, local), entangler);
    if (isLikeCx(unitary)) return { unitary, between };
  }
  throw new Error('unreachable: an entangler of which no two are a CX');
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
