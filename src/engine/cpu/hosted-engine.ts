/**
 * The CPU engine: WebAssembly SIMD kernels over shared memory, on a given number of threads.
 *
 * Single precision holds half of the memory and takes half of the time of double; both come from
 * one source (assembly/). The engine runs one program at a time, on all its threads.
 */
import type {
  GradientProgram,
  MatrixProductProgram,
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
import { MAX_MEMORY_BYTES } from './arena.ts';
import { prepareBatch } from './batch-run.ts';
import { cpuGradientStates } from './cpu-gradient.ts';
import { type CpuProgram, type CpuState, CpuStates } from './cpu-states.ts';
import type { KernelHost } from './kernel-host.ts';
import { type LoweredProgram, ProgramLowering } from './lowered-program.ts';
import { runChain, runnableChain } from './mps/run-matrix-product.ts';
import { TensorMemory } from './mps/tensor-memory.ts';
import { placedBytes, placeProgram, SegmentStore } from './placed-program.ts';
import { MAX_DENSE_QUBITS, PRECISIONS } from './precision.ts';
import { retryOnLostThread, ThreadPool } from './thread-pool.ts';

/** The widest state of either precision: 2 GiB, half of what 32-bit addresses reach. */
export const MAX_CPU_QUBITS = { f32: 28, f64: 27 } as const;

/**
 * 128 and 256 KiB: with their tables they stay in the second-level cache. A tile of 128 KiB in double precision
 * would have one qubit less, and up to two more trips of the state through memory.
 */
const TILE_QUBITS = 14;
/** Smallest tile with room for a dense block and the lanes. */
const MIN_TILE_QUBITS = 8;
/** Qubits of the shortest contiguous run of memory, 512 bytes. */
const CONTIGUOUS_QUBITS = { f32: 6, f64: 5 } as const;
/** Memory for states; the rest is for programs, tiles and the lists of samplers. */
const MAX_STATE_BYTES = MAX_MEMORY_BYTES - 2 ** 28;

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
  if (maxQubits > MAX_CPU_QUBITS[precision]) {
    throw new RangeError(
      `The ${precision} CPU engine holds at most ${MAX_CPU_QUBITS[precision]} qubits.`,
    );
  }
  if (!Number.isInteger(tileQubits) || tileQubits < MIN_TILE_QUBITS || tileQubits > TILE_QUBITS) {
    throw new RangeError(`A tile has ${MIN_TILE_QUBITS} to ${TILE_QUBITS} qubits.`);
  }
  const tileBytes = 2 * PRECISIONS[precision].realBytes * 2 ** tileQubits;
  const threadPool = new ThreadPool({ precision, numThreads, tileBytes, isReproducible }, host);
  const mutex = new Mutex();
  const lowering = new ProgramLowering(PRECISIONS[precision], tileQubits);
  const parts = { options, lowering, threadPool, mutex };
  const batchHost = { threadPool, precision: PRECISIONS[precision], mutex };
  return {
    name: 'cpu',
    target: cpuTarget(precision, maxQubits, tileQubits),
    prepare: {
      ...stateMethods(stateEngine(parts)),
      gradient: async (program) => prepareGradient(parts, program),
      batch: async (shape) => prepareBatch(batchHost, shape),
      matrix_product_state: async (program) => prepareMatrixProduct(parts, program),
    },
    close: () => mutex.close(() => threadPool.close()),
  };
}

/** The parts of an engine. */
interface EngineParts {
  readonly options: CpuEngineOptions;
  readonly lowering: ProgramLowering;
  readonly threadPool: ThreadPool;
  readonly mutex: Mutex;
}

/** The engine as methods on states need it. */
function stateEngine(parts: EngineParts): StateEngine<CpuState> {
  const { options, lowering, threadPool } = parts;
  return {
    name: 'cpu',
    maxQubits: options.maxQubits,
    place: (program) =>
      place(
        parts,
        program,
        planRun(program, () => 1),
      ),
    // All segments act on states of one shape.
    placeTrajectories: (rescaling, plan) =>
      place(parts, rescaling, plan, new SegmentStore(threadPool, lowering)),
  };
}

/** Puts a program into shared memory, at an address that is to be released. */
function placeLowered(
  { options, threadPool }: EngineParts,
  lowered: LoweredProgram,
  { finalLayout }: Program,
) {
  const { precision, memoryBytes = Number.POSITIVE_INFINITY } = options;
  const bytes = Math.min(memoryBytes, MAX_STATE_BYTES);
  const budget = stateBudget(lowered.numQubits, 2 * PRECISIONS[precision].realBytes, bytes);
  const at = threadPool.allocate(placedBytes(lowered));
  const placed = placeProgram(lowered, threadPool.memory, at, threadPool.kernels);
  const { stateBytes } = budget;
  return { budget, at, threadPool, lowered, placed, stateBytes, layout: finalLayout, spare: [] };
}

function place(
  parts: EngineParts,
  program: Program,
  plan: RunPlan,
  segments?: SegmentStore,
): PlacedStates<CpuState> {
  const { lowering, threadPool, mutex } = parts;
  const { budget, at, ...shared } = placeLowered(parts, lowering.lower(program), program);
  const placed: CpuProgram = { ...shared, ...(segments && { segments }) };
  const releaseStates = () => {
    for (const state of placed.spare.splice(0)) threadPool.release(state);
  };
  return {
    plan,
    budget,
    operations: (slicer, layout = program.finalLayout) =>
      new CpuStates({ ...placed, layout }, slicer),
    executable: (run) =>
      mutex.executable(
        (request: RunRequest, signal) =>
          retryOnLostThread(() => run(request, signal).finally(releaseStates)),
        () => {
          segments?.clear();
          threadPool.release(at);
        },
      ),
  };
}

/** Double precision, whatever the engine's options are. */
function prepareMatrixProduct(
  { options: { memoryBytes = Number.POSITIVE_INFINITY }, threadPool, mutex }: EngineParts,
  program: MatrixProductProgram,
): Executable {
  const chain = runnableChain(program);
  return mutex.executable(
    (request: RunRequest, signal) =>
      retryOnLostThread(() =>
        runChain(chain, new TensorMemory(threadPool, memoryBytes), request, signal),
      ),
    () => {},
  );
}

function prepareGradient(parts: EngineParts, program: GradientProgram): GradientExecutable {
  const { options, lowering, threadPool, mutex } = parts;
  const { precision, maxQubits, memoryBytes = Number.POSITIVE_INFINITY } = options;
  const plans = planGradient(program, () => 1);
  const bytesPerAmplitude = 2 * PRECISIONS[precision].realBytes;
  const bytes = Math.min(memoryBytes, MAX_STATE_BYTES);
  checkGradientWidth(program, bytesPerAmplitude, maxQubits, bytes, 'cpu');
  const loweredForward = lowering.lower(program.forward);
  const loweredBackward = lowering.lower(program.backward, program);
  const forward = placeLowered(parts, loweredForward, program.forward);
  const backward = placeLowered(parts, loweredBackward, program.backward);
  const { maxStates } = stateBudget(program.forward.numQubits, bytesPerAmplitude, bytes);
  const shared = { program, mayKeep: maxStates > 2, forward, backward };
  const states = (slicer: TimeSlicer) => cpuGradientStates(shared, slicer);
  const attempt = (request: GradientRequest, signal: AbortSignal) =>
    runGradient({ program, ...plans, states }, request, signal);
  return mutex.executable(
    (request: GradientRequest, signal) => retryOnLostThread(() => attempt(request, signal)),
    () => {
      threadPool.release(forward.at);
      threadPool.release(backward.at);
    },
  );
}
