/**
 * States of the active qubits of a block of shots. Shots whose rotations had the same signs and whose measurements had
 * the same outcomes share a state, also with shots of earlier blocks.
 *
 * The rotations of a group are diagonal, so that a state is multiplied once by the phases of all of them. Those of some
 * rotations together, by their signs, are kept.
 */
import { type ActivePart, MAX_GROUP_BITS } from '../../compiler/program.ts';
import { GroupPhases, MAX_PHASE_BITS } from './group-phases.ts';
import type { StabilizerKernels } from './stabilizer-kernels.ts';

/** States that are known at most when a block begins; beyond that, all are forgotten. Those of few qubits cost little. */
const maxStates = (width: number): number => Math.min(250_000, 4096 * 2 ** width);
/** Bytes of a state without its amplitudes. */
const STATE_BYTES = 250;
/** Bytes of the amplitudes of states of one width, unless a block needs more. */
const WIDTH_BYTES = 8 * 2 ** 20;
/** Times that there is room for states of all shots of a block: those of a step are there in the next one. */
const KEPT_STEPS = 2;
/** Bytes of all phases that are kept. */
const PHASE_BYTES = 64 * 2 ** 20;
/** Units of work of 32 shots that have states already. */
const SHOT_UNITS = 256;
const UNITS_AT_ONCE = 2 ** 16;
/** A probability that differs from 0 or 1 by less is that. */
const TOLERANCE = 1e-12;
/** Widest states that are looked for among those of other shots. */
const MAX_COMPARED_WIDTH = 5;
/** Parts of amplitudes that differ by less are equal. */
const RESOLUTION = 1e-10;

/** A state, how it came from another one, and those that came from it. */
class SharedState {
  readonly parent: SharedState | undefined;
  /** Number of a group of rotations, or −1 minus that of a measurement. */
  readonly step: number;
  /** Key of the rotations, or the outcome. */
  readonly choice: number;
  readonly width: number;
  /** Address of its amplitudes, −1 if they were forgotten. */
  at = -1;
  /** Square of its norm. */
  weight = 1;
  /** By key: states after the rotations of a group, if these come next. */
  rotated: Map<number, SharedState> | undefined;
  /** Probability of outcome 1 of a measurement, if that comes next and once it is known. */
  ones: number | undefined;
  /** States after that. */
  zero: SharedState | undefined;
  one: SharedState | undefined;

  constructor(parent: SharedState | undefined, step: number, choice: number, width: number) {
    this.parent = parent;
    this.step = step;
    this.choice = choice;
    this.width = width;
  }
}

/** Random draws. */
export interface Draws {
  /** A number in [0, 1). */
  uniform(): number;
  /** 32 bits that are 1 with a probability each. */
  bits(probability: number): number;
}

/** Rows of a rotation, one bit a shot, 32 shots a word. Which rows there are depends on the rotation alone. */
interface RotationRows {
  /** Shots that rotate by −angle; absent if frames are such that none does. */
  readonly minus?: Int32Array;
  /** Shots that rotate at all; absent without a condition. */
  readonly held?: Int32Array;
}

/** Room for states, in bytes. */
interface ActiveRoom {
  /** By width: slots for amplitudes. */
  readonly slots: readonly number[];
  readonly amplitudes: number;
  readonly phases: number;
}

type Sizes = Pick<ActivePart, 'width' | 'groups' | 'collapses'>;

/** Room for the states of blocks of so many shots. */
export function activeRoom({ width, groups }: Sizes, blockShots: number): ActiveRoom {
  const slots = Array.from({ length: width + 1 }, (_, each) =>
    Math.max(
      KEPT_STEPS * blockShots,
      Math.min(maxStates(width), Math.floor(WIDTH_BYTES / bytesOf(each))),
    ),
  );
  const lists =
    groups.length * Math.ceil(MAX_GROUP_BITS / (MAX_PHASE_BITS - 1)) * 2 ** MAX_PHASE_BITS;
  return {
    slots,
    amplitudes: slots.reduce((sum, count, each) => sum + count * bytesOf(each), 0),
    phases: Math.min(PHASE_BYTES, lists * bytesOf(width)),
  };
}

