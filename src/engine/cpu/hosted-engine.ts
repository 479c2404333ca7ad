/**
 * The CPU engine: WebAssembly SIMD kernels over shared memory, on a given number of threads.
 *
 * Single precision holds half of the memory and takes half of the time of double; both come from
 * one source (assembly/). The engine runs one program at a time, on all its threads.
 */
import type {
  GradientProgram,
  MatrixProductProgram,
  MatrixProductTrajectories,
  Program,
  TargetProfile,
} from '../../compiler/program.ts';
import type {
  BatchEngine,
  Executable,
  GradientExecutable,
  GradientRequest,
  RunRequest,
} from '../engine.ts';
import { Mutex } from '../mutex.ts';
import { checkGradientWidth, planGradient, runGradient } from '../run-gradient.ts';
import { planRun, type RunPlan } from '../run-plan.ts';
import { type PlacedStates, type StateEngine, stateMethods } from '../state-methods.ts';
import { stateBudget } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { NARROW_MEMORY_BYTES, WIDE_MEMORY_BYTES } from './arena.ts';
import { cpuGradientStates } from './cpu-gradient.ts';
import { type CpuProgram, type CpuState, CpuStates } from './cpu-states.ts';
import type { KernelHost } from './kernel-host.ts';
import { type LoweredProgram, ProgramLowering } from './lowered-program.ts';
import { placedBytes, placeProgram, SegmentStore } from './placed-program.ts';
import { MAX_DENSE_QUBITS, PRECISIONS } from './precision.ts';
import { retryOnLostThread, ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/** The widest state of either precision: 8 GiB, half of the largest memory. */
export const MAX_CPU_QUBITS = { f32: 30, f64: 29 } as const;
/** The widest of an engine whose results are reproducible, which has no kernels for more: 2 GiB. */
const MAX_REPRODUCIBLE_QUBITS = { f32: 28, f64: 27 } as const;

/**
 * 128 and 256 KiB: with their tables they stay in the second-level cache. A tile of 128 KiB in double precision
 * would have one qubit less, and up to two more trips of the state through memory.
 */
const TILE_QUBITS = 14;
/** Smallest tile with room for a dense block and the lanes. */
const MIN_TILE_QUBITS = 8;
/** Qubits of the shortest contiguous run of memory, 512 bytes. */
const CONTIGUOUS_QUBITS = { f32: 6, f64: 5 } as const;
/** Memory for states that 32-bit addresses do not reach. */
const WIDE_STATE_BYTES = WIDE_MEMORY_BYTES - NARROW_MEMORY_BYTES;

/** Options of the CPU engine. */
export interface CpuEngineOptions {
  readonly precision: 'f32' | 'f64';
  /** Threads that work on a program together, the calling one included. */
  readonly numThreads: number;
  /** At most MAX_CPU_QUBITS; n qubits take 8·2^n bytes in f32 and 16·2^n in f64. */
  readonly maxQubits: number;
  /** Bytes for the states of a run together; one state is always allowed. Unlimited by default. */
  readonly memoryBytes?: number;
  /** Qubits of a tile, 8 to 14; the largest by default. */
  readonly tileQubits?: number;
  /**
   * Gives the same bits on every machine: fused multiply-add, which rounds once where others round twice and which some
   * machines lack, is not used. False by default.
   */
  readonly isReproducible?: boolean;
}

/** The engine. */
export type CpuEngine = BatchEngine;

/**
 * Target profile of programs for the engine. Costs are measured in trips through a tile of 2^14
 * amplitudes: a rotation shares a trip with two others, and diagonals gather until one trip applies
 * them all.
 */
export function cpuTarget(
  precision: 'f32' | 'f64',
  maxQubits: number,
  tileQubits: number = TILE_QUBITS,
): TargetProfile {
  return {
    maxQubits,
    tileQubits,
    contiguousQubits: Math.min(CONTIGUOUS_QUBITS[precision], tileQubits - MAX_DENSE_QUBITS),
    maxDenseQubits: MAX_DENSE_QUBITS,
    chunkQubits: maxQubits,
    precision,
    costs: { dense: [0, 3.3, 27, 56], pair: 3.3, diagonal: 0.7, permutation: 2, kernel: 0.1 },
  };
}

/**
 * Opens the engine on a host; its helper threads start when a program first has work for them.
 *
 * @throws {RangeError} if it is to hold more qubits than it can.
 */
export function openHostedEngine(options: CpuEngineOptions, host: KernelHost): CpuEngine {
  const { precision, numThreads, maxQubits } = options;
  if (!Number.isInteger(numThreads) || numThreads < 1) {
    throw new RangeError(`An engine has at least 1 thread, not ${numThreads}.`);
  }
  const { tileQubits = TILE_QUBITS, isReproducible = false } = options;
  const most = (isReproducible ? MAX_REPRODUCIBLE_QUBITS : MAX_CPU_QUBITS)[precision];
  if (maxQubits > most) {
    throw new RangeError(`The ${precision} CPU engine holds at most ${most} qubits.`);
  }
  if (!Number.isInteger(tileQubits) || tileQubits < MIN_TILE_QUBITS || tileQubits > TILE_QUBITS) {
    throw new RangeError(`A tile has ${MIN_TILE_QUBITS} to ${TILE_QUBITS} qubits.`);
  }
  const tileBytes = 2 * PRECISIONS[precision].realBytes * 2 ** tileQubits;
  const pools = new ThreadPools({ precision, numThreads, tileBytes, isReproducible }, host);
  const mutex = new Mutex();
  const lowering = new ProgramLowering(PRECISIONS[precision], tileQubits);
  const parts = { options, lowering, pools, mutex };
  const batchHost = { threadPool: pools.narrow, precision: PRECISIONS[precision], mutex };
  return {
    name: 'cpu',
    target: cpuTarget(precision, maxQubits, tileQubits),
    prepare: {
      ...stateMethods(stateEngine(parts)),
      gradient: async (program) => prepareGradient(parts, program),
      // Loaded when they are first used: the console's page downloads the engine, and needs none of them.
      batch: async (shape) => (await import('./batch-run.ts')).prepareBatch(batchHost, shape),
      matrix_product_state: async (program) => await prepareMatrixProduct(parts, program),
      matrix_product_trajectories: async (program) => await prepareMatrixProduct(parts, program),
    },
    close: () => mutex.close(() => pools.close()),
  };
}

/** A thread pool, and the bytes of the states that a run may have in its memory. */
interface RoomyPool {
  readonly threadPool: ThreadPool;
  readonly bytes: number;
}

/** The threads of an engine: a pool for what 32-bit addresses reach, and one for wider states once there are any. */
class ThreadPools {
  readonly narrow: ThreadPool;
  /** Bytes of the largest states together. */
  readonly mostBytes: number;
  readonly #options: ThreadPoolOptions;
  readonly #host: KernelHost;
  #wide: ThreadPool | undefined;

  constructor(options: ThreadPoolOptions, host: KernelHost) {
    this.#options = options;
    this.#host = host;
    const hasWide = host.maxMemoryBytes > NARROW_MEMORY_BYTES && options.isReproducible !== true;
    this.mostBytes = hasWide ? WIDE_STATE_BYTES : host.narrowStateBytes;
    this.narrow = new ThreadPool(options, host);
  }

  /** The pool for states of so many bytes together. */
  for(bytes: number): RoomyPool {
    const { narrowStateBytes } = this.#host;
    if (bytes <= narrowStateBytes || this.mostBytes === narrowStateBytes) {
      return { threadPool: this.narrow, bytes: narrowStateBytes };
    }
    this.#wide ??= new ThreadPool({ ...this.#options, isWide: true }, this.#host);
    return { threadPool: this.#wide, bytes: WIDE_STATE_BYTES };
  }

  async close(): Promise<void> {
    await Promise.all([this.narrow.close(), this.#wide?.close()]);
  }
}

/** The parts of an engine. */
interface EngineParts {
  readonly options: CpuEngineOptions;
  readonly lowering: ProgramLowering;
  readonly pools: ThreadPools;
  readonly mutex: Mutex;
}

/** The engine as methods on states need it. */
function stateEngine(parts: EngineParts): StateEngine<CpuState> {
  return {
    name: 'cpu',
    maxQubits: parts.options.maxQubits,
    place: (program) =>
      place(
        parts,
        program,
        planRun(program, () => 1),
        false,
      ),
    placeTrajectories: (rescaling, plan) => place(parts, rescaling, plan, true),
  };
}

/** A program in shared memory, at an address that is to be released. */
interface Placed extends CpuProgram {
  readonly at: number;
}

/** Puts a program into shared memory. */
function placeLowered(
  { precision }: CpuEngineOptions,
  threadPool: ThreadPool,
  lowered: LoweredProgram,
  { finalLayout }: Program,
): Placed {
  const at = threadPool.allocate(placedBytes(lowered));
  const placed = placeProgram(lowered, threadPool.memory, at, threadPool.kernels);
  const stateBytes = 2 * PRECISIONS[precision].realBytes * 2 ** lowered.numQubits;
  return { at, threadPool, lowered, placed, stateBytes, layout: finalLayout, spare: [] };
}

/**
 * What runs of an executable use. Something that keeps gigabytes from other runs is made for each of them; anything
 * else is made at once, and once.
 */
class RunParts<T> {
  readonly #make: () => T;
  readonly #clear: (parts: T) => void;
  readonly #free: (parts: T) => void;
  readonly #isKept: boolean;
  #made: T | undefined;

  /** @param clear - Called after each run. */
  constructor(isKept: boolean, make: () => T, clear: (parts: T) => void, free: (parts: T) => void) {
    this.#make = make;
    this.#clear = clear;
    this.#free = free;
    this.#isKept = isKept;
    if (isKept) this.#made = make();
  }

  get(): T {
    this.#made ??= this.#make();
    return this.#made;
  }

  endRun(): void {
    if (this.#made !== undefined) this.#clear(this.#made);
    if (!this.#isKept) this.free();
  }

  free(): void {
    const made = this.#made;
    this.#made = undefined;
    if (made !== undefined) this.#free(made);
  }
}

/** @param hasSegments - Whether there will be segments, which act on states of the program's shape. */
function place(
  { options, lowering, pools, mutex }: EngineParts,
  program: Program,
  plan: RunPlan,
  hasSegments: boolean,
): PlacedStates<CpuState> {
  const { precision, memoryBytes = Number.POSITIVE_INFINITY } = options;
  const lowered = lowering.lower(program);
  const perAmplitude = 2 * PRECISIONS[precision].realBytes;
  const { threadPool, bytes } = pools.for(perAmplitude * 2 ** lowered.numQubits);
  const make = () => {
    const segments = hasSegments ? new SegmentStore(threadPool, lowering) : undefined;
    const placed = placeLowered(options, threadPool, lowered, program);
    return { ...placed, ...(segments && { segments }) };
  };
  const releaseStates = ({ spare }: Placed) => {
    for (const state of spare.splice(0)) threadPool.release(state);
  };
  const parts = new RunParts(threadPool === pools.narrow, make, releaseStates, (placed) => {
    placed.segments?.clear();
    threadPool.release(placed.at);
  });
  return {
    plan,
    budget: stateBudget(lowered.numQubits, perAmplitude, Math.min(memoryBytes, bytes)),
    operations: (slicer, layout = program.finalLayout) =>
      new CpuStates({ ...parts.get(), layout }, slicer),
    executable: (run) =>
      mutex.executable(
        (request: RunRequest, signal) =>
          retryOnLostThread(() => run(request, signal).finally(() => parts.endRun())),
        () => parts.free(),
      ),
  };
}

/** Double precision, whatever the engine's options are. */
async function prepareMatrixProduct(
  { options: { memoryBytes = Number.POSITIVE_INFINITY }, pools, mutex }: EngineParts,
  program: MatrixProductProgram | MatrixProductTrajectories,
): Promise<Executable> {
  const { runChain, runnableChain } = await import('./mps/run-matrix-product.ts');
  const { TensorMemory } = await import('./mps/tensor-memory.ts');
  const chain = runnableChain(program);
  return mutex.executable(
    (request: RunRequest, signal) =>
      retryOnLostThread(() =>
        runChain(chain, new TensorMemory(pools.narrow, memoryBytes), request, signal),
      ),
    () => {},
  );
}

function prepareGradient(
  { options, lowering, pools, mutex }: EngineParts,
  program: GradientProgram,
): GradientExecutable {
  const { precision, maxQubits, memoryBytes = Number.POSITIVE_INFINITY } = options;
  const plans = planGradient(program, () => 1);
  const bytesPerAmplitude = 2 * PRECISIONS[precision].realBytes;
  const mostBytes = Math.min(memoryBytes, pools.mostBytes);
  checkGradientWidth(program, bytesPerAmplitude, maxQubits, mostBytes, 'cpu');
  const loweredForward = lowering.lower(program.forward);
  const loweredBackward = lowering.lower(program.backward, program);
  const { threadPool, bytes } = pools.for(bytesPerAmplitude * 2 ** loweredBackward.numQubits);
  const { maxStates } = stateBudget(
    program.forward.numQubits,
    bytesPerAmplitude,
    Math.min(memoryBytes, bytes),
  );
  const parts = new RunParts(
    threadPool === pools.narrow,
    () => ({
      forward: placeLowered(options, threadPool, loweredForward, program.forward),
      backward: placeLowered(options, threadPool, loweredBackward, program.backward),
    }),
    () => {},
    ({ forward, backward }) => {
      threadPool.release(forward.at);
      threadPool.release(backward.at);
    },
  );
  const states = (slicer: TimeSlicer) =>
    cpuGradientStates({ program, mayKeep: maxStates > 2, ...parts.get() }, slicer);
  const attempt = (request: GradientRequest, signal: AbortSignal) =>
    runGradient({ program, ...plans, states }, request, signal).finally(() => parts.endRun());
  return mutex.executable(
    (request: GradientRequest, signal) => retryOnLostThread(() => attempt(request, signal)),
    () => parts.free(),
  );
}
