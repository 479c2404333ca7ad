/**
 * The WebGPU engine: WGSL kernels on one device, in single precision.
 *
 * A state larger than a kernel can bind is split into chunks. The engine runs one program at a
 * time. It gives the device work ahead and waits only where something is read.
 */
import type { Circuit } from '../../circuit/circuit.ts';
import type { GradientProgram, Program, TargetProfile } from '../../compiler/program.ts';
import type { BatchExecutable } from '../batch-request.ts';
import type { BatchEngine, GradientExecutable, GradientRequest, RunRequest } from '../engine.ts';
import { ClosedError } from '../errors.ts';
import { withExactCounts } from '../exact-counts.ts';
import { Mutex } from '../mutex.ts';
import {
  checkGradientWidth,
  type GradientStates,
  planGradient,
  runGradient,
} from '../run-gradient.ts';
import { planRun, type RunPlan } from '../run-plan.ts';
import { type PlacedStates, stateMethods } from '../state-methods.ts';
import { stateBudget } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { prepareGpuBatch } from './batch/gpu-batch.ts';
import { type ShaderSource, type WaitHook, WorkWindow } from './gpu-context.ts';
import { closeGpuHost, type GpuHost, openGpuHost, placingOn } from './gpu-host.ts';
import {
  type GpuProgram,
  type LoweredProgram,
  ProgramLowering,
  placeProgram,
} from './gpu-program.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import { GpuSegments, type GpuStateSlot, GpuStates, type GpuWork } from './gpu-states.ts';
import { type GpuSizes, gpuTarget, kernelSizes } from './gpu-target.ts';
import { exchangeParts, MAX_INDEX_BITS } from './sweep/index-bits.ts';
import type { SweepPlacing } from './sweep/place-sweep.ts';
import { maxTileChunkQubits } from './sweep/sweep-kernel.ts';

/** Options of the WebGPU engine. */
export interface WebGpuEngineOptions extends GpuSizes {
  /** Owned by the engine: closing the engine destroys it. */
  readonly device: GPUDevice;
  readonly shaders: ShaderSource;
  /** Reduces the cost of waiting for the device; in Node, `sleepUntil`. */
  readonly onWait?: WaitHook;
  /**
   * Milliseconds for which memory of states is kept for the next run; 200 by default, after which
   * other engines on the adapter can have it.
   */
  readonly idleMemoryMs?: number | undefined;
  /**
   * Bits of an index in a kernel, at most 31. Tests use fewer, so that small states exceed them.
   */
  readonly indexBits?: number;
  /**
   * Opens an engine of double precision, owned by this one. It runs the circuits of batches again that have a draw too
   * close to a boundary between outcomes; without it, results list them as undecided. Called when there first is one.
   */
  readonly openExact?: () => BatchEngine;
}

/**
 * Opens the engine and compiles its kernels.
 *
 * @throws {RangeError} if the sizes exceed the device's limits.
 * @throws {GpuFaultError} if the device rejects a kernel.
 */
export async function openWebGpuEngine(options: WebGpuEngineOptions): Promise<BatchEngine> {
  const { device, shaders, memoryBytes, indexBits, openExact } = options;
  const target = gpuTarget(device.limits, options);
  const sizes = kernelSizes(device.limits, options);
  const { onWait, idleMemoryMs: idleMs } = options;
  const host = await openGpuHost({
    device,
    shaders,
    onWait,
    tiles: sizes,
    origin: 1,
    idle: { memoryBytes, idleMs },
  });
  const { dispatchQubits } = sizes;
  return new GpuEngine(host, target, { memoryBytes, indexBits, dispatchQubits, openExact });
}

/** Qubits of the widest doubled program: indices of entries are words of 32 bits. */
const MAX_DENSITY_QUBITS = 32;

interface EngineParts {
  readonly memoryBytes: number | undefined;
  readonly indexBits: number | undefined;
  readonly dispatchQubits: number;
  readonly openExact: (() => BatchEngine) | undefined;
}

