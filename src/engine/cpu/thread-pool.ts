/**
 * The threads of one engine: the thread that calls, and helpers that wait in shared memory.
 *
 * A command is opened, everybody claims its items, and it is closed when none is left; only helpers
 * that joined before that are waited for, so a thread that is slow to wake costs nothing. The
 * calling thread works along, and now and then lets its event loop turn: this is how it hears that a
 * run was cancelled and that a helper has ended.
 */
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { HelperLostError } from '../errors.ts';
import type { MaybePromise } from '../state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';
import { Arena } from './arena.ts';
import { COMMAND_WORDS } from './command.ts';
import { CONTROL, CONTROL_BYTES, type HelperSetup, IS_OPEN } from './thread-pool-control.ts';
import {
  instantiateKernels,
  type KernelExports,
  kernelModule,
  threadBytes,
} from './wasm-kernels.ts';

/** Where the modules' own data ends. */
const STATIC_BYTES = 65_536;
/** Claims between two looks at the clock: a millisecond or so. */
const CLAIMS_PER_LOOK = 2;
/** A command with fewer items is done before a helper would have woken. */
const MIN_SHARED_ITEMS = 2;
/** How long the calling thread sleeps at a stretch while helpers finish their last items. */
const WAIT_MS = 5;
/** Memory above this is given back to the system once nothing is in it. */
const MAX_KEPT_BYTES = 256 * 2 ** 20;

const HELPER_ENTRY = new URL(`./thread-pool-helper${extname(import.meta.url)}`, import.meta.url);

/** How a thread pool is made. */
export interface ThreadPoolOptions {
  readonly precision: 'f32' | 'f64';
  /** With the one that calls. */
  readonly numThreads: number;
  /** Of the largest tile. */
  readonly tileBytes: number;
}

/** Memory, kernels and threads of one engine. */
export class ThreadPool {
  readonly numThreads: number;
  readonly #options: ThreadPoolOptions;
  readonly #module: WebAssembly.Module;
  #arena: Arena;
  #kernels: KernelExports;
  #control: Int32Array;
  #words: Int32Array;
  /** The scratch that each helper has. */
  readonly #threadOf = new Map<Worker, number>();
  #numLost = 0;
  /** As it was when the command was opened: an exit may be heard during any turn since. */
  #numLostBefore = 0;

  constructor(options: ThreadPoolOptions) {
    this.numThreads = options.numThreads;
    this.#options = options;
    this.#module = kernelModule(options.precision);
    const { arena, kernels, control } = this.#begin();
    this.#arena = arena;
    this.#kernels = kernels;
    this.#control = control;
    this.#words = new Int32Array(arena.memory.buffer);
  }

  get memory(): SharedArrayBuffer {
    return this.#arena.memory.buffer;
  }

  /** This thread's. */
  get kernels(): KernelExports {
    return this.#kernels;
  }

  /** The memory as 32-bit words. */
  get words(): Int32Array {
    if (this.#words.buffer !== this.#arena.memory.buffer) {
      this.#words = new Int32Array(this.#arena.memory.buffer);
    }
    return this.#words;
  }

  /** @see Arena.allocate */
  allocate(bytes: number): number {
    return this.#arena.allocate(bytes);
  }

  /** Gives a block back; a large memory in which nothing is left is returned to the system. */
  release(at: number): void {
    this.#arena.release(at);
    if (this.#arena.isEmpty && this.#arena.byteLength > MAX_KEPT_BYTES) this.#renew();
  }

  /**
   * Does all items of a command.
   *
   * @param onPause - Called with the part of the items claimed before each turn of the event loop.
   * @returns At once where the command was small, so that small circuits never wait for a turn.
   * @throws {HelperLostError} if a helper ends under the command.
   * @throws the signal's reason, if the slicer's has aborted.
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

  /** Ends the helpers. */
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
      await setImmediate();
      if (this.#numLost === this.#numLostBefore) continue;
      // Who joined is no longer known: the others start anew.
      await this.close();
      Atomics.store(this.#control, CONTROL.joined, 0);
      return false;
    }
    return true;
  }

  #begin() {
    const arena = new Arena(this.#scratchOf(this.numThreads));
    const kernels = instantiateKernels(this.#module, arena.memory);
    const control = new Int32Array(arena.memory.buffer, STATIC_BYTES, CONTROL_BYTES / 4);
    kernels.setScratch(this.#scratchOf(0));
    return { arena, kernels, control };
  }

  #scratchOf(thread: number): number {
    return STATIC_BYTES + CONTROL_BYTES + thread * threadBytes(this.#options.tileBytes);
  }

  /** Starts the helpers that are missing: at first all, later those that have ended. */
  #startHelpers(): void {
    while (this.#threadOf.size < this.numThreads - 1) {
      const thread = this.#freeThread();
      const setup: HelperSetup = {
        module: this.#module,
        memory: this.#arena.memory,
        controlAt: STATIC_BYTES,
        scratchAt: this.#scratchOf(thread),
      };
      const helper = new Worker(HELPER_ENTRY, { workerData: setup });
      this.#threadOf.set(helper, thread);
      // A run that waits for a helper is held by its slicer's turns.
      helper.unref();
      // An exit follows.
      helper.on('error', () => {});
      helper.on('exit', () => {
        if (this.#threadOf.delete(helper)) this.#numLost++;
      });
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
    void this.close().then(collectGarbage);
    const { arena, kernels, control } = this.#begin();
    this.#arena = arena;
    this.#kernels = kernels;
    this.#control = control;
    // Views hold the memory that they look at.
    this.#words = new Int32Array(arena.memory.buffer);
    collectGarbage();
  }
}

/**
 * Frees memories that nothing refers to. They lie outside the heap, so the collector sees no reason
 * to run by itself: without this, gigabytes pile up.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

/** Runs something, and once more if a helper thread ended under it: a run depends on its request alone. */
export async function retryOnLostThread<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HelperLostError) return await run();
    throw error;
  }
}
