/**
 * Names that expressions may use. All other names of mathjs are removed from their namespace, so a
 * function that a later version adds is refused until it has been reviewed.
 *
 * Left out on purpose: functions that change or inspect the language (import, config, createUnit, typed,
 * parse, compile, evaluate, parser, help, simplify, derivative, rationalize, resolve, reviver, replacer,
 * chain, print), that loop on conditions of their own (solveODE), or that build a matrix of unbounded
 * size from a function (matrixFromFunction).
 */

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