class GpuEngine implements BatchEngine {
  readonly name = 'webgpu';
  readonly target: TargetProfile;
  readonly prepare: BatchEngine['prepare'];
  readonly #host: GpuHost;
  readonly #memoryBytes: number;
  readonly #indexBits: number;
  readonly #dispatchQubits: number;
  readonly #openExact: (() => BatchEngine) | undefined;
  #exact: BatchEngine | undefined;
  readonly #window = new WorkWindow();
  readonly #mutex = new Mutex();
  readonly #lowering: ProgramLowering;
  #isClosed = false;

  constructor(
    host: GpuHost,
    target: TargetProfile,
    { memoryBytes = Number.POSITIVE_INFINITY, indexBits = MAX_INDEX_BITS, ...parts }: EngineParts,
  ) {
    this.#host = host;
    this.target = target;
    const { maxQubits } = target;
    this.prepare = {
      ...stateMethods({
        name: this.name,
        maxQubits,
        maxDensityQubits: Math.min(maxQubits, MAX_DENSITY_QUBITS),
        place: (program) => this.#placeStates(program),
        placeTrajectories: (rescaling, plan) => this.#placeTrajectories(rescaling, plan),
      }),
      gradient: (program) => this.#prepareGradient(program),
      batch: (shape) => this.#prepareBatch(shape),
    };
    this.#memoryBytes = memoryBytes;
    this.#indexBits = indexBits;
    this.#dispatchQubits = parts.dispatchQubits;
    this.#openExact = parts.openExact;
    this.#lowering = new ProgramLowering(maxTileChunkQubits(host.context.device.limits));
  }

