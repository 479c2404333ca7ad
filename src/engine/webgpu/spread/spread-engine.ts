/**
 * The WebGPU engine over several devices, for states too large for one of them. The highest qubits
 * tell the devices apart; each holds an equal share of the basis states. The devices work
 * simultaneously, and send each other parts of their states through the host's memory.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { localQubits, type Program, type TargetProfile } from '../../../compiler/program.ts';
import type { Engine, Executable, RunRequest, RunResult } from '../../engine.ts';
import { ClosedError, ProgramTooWideError } from '../../errors.ts';
import { Mutex } from '../../mutex.ts';
import { planRun } from '../../run-plan.ts';
import { runProgram } from '../../run-program.ts';
import { stateBudget } from '../../state-operations.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import { type ShaderSource, type WaitHook, WorkWindow } from '../gpu-context.ts';
import { closeGpuHost, openGpuHost, placingOn } from '../gpu-host.ts';
import { type GpuProgram, lowerProgram, placeProgram } from '../gpu-program.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import {
  type GpuSizes,
  gpuTarget,
  kernelSizes,
  type MeasuredSizes,
  maxChunkQubits,
} from '../gpu-target.ts';
import { type ChunkShape, MAX_INDEX_BITS } from '../sweep/index-bits.ts';
import { maxTileChunkQubits } from '../sweep/sweep-kernel.ts';
import { passesOf, spreadProgram } from './spread-program.ts';
import { type PlacedSpread, type SpreadHost, SpreadStates } from './spread-states.ts';
import { StagingBuffers, settledAll } from './transfers.ts';

/** One device of the engine. */
export interface SpreadDevice {
  readonly device: GPUDevice;
  /** Measured sizes of the device; sizes that are set take precedence. */
  readonly tuning?: MeasuredSizes;
}

/** Options of the engine over several devices. */
export interface SpreadEngineOptions extends SpreadSizes {
  /**
   * A power of two of devices, at least two. Owned by the engine: closing the engine destroys them.
   */
  readonly devices: readonly SpreadDevice[];
  readonly shaders: ShaderSource;
  /** Reduces the cost of waiting for the devices; in Node, `sleepUntil`. */
  readonly onWait?: WaitHook;
  /**
   * Bits of an index in a kernel, at most 31. Tests use fewer, so that small states exceed them.
   */
  readonly indexBits?: number;
  /** Bytes that are transferred between devices at a time, a power of two; 16 MiB by default. */
  readonly windowBytes?: number;
  /** Most short runs of memory that a device sends for one exchange; 8,192 by default. */
  readonly maxRuns?: number;
}

const DEFAULT_WINDOW_BYTES = 2 ** 24;

/**
 * Opens the engine and compiles its kernels.
 *
 * @throws {RangeError} if there are not 2, 4, 8 … devices, or the sizes exceed a device's limits.
 * @throws {GpuFaultError} if a device rejects a kernel.
 */
export async function openSpreadEngine(options: SpreadEngineOptions): Promise<Engine> {
  const { devices, shaders, onWait, windowBytes = DEFAULT_WINDOW_BYTES } = options;
  const limits = devices.map(({ device, tuning }) => {
    return { limits: device.limits, ...(tuning && { tuning }) };
  });
  const { target, kernels } = spreadTarget(limits, options);
  const { memoryBytes = Number.POSITIVE_INFINITY, indexBits = MAX_INDEX_BITS, maxRuns } = options;
  const hosts = await settledAll(
    devices.map(({ device }, rank) =>
      openGpuHost({
        device,
        shaders,
        onWait,
        tiles: kernels[rank]!,
        origin: rank === 0 ? 1 : 0,
        idle: { memoryBytes },
      }),
    ),
  );
  const host: SpreadHost = {
    hosts,
    staging: hosts.map(({ context }) => new StagingBuffers(context)),
    window: new WorkWindow(),
    windowSize: windowBytes / AMPLITUDE_BYTES,
  };
  const dispatchQubits = kernels.map((kernel) => kernel.dispatchQubits);
  return new SpreadEngine(host, target, { memoryBytes, indexBits, dispatchQubits, maxRuns });
}

interface EngineBounds {
  /** Bytes of one device. */
  readonly memoryBytes: number;
  readonly indexBits: number;
  /** By rank. */
  readonly dispatchQubits: readonly number[];
  readonly maxRuns: number | undefined;
}

