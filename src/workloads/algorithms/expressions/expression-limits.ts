/** Limits of callers' expressions: their length and size, and the names of functions and constants in them. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';

const FUNCTIONS: readonly string[] = `
  abs add cbrt ceil cube divide dotDivide dotMultiply dotPow exp expm1 fix floor gcd hypot invmod lcm
  log log10 log1p log2 mod multiply norm nthRoot nthRoots pow round sign sqrt square subtract
  unaryMinus unaryPlus xgcd polynomialRoot
  acos acosh acot acoth acsc acsch asec asech asin asinh atan atan2 atanh cos cosh cot coth csc csch
  sec sech sin sinh tan tanh
  arg conj im re
  bitAnd bitNot bitOr bitXor leftShift rightArithShift rightLogShift and not nullish or xor
  bellNumbers bernoulli catalan combinations combinationsWithRep composition factorial gamma lgamma
  multinomial permutations stirlingS2 isPrime kldivergence pickRandom random randomInt erf zeta
  compare compareNatural compareText deepEqual equal equalText larger largerEq smaller smallerEq
  unequal
  apply column concat count cross ctranspose cumsum det diag diff dot eigs expm fft filter flatten
  forEach identity ifft index inv kron lsolve lup lusolve lyap map mapSlices matrix
  matrixFromColumns matrixFromRows ones partitionSelect pinv qr range reshape resize rotate
  rotationMatrix row schur size slu sort sqrtm squeeze subset sylvester trace transpose usolve zeros
  setCartesian setDifference setDistinct setIntersect setIsSubset setMultiplicity setPowerset setSize
  setSymDifference setUnion
  corr mad max mean median min mode prod quantileSeq std sum variance
  distance intersect
  bigint bignumber boolean complex fraction number string unit to
  bin format hex oct
  hasNumericValue isBounded isFinite isInteger isNaN isNegative isNumeric isPositive isZero typeOf
  den num
`
  .trim()
  .split(/\s+/);

const CONSTANTS: readonly string[] = `
  e E pi PI tau phi i Infinity NaN LN10 LN2 LOG10E LOG2E SQRT1_2 SQRT2 true false null
  atomicMass avogadro bohrMagneton bohrRadius boltzmann classicalElectronRadius conductanceQuantum
  coulomb coulombConstant deuteronMass efimovFactor electricConstant electronMass elementaryCharge
  faraday fermiCoupling fineStructure firstRadiation gasConstant gravitationConstant gravity
  hartreeEnergy inverseConductanceQuantum klitzing loschmidt magneticConstant magneticFluxQuantum
  molarMass molarMassC12 molarPlanckConstant molarVolume neutronMass nuclearMagneton planckCharge
  planckConstant planckLength planckMass planckTemperature planckTime protonMass
  quantumOfCirculation reducedPlanckConstant rydberg sackurTetrode secondRadiation speedOfLight
  stefanBoltzmann thomsonCrossSection vacuumImpedance weakMixingAngle wienDisplacement
`
  .trim()
  .split(/\s+/);

/** The functions; operators are functions too (`add` is `+`). */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(FUNCTIONS);

/** The constants. */
export const ALLOWED_CONSTANTS: ReadonlySet<string> = new Set(CONSTANTS);

/** Functions that draw random numbers; refused where an expression is transformed. */
export const DRAWING_FUNCTIONS: ReadonlySet<string> = new Set([
  'pickRandom',
  'random',
  'randomInt',
]);

/** Properties of the results of eigs, lup, qr, slu and schur: the only ones that a dot can access. */
export const ALLOWED_PROPERTIES: ReadonlySet<string> = new Set([
  'values',
  'eigenvectors',
  'value',
  'vector',
  'L',
  'U',
  'Q',
  'R',
  'T',
  'p',
  'q',
]);

/** Limits of one expression, under their published names. */
export const EXPRESSION_LIMITS = {
  /** Characters. */
  max_expression_length: 10_000,
  /** Brackets in brackets, and depth of the parsed tree. */
  max_depth: 100,
  /** Dimensions of a matrix or list; the result of one more has no form in JSON that clients can read. */
  max_dimensions: 16,
  /** Nodes of the parsed tree. */
  max_nodes: 2000,
  /** Elements of any matrix, list or set, on the way and in the result. */
  max_elements: 10_000,
  /** Rows of a matrix that is inverted, decomposed or raised to a power. */
  max_matrix_rows: 64,
  /**
   * Rows of a matrix whose Schur form, root or eigenvalues are found by iteration, unless eigenvalues are asked
   * for and the matrix is real, symmetric and of doubles.
   */
  max_iterated_rows: 24,
  /** The same limit as max_iterated_rows for matrices of bignumbers and fractions. */
  max_iterated_exact_rows: 8,
  /** Characters of any text, on the way and in the result. */
  max_text_length: 100_000,
  /** Bits of an integer, and of a fraction's numerator and denominator. */
  max_integer_bits: 65_536,
  /** Decimal exponent of a bignumber, either side of zero: 10^±9999. */
  max_decimal_exponent: 9999,
  /** Calls of functions and operators. */
  max_calls: 200_000,
} as const;

/** The text of an expression. */
export const expressionField = z.string().min(1).max(EXPRESSION_LIMITS.max_expression_length);

/** Most nodes of an expression that is differentiated or simplified: rules multiply its size. */
export const MAX_SYMBOLIC_NODES = 200;

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Whether a text is a valid name of a variable: a letter, then letters, digits and underscores, and no
 * built-in property of objects, such as `constructor`.
 */
export function isVariableName(name: string): boolean {
  return NAME.test(name) && !(name in Object.prototype);
}

/**
 * Faults of an expression that show without parsing: brackets nested so deeply that a parser would
 * exhaust its stack.
 */
export function expressionTextFaults(expression: string, path: string): readonly Fault[] {
  const { max_depth, max_dimensions } = EXPRESSION_LIMITS;
  const depth = nesting(expression, '([{', ')]}');
  if (depth > max_depth) {
    const message = `Brackets are nested ${depth} deep; the limit max_depth is ${max_depth}.`;
    return [{ path, message }];
  }
  const dimensions = nesting(expression, '[', ']');
  if (dimensions > max_dimensions) {
    const message = `Square brackets are nested ${dimensions} deep, but a matrix has at most ${max_dimensions} dimensions (max_dimensions).`;
    return [{ path, message }];
  }
  return [];
}

/** Nesting depth of brackets of these kinds. */
function nesting(text: string, opening: string, closing: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (opening.includes(character)) depth++;
    else if (closing.includes(character)) depth--;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
