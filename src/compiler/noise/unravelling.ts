/**
 * Channels as one main operator and rare jumps.
 *
 * A channel is Σ KρK† for many sets of operators. For trajectories a good set has one operator that nearly always acts,
 * and changes the state as little as can be, so that most shots stay together. Best is a multiple of a unitary: whether
 * a jump happens then does not depend on the state.
 */
import {
  type Channel,
  krausMatrices,
  type PauliChannel,
  type PauliError,
  simulated,
  withIdentity,
} from '../../circuit/noise/channel.ts';
import { adjoint, type ComplexMatrix, dimension, multiply } from '../../math/complex-matrix.ts';
import { type Eigenvectors, hermitianEigenvectors } from '../../math/hermitian-eigenvectors.ts';

/** The operators of a channel. */
export interface Unravelling {
  /** Acts if no jump happens; absent for the identity, or where all operators are jumps. */
  readonly main?: ComplexMatrix;
  /**
   * Probability that the main operator acts, where it is the same for all states; the matrix is then unitary, without
   * that factor. 0 where all operators are jumps.
   */
  readonly survival?: number;
  /** Probability of a jump on the maximally mixed state. */
  readonly hazard: number;
  readonly jumps: readonly JumpOperator[];
}

/** An operator of operator norm 1. */
export interface JumpOperator {
  /** Its probability is this times the square of the new state's norm. */
  readonly weight: number;
  readonly isUnitary: boolean;
  readonly operator:
    | { readonly kind: 'identity' }
    | { readonly kind: 'pauli'; readonly flips: number; readonly signs: number }
    | { readonly kind: 'matrix'; readonly matrix: ComplexMatrix };
}

/** Parts of eigenvalues and entries that are rounding errors. */
const ROUNDING = 1e-14;
/** A unitary main operator may have this many times the jumps of another one: it needs no norms of states. */
const WORTH_KNOWING = 3;
/** An operator that shrinks some state more than this is a jump. */
const LEAST_SINGULAR_VALUE = 1e-3;

/** Unravels a channel. */
export function unravel(given: Channel): Unravelling {
  const channel = simulated(given);
  if (channel.kind === 'pauli') return unravelErrors(channel);
  const d = dimension(channel.matrices[0]!);
  const process = processMatrix(channel.matrices);
  const eigenvectors = hermitianEigenvectors(process);
  const operators = operatorsOf(eigenvectors, d);
  const [main] = operators;
  if (main === undefined) throw new Error('unreachable: a channel without operators');
  const hazard = 1 - main.weight / d;
  const unitary = unitaryPart(process, eigenvectors, main.matrix);
  if (unitary !== undefined && 1 - unitary.weight <= WORTH_KNOWING * hazard + ROUNDING) {
    return {
      ...mainOf(unitary.matrix),
      survival: unitary.weight,
      hazard: 1 - unitary.weight,
      jumps: operatorsOf(hermitianEigenvectors(unitary.rest), d).map(jumpOf),
    };
  }
  const [least] = squaredRange(main.matrix);
  const scale = Math.sqrt(main.weight);
  if (least * main.weight < LEAST_SINGULAR_VALUE ** 2) {
    return { survival: 0, hazard: 1, jumps: operators.map(jumpOf) };
  }
  const matrix = main.matrix.map((entry) => entry * scale);
  return { main: cleaned(matrix), hazard, jumps: operators.slice(1).map(jumpOf) };
}

/** The likeliest of the errors and the identity is the main operator. */
function unravelErrors(channel: PauliChannel): Unravelling {
  const [none, ...errors] = withIdentity(channel);
  const all = [none, ...errors].filter(({ probability }) => probability > 0);
  const main = all.reduce((most, other) => (other.probability > most.probability ? other : most));
  // The sum of the others, so that small probabilities keep their digits.
  const hazard = all.reduce((sum, each) => (each === main ? sum : sum + each.probability), 0);
  return {
    ...(main === none ? {} : { main: pauliMatrix(main, channel.numQubits) }),
    survival: 1 - hazard,
    hazard,
    jumps: all
      .filter((each) => each !== main)
      .map(({ flips, signs, probability }) => ({
        weight: probability,
        isUnitary: true,
        operator:
          flips === 0 && signs === 0 ? { kind: 'identity' } : { kind: 'pauli', flips, signs },
      })),
  };
}

function pauliMatrix({ flips, signs }: PauliError, numQubits: number): ComplexMatrix {
  const certain = { flips, signs, probability: 1 };
  return krausMatrices({ kind: 'pauli', numQubits, errors: [certain] })[0]!;
}

const mainOf = (matrix: ComplexMatrix) => (isIdentity(matrix) ? {} : { main: matrix });

/** An operator as a multiple of a matrix, of which the squares of all entries add up to 1 or to the dimension. */
interface Weighted {
  readonly weight: number;
  readonly matrix: ComplexMatrix;
}

