/**
 * Any unitary on two qubits by the fewest CX that can make it: none to three, as its coordinates in
 * the Weyl chamber say, with one-qubit gates between.
 *
 * @see Vatan, Williams, "Optimal quantum circuits for general two-qubit gates", Phys. Rev. A 69,
 *   032315 (2004), for three CX; Shende, Bullock, Markov, "Recognizing small-circuit structure in
 *   two-qubit operators", Phys. Rev. A 70, 012310 (2004), for when fewer do.
 */
import { type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { diagonal, H, imaginary, ONE, RX, RY, RZ, rows, SQRT_HALF, X } from '../gate-matrices.ts';
import {
  type OneQubitPair,
  type WeylDecomposition,
  weylDecomposition,
} from './weyl-decomposition.ts';

/**
 * e^{i·phase} · locals[n] · CX · … · CX · locals[0]: one-qubit gates on both qubits, and between
 * each two of them a CX from `targets[0]` to `targets[1]`.
 */
export interface CxCircuit {
  readonly phase: number;
  /** One more than there are CX. */
  readonly locals: readonly OneQubitPair[];
}

/** Coordinates this near to a place where fewer CX do are taken to be there, unless told else. */
export const COORDINATE_TOLERANCE = 1e-9;
const QUARTER = Math.PI / 4;

/** How many CX a unitary with these coordinates needs. */
export function numCxOf(
  [a, b, c]: WeylDecomposition['coordinates'],
  tolerance: number = COORDINATE_TOLERANCE,
): 0 | 1 | 2 | 3 {
  if (a <= tolerance) return 0;
  if (b <= tolerance && Math.abs(a - QUARTER) <= tolerance) return 1;
  return Math.abs(c) <= tolerance ? 2 : 3;
}

/**
 * The circuit.
 *
 * @param unitary - Four rows, unitary to rounding.
 * @param tolerance - How far each coordinate may be moved if that saves a CX.
 * @param parity - Of the number of CX, 0 or 1; any unless given.
 * @returns undefined where so many CX, three at most, do not make it.
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

/** Two CX make what none or one does; three make anything. */
function withParity(least: 0 | 1 | 2 | 3, parity: 0 | 1 | undefined): 0 | 1 | 2 | 3 | undefined {
  if (parity === undefined || least % 2 === parity) return least;
  if (parity === 1) return 3;
  return least === 1 ? 2 : undefined;
}

/**
 * Moves an X of the control from before a CX to after it, where there is one on each qubit, if that
 * leaves simpler gates: whether a decomposition has it is a matter of chance.
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

/** None for an identity, one for a turn about Z, more for anything else. */
function complexity(pair: OneQubitPair): number {
  return pair.reduce((sum, matrix) => {
    const flip = Math.hypot(matrix[2]!, matrix[3]!);
    if (flip > SMALL) return sum + 3;
    const turn = Math.hypot(matrix[0]! - matrix[6]!, matrix[1]! - matrix[7]!);
    return sum + (turn > SMALL ? 1 : 0);
  }, 0);
}

/** Entries below this are rounding. */
const SMALL = 1e-12;

const NOTHING: OneQubitPair = [identity(2), identity(2)];
const HADAMARD = H();
const HADAMARDS: OneQubitPair = [HADAMARD, HADAMARD];
/** Exchanges Y and Z. */
const Y_AND_Z = rows([ONE, imaginary(-1)], [imaginary(1), [-1, 0]]).map((part) => part * SQRT_HALF);

/** exp(i(a·XX + b·YY + c·ZZ)) for coordinates that need so many CX. */
const cores: readonly ((k: WeylDecomposition['coordinates']) => CxCircuit)[] &
  Record<0 | 1 | 2 | 3, (k: WeylDecomposition['coordinates']) => CxCircuit> = [
  () => ({ phase: 0, locals: [NOTHING] }),
  // exp(iπ/4·ZX) is a CX but for rotations by a quarter turn, and an H makes the Z an X.
  () => ({
    phase: -QUARTER,
    locals: [
      [HADAMARD, identity(2)],
      [multiply(HADAMARD, RZ(-2 * QUARTER)), RX(-2 * QUARTER)],
    ],
  }),
  // A CX on either side makes XX of X on its control, and ZZ of Z on its target.
  ([a, b]) => ({
    phase: 0,
    locals: [
      [Y_AND_Z, Y_AND_Z],
      [RX(-2 * a), RZ(-2 * b)],
      [Y_AND_Z, Y_AND_Z],
    ],
  }),
  // The outer two CX go from the second qubit to the first, which Hadamards on both sides say.
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

/** Both products: what comes later is on the left. */
function paired(later: OneQubitPair, earlier: OneQubitPair): OneQubitPair {
  return [multiply(later[0], earlier[0]), multiply(later[1], earlier[1])];
}
