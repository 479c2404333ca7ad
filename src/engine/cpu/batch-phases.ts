/**
 * Pending phases of a batch. Phases commute, so those on the same subcube merge, and all are
 * applied only before an operation that moves amplitudes.
 */

import { type Complex, isOne, ONE, times } from '../complex.ts';
import type { Subcube } from '../subcube.ts';
import type { BatchCode } from './batch-code.ts';

/** An angle of the request times a factor. */
export interface SlotAngle {
  readonly slot: number;
  readonly factor: number;
}

/** Product of phases on one subcube. */
interface Pending {
  readonly at: Subcube;
  constant: Complex;
  readonly angles: SlotAngle[];
}

/** Collects phases and writes them; loads the coefficients of angles. */
export class BatchPhases {
  readonly #code: BatchCode;
  readonly #pending = new Map<string, Pending>();
  /** Global phase; it shows only if amplitudes are requested. */
  readonly #global: Pending = { at: { mask: 0, value: 0 }, constant: ONE, angles: [] };
  /** The current angle of the program; rotations of one gate share it. */
  #current: SlotAngle | undefined;

  constructor(code: BatchCode) {
    this.#code = code;
  }

  /** Multiplies a subcube by a constant. */
  addConstant(at: Subcube, factor: Complex): void {
    if (isOne(factor)) return;
    const pending = this.#at(at);
    pending.constant = times(pending.constant, factor);
  }

  /** Multiplies a subcube by e^{i·angle}. */
  addAngle(at: Subcube, angle: SlotAngle): void {
    this.#at(at).angles.push(angle);
  }

  /** Applies all phases except the global one. */
  flush(): void {
    for (const pending of this.#pending.values()) this.#write(pending);
    this.#pending.clear();
  }

  /** Applies the global phase. */
  flushGlobal(): void {
    this.#write(this.#global);
  }

  /** Makes an angle, or its negative, the current one. */
  load({ slot, factor }: SlotAngle): 'own' | 'ownNegated' {
    const size = Math.abs(factor);
    if (this.#current?.slot !== slot || this.#current.factor !== size) {
      this.#code.setAngle(slot, size);
      this.#current = { slot, factor: size };
    }
    return factor < 0 ? 'ownNegated' : 'own';
  }

  #at(at: Subcube): Pending {
    if (at.mask === 0) return this.#global;
    const key = `${at.mask} ${at.value}`;
    const known = this.#pending.get(key);
    if (known !== undefined) return known;
    const pending: Pending = { at, constant: ONE, angles: [] };
    this.#pending.set(key, pending);
    return pending;
  }

  #write({ at, constant, angles }: Pending): void {
    const [first, ...others] = angles;
    if (first !== undefined && others.length === 0) {
      this.#code.multiply(at, this.load(first));
    } else if (first !== undefined) {
      this.#code.setAngle(first.slot, first.factor);
      for (const { slot, factor } of others) this.#code.addAngle(slot, factor);
      this.#code.multiply(at, 'own');
      this.#current = undefined;
    }
    if (!isOne(constant)) this.#code.multiply(at, [constant.re, constant.im]);
  }
}