function jumpOf({ weight, matrix }: Weighted): JumpOperator {
  const [least, most] = squaredRange(matrix);
  const scale = 1 / Math.sqrt(most);
  const normal = cleaned(matrix.map((entry) => entry * scale));
  const isUnitary = least > most * (1 - 1e-12);
  const operator = isIdentity(normal)
    ? ({ kind: 'identity' } as const)
    : ({ kind: 'matrix', matrix: normal } as const);
  return { weight: weight * most, isUnitary, operator };
}

/** Σ |K⟩⟨K|. */
function processMatrix(matrices: readonly ComplexMatrix[]): ComplexMatrix {
  const process = new Float64Array(matrices[0]!.length ** 2 / 2);
  for (const matrix of matrices) addProjector(process, matrix, 1);
  return process;
}

/** Adds a multiple of |K⟩⟨K|, the projector on the entries of a matrix. */
function addProjector(process: ComplexMatrix, matrix: ComplexMatrix, factor: number): void {
  const size = matrix.length / 2;
  for (let i = 0; i < size; i++) {
    const [ar, ai] = [matrix[2 * i]!, matrix[2 * i + 1]!];
    for (let j = 0; j < size; j++) {
      const [br, bi] = [matrix[2 * j]!, matrix[2 * j + 1]!];
      process[2 * (i * size + j)]! += factor * (ar * br + ai * bi);
      process[2 * (i * size + j) + 1]! += factor * (ai * br - ar * bi);
    }
  }
}

/** Orthogonal operators of a channel, the heaviest first, from the eigenvectors of its process matrix. */
function operatorsOf({ values, vectors }: Eigenvectors, d: number): readonly Weighted[] {
  const size = d * d;
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!);
  return order
    .filter((index) => values[index]! > ROUNDING * d)
    .map((index) => {
      const matrix = new Float64Array(2 * size);
      for (let i = 0; i < size; i++) {
        matrix[2 * i] = vectors[2 * (i * size + index)]!;
        matrix[2 * i + 1] = vectors[2 * (i * size + index) + 1]!;
      }
      return { weight: values[index]!, matrix };
    });
}

/**
 * The heaviest multiple of a unitary near an operator that a channel has as one of its operators, and the process
 * matrix of the others; undefined if it has none.
 */
function unitaryPart(
  process: ComplexMatrix,
  { values, vectors }: Eigenvectors,
  near: ComplexMatrix,
) {
  const d = dimension(near);
  const size = d * d;
  const matrix = polarUnitary(near);
  if (matrix === undefined) return undefined;
  // w = 1 / ⟨U|C⁻¹|U⟩ is the largest weight for which C − w·|U⟩⟨U| has no negative eigenvalue.
  let inverse = 0;
  for (let index = 0; index < size; index++) {
    let [re, im] = [0, 0];
    for (let i = 0; i < size; i++) {
      const at = 2 * (i * size + index);
      re += vectors[at]! * matrix[2 * i]! + vectors[at + 1]! * matrix[2 * i + 1]!;
      im += vectors[at]! * matrix[2 * i + 1]! - vectors[at + 1]! * matrix[2 * i]!;
    }
    const overlap = re * re + im * im;
    if (values[index]! > ROUNDING * d) inverse += overlap / values[index]!;
    else if (overlap > ROUNDING) return undefined;
  }
  const weight = Math.min(1, 1 / inverse);
  const rest = process.slice();
  addProjector(rest, matrix, -weight);
  return { weight, matrix, rest };
}

/** The unitary U of M = U·√(M†M); undefined for a singular matrix. */
function polarUnitary(matrix: ComplexMatrix): ComplexMatrix | undefined {
  const d = dimension(matrix);
  const { values, vectors } = hermitianEigenvectors(multiply(adjoint(matrix), matrix));
  const roots = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) {
    if (!(values[i]! > ROUNDING * values.reduce((a, b) => Math.max(a, b)))) return undefined;
    roots[2 * i * (d + 1)] = 1 / Math.sqrt(values[i]!);
  }
  return cleaned(multiply(matrix, multiply(vectors, multiply(roots, adjoint(vectors)))));
}

/** Smallest and largest eigenvalue of M†M. */
function squaredRange(matrix: ComplexMatrix): readonly [least: number, most: number] {
  const { values } = hermitianEigenvectors(multiply(adjoint(matrix), matrix));
  return [Math.min(...values), Math.max(...values)];
}

/** The matrix without the remains of rounding: zeros decide the cost of a matrix. */
function cleaned(matrix: ComplexMatrix): ComplexMatrix {
  return matrix.map((entry) => {
    const nearest = Math.round(entry);
    return Math.abs(entry - nearest) <= ROUNDING ? nearest + 0 : entry;
  });
}

/** Whether a matrix is the identity, up to its phase. */
function isIdentity(matrix: ComplexMatrix): boolean {
  const d = dimension(matrix);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      const at = 2 * (row * d + column);
      const [re, im] = row === column ? [matrix[0]!, matrix[1]!] : [0, 0];
      if (Math.hypot(matrix[at]! - re, matrix[at + 1]! - im) > ROUNDING) return false;
    }
  }
  return Math.abs(Math.hypot(matrix[0]!, matrix[1]!) - 1) <= ROUNDING;
}