  /** Compiles and uploads a program. */
  async #placeStates(program: Program): Promise<PlacedStates<GpuStateSlot>> {
    if (this.#isClosed) throw new ClosedError();
    const placing = this.#placingOf(program);
    const plan = planRun(program, this.#passesOf(placing));
    const placed = await this.#place(this.#lowering.lower(program, placing));
    return this.#runnable(program, placing, plan, placed);
  }

  async #placeTrajectories(rescaling: Program, plan: RunPlan): Promise<PlacedStates<GpuStateSlot>> {
    if (this.#isClosed) throw new ClosedError();
    const placing = this.#placingOf(rescaling);
    const place = (segment: Program) => this.#place(this.#lowering.lower(segment, placing, 'any'));
    const placed = await place(rescaling);
    const segments = new GpuSegments(this.#host.context, place);
    return this.#runnable(rescaling, placing, plan, placed, segments);
  }

  #runnable(
    { finalLayout }: Program,
    { shape }: SweepPlacing,
    plan: RunPlan,
    program: GpuProgram,
    segments?: GpuSegments,
  ): PlacedStates<GpuStateSlot> {
    const common = { host: this.#host, window: this.#window };
    const work: GpuWork = { ...common, program, ...(segments && { segments }) };
    return {
      plan,
      budget: stateBudget(shape.numQubits, AMPLITUDE_BYTES, this.#memoryBytes),
      operations: (slicer, layout = finalLayout) => new GpuStates(work, layout, slicer),
      executable: (run) =>
        this.#mutex.executable(
          (request: RunRequest, signal) => this.#run(() => run(request, signal)),
          () => {
            segments?.clear();
            program.destroy();
          },
        ),
    };
  }

  async #prepareGradient(program: GradientProgram): Promise<GradientExecutable> {
    if (this.#isClosed) throw new ClosedError();
    const placing = this.#placingOf(program.forward);
    const plans = planGradient(program, this.#passesOf(placing));
    const { maxQubits } = this.target;
    checkGradientWidth(program, AMPLITUDE_BYTES, maxQubits, this.#memoryBytes, 'webgpu');
    const forward = await this.#place(this.#lowering.lower(program.forward, placing));
    const backward = await this.#place(this.#lowering.lower(program.backward, placing, 'any'));
    const common = { host: this.#host, window: this.#window };
    const budget = stateBudget(placing.shape.numQubits, AMPLITUDE_BYTES, this.#memoryBytes);
    const shared = {
      program,
      mayKeep: budget.maxStates > 2,
      forward: { ...common, program: forward },
      backward: { ...common, program: backward },
    };
    const states = (slicer: TimeSlicer) => gpuGradientStates(shared, slicer);
    return this.#mutex.executable(
      (request: GradientRequest, signal) =>
        this.#run(() => runGradient({ program, ...plans, states }, request, signal)),
      () => {
        forward.destroy();
        backward.destroy();
      },
    );
  }

  #placingOf(program: Program): SweepPlacing {
    const numQubits = Math.max(program.numQubits, this.#host.kernels.tileQubits);
    const shape = { numQubits, chunkQubits: Math.min(numQubits, this.target.chunkQubits) };
    return placingOn(this.#host, shape, this.#dispatchQubits, this.#indexBits);
  }

  #passesOf({ shape }: SweepPlacing): Parameters<typeof planRun>[1] {
    const { tileChunkQubits = 0 } = this.target;
    return (step) =>
      step.kind === 'sweep' ? 1 : exchangeParts(step, shape, tileChunkQubits).sweeps.length;
  }

  #place(lowered: LoweredProgram): Promise<GpuProgram> {
    return placeProgram(this.#host.context, this.#host.kernels, lowered);
  }

  async #prepareBatch(shape: Circuit): Promise<BatchExecutable> {
    if (this.#isClosed) throw new ClosedError();
    const batch = await prepareGpuBatch({ context: this.#host.context, mutex: this.#mutex }, shape);
    const openExact = this.#openExact;
    if (openExact === undefined) return batch;
    return withExactCounts(batch, () => {
      this.#exact ??= openExact();
      return this.#exact.prepare.batch(shape);
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#mutex.close(async () => {
      await this.#exact?.close();
      await closeGpuHost(this.#host);
    });
  }

  /** Runs a program; returns its result only after the device confirms that all work was done. */
  async #run<R>(run: () => Promise<R>): Promise<R> {
    const { context, chunks } = this.#host;
    try {
      const result = await run();
      if (!context.isSettled) await context.settle();
      return result;
    } catch (error) {
      await context.abandon();
      throw error;
    } finally {
      chunks.endRun();
    }
  }
}

/** Data that all runs of a gradient share. */
export interface GpuGradient {
  readonly program: GradientProgram;
  readonly forward: GpuWork;
  readonly backward: GpuWork;
  /** Whether there is memory for a third state. */
  readonly mayKeep: boolean;
}

/** Opens the states of one run. */
function gpuGradientStates(
  { program, forward, backward, mayKeep }: GpuGradient,
  slicer: TimeSlicer,
): GradientStates {
  const layout = program.forward.finalLayout;
  const ahead = new GpuStates(forward, layout, slicer);
  const back = new GpuStates(backward, layout, slicer);
  const sums = new Float64Array(program.numSums);
  let psi: GpuStateSlot = ahead.create();
  let lambda: GpuStateSlot = ahead.create();
  let kept: GpuStateSlot | undefined;
  const renew = (next: GpuStateSlot) => {
    ahead.release(psi);
    ahead.release(lambda);
    psi = next;
    lambda = ahead.create();
  };
  return {
    sums,
    release() {
      for (const state of [psi, lambda, kept]) if (state !== undefined) ahead.release(state);
    },
    clear: () => renew(ahead.create()),
    async keep() {
      if (mayKeep) kept = await ahead.copy(psi);
      return mayKeep;
    },
    async restore() {
      if (kept === undefined) throw new Error('unreachable: nothing was kept');
      const left = kept;
      // The memory of ψ is free before another state is made.
      renew(ahead.create());
      psi = await ahead.copy(left);
    },
    initialize: (entries) => ahead.initialize(psi, entries),
    forward: (step) => ahead.applySweep(psi, step),
    expectations: (observables) => ahead.expectations(psi, observables),
    applyObservable: (observable) => ahead.applyObservable(psi, observable, lambda),
    async backward(step) {
      const own = program.backward.steps[step]!;
      if (own.kind === 'probing') {
        await back.addProbeSums(psi, lambda, own.probes, sums);
        return;
      }
      await back.applySweep(psi, step);
      await back.applySweep(lambda, step);
    },
  };
}
