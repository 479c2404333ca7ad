/**
 * Phases of a batch that wait to be applied. They commute, so those on the same amplitudes become
 * one, and all wait until something comes that moves amplitudes.
 */

import { type Complex, isOne, ONE, times } from '../phase-polynomial.ts';
import type { BatchCode, Subcube } from './batch-code.ts';

/** An angle of the request, times a factor. */
export interface SlotAngle {
  readonly slot: number;
  readonly factor: number;
}

/** A product of phases on one subcube. */
interface Pending {
  readonly at: Subcube;
  constant: Complex;
  readonly angles: SlotAngle[];
}

/** Writes phases, and the coefficients that they and rotations use. */
export class BatchPhases {
  readonly #code: BatchCode;
  readonly #pending = new Map<string, Pending>();
  /** Of the whole state: seen only where amplitudes themselves are asked for. */
  readonly #global: Pending = { at: { mask: 0, value: 0 }, constant: ONE, angles: [] };
  /** What the bundle's coefficients are of; rotations of one gate share them. */
  #current: SlotAngle | undefined;

  constructor(code: BatchCode) {
    this.#code = code;
  }

  /** Multiplies a subcube by a number that is the same in all circuits. */
  addConstant(at: Subcube, factor: Complex): void {
    if (isOne(factor)) return;
    const pending = this.#at(at);
    pending.constant = times(pending.constant, factor);
  }

  /** Multiplies a subcube by e^{i·angle}. */
  addAngle(at: Subcube, angle: SlotAngle): void {
    this.#at(at).angles.push(angle);
  }

  /** Applies all phases but that of the whole state. */
  flush(): void {
    for (const pending of this.#pending.values()) this.#write(pending);
    this.#pending.clear();
  }

  /** Applies that of the whole state. */
  flushGlobal(): void {
    this.#write(this.#global);
  }

  /** Has the bundle's coefficients be those of an angle, up to its sign. */
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
