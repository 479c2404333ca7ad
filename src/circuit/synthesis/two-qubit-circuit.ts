/**
 * Writes any two-qubit unitary with the fewest CX, none to three, and one-qubit gates between them. Its
 * coordinates in the Weyl chamber tell the number.
 *
 * @see Vatan, Williams, "Optimal quantum circuits for general two-qubit gates", Phys. Rev. A 69, 032315
 *   (2004), for three CX; Shende, Bullock, Markov, "Recognizing small-circuit structure in two-qubit
 *   operators", Phys. Rev. A 70, 012310 (2004), for fewer.
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
import {
  diagonal,
  H,
  imaginary,
  ONE,
  RX,
  RY,
  RZ,
  rows,
  SQRT_HALF,
  SWAP,
  X,
} from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { Entangler } from './gate-set.ts';
import {
  type OneQubitPair,
  type WeylDecomposition,
  weylDecomposition,
} from './weyl-decomposition.ts';

/**
 * e^{i·phase} · locals[n] · CX · … · CX · locals[0]: pairs of one-qubit gates, with a CX from `targets[0]` to
 * `targets[1]` between each two.
 */
export interface CxCircuit {
  readonly phase: number;
  /** One more than the number of CX. */
  readonly locals: readonly OneQubitPair[];
}

/** Default distance of coordinates from a point with fewer CX at which they count as that point. */
const COORDINATE_TOLERANCE = 1e-9;
const QUARTER = Math.PI / 4;

/** Number of CX that a unitary with these coordinates needs. */
function numCxOf(
  [a, b, c]: WeylDecomposition['coordinates'],
  tolerance: number = COORDINATE_TOLERANCE,
): 0 | 1 | 2 | 3 {
  if (a <= tolerance) return 0;
  if (b <= tolerance && Math.abs(a - QUARTER) <= tolerance) return 1;
  return Math.abs(c) <= tolerance ? 2 : 3;
}

/**
 * Writes a unitary with as few CX as possible.
 *
 * @param unitary - Four rows, unitary to rounding.
 * @param tolerance - Distance by which each coordinate may be moved if that saves a CX.
 * @param parity - 0 or 1 for an even or odd number of CX; unrestricted unless given.
 * @returns undefined where no number of CX of that parity, at most three, makes the unitary.
 */
export function cxCircuit(unitary: ComplexMatrix, tolerance?: number): CxCircuit;
export function cxCircuit(
  unitary: ComplexMatrix,
  tolerance: number | undefined,
  parity: 0 | 1,
): CxCircuit | undefined;
export function cxCircuit(
  unitary: ComplexMatrix,
  tolerance: number = COORDINATE_TOLERANCE,
  parity?: 0 | 1,
): CxCircuit | undefined {
  const { phase, before, coordinates, after } = weylDecomposition(unitary);
  const numCx = withParity(numCxOf(coordinates, tolerance), parity);
  if (numCx === undefined) return undefined;
  const core = cores[numCx](coordinates);
  const locals = core.locals.slice();
  locals[0] = paired(locals[0]!, before);
  const last = locals.length - 1;
  locals[last] = paired(after, locals[last]!);
  return { phase: phase + core.phase, locals: tidied(locals) };
}

/** Smallest possible number of CX of the parity: two make what none or one makes, three make anything. */
function withParity(least: 0 | 1 | 2 | 3, parity: 0 | 1 | undefined): 0 | 1 | 2 | 3 | undefined {
  if (parity === undefined || least % 2 === parity) return least;
  if (parity === 1) return 3;
  return least === 1 ? 2 : undefined;
}

/**
 * Simplifies the gates: moves an X on the control from before a CX to after it, as an X on each qubit, where
 * that leaves simpler gates. Whether a decomposition has such an X depends on rounding.
 */
function tidied(locals: readonly OneQubitPair[]): readonly OneQubitPair[] {
  const flip = X();
  const out = [...locals];
  for (let i = 0; i + 1 < out.length; i++) {
    const [before, after] = [out[i]!, out[i + 1]!];
    const moved = paired([flip, identity(2)], before);
    const met = paired(after, [flip, flip]);
    if (complexity(moved) + complexity(met) >= complexity(before) + complexity(after)) continue;
    out[i] = moved;
    out[i + 1] = met;
  }
  return out;
}

/** Complexity of a pair: 0 for an identity, 1 for a rotation about Z, 3 for any other gate, summed. */
function complexity(pair: OneQubitPair): number {
  return pair.reduce((sum, matrix) => {
    const flip = Math.hypot(matrix[2]!, matrix[3]!);
    if (flip > SMALL) return sum + 3;
    const turn = Math.hypot(matrix[0]! - matrix[6]!, matrix[1]! - matrix[7]!);
    return sum + (turn > SMALL ? 1 : 0);
  }, 0);
}

/** Entries below this are rounding errors. */
const SMALL = 1e-12;

const NOTHING: OneQubitPair = [identity(2), identity(2)];
const HADAMARD = H();
const HADAMARDS: OneQubitPair = [HADAMARD, HADAMARD];
/** Exchanges Y and Z. */
const Y_AND_Z = rows([ONE, imaginary(-1)], [imaginary(1), [-1, 0]]).map((part) => part * SQRT_HALF);

/** exp(i(a·XX + b·YY + c·ZZ)) for coordinates that need 0, 1, 2 and 3 CX. */
const cores: readonly ((k: WeylDecomposition['coordinates']) => CxCircuit)[] &
  Record<0 | 1 | 2 | 3, (k: WeylDecomposition['coordinates']) => CxCircuit> = [
  () => ({ phase: 0, locals: [NOTHING] }),
  // exp(iπ/4·ZX) equals a CX up to rotations by π/2, and an H turns the Z into an X.
  () => ({
    phase: -QUARTER,
    locals: [
      [HADAMARD, identity(2)],
      [multiply(HADAMARD, RZ(-2 * QUARTER)), RX(-2 * QUARTER)],
    ],
  }),
  // A CX on either side turns X on its control into XX, and Z on its target into ZZ.
  ([a, b]) => ({
    phase: 0,
    locals: [
      [Y_AND_Z, Y_AND_Z],
      [RX(-2 * a), RZ(-2 * b)],
      [Y_AND_Z, Y_AND_Z],
    ],
  }),
  // The outer two CX go from the second qubit to the first, which Hadamards on both sides express.
  ([a, b, c]) => ({
    phase: QUARTER,
    locals: [
      [HADAMARD, multiply(HADAMARD, diagonal(ONE, imaginary(1)))],
      paired([RZ(2 * QUARTER - 2 * c), RY(2 * QUARTER - 2 * a)], HADAMARDS),
      paired(HADAMARDS, [identity(2), RY(2 * b - 2 * QUARTER)]),
      paired([diagonal(ONE, imaginary(-1)), identity(2)], HADAMARDS),
    ],
  }),
];

/** Products of both matrices; the later ones are on the left. */
export function paired(later: OneQubitPair, earlier: OneQubitPair): OneQubitPair {
  return [multiply(later[0], earlier[0]), multiply(later[1], earlier[1])];
}

// Builds a CX from another two-qubit gate (the entangler): one or two of it with one-qubit gates around them.
// An iSWAP equals CX · SWAP up to one-qubit gates.

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
