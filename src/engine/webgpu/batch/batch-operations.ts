/**
 * Operations that a batch shape is compiled into: 2×2 matrices, flips and phases on subcubes of
 * basis states, with angles that differ between circuits.
 *
 * These three kinds express any gate (lower-shape.ts), which keeps the kernel small.
 */

import type { Subcube } from '../../batch-recipes.ts';
import { type Complex, isOne, ONE, times } from '../../complex.ts';

/** An integer multiple of half an angle of the request. */
export interface HalfAngle {
  readonly slot: number;
  readonly multiple: number;
}

/** One factor of a 2×2 matrix. */
export type Factor =
  | { readonly kind: 'turnX' | 'turnY'; readonly angle: HalfAngle }
  | { readonly kind: 'phaseRow'; readonly row: 0 | 1; readonly angle: HalfAngle }
  /** Row-major. */
  | { readonly kind: 'constant'; readonly matrix: readonly [Complex, Complex, Complex, Complex] };

/** Applies the product of the factors, the first acting first, to the pivot qubit. */
export interface Mix extends Subcube {
  readonly kind: 'mix';
  /** Not in the mask. */
  readonly pivot: number;
  readonly factors: readonly Factor[];
}

/** Applies X to the pivot qubit. */
export interface Flip extends Subcube {
  readonly kind: 'flip';
  readonly pivot: number;
}

/** Multiplies by `factor` and by e^{i·multiple·angle/2} for each angle. */
export interface Phase extends Subcube {
  readonly kind: 'phase';
  readonly factor: Complex;
  readonly angles: readonly HalfAngle[];
}

/** One operation on the amplitudes of a circuit. */
export type BatchOperation = Mix | Flip | Phase;

/** Operations in order. Appending merges neighbours where that is exact. */
export class OperationList {
  readonly #operations: BatchOperation[] = [];
  #global: Phase = { kind: 'phase', mask: 0, value: 0, factor: ONE, angles: [] };

  /** All operations except the global phase. */
  get operations(): readonly BatchOperation[] {
    return this.#operations;
  }

  /** Global phase; it shows only if amplitudes are requested. */
  get globalPhase(): Phase {
    return this.#global;
  }

  /** Appends a matrix on one qubit; merges it with a matrix on the same basis states. */
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

  /** Appends a flip; cancels an equal one. */
  addFlip(flip: Flip): void {
    const at = this.#lastOn(flip.mask | bit(flip.pivot));
    const last = this.#operations[at];
    if (last?.kind === 'flip' && isSame(last, flip) && last.pivot === flip.pivot) {
      this.#operations.splice(at, 1);
    } else {
      this.#operations.push(flip);
    }
  }

  /**
   * Appends a phase; merges it with a matrix on its only qubit, or with a phase on the same basis
   * states.
   */
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

  /** Index of the last operation that touches any of the qubits; −1 if there is none. */
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

/** Converts a phase on one value of a qubit into factors of a matrix on it. */
function rowFactors({ factor, angles }: Phase, row: 0 | 1): readonly Factor[] {
  const turns = angles.map((angle): Factor => ({ kind: 'phaseRow', row, angle }));
  if (isOne(factor)) return turns;
  const zero: Complex = { re: 0, im: 0 };
  const [first, second] = row === 0 ? [factor, ONE] : [ONE, factor];
  return [...turns, { kind: 'constant', matrix: [first, zero, zero, second] }];
}
