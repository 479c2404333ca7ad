/**
 * States of the active qubits of a block of shots. Shots whose rotations had the same signs and whose measurements had
 * the same outcomes share a state. States of few amplitudes are kept for the blocks that follow.
 *
 * The rotations of a group are diagonal, so that a state is multiplied once by the phases of all of them. Those of some
 * rotations together, by their signs, are kept.
 */
import {
  type ActivePart,
  type ActiveRotation,
  bitsOfRotation,
  MAX_GROUP_BITS,
  type RotationGroup,
} from '../../compiler/program.ts';
import { collapseInto, rotateStates } from './core-state.ts';

/** States that are known at most when a block begins; beyond that, all are forgotten. */
const MAX_STATES = 200_000;
/** Bytes of a state without its amplitudes. */
const STATE_BYTES = 300;
/** Bytes of the amplitudes that are kept, at least. */
const AMPLITUDE_BYTES = 64 * 2 ** 20;
/** Times that the states of all shots of a block are kept, so that those of a step are there in the next one. */
const KEPT_STEPS = 2;
/** Bytes of all phases that are kept. */
const PHASE_BYTES = 64 * 2 ** 20;
/** Bits of a key that choose one list of phases, at most. */
const MAX_PHASE_BITS = 8;
/** Units of work of 32 shots that have states already. */
const SHOT_UNITS = 256;
const UNITS_AT_ONCE = 2 ** 16;
/** A probability that differs from 0 or 1 by less is that. */
const TOLERANCE = 1e-12;

/** A state, how it came from another one, and those that came from it. Its amplitudes may have been forgotten. */
class SharedState {
  readonly parent: SharedState | undefined;
  /** Number of a group of rotations, or −1 minus that of a measurement. */
  readonly step: number;
  /** Key of the rotations, or the outcome. */
  readonly choice: number;
  amplitudes: Float64Array | undefined;
  /** Square of its norm. */
  weight = 1;
  /** By key: states after the rotations of a group, if these come next. */
  readonly rotated = new Map<number, SharedState>();
  /** Probability of outcome 1 of a measurement, if that comes next and once it is known. */
  ones: number | undefined;
  /** States after that. */
  zero: SharedState | undefined;
  one: SharedState | undefined;

  constructor(parent: SharedState | undefined, step: number, choice: number) {
    this.parent = parent;
    this.step = step;
    this.choice = choice;
  }
}

/** Rows of a rotation, one bit a shot, 32 shots a word. Which rows there are depends on the rotation alone. */
interface RotationRows {
  /** Shots that rotate by −angle; absent if frames are such that none does. */
  readonly minus?: Int32Array;
  /** Shots that rotate at all; absent without a condition. */
  readonly held?: Int32Array;
}

const amplitudeBytes = (width: number, blockShots: number): number =>
  Math.max(AMPLITUDE_BYTES, KEPT_STEPS * blockShots * 2 ** (width + 4));

/** Bytes of the states of a run in blocks of so many shots, and of what is kept of them. */
export function activeBytes(
  { width, groups, collapses }: Pick<ActivePart, 'width' | 'groups' | 'collapses'>,
  shots: number,
  blockShots: number,
): number {
  const perShot = groups.length + collapses.length;
  const numStates = Math.min(shots * perShot, MAX_STATES + blockShots * perShot);
  const bytes = 2 ** (width + 4);
  return (
    Math.min(amplitudeBytes(width, blockShots), numStates * bytes) +
    Math.min(
      PHASE_BYTES,
      groups.length * (MAX_GROUP_BITS / MAX_PHASE_BITS) * 2 ** MAX_PHASE_BITS * bytes,
    ) +
    numStates * STATE_BYTES
  );
}

/**
 * The states of a block of shots, one block after the other. Generators yield units of work, as a time slicer counts
 * them.
 */
