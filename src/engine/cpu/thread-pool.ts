/**
 * The thread pool of one engine: the calling thread, and helper threads that wait in shared memory.
 *
 * The calling thread opens a command, all threads claim its items, and the command is closed when
 * none is left. Only helpers that joined before that are waited for, so a thread that wakes slowly
 * costs nothing. The calling thread works, too, and regularly lets its event loop turn, in order to
 * receive cancellations and exits of helpers.
 */
import { HelperLostError } from '../errors.ts';
import type { MaybePromise } from '../state-operations.ts';
import { nextTurn, type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';
import { Arena, NARROW_MEMORY_BYTES, openSharedMemory } from './arena.ts';
import { COMMAND_WORDS } from './command.ts';
import {
  CONTROL,
  CONTROL_BYTES,
  type HelperSetup,
  type HelperThread,
  IS_OPEN,
  type KernelHost,
} from './kernel-host.ts';
import { instantiateKernels, type KernelExports, kernelName, threadBytes } from './wasm-kernels.ts';

/** Memory reserved for the modules' static data. */
const STATIC_BYTES = 65_536;
/** Claims between two looks at the clock, about a millisecond. */
const CLAIMS_PER_LOOK = 2;
/** A command with fewer items is done before a helper would wake. */
const MIN_SHARED_ITEMS = 2;
/** Milliseconds that the calling thread sleeps at a time while helpers finish their last items. */
const WAIT_MS = 5;
/** A larger memory is returned to the system once it is empty. */
const MAX_KEPT_BYTES = 256 * 2 ** 20;

/** Options of a thread pool. */
export interface ThreadPoolOptions {
  readonly precision: 'f32' | 'f64';
  /** Number of threads, the calling one included. */
  readonly numThreads: number;
  /** Bytes of the largest tile. */
  readonly tileBytes: number;
  /** Whether kernels give the same bits on every machine, as for `CpuEngineOptions`. False by default. */
  readonly isReproducible?: boolean;
  /**
   * Whether states lie beyond 4 GiB, where 64-bit addresses reach them. Kernels that compute such addresses are up to
   * a third slower. All other blocks lie below. False by default.
   */
  readonly isWide?: boolean;
}

/** Memory, kernels and threads of one engine. */
export class ThreadPool {
  readonly numThreads: number;
  readonly #options: ThreadPoolOptions;
  readonly #host: KernelHost;
  readonly #module: WebAssembly.Module;
  #memory: WebAssembly.Memory;
  #arena: Arena;
  /** Where states are; the same arena unless the pool is wide. */
  #states: Arena;
  #kernels: KernelExports;
  #control: Int32Array;
  #words: Int32Array;
  /** The scratch that each helper has. */
  readonly #threadOf = new Map<HelperThread, number>();
  #numLost = 0;
  /** Value when the command was opened; exits may arrive in any turn since. */
  #numLostBefore = 0;

  constructor(options: ThreadPoolOptions, host: KernelHost) {
    this.numThreads = options.numThreads;
    this.#options = options;
    this.#host = host;
    const { precision, isReproducible, isWide } = options;
    this.#module = host.module(
      isWide ? (`${precision}-wide` as const) : kernelName(precision, isReproducible),
    );
    const { memory, arena, states, kernels, control } = this.#begin();
    this.#memory = memory;
    this.#arena = arena;
    this.#states = states;
    this.#kernels = kernels;
    this.#control = control;
    this.#words = new Int32Array(this.memory);
  }

  get memory(): SharedArrayBuffer {
    // Checked: the memory is shared. The DOM's library does not know.
    return this.#memory.buffer as ArrayBufferLike as SharedArrayBuffer;
  }

  /** The kernels of the calling thread. */
  get kernels(): KernelExports {
    return this.#kernels;
  }

  /** The memory as 32-bit words. */
  get words(): Int32Array {
    if (this.#words.buffer !== this.memory) this.#words = new Int32Array(this.memory);
    return this.#words;
  }

  /**
   * Allocates anything but a state.
   *
   * @see Arena.allocate
   */
  allocate(bytes: number): number {
    return this.#arena.allocate(bytes);
  }

  /** @see Arena.allocate */
  allocateState(bytes: number): number {
    return this.#states.allocate(bytes);
  }

  /** Releases a block. A large memory that becomes empty is returned to the system. */
  release(at: number): void {
    (at < NARROW_MEMORY_BYTES ? this.#arena : this.#states).release(at);
    const isEmpty = this.#arena.isEmpty && this.#states.isEmpty;
    if (isEmpty && this.#memory.buffer.byteLength > MAX_KEPT_BYTES) this.#renew();
  }

  /**
   * Does all items of a command.
   *
   * @param onPause - Called before each turn of the event loop with the fraction of the items
   *   claimed.
   * @returns Nothing, at once, if the command was small, so that small circuits never wait for a
   *   turn.
   * @throws {HelperLostError} if a helper ends during the command.
   * @throws the signal's reason, if the run was aborted.
   */
  runCommand(
    command: number,
    numItems: number,
    slicer: TimeSlicer,
    onPause?: (fractionDone: number) => void,
  ): MaybePromise<void> {
    const words = this.words;
    const at = command >>> 2;
    words[at + COMMAND_WORDS.nextItem] = 0;
    words[at + COMMAND_WORDS.isCancelled] = 0;
    const isShared = this.numThreads > 1 && numItems >= MIN_SHARED_ITEMS;
    if (isShared) this.#open(command);
    while (this.#kernels.work(command, CLAIMS_PER_LOOK) === 0) {
      if (slicer.spend(UNITS_PER_CHUNK))
        return this.#goOn(command, numItems, isShared, slicer, onPause);
    }
    if (isShared && !this.#close()) return this.#goOn(command, numItems, isShared, slicer, onPause);
  }

  /** Terminates the helpers. */
  async close(): Promise<void> {
    const helpers = [...this.#threadOf.keys()];
    this.#threadOf.clear();
    await Promise.all(helpers.map((helper) => helper.terminate()));
  }

  /** The rest of a command that takes longer than a turn of the event loop may. */
  async #goOn(
    command: number,
    numItems: number,
    isShared: boolean,
    slicer: TimeSlicer,
    onPause?: (fractionDone: number) => void,
  ): Promise<void> {
    try {
      do {
        const numClaimed = Atomics.load(this.words, (command >>> 2) + COMMAND_WORDS.nextItem);
        onPause?.(Math.min(1, numClaimed / numItems));
        await slicer.pause();
        // Others may wait for the helper's work.
        if (isShared && this.#numLost !== this.#numLostBefore) throw new HelperLostError();
      } while (!this.#isDone(command, slicer));
    } catch (error) {
      Atomics.store(this.words, (command >>> 2) + COMMAND_WORDS.isCancelled, 1);
      if (isShared) await this.#closeForSure();
      throw error;
    }
    if (isShared && !(await this.#closeForSure())) throw new HelperLostError();
  }

  /** Works for a while; true when no item is left to claim. */
  #isDone(command: number, slicer: TimeSlicer): boolean {
    while (this.#kernels.work(command, CLAIMS_PER_LOOK) === 0) {
      if (slicer.spend(UNITS_PER_CHUNK)) return false;
    }
    return true;
  }

  #open(command: number): void {
    this.#startHelpers();
    this.#numLostBefore = this.#numLost;
    const control = this.#control;
    Atomics.store(control, CONTROL.command, command);
    Atomics.store(control, CONTROL.joined, IS_OPEN);
    Atomics.add(control, CONTROL.epoch, 1);
    Atomics.notify(control, CONTROL.epoch);
  }

  /** Lets nobody join any more; false when helpers that have joined take long to finish. */
  #close(): boolean {
    const control = this.#control;
    Atomics.and(control, CONTROL.joined, ~IS_OPEN);
    for (;;) {
      const joined = Atomics.load(control, CONTROL.joined);
      if (joined === 0) return true;
      if (Atomics.wait(control, CONTROL.joined, joined, WAIT_MS) === 'timed-out') return false;
    }
  }

  /** Waits for all helpers that joined; false when one of them will never answer. */
  async #closeForSure(): Promise<boolean> {
    while (!this.#close()) {
      await nextTurn();
      if (this.#numLost === this.#numLostBefore) continue;
      // It is unknown who had joined, so all helpers start anew.
      await this.close();
      Atomics.store(this.#control, CONTROL.joined, 0);
      return false;
    }
    return true;
  }

  #begin() {
    const { maxMemoryBytes } = this.#host;
    const reserved = this.#scratchOf(this.numThreads);
    const below = Math.min(maxMemoryBytes, NARROW_MEMORY_BYTES);
    const memory = this.#options.isWide
      ? openSharedMemory(below, maxMemoryBytes)
      : openSharedMemory(reserved, below);
    const arena = new Arena(memory, reserved, below);
    const states = this.#options.isWide ? new Arena(memory, below, maxMemoryBytes) : arena;
    const kernels = instantiateKernels(this.#module, memory);
    const control = new Int32Array(memory.buffer, STATIC_BYTES, CONTROL_BYTES / 4);
    kernels.setScratch(this.#scratchOf(0));
    return { memory, arena, states, kernels, control };
  }

  #scratchOf(thread: number): number {
    return STATIC_BYTES + CONTROL_BYTES + thread * threadBytes(this.#options.tileBytes);
  }

  /** Starts the missing helpers: all at first, later those that have ended. */
  #startHelpers(): void {
    while (this.#threadOf.size < this.numThreads - 1) {
      const thread = this.#freeThread();
      const setup: HelperSetup = {
        module: this.#module,
        memory: this.#memory,
        controlAt: STATIC_BYTES,
        scratchAt: this.#scratchOf(thread),
      };
      const helper = this.#host.startHelper(setup, () => {
        if (this.#threadOf.delete(helper)) this.#numLost++;
      });
      this.#threadOf.set(helper, thread);
    }
  }

  #freeThread(): number {
    const used = new Set(this.#threadOf.values());
    let thread = 1;
    while (used.has(thread)) thread++;
    return thread;
  }

  /** Another memory in place of a large one, which goes back to the system. */
  #renew(): void {
    void this.close().then(() => this.#host.collectGarbage());
    const { memory, arena, states, kernels, control } = this.#begin();
    this.#memory = memory;
    this.#arena = arena;
    this.#states = states;
    this.#kernels = kernels;
    this.#control = control;
    // An old view would keep the old memory alive.
    this.#words = new Int32Array(this.memory);
    this.#host.collectGarbage();
  }
}

/**
 * Runs something, and once more if a helper thread ended during it. Runs depend only on their
 * request.
 */
export async function retryOnLostThread<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HelperLostError) return await run();
    throw error;
  }
}

/** The threads of an engine as one run sees them. */
export interface CommandRunner {
  /** The current memory; replaced when the memory grows. */
  readonly memory: SharedArrayBuffer;
  /** The calling thread's. */
  readonly kernels: KernelExports;
  /**
   * Allocates a block of scratch memory until the result of `use` has settled. Its address is a
   * multiple of 64.
   */
  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T>;
  /**
   * Does all items of the command at an address; resets the counters of its header.
   *
   * @throws the signal's reason, if the run was aborted.
   */
  runCommand(command: number, numItems: number): MaybePromise<void>;
}

/** The threads, the memory and the kernels of an engine, for the length of a run. */
export class ThreadPoolRunner implements CommandRunner {
  readonly #threadPool: ThreadPool;
  readonly #slicer: TimeSlicer;

  constructor(threadPool: ThreadPool, slicer: TimeSlicer) {
    this.#threadPool = threadPool;
    this.#slicer = slicer;
  }

  get memory(): SharedArrayBuffer {
    return this.#threadPool.memory;
  }

  get kernels(): KernelExports {
    return this.#threadPool.kernels;
  }

  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T> {
    const at = this.#threadPool.allocate(bytes);
    const giveBack = () => this.#threadPool.release(at);
    try {
      const result = use(at);
      if (result instanceof Promise) return result.finally(giveBack);
      giveBack();
      return result;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  runCommand(command: number, numItems: number): MaybePromise<void> {
    return this.#threadPool.runCommand(command, numItems, this.#slicer);
  }
}
