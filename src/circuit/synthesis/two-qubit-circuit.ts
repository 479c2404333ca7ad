/**
 * Writes any two-qubit unitary with the fewest CX, none to three, and one-qubit gates between them. Its
 * coordinates in the Weyl chamber tell the number.
 *
 * @see Vatan, Williams, "Optimal quantum circuits for general two-qubit gates", Phys. Rev. A 69, 032315
 *   (2004), for three CX; Shende, Bullock, Markov, "Recognizing small-circuit structure in two-qubit
 *   operators", Phys. Rev. A 70, 012310 (2004), for fewer.
 */
import { type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { diagonal, H, imaginary, ONE, RX, RY, RZ, rows, SQRT_HALF, X } from '../gate-matrices.ts';
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
export const COORDINATE_TOLERANCE = 1e-9;
const QUARTER = Math.PI / 4;

/** Number of CX that a unitary with these coordinates needs. */
export function numCxOf(
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