/** Bytes that the states of a run take. */
export function activeBytes(sizes: Sizes, shots: number, blockShots: number): number {
  const { amplitudes, phases } = activeRoom(sizes, blockShots);
  const perShot = sizes.groups.length + sizes.collapses.length + 1;
  const numStates = Math.min(shots * perShot, maxStates(sizes.width) + blockShots * perShot);
  return Math.min(amplitudes, numStates * bytesOf(sizes.width)) + phases + numStates * STATE_BYTES;
}

/** Bytes of the amplitudes of a state. */
const bytesOf = (width: number): number => 2 ** (width + 4);

/**
 * The states of a block of shots, one block after the other. Generators yield units of work, as a time slicer counts
 * them.
 */
export class ActiveStates {
  readonly #kernels: StabilizerKernels;
  readonly #part: ActivePart;
  readonly #numShots: number;
  readonly #slots: readonly SlotRing[];
  readonly #phases: readonly GroupPhases[];
  /** By shot; of no meaning where all 32 shots of a word have one state. */
  readonly #states: SharedState[];
  /** By word: the state that all of its shots have; undefined if they differ. */
  readonly #common: (SharedState | undefined)[] = [];
  #root = new SharedState(undefined, 0, 0, 0);
  #numStates = 0;
  /** By measurement: states after it, by their amplitudes in digits. */
  readonly #measured: Map<string, SharedState>[];
  /** The group of the rotations that were put off, and their rows in the order of key bits. */
  #group = -1;
  #rows: Int32Array[] = [];
  #units = 0;

