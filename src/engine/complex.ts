/**
 * Complex numbers that may know how they follow from a program's matrices.
 *
 * Programs of one shape are lowered once, with the matrices of the shape. In the course of it every number that
 * depends on angles carries a formula. The formulas of those numbers that are written in the end make a list of
 * operations (`formula-tape.ts`), which gives the numbers of each program of the shape.
 */

/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
  /** Absent where the number depends on no angle, or where a program is lowered for itself alone. */
  readonly formula?: Formula;
}

/** Formula of a complex number in the entries of a program's matrices. */
export type Formula = EntryFormula | OperationFormula | RotationPartFormula;

interface FormulaBase {
  /** Whether it is no smooth function of the angles, so that its form at other angles is not known. */
  readonly isFragile: boolean;
  /**
   * Collects numbers of one lowering that are left out because they are 1 at the angles of the shape. Whether they
   * are 1 at other angles too is checked for each program.
   */
  readonly leftOut: Set<Formula>;
  /** Index of the number on the tape of the lowering; −1 until it is there. */
  place: number;
}

/** An entry; its index counts complex numbers. */
export interface EntryFormula extends FormulaBase {
  readonly kind: 'entry';
  readonly index: number;
}

/** a·b or a/b. */
export interface OperationFormula extends FormulaBase {
  readonly kind: 'product' | 'quotient';
  readonly a: Complex;
  readonly b: Complex;
}

/** A part of a factored matrix (`rotation.ts`). */
export interface RotationPartFormula extends FormulaBase {
  readonly kind: 'rotation';
  readonly rotation: RotationFormula;
  readonly part: RotationPart;
}

/** The parts of a factored matrix in the order in which they are computed; the tangent is real. */
export const ROTATION_PARTS = ['scale', 'after', 'before', 'tangent'] as const;
/** One of them. */
export type RotationPart = (typeof ROTATION_PARTS)[number];

/** A 2×2 matrix that is factored. */
export interface RotationFormula {
  /** Indices of u00, u01, u10 and u11 among the entries, in complex numbers. */
  readonly entries: readonly [number, number, number, number];
  readonly form: RotationForm;
  /** Index of the first part on the tape of the lowering; −1 until it is there. */
  place: number;
}

/** Phases of a rotation that are the same at all angles: exponents of i, or −1 for a phase that is not. */
export interface RotationForm {
  readonly after: number;
  readonly before: number;
}

/** A real number, which may have a formula. */
export type Real = number | TracedReal;

/** A real number with a formula. */
export interface TracedReal {
  /** At the angles of the shape. */
  readonly value: number;
  readonly formula: Formula;
  /** Whether it is the imaginary part; else it is the real one. */
  readonly isImaginary: boolean;
  readonly sign: 1 | -1;
}

/** The number 1. */
export const ONE: Complex = { re: 1, im: 0 };

/** a·b. */
export function times(a: Complex, b: Complex): Complex {
  const re = a.re * b.re - a.im * b.im;
  const im = a.re * b.im + a.im * b.re;
  if (a.formula === undefined && b.formula === undefined) return { re, im };
  if (isExactlyOne(a)) return b;
  if (isExactlyOne(b)) return a;
  return { re, im, formula: operation('product', a, b) };
}

/** a/b. */
export function over(a: Complex, b: Complex): Complex {
  const norm = b.re * b.re + b.im * b.im;
  const re = (a.re * b.re + a.im * b.im) / norm;
  const im = (a.im * b.re - a.re * b.im) / norm;
  if (a.formula === undefined && b.formula === undefined) return { re, im };
  if (isExactlyOne(b)) return a;
  return { re, im, formula: operation('quotient', a, b) };
}

/** The formula of an operation of which one operand at least has a formula. */
function operation(kind: 'product' | 'quotient', a: Complex, b: Complex): OperationFormula {
  const { leftOut } = (a.formula ?? b.formula)!;
  const isFragile = a.formula?.isFragile === true || b.formula?.isFragile === true;
  return { kind, a, b, isFragile, leftOut, place: -1 };
}

/** Whether it is the constant 1. */
function isExactlyOne({ re, im, formula }: Complex): boolean {
  return formula === undefined && re === 1 && im === 0;
}

/**
 * Largest distance from 1 at which a product of phases counts as 1: the rounding of a few
 * operations.
 */
const ROUNDING = 4e-16;

/** Whether a phase is 1 up to rounding, so that it is left out. */
export function isOne({ re, im, formula }: Complex): boolean {
  if (Math.abs(re - 1) > ROUNDING || Math.abs(im) > ROUNDING) return false;
  if (formula === undefined) return true;
  if (formula.isFragile) return false;
  formula.leftOut.add(formula);
  return true;
}

/**
 * Largest distance from 1 of the square of a phase's modulus: the rounding of thousands of products. The scale of a
 * rotation by a thousandth of a radian, which gradients depend on, lies 2.5e-7 from 1.
 */
const PHASE_ROUNDING = 1e-12;

/** Whether the modulus of a factor is 1 up to rounding. */
export function isPhase({ re, im }: Complex): boolean {
  return Math.abs(re * re + im * im - 1) < PHASE_ROUNDING;
}

/** The phase e^{i·radians}. */
export function phaseOf(radians: number): Complex {
  return { re: Math.cos(radians), im: Math.sin(radians) };
}

export function realPart({ re, formula }: Complex): Real {
  return formula === undefined ? re : { value: re, formula, isImaginary: false, sign: 1 };
}

export function imaginaryPart({ im, formula }: Complex): Real {
  return formula === undefined ? im : { value: im, formula, isImaginary: true, sign: 1 };
}

/** −x. */
export function negated(x: Real): Real {
  if (typeof x === 'number') return -x;
  return { ...x, value: -x.value, sign: x.sign === 1 ? -1 : 1 };
}

/** A number without its formula. */
export function plainReal(x: Real): number {
  return typeof x === 'number' ? x : x.value;
}
