/**
 * States of the active qubits of a block of shots. Shots whose rotations had the same signs and whose measurements had
 * the same outcomes share a state. States of few amplitudes are kept for the blocks that follow.
 *
 * Rotations are put off until the next measurement, so that a state is copied once for all of them.
 */
import type { ActivePart, ActiveRotation } from '../../compiler/program.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { collapseInto, rotateStates } from './core-state.ts';

/** Bytes of the states that are kept from block to block. */
const KEPT_BYTES = 64 * 2 ** 20;
/** Bytes of a state beside its amplitudes. */
const STATE_BYTES = 200;
/** Bits of a key, which names the signs of the rotations that were put off. */
const KEY_BITS = 30;
/** A probability that differs from 0 or 1 by less is that. */
const TOLERANCE = 1e-12;

/** A state, and those that followed from it. */
interface SharedState {
  readonly amplitudes: Float64Array;
  /** By key: states after the rotations up to the next measurement. */
  readonly rotated: Map<number, SharedState>;
  /** Probability of outcome 1 of the next measurement, once it is known. */
  ones?: number;
  /** States after that. */
  readonly collapsed: [SharedState | undefined, SharedState | undefined];
}

const sharedState = (amplitudes: Float64Array): SharedState => ({
  amplitudes,
  rotated: new Map(),
  collapsed: [undefined, undefined],
});

/**
 * A rotation that was put off. Rows have one bit a shot, 32 shots a word. Which rows there are depends on the rotation
 * alone, as keys must mean the same in all blocks.
 */
interface PutOff {
  readonly rotation: ActiveRotation;
  /** Shots that rotate by −angle; absent if frames are such that none does. */
  readonly minus?: Int32Array;
  /** Shots that rotate at all; absent without a condition. */
  readonly held?: Int32Array;
}

/** Bytes of the states of a block, if each of its shots had one of its own. */
export const activeBytes = ({ width }: ActivePart, blockShots: number): number =>
  blockShots * (2 ** (width + 4) + STATE_BYTES);

/** The states of a block of shots, one block after the other. */
export class ActiveStates {
  readonly #part: ActivePart;
  readonly #numShots: number;
  readonly #slicer: TimeSlicer;
  #root = sharedState(Float64Array.of(1, 0));
  #keptBytes = 0;
  readonly #states: SharedState[] = [];
  #putOff: PutOff[] = [];
  #numKeyBits = 0;

  constructor(part: ActivePart, numShots: number, slicer: TimeSlicer) {
    this.#part = part;
    this.#numShots = numShots;
    this.#slicer = slicer;
  }

  /** Begins a block: no qubit is active. */
  begin(): void {
    if (this.#keptBytes > KEPT_BYTES) {
      this.#root = sharedState(Float64Array.of(1, 0));
      this.#keptBytes = 0;
    }
    for (let shot = 0; shot < this.#numShots; shot++) this.#states[shot] = this.#root;
    this.#putOff = [];
    this.#numKeyBits = 0;
  }

  /** Applies a rotation. */
  async rotate(index: number, signs: Omit<PutOff, 'rotation'>): Promise<void> {
    const numBits = (signs.minus === undefined ? 0 : 1) + (signs.held === undefined ? 0 : 1);
    if (this.#numKeyBits + numBits > KEY_BITS) await this.#rotateAll();
    this.#putOff.push({ rotation: this.#part.rotations[index]!, ...signs });
    this.#numKeyBits += numBits;
  }

  /**
   * Measures a string.
   *
   * @param draw - A draw in [0, 1) for the next shot.
   * @param ones - Row that gets the outcomes.
   */
  async collapse(index: number, draw: () => number, ones: Int32Array): Promise<void> {
    await this.#rotateAll();
    const collapse = this.#part.collapses[index]!;
    const states = this.#states;
    for (let shot = 0; shot < this.#numShots; shot++) {
      const state = states[shot]!;
      state.ones ??= this.#probabilityOfOne(state, index);
      const outcome = draw() < state.ones ? 1 : 0;
      let next = state.collapsed[outcome];
      if (next === undefined) {
        const probability = outcome === 1 ? state.ones : 1 - state.ones;
        const amplitudes = new Float64Array(state.amplitudes.length / 2);
        collapseInto(amplitudes, state.amplitudes, collapse, outcome, 1 / Math.sqrt(probability));
        next = this.#kept(amplitudes);
        state.collapsed[outcome] = next;
        if (this.#slicer.spend(amplitudes.length)) await this.#slicer.pause();
      }
      states[shot] = next;
      ones[shot >>> 5]! |= outcome << (shot & 31);
    }
    if (this.#slicer.spend(8 * this.#numShots)) await this.#slicer.pause();
  }

  async #rotateAll(): Promise<void> {
    const putOff = this.#putOff;
    if (putOff.length === 0) return;
    const states = this.#states;
    const rows = putOff.flatMap(({ minus, held }) =>
      [minus, held].filter((row) => row !== undefined),
    );
    for (let shot = 0; shot < this.#numShots; shot++) {
      const [word, bit] = [shot >>> 5, shot & 31];
      let key = 0;
      for (let i = 0; i < rows.length; i++) key |= ((rows[i]![word]! >>> bit) & 1) << i;
      const state = states[shot]!;
      let next = state.rotated.get(key);
      if (next === undefined) {
        next = this.#kept(await this.#rotated(state.amplitudes, key));
        state.rotated.set(key, next);
      }
      states[shot] = next;
    }
    if (this.#slicer.spend((8 + rows.length) * this.#numShots)) await this.#slicer.pause();
    this.#putOff = [];
    this.#numKeyBits = 0;
  }

  /** The state after the rotations that were put off, with signs by a key. */
  async #rotated(before: Float64Array, key: number): Promise<Float64Array> {
    const growth = this.#putOff.filter(({ rotation }) => rotation.stabilizer !== undefined).length;
    const amplitudes = new Float64Array(before.length * 2 ** growth);
    amplitudes.set(before);
    let length = before.length / 2;
    let rest = key;
    for (const { rotation, minus, held } of this.#putOff) {
      if (rotation.stabilizer !== undefined) length *= 2;
      let { angle } = rotation;
      if (minus !== undefined) {
        if ((rest & 1) === 1) angle = -angle;
        rest >>>= 1;
      }
      if (held !== undefined) {
        if ((rest & 1) === 0) angle = 0;
        rest >>>= 1;
      }
      if (angle === 0) continue;
      rotateStates(amplitudes, length, rotation.string, angle);
      if (this.#slicer.spend(2 * length)) await this.#slicer.pause();
    }
    return amplitudes;
  }

  #probabilityOfOne({ amplitudes }: SharedState, index: number): number {
    const half = new Float64Array(amplitudes.length / 2);
    collapseInto(half, amplitudes, this.#part.collapses[index]!, 1, 1);
    let sum = 0;
    for (let i = 0; i < half.length; i++) sum += half[i]! ** 2;
    return sum < TOLERANCE ? 0 : sum > 1 - TOLERANCE ? 1 : sum;
  }

  #kept(amplitudes: Float64Array): SharedState {
    this.#keptBytes += amplitudes.byteLength + STATE_BYTES;
    return sharedState(amplitudes);
  }
}