class SpreadEngine implements Engine {
  readonly name = 'webgpu';
  readonly prepare = { statevector: (program: Program) => this.#prepare(program) };
  readonly target: TargetProfile;
  readonly #host: SpreadHost;
  readonly #bounds: EngineBounds;
  readonly #mutex = new Mutex();
  #isClosed = false;

  constructor(host: SpreadHost, target: TargetProfile, bounds: EngineBounds) {
    this.#host = host;
    this.target = target;
    this.#bounds = bounds;
  }

  async #prepare(program: Program): Promise<Executable> {
    if (this.#isClosed) throw new ClosedError();
    const { maxQubits, chunkQubits, tileChunkQubits = 0, deviceQubits = 0 } = this.target;
    if (program.numQubits > maxQubits) {
      throw new ProgramTooWideError(program.numQubits, maxQubits, 'webgpu');
    }
    const host = this.#host;
    const numQubits = localQubits(this.target, program.numQubits);
    const shape = { numQubits, chunkQubits: Math.min(numQubits, chunkQubits) };
    const spread = spreadProgram(program, shape, host.hosts.length, this.#bounds.maxRuns);
    const { actions } = spread;
    const passes = actions.map((own) => passesOf(own, spread, shape, tileChunkQubits));
    const passesOfStep = new Map(program.steps.map((step, i) => [step, passes[i]!] as const));
    const plan = planRun(program, (step) => passesOfStep.get(step)!);
    const parts = await this.#place(spread.parts, shape);
    const placed: PlacedSpread = { parts, actions, passes };
    const budget = stateBudget(
      numQubits + deviceQubits,
      AMPLITUDE_BYTES,
      this.#bounds.memoryBytes * host.hosts.length,
    );
    const operations = (slicer: TimeSlicer, layout: readonly Qubit[] = program.finalLayout) =>
      new SpreadStates(host, placed, layout, slicer);
    return this.#mutex.executable(
      (request: RunRequest, signal) =>
        this.#run(() => runProgram({ plan, budget, operations }, request, signal)),
      () => {
        for (const part of placed.parts) part.destroy();
      },
    );
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#mutex.close(async () => {
      const { hosts, staging } = this.#host;
      for (const [rank, host] of hosts.entries()) {
        await closeGpuHost(host);
        staging[rank]!.close();
      }
    });
  }

  /** Uploads a program to all devices, or to none. */
  async #place(parts: readonly Program[], shape: ChunkShape): Promise<readonly GpuProgram[]> {
    const placing = parts.map((part, rank) => {
      const host = this.#host.hosts[rank]!;
      const { context, kernels } = host;
      const { indexBits, dispatchQubits } = this.#bounds;
      const sizes = placingOn(host, shape, dispatchQubits[rank]!, indexBits);
      const maxTileChunks = maxTileChunkQubits(context.device.limits);
      return placeProgram(context, kernels, lowerProgram(part, sizes, maxTileChunks));
    });
    try {
      return await settledAll(placing);
    } catch (error) {
      for (const outcome of await Promise.allSettled(placing)) {
        if (outcome.status === 'fulfilled') outcome.value.destroy();
      }
      throw error;
    }
  }

  /** Runs a program; returns its result only after the devices confirm that all work was done. */
  async #run(run: () => Promise<RunResult>): Promise<RunResult> {
    const { hosts, staging } = this.#host;
    try {
      const result = await run();
      await settledAll(hosts.map(({ context }) => context.settle()));
      return result;
    } catch (error) {
      await Promise.all(hosts.map(({ context }) => context.abandon()));
      for (const buffers of staging) buffers.reset();
      throw error;
    } finally {
      for (const { chunks } of hosts) chunks.endRun();
    }
  }
}

/** Optional sizes, as for one device; memory is of each device, qubits are of the whole state. */
type SpreadSizes = Omit<GpuSizes, 'tuning'>;

/** Limits and measured sizes of one device. */
interface SpreadLimits {
  readonly limits: GPUSupportedLimits;
  /** Measured sizes of the device; sizes that are set take precedence. */
  readonly tuning?: MeasuredSizes;
}

/** Target of several devices. */
interface SpreadTarget {
  readonly target: TargetProfile;
  /** By rank; all have tiles of one size. */
  readonly kernels: readonly MeasuredSizes[];
}

/**
 * Target of devices that hold a state together: the smallest of their sizes.
 *
 * @throws {RangeError} if they are not 2, 4, 8 … devices, or the sizes exceed a device's limits.
 */
function spreadTarget(devices: readonly SpreadLimits[], sizes: SpreadSizes): SpreadTarget {
  const deviceQubits = Math.log2(devices.length);
  if (!Number.isInteger(deviceQubits) || deviceQubits < 1) {
    throw new RangeError(`A state is spread over 2, 4, 8 … devices, not over ${devices.length}.`);
  }
  const { maxQubits, ...others } = sizes;
  const own = devices.map(({ limits, tuning }) => kernelSizes(limits, withTuning(sizes, tuning)));
  const tileQubits = Math.min(...own.map((kernel) => kernel.tileQubits));
  const largestChunk = Math.min(...devices.map(({ limits }) => maxChunkQubits(limits)));
  const { chunkQubits = largestChunk } = sizes;
  const alike = {
    ...others,
    tileQubits,
    chunkQubits,
    ...(maxQubits !== undefined && { maxQubits: Math.max(1, maxQubits - deviceQubits) }),
  };
  const targets = devices.map(({ limits }) => gpuTarget(limits, alike));
  const least = (of: (target: TargetProfile) => number) => Math.min(...targets.map(of));
  return {
    target: {
      ...targets[0]!,
      maxQubits: maxQubits ?? least((target) => target.maxQubits) + deviceQubits,
      maxDenseQubits: least((target) => target.maxDenseQubits),
      tileChunkQubits: least(({ tileChunkQubits = 0 }) => tileChunkQubits),
      deviceQubits,
    },
    kernels: devices.map(({ limits, tuning }) =>
      kernelSizes(limits, withTuning({ ...sizes, tileQubits }, tuning)),
    ),
  };
}

function withTuning(sizes: SpreadSizes, tuning: MeasuredSizes | undefined): GpuSizes {
  return tuning === undefined ? sizes : { ...sizes, tuning };
}
