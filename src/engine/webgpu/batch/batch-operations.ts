/**
 * What a shape is made of on the device: 2×2 matrices and phases, each on the basis states that read
 * certain bits, with angles that every circuit has of its own.
 *
 * Three kinds are enough for any gate (two-level.ts), which keeps the kernel small.
 */
import { type Complex, isOne, ONE, times } from '../../phase-polynomial.ts';

/** A whole multiple of half an angle of the request. */
export interface HalfAngle {
  readonly slot: number;
  readonly multiple: number;
}

/** What a 2×2 matrix is multiplied together from. */
export type Factor =
  | { readonly kind: 'turnX' | 'turnY'; readonly angle: HalfAngle }
  | { readonly kind: 'phaseRow'; readonly row: 0 | 1; readonly angle: HalfAngle }
  /** Row-major. */
  | { readonly kind: 'constant'; readonly matrix: readonly [Complex, Complex, Complex, Complex] };

/** The basis states whose bits under `mask` are `value`. */
export interface Subcube {
  readonly mask: number;
  readonly value: number;
}

/** The product of the factors, the first acting first, on the two values of `pivot`. */
export interface Mix extends Subcube {
  readonly kind: 'mix';
  /** Not in the mask. */
  readonly pivot: number;
  readonly factors: readonly Factor[];
}

/** Exchanges the two values of `pivot`. */
export interface Flip extends Subcube {
  readonly kind: 'flip';
  readonly pivot: number;
}

/** Multiplies by `factor` and by e^{i·angle/2} of each angle, times its multiple. */
export interface Phase extends Subcube {
  readonly kind: 'phase';
  readonly factor: Complex;
  readonly angles: readonly HalfAngle[];
}

/** One thing to do to the amplitudes of a circuit. */
export type BatchOperation = Mix | Flip | Phase;

/** Operations in their order, of which neighbours become one where that is exact. */
export class OperationList {
  readonly #operations: BatchOperation[] = [];
  #global: Phase = { kind: 'phase', mask: 0, value: 0, factor: ONE, angles: [] };

  /** All but the phase of the whole state. */
  get operations(): readonly BatchOperation[] {
    return this.#operations;
  }

  /** The phase of the whole state: seen only where amplitudes themselves are asked for. */
  get globalPhase(): Phase {
    return this.#global;
  }

  /** A matrix on one qubit; joins the last operation if that is one on the same basis states. */
  addMix(mix: Mix): void {
    const at = this.#lastOn(mix.mask | bit(mix.pivot));
    const last = this.#operations[at];
    if (last?.kind === 'mix' && isSame(last, mix) && last.pivot === mix.pivot) {
      this.#operations[at] = { ...last, factors: [...last.factors, ...mix.factors] };
    } else if (last?.kind === 'phase' && mix.mask === 0 && last.mask === bit(mix.pivot)) {
      const factors = rowFactors(last, last.value === 0 ? 0 : 1);
      this.#operations[at] = { ...mix, factors: [...factors, ...mix.factors] };
    } else {
      this.#operations.push(mix);
    }
  }

  /** An exchange; two alike are none. */
  addFlip(flip: Flip): void {
    const at = this.#lastOn(flip.mask | bit(flip.pivot));
    const last = this.#operations[at];
    if (last?.kind === 'flip' && isSame(last, flip) && last.pivot === flip.pivot) {
      this.#operations.splice(at, 1);
    } else {
      this.#operations.push(flip);
    }
  }

  /** A phase; joins a matrix on its only qubit, or a phase of the same basis states. */
  addPhase(phase: Phase): void {
    if (isOne(phase.factor) && phase.angles.length === 0) return;
    if (phase.mask === 0) {
      this.#global = product(this.#global, phase);
      return;
    }
    const at = this.#lastOn(phase.mask);
    const last = this.#operations[at];
    if (last?.kind === 'mix' && last.mask === 0 && bit(last.pivot) === phase.mask) {
      const factors = [...last.factors, ...rowFactors(phase, phase.value === 0 ? 0 : 1)];
      this.#operations[at] = { ...last, factors };
    } else if (last?.kind === 'phase' && isSame(last, phase)) {
      this.#operations[at] = product(last, phase);
    } else {
      this.#operations.push(phase);
    }
  }

  /** Where the last operation stands that touches any of the qubits; −1 if none does. */
  #lastOn(qubits: number): number {
    return this.#operations.findLastIndex((operation) => (touched(operation) & qubits) !== 0);
  }
}

/** Mask of the qubits that an operation reads or moves. */
export function touched(operation: BatchOperation): number {
  return operation.kind === 'phase' ? operation.mask : operation.mask | bit(operation.pivot);
}

function bit(qubit: number): number {
  return 1 << qubit;
}

function isSame(a: Subcube, b: Subcube): boolean {
  return a.mask === b.mask && a.value === b.value;
}

function product(a: Phase, b: Phase): Phase {
  return { ...a, factor: times(a.factor, b.factor), angles: [...a.angles, ...b.angles] };
}

/** A phase on one value of a qubit as factors of a matrix on it. */
function rowFactors({ factor, angles }: Phase, row: 0 | 1): readonly Factor[] {
  const turns = angles.map((angle): Factor => ({ kind: 'phaseRow', row, angle }));
  if (isOne(factor)) return turns;
  const zero: Complex = { re: 0, im: 0 };
  const [first, second] = row === 0 ? [factor, ONE] : [ONE, factor];
  return [...turns, { kind: 'constant', matrix: [first, zero, zero, second] }];
}