  /** @param kernels - Whose memory nothing else uses. */
  constructor(
    kernels: StabilizerKernels,
    part: ActivePart,
    numShots: number,
    room = activeRoom(part, numShots),
  ) {
    this.#kernels = kernels;
    this.#part = part;
    this.#numShots = numShots;
    this.#states = new Array<SharedState>(numShots).fill(this.#root);
    kernels.reserve((room.amplitudes + room.phases) / 4);
    let next = 0;
    this.#slots = room.slots.map((count, width) => {
      const ring = new SlotRing(next, count, 2 ** (width + 1));
      next += count * 2 ** (width + 1);
      return ring;
    });
    const { groups, rotations } = part;
    this.#measured = part.collapses.map(() => new Map());
    const bytes = Math.floor(room.phases / 16 / Math.max(1, groups.length)) * 16;
    this.#phases = groups.map(
      (group, i) => new GroupPhases(kernels, group, rotations, next + (i * bytes) / 8, bytes),
    );
  }

  /** Shots of a block. */
  get numShots(): number {
    return this.#numShots;
  }

  /** Begins a block: no qubit is active. */
  begin(): void {
    if (this.#numStates > maxStates(this.#part.width)) {
      for (const ring of this.#slots) ring.clear();
      for (const states of this.#measured) states.clear();
      this.#root = new SharedState(undefined, 0, 0, 0);
      this.#numStates = 0;
    }
    for (let word = 0; word < this.#numShots / 32; word++) this.#common[word] = this.#root;
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
   * @param ones - Row that gets the outcomes.
   */
  *collapse(index: number, draws: Draws, ones: Int32Array): Generator<number> {
    yield* this.#rotateAll();
    const [states, common] = [this.#states, this.#common];
    for (let word = 0; word < this.#numShots / 32; word++) {
      const first = 32 * word;
      let outcomes = 0;
      const state = common[word];
      if (state !== undefined) {
        const probability = this.#probabilityOfOne(state, index);
        outcomes = probability === 0 ? 0 : probability === 1 ? -1 : draws.bits(probability);
        const zero = outcomes === -1 ? undefined : this.#collapsed(state, index, 0);
        const one = outcomes === 0 ? undefined : this.#collapsed(state, index, 1);
        common[word] =
          zero === undefined || zero === one ? one : one === undefined ? zero : undefined;
        if (common[word] === undefined) {
          for (let bit = 0; bit < 32; bit++) {
            states[first + bit] = (((outcomes >>> bit) & 1) === 1 ? one : zero)!;
          }
        }
      } else {
        for (let bit = 0; bit < 32; bit++) {
          const own = states[first + bit]!;
          const probability = this.#probabilityOfOne(own, index);
          const isOne = probability === 1 || (probability > 0 && draws.uniform() < probability);
          if (isOne) outcomes |= 1 << bit;
          states[first + bit] = this.#collapsed(own, index, isOne ? 1 : 0);
          if (this.#units > UNITS_AT_ONCE) yield this.#spent();
        }
        common[word] = commonOf(states, first);
      }
      ones[word] = outcomes;
      yield this.#spent();
    }
  }

  /** The state after a measurement with an outcome. */
  #collapsed(state: SharedState, index: number, outcome: 0 | 1): SharedState {
    if (outcome === 1) {
      state.one ??= this.#shared(this.#after(state, -1 - index, 1));
      return state.one;
    }
    state.zero ??= this.#shared(this.#after(state, -1 - index, 0));
    return state.zero;
  }

  /** Rotates by the group that was put off. */
  *#rotateAll(): Generator<number> {
    if (this.#group < 0) return;
    const [states, common, rows] = [this.#states, this.#common, this.#rows];
    const keys = new Int32Array(32);
    for (let word = 0; word < this.#numShots / 32; word++) {
      const state = common[word];
      if (rows.every((row) => row[word] === 0) && state !== undefined) {
        common[word] = this.#rotated(state, 0);
      } else {
        const first = 32 * word;
        if (state !== undefined) states.fill(state, first, first + 32);
        keys.fill(0);
        for (let i = 0; i < rows.length; i++) {
          const bits = rows[i]![word]!;
          if (bits === 0) continue;
          for (let bit = 0; bit < 32; bit++) keys[bit]! |= ((bits >>> bit) & 1) << i;
        }
        for (let bit = 0; bit < 32; bit++) {
          states[first + bit] = this.#rotated(states[first + bit]!, keys[bit]!);
          if (this.#units > UNITS_AT_ONCE) yield this.#spent();
        }
        common[word] = commonOf(states, first);
      }
      yield this.#spent();
    }
    this.#group = -1;
    this.#rows = [];
  }

  /** The state after the rotations that were put off, with signs by a key. */
  #rotated(state: SharedState, key: number): SharedState {
    let next = state.rotated?.get(key);
    if (next === undefined) {
      next = this.#after(state, this.#group, key);
      state.rotated ??= new Map();
      state.rotated.set(key, next);
    }
    return next;
  }

  /** Probability of outcome 1. The state of outcome 0, which is likely in most programs, is computed with it. */
  #probabilityOfOne(state: SharedState, index: number): number {
    state.ones ??= this.#computedOnes(state, index);
    return state.ones;
  }

  #computedOnes(state: SharedState, index: number): number {
    const next = this.#after(state, -1 - index, 0);
    const zeros = next.weight / state.weight;
    if (zeros < TOLERANCE) return 1;
    state.zero = this.#shared(next);
    return zeros > 1 - TOLERANCE ? 0 : 1 - zeros;
  }

  /**
   * The state that another shot has after the same measurement, if it has the same amplitudes up to a phase, in place of
   * a new one.
   */
  #shared(state: SharedState): SharedState {
    if (state.width > MAX_COMPARED_WIDTH) return state;
    const states = this.#measured[-1 - state.step]!;
    const digits = this.#digitsOf(state);
    const known = states.get(digits);
    if (known !== undefined) return known;
    states.set(digits, state);
    return state;
  }

  /** The amplitudes, normalized and times a phase that makes the first one that is not small positive. */
  #digitsOf({ at, width, weight }: SharedState): string {
    const { doubles } = this.#kernels;
    const length = 2 ** (width + 1);
    const least = weight / length;
    let first = at;
    while (doubles[first]! ** 2 + doubles[first + 1]! ** 2 < least) first += 2;
    const scale = RESOLUTION * Math.hypot(doubles[first]!, doubles[first + 1]!) * Math.sqrt(weight);
    const [re, im] = [doubles[first]! / scale, -doubles[first + 1]! / scale];
    let digits = '';
    for (let i = at; i < at + length; i += 2) {
      const [x, y] = [doubles[i]!, doubles[i + 1]!];
      digits += `${Math.round(x * re - y * im)},${Math.round(x * im + y * re)},`;
    }
    return digits;
  }

  /** A new state after a step. */
  #after(state: SharedState, step: number, choice: number): SharedState {
    const numNew = step < 0 ? -1 : this.#part.groups[step]!.numNew;
    const next = new SharedState(state, step, choice, state.width + numNew);
    this.#numStates++;
    this.#compute(next, state);
    return next;
  }

  /** Computes the amplitudes of a state, and those of the states before it that were forgotten. */
  #compute(state: SharedState, parent: SharedState): void {
    const path = [state];
    let known = parent;
    while (known.at < 0 && known.parent !== undefined) {
      path.push(known);
      known = known.parent;
    }
    if (known.at < 0) {
      this.#slots[0]!.give(known, undefined);
      this.#kernels.doubles[known.at] = 1;
      this.#kernels.doubles[known.at + 1] = 0;
    }
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      this.#slots[next.width]!.give(next, known);
      this.#step(known, next);
      known = next;
    }
  }

  #step(from: SharedState, to: SharedState): void {
    if (to.step >= 0) {
      this.#phases[to.step]!.rotate(from, to, to.choice);
      this.#units += 4 * 2 ** to.width;
      return;
    }
    const { string, pivot } = this.#part.collapses[-1 - to.step]!;
    const { flips, signs, turns } = string;
    const turned = (turns + 2 * to.choice) & 3;
    const size = 2 ** to.width;
    to.weight = this.#kernels.collapseState(to.at, from.at, size, flips, signs, turned, pivot);
    this.#units += 2 * size;
  }

  /** Units since the last time. */
  #spent(): number {
    const units = this.#units + SHOT_UNITS;
    this.#units = 0;
    return units;
  }
}

