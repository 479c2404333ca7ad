/**
 * States in shared memory for tests of kernels, and runners that do the items of commands in a
 * chosen order.
 */
import { readFileSync } from 'node:fs';
import type { Qubit } from '../../src/circuit/circuit.ts';
import { COMMAND_WORDS, type StoredState, stateBytes } from '../../src/engine/cpu/command.ts';
import { GROUP_SHIFT, PRECISIONS } from '../../src/engine/cpu/precision.ts';
import type { CommandRunner } from '../../src/engine/cpu/thread-pool.ts';
import { instantiateKernels, type KernelExports } from '../../src/engine/cpu/wasm-kernels.ts';
import type { MaybePromise } from '../../src/engine/state-operations.ts';
import type { RandomStream } from './random-stream.ts';

const PAGE_BYTES = 65_536;
/** For the scratch of one thread. */
const THREAD_BYTES = 2 ** 20;

/** The builds of the kernels. */
export const BUILDS = ['f32', 'f32-relaxed', 'f64', 'f64-relaxed'] as const;
/** One of them. */
export type Build = (typeof BUILDS)[number];

/** The precision of a build. */
export function precisionOf(build: Build): 'f32' | 'f64' {
  return build.startsWith('f32') ? 'f32' : 'f64';
}

/**
 * Does commands in this thread, on two instances of the kernels over one memory.
 *
 * With a stream, items are done in random order, each on either instance, as they might be by
 * threads; without one, in order on the first.
 */
export class TestRunner implements CommandRunner {
  readonly kernels: KernelExports;
  readonly #instances: readonly KernelExports[];
  readonly #memory: WebAssembly.Memory;
  readonly #random: RandomStream | undefined;
  #next = PAGE_BYTES + 2 * THREAD_BYTES;

  constructor(build: Build, random?: RandomStream) {
    const url = new URL(`../../src/engine/cpu/wasm/${build}.wasm`, import.meta.url);
    const module = new WebAssembly.Module(readFileSync(url));
    const initial = this.#next / PAGE_BYTES;
    this.#memory = new WebAssembly.Memory({ initial, maximum: PAGE_BYTES, shared: true });
    this.#instances = [0, 1].map((thread) => {
      const kernels = instantiateKernels(module, this.#memory);
      kernels.setScratch(PAGE_BYTES + thread * THREAD_BYTES);
      return kernels;
    });
    this.kernels = this.#instances[0]!;
    this.#random = random;
  }

  get memory(): SharedArrayBuffer {
    return this.#memory.buffer;
  }

  /** Allocates a block that is never released. */
  allocate(bytes: number): number {
    const at = this.#next;
    this.#next += Math.ceil(bytes / 64) * 64;
    const missing = this.#next - this.memory.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    return at;
  }

  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T> {
    const at = this.allocate(bytes);
    // Unspecified contents.
    new Uint8Array(this.memory, at, bytes).fill(0x5a);
    return use(at);
  }

  runCommand(command: number, numItems: number): MaybePromise<void> {
    const words = new Int32Array(this.memory, command, 8);
    if (words[COMMAND_WORDS.numItems] !== numItems) throw new Error('The header says otherwise.');
    if (this.#random === undefined) {
      while (this.kernels.work(command, 1) === 0);
      return;
    }
    for (const item of this.#random.shuffled([...Array(numItems).keys()])) {
      words[COMMAND_WORDS.nextItem] = item;
      words[COMMAND_WORDS.numItems] = item + 1;
      words[COMMAND_WORDS.perClaim] = 1;
      this.#random.pick(this.#instances).work(command, 1);
    }
    return Promise.resolve();
  }
}

/** Where the reals of a physical basis index are, counted in reals. */
function positionOf(index: number, { precision }: StoredState): number {
  const { laneQubits, lanes, realBytes } = precision;
  const group = Math.floor(index / lanes) * (2 ** GROUP_SHIFT / realBytes);
  return group + (index & (2 ** laneQubits - 1));
}

/** A runner's view of a state's reals. */
function realsOf(runner: CommandRunner, state: StoredState): Float32Array | Float64Array {
  const length = stateBytes(state) / state.precision.realBytes;
  return state.precision.realBytes === 4
    ? new Float32Array(runner.memory, state.at, length)
    : new Float64Array(runner.memory, state.at, length);
}

/** The amplitudes of a state in physical order, interleaved. */
export function amplitudesOf(runner: CommandRunner, state: StoredState): Float64Array {
  const reals = realsOf(runner, state);
  const { lanes } = state.precision;
  const out = new Float64Array(2 * 2 ** state.numQubits);
  for (let i = 0; i < out.length / 2; i++) {
    const position = positionOf(i, state);
    out[2 * i] = reals[position]!;
    out[2 * i + 1] = reals[position + lanes]!;
  }
  return out;
}

/** Stores amplitudes that are in physical order; gives the state. */
export function storeAmplitudes(
  runner: TestRunner,
  build: Build,
  amplitudes: Float64Array,
): StoredState {
  const precision = PRECISIONS[precisionOf(build)];
  const numQubits = Math.log2(amplitudes.length / 2);
  const shape = { at: 0, numQubits, precision };
  const state = { ...shape, at: runner.allocate(stateBytes(shape)) };
  const reals = realsOf(runner, state);
  for (let i = 0; i < amplitudes.length / 2; i++) {
    const position = positionOf(i, state);
    reals[position] = amplitudes[2 * i]!;
    reals[position + precision.lanes] = amplitudes[2 * i + 1]!;
  }
  return state;
}

/** A program's state of `layout.length` qubits in as many physical ones as it needs. */
export interface RandomState {
  readonly runner: TestRunner;
  readonly state: StoredState;
  /** Logical qubit → physical qubit. */
  readonly layout: readonly Qubit[];
  /** The stored amplitudes, in physical order. */
  readonly amplitudes: Float64Array;
}

/** How amplitudes are chosen. */
export interface RandomStateOptions {
  readonly build: Build;
  readonly numQubits: number;
  readonly layout?: readonly Qubit[];
  /** Fraction of the amplitudes that is 0; none by default. */
  readonly zeros?: number;
  readonly isShuffled?: boolean;
}

/** A state with random amplitudes, not normalised, at random places unless a layout is given. */
export function randomState(random: RandomStream, options: RandomStateOptions): RandomState {
  const { build, numQubits, zeros = 0 } = options;
  const width = Math.max(numQubits, PRECISIONS[precisionOf(build)].laneQubits);
  const layout = options.layout ?? random.shuffled([...Array(width).keys()]).slice(0, numQubits);
  const amplitudes = new Float64Array(2 * 2 ** width);
  for (let i = 0; i < 2 ** numQubits; i++) {
    if (random.uniform() < zeros) continue;
    const physical = layout.reduce((index, place, q) => index + ((i >>> q) & 1) * 2 ** place, 0);
    amplitudes[2 * physical] = random.uniform() - 0.5;
    amplitudes[2 * physical + 1] = random.uniform() - 0.5;
  }
  const runner = new TestRunner(build, options.isShuffled === true ? random : undefined);
  const state = storeAmplitudes(runner, build, amplitudes);
  return { runner, state, layout, amplitudes: amplitudesOf(runner, state) };
}