export class ActiveStates {
  readonly #part: ActivePart;
  readonly #numShots: number;
  readonly #room: number;
  readonly #phases: readonly GroupPhases[];
  readonly #states: SharedState[] = [];
  #root = rootState();
  #numStates = 0;
  /** States that have amplitudes, the oldest first; those before a place have none any more. */
  #withAmplitudes: SharedState[] = [];
  #oldest = 0;
  #usedBytes = 0;
  /** The group of the rotations that were put off, and their rows in the order of key bits. */
  #group = -1;
  #rows: Int32Array[] = [];
  #units = 0;

  /** @param room - Bytes of amplitudes that are kept. */
  constructor(part: ActivePart, numShots: number, room = amplitudeBytes(part.width, numShots)) {
    this.#part = part;
    this.#numShots = numShots;
    this.#room = room;
    const { groups, rotations } = part;
    const bytes = PHASE_BYTES / Math.max(1, groups.length);
    this.#phases = groups.map((group) => new GroupPhases(group, rotations, bytes));
  }

  /** Begins a block: no qubit is active. */
  begin(): void {
    if (this.#numStates > MAX_STATES) {
      this.#root = rootState();
      this.#numStates = 0;
      this.#withAmplitudes = [];
      this.#oldest = 0;
      this.#usedBytes = 0;
    }
    this.#states.length = 0;
    for (let shot = 0; shot < this.#numShots; shot++) this.#states.push(this.#root);
    this.#group = -1;
    this.#rows = [];
  }

  /** Applies a rotation. */
  *rotate(index: number, { minus, held }: RotationRows): Generator<number> {
    const { group } = this.#part.rotations[index]!;
    if (group !== this.#group) yield* this.#rotateAll();
    this.#group = group;
    if (minus !== undefined) this.#rows.push(minus);
    if (held !== undefined) this.#rows.push(held);
  }

  /**
   * Measures a string.
   *
   * @param draw - A draw in [0, 1) for the next shot whose outcome is random.
   * @param ones - Row that gets the outcomes.
   */
  *collapse(index: number, draw: () => number, ones: Int32Array): Generator<number> {
    yield* this.#rotateAll();
    const states = this.#states;
    for (let shot = 0; shot < this.#numShots; shot++) {
      const state = states[shot]!;
      state.ones ??= this.#probabilityOfOne(state, index);
      const isOne = state.ones === 1 || (state.ones > 0 && draw() < state.ones);
      if (isOne) {
        state.one ??= this.#collapsed(state, index, 1);
        states[shot] = state.one;
        ones[shot >>> 5]! |= 1 << (shot & 31);
      } else {
        state.zero ??= this.#collapsed(state, index, 0);
        states[shot] = state.zero;
      }
      if (this.#units > UNITS_AT_ONCE || (shot & 31) === 31) yield this.#spent();
    }
  }

  /** Rotates by the group that was put off. */
  *#rotateAll(): Generator<number> {
    if (this.#group < 0) return;
    const [states, rows] = [this.#states, this.#rows];
    const keys = new Int32Array(32);
    for (let word = 0; word < this.#numShots / 32; word++) {
      keys.fill(0);
      for (let i = 0; i < rows.length; i++) {
        const bits = rows[i]![word]!;
        if (bits === 0) continue;
        for (let bit = 0; bit < 32; bit++) keys[bit]! |= ((bits >>> bit) & 1) << i;
      }
      for (let bit = 0; bit < 32; bit++) {
        const state = states[32 * word + bit]!;
        const key = keys[bit]!;
        let next = state.rotated.get(key);
        if (next === undefined) {
          next = new SharedState(state, this.#group, key);
          this.#keep(next, this.#rotated(state, this.#group, key));
          state.rotated.set(key, next);
        }
        states[32 * word + bit] = next;
        if (this.#units > UNITS_AT_ONCE) yield this.#spent();
      }
      yield this.#spent();
    }
    this.#group = -1;
    this.#rows = [];
  }

  /** Probability of outcome 1. The state of outcome 0, which is likely in most programs, is computed with it. */
  #probabilityOfOne(state: SharedState, index: number): number {
    const next = this.#collapsed(state, index, 0);
    const zeros = next.weight / state.weight;
    if (zeros < TOLERANCE) return 1;
    state.zero = next;
    return zeros > 1 - TOLERANCE ? 0 : 1 - zeros;
  }

  #collapsed(state: SharedState, index: number, outcome: 0 | 1): SharedState {
    const next = new SharedState(state, -1 - index, outcome);
    const from = this.#amplitudesOf(state);
    const to = new Float64Array(from.length / 2);
    next.weight = collapseInto(to, from, this.#part.collapses[index]!, outcome);
    this.#units += from.length;
    this.#keep(next, to);
    return next;
  }

  #rotated(state: SharedState, group: number, key: number): Float64Array {
    const before = this.#amplitudesOf(state);
    const amplitudes = this.#phases[group]!.rotated(before, state.weight, key);
    this.#units += 4 * amplitudes.length;
    return amplitudes;
  }

  /** The amplitudes of a state, which are computed again if they were forgotten. */
  #amplitudesOf(state: SharedState): Float64Array {
    const path: SharedState[] = [];
    let known = state;
    while (known.amplitudes === undefined) {
      path.push(known);
      known = known.parent!;
    }
    let { amplitudes } = known;
    let { weight } = known;
    for (const { step, choice, weight: after } of path.reverse()) {
      if (step >= 0) {
        amplitudes = this.#phases[step]!.rotated(amplitudes, weight, choice);
      } else {
        const to = new Float64Array(amplitudes.length / 2);
        collapseInto(to, amplitudes, this.#part.collapses[-1 - step]!, choice as 0 | 1);
        amplitudes = to;
      }
      this.#units += 4 * amplitudes.length;
      weight = after;
    }
    return amplitudes;
  }

  /** Units since the last time. */
  #spent(): number {
    const units = this.#units + SHOT_UNITS;
    this.#units = 0;
    return units;
  }

  /** Keeps the amplitudes of a new state, and forgets those of the oldest ones beyond the room for all. */
  #keep(state: SharedState, amplitudes: Float64Array): void {
    state.amplitudes = amplitudes;
    this.#numStates++;
    this.#withAmplitudes.push(state);
    this.#usedBytes += amplitudes.byteLength;
    while (this.#usedBytes > this.#room) {
      const oldest = this.#withAmplitudes[this.#oldest++]!;
      this.#usedBytes -= oldest.amplitudes!.byteLength;
      oldest.amplitudes = undefined;
    }
    if (this.#oldest > MAX_STATES) {
      this.#withAmplitudes = this.#withAmplitudes.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}

function rootState(): SharedState {
  const root = new SharedState(undefined, 0, 0);
  root.amplitudes = Float64Array.of(1, 0);
  return root;
}

/** Rotations whose bits of a key follow each other. */
interface PhasePart {
  readonly rotations: readonly ActiveRotation[];
  readonly firstBit: number;
  readonly numBits: number;
  /** By these bits: a phase for each amplitude, interleaved re, im. */
  readonly known: Map<number, Float64Array>;
}

/** The rotations of a group. */
class GroupPhases {
  readonly #group: RotationGroup;
  readonly #rotations: readonly ActiveRotation[];
  readonly #bytes: number;
  #parts: readonly PhasePart[] | undefined;

  /** @param bytes - Of the phases that are kept. */
  constructor(group: RotationGroup, rotations: readonly ActiveRotation[], bytes: number) {
    this.#group = group;
    this.#rotations = rotations.slice(group.first, group.first + group.numRotations);
    this.#bytes = bytes;
  }

  /**
   * A state, normalized, after the rotations with signs by a key.
   *
   * @param weight - Square of the norm of the state before.
   */
  rotated(before: Float64Array, weight: number, key: number): Float64Array {
    const { basis, numNew } = this.#group;
    const factor = 1 / Math.sqrt(weight * 2 ** numNew);
    const small = new Float64Array(before.length);
    for (let i = 0; i < small.length; i++) small[i] = factor * before[i]!;
    for (const { string, angle } of basis) rotateStates(small, small.length / 2, string, angle);
    const numStates = (small.length / 2) * 2 ** numNew;
    this.#parts ??= this.#divided(numStates);
    const amplitudes = numNew === 0 ? small : new Float64Array(2 * numStates);
    let from = small;
    for (const part of this.#parts) {
      const bits = (key >>> part.firstBit) & (2 ** part.numBits - 1);
      let phases = part.known.get(bits);
      if (phases === undefined) {
        phases = phasesOf(part.rotations, bits, numStates);
        part.known.set(bits, phases);
      }
      multiplyInto(amplitudes, from, phases);
      from = amplitudes;
    }
    if (this.#parts.length === 0) {
      for (let at = 0; at < amplitudes.length; at += small.length) amplitudes.set(small, at);
      rotateDiagonally(amplitudes, this.#rotations, key);
    }
    return amplitudes;
  }

  /** Parts with as many bits as there is room for their phases; none if there is room for no part. */
  #divided(numStates: number): readonly PhasePart[] {
    const numBits = this.#rotations.reduce((sum, rotation) => sum + bitsOfRotation(rotation), 0);
    const bytesFor = (bits: number) => Math.ceil((numBits + 1) / bits) * 2 ** bits * 16 * numStates;
    let most = MAX_PHASE_BITS;
    while (most >= 2 && bytesFor(most) > this.#bytes) most--;
    if (most < 2) return [];
    const parts: (PhasePart & { rotations: ActiveRotation[]; numBits: number })[] = [];
    let firstBit = 0;
    for (const rotation of this.#rotations) {
      const bits = bitsOfRotation(rotation);
      let last = parts.at(-1);
      if (last === undefined || last.numBits + bits > most) {
        last = { rotations: [], firstBit, numBits: 0, known: new Map() };
        parts.push(last);
      }
      last.rotations.push(rotation);
      last.numBits += bits;
      firstBit += bits;
    }
    return parts;
  }
}

function phasesOf(
  rotations: readonly ActiveRotation[],
  bits: number,
  numStates: number,
): Float64Array {
  const phases = new Float64Array(2 * numStates);
  for (let i = 0; i < phases.length; i += 2) phases[i] = 1;
  rotateDiagonally(phases, rotations, bits);
  return phases;
}

function rotateDiagonally(
  amplitudes: Float64Array,
  rotations: readonly ActiveRotation[],
  bits: number,
): void {
  let rest = bits;
  const takeBit = () => {
    const bit = rest & 1;
    rest >>>= 1;
    return bit;
  };
  for (const { signs, angle, stabilizer, condition } of rotations) {
    const isMinus = stabilizer === undefined && takeBit() === 1;
    const isHeld = condition === undefined || takeBit() === 1;
    if (!isHeld) continue;
    const string = { flips: 0, signs, turns: 0 };
    rotateStates(amplitudes, amplitudes.length / 2, string, isMinus ? -angle : angle);
  }
}

/** Multiplies amplitudes, repeated as often as there is room, by phases. */
function multiplyInto(to: Float64Array, from: Float64Array, phases: Float64Array): void {
  const mask = from.length - 1;
  for (let i = 0; i < to.length; i += 2) {
    const at = i & mask;
    const re = from[at]!;
    const im = from[at + 1]!;
    const phaseRe = phases[i]!;
    const phaseIm = phases[i + 1]!;
    to[i] = re * phaseRe - im * phaseIm;
    to[i + 1] = re * phaseIm + im * phaseRe;
  }
}