/** The state that 32 shots have, if all have the same. */
function commonOf(states: readonly SharedState[], first: number): SharedState | undefined {
  const common = states[first];
  for (let shot = first + 1; shot < first + 32; shot++) {
    if (states[shot] !== common) return undefined;
  }
  return common;
}

/** Slots for the amplitudes of states of one width; a new state takes that of the oldest one. */
class SlotRing {
  readonly #at: number;
  readonly #size: number;
  readonly #owners: (SharedState | undefined)[];
  #next = 0;

  constructor(at: number, count: number, size: number) {
    this.#at = at;
    this.#size = size;
    this.#owners = new Array<SharedState | undefined>(count).fill(undefined);
  }

  /** Gives a state a slot other than that of a state that it is made from. */
  give(state: SharedState, from: SharedState | undefined): void {
    if (from !== undefined && this.#owners[this.#next] === from) this.#advance();
    const owner = this.#owners[this.#next];
    if (owner !== undefined) owner.at = -1;
    this.#owners[this.#next] = state;
    state.at = this.#at + this.#next * this.#size;
    this.#advance();
  }

  clear(): void {
    this.#owners.fill(undefined);
    this.#next = 0;
  }

  #advance(): void {
    this.#next = (this.#next + 1) % this.#owners.length;
  }
}
