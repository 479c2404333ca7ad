/** Forecast of a fleet of 48 GPUs, from measured and modelled figures; each figure names its basis. */

import { qubitsWithin } from '../../src/fleet/memory-shares.ts';
import { AGEING_MS } from '../../src/fleet/schedule/fair-queue.ts';
import { MAX_SMALL_QUBITS } from '../../src/fleet/schedule/lane.ts';
import { runWork } from '../../src/fleet/schedule/scheduled-run.ts';
import { type CircuitMix, MIXES, type MixClass } from './circuit-mix.ts';
import type { CircuitNovelty } from './circuit-novelty.ts';
import { type CompileBasis, CompileTimes, statedCosts } from './compile-times.ts';
import type { GpuBasis } from './gpu-basis.ts';
import type { ServiceMeasurement } from './measure-load.ts';
import { type FleetKind, type FullFleetResult, simulateFullFleet } from './model/full-fleet.ts';
import { type Hardware, modelledMs } from './model/hardware.ts';

/**
 * Circuits of the simulated load: the small ones of the default mix, and wide ones, rarer the wider they are.
 */
const FLEET_MIX: CircuitMix = [
  ...(MIXES['mixed'] ?? []).filter(({ qubits }) => qubits <= MAX_SMALL_QUBITS),
  { qubits: 20, layers: 10, shots: 1000, weight: 10 },
  { qubits: 22, layers: 10, shots: 1000, weight: 6 },
  { qubits: 24, layers: 10, shots: 1000, weight: 4 },
  { qubits: 26, layers: 10, shots: 1000, weight: 2.5 },
  { qubits: 28, layers: 10, shots: 1000, weight: 1.5 },
  { qubits: 30, layers: 10, shots: 1000, weight: 1 },
  { qubits: 32, layers: 10, shots: 1000, weight: 0.5 },
];

/** Model of one CPU thread on small circuits, used if none was measured. */
const MODELLED_THREAD: Hardware = {
  name: 'a CPU thread',
  bytesPerSecond: 10e9,
  flopsPerSecond: 20e9,
  fixedMs: 0.05,
};
/** Spread of run times within one kind (sigma of their distribution). */
const SIGMA = 0.2;
const LOADS = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] as const;
const LOAD = 0.8;
const POINT_PART = 0.06;

/** Times of one kind of circuit, each with its basis. */
export interface KindBasis {
  readonly qubits: number;
  readonly layers: number;
  readonly shots: number;
  readonly weight: number;
  /** Run time on the GPU, milliseconds: submission, evolution and readback. */
  readonly gpuMs: number;
  readonly gpuBasis: GpuBasis['basis'];
  /** Compile time of a new circuit, milliseconds. */
  readonly compileMs: number;
  readonly compileBasis: CompileBasis;
  /** Execution time on one CPU thread, milliseconds, without queueing or compiling. */
  readonly cpuMs?: number;
  readonly cpuBasis?: 'measured' | 'modelled';
}

export interface FleetForecast {
  readonly numGpus: number;
  readonly numThreads: number;
  readonly gpu: Pick<GpuBasis, 'basis' | 'explanation'>;
  readonly circuits: CircuitNovelty;
  readonly load: number;
  readonly sigma: number;
  readonly kinds: readonly KindBasis[];
  readonly result: FullFleetResult;
  readonly tookMs: number;
}

/** Inputs of a forecast. */
export interface ForecastOptions {
  readonly gpu: GpuBasis;
  readonly circuits: CircuitNovelty;
  readonly numJobs: number;
  readonly numThreads: number;
  readonly seed: number;
  readonly measured: ServiceMeasurement | undefined;
  readonly onStep: (what: string) => void;
}

/** Simulates the fleet of 48 GPUs. */
export function forecastFleet(options: ForecastOptions): FleetForecast {
  const { gpu, circuits, numJobs, numThreads, seed, measured, onStep } = options;
  onStep('compiling the circuits of the fleet');
  const times = new CompileTimes(measured);
  const widest = qubitsWithin(gpu.memoryBytes);
  const prepared = FLEET_MIX.filter(({ qubits }) => qubits <= widest).map((kind) =>
    prepare(kind, times, options),
  );
  const begin = performance.now();
  const result = simulateFullFleet({
    kinds: prepared.map(({ fleetKind }) => fleetKind),
    memoryBytes: gpu.memoryBytes,
    numThreads,
    maxSmallQubits: MAX_SMALL_QUBITS,
    ageingMs: AGEING_MS,
    numJobs,
    numJobsOfAPoint: Math.ceil(POINT_PART * numJobs),
    loads: LOADS,
    load: LOAD,
    sigma: SIGMA,
    seed,
    onRun: (what) => onStep(`48 GPUs in virtual time: ${what}`),
  });
  return {
    numGpus: result.longRun.devices.length,
    numThreads,
    gpu: { basis: gpu.basis, explanation: gpu.explanation },
    circuits,
    load: LOAD,
    sigma: SIGMA,
    kinds: prepared.map(({ basis }) => basis),
    result,
    tookMs: performance.now() - begin,
  };
}

function prepare(
  kind: MixClass,
  times: CompileTimes,
  { gpu: { hardware, basis: gpuBasis }, circuits, measured }: ForecastOptions,
): { readonly fleetKind: FleetKind; readonly basis: KindBasis } {
  const { qubits, layers, shots, weight } = kind;
  const { work, shape, compileMs, compileBasis } = times.of(kind);
  const gpuMs = modelledMs(hardware, shape);
  const stated = statedCosts(kind, measured);
  const cpuMs =
    stated === undefined
      ? modelledMs(MODELLED_THREAD, shape)
      : stated.execution + (stated.sampling ?? 0);
  const isSmall = qubits <= MAX_SMALL_QUBITS;
  const before = circuits === 'new' ? compileMs : 0;
  return {
    fleetKind: {
      qubits,
      weight,
      work: runWork(work, { shots, seed: 0 }),
      gpuMs: before + gpuMs,
      ...(isSmall && { cpuMs: before + cpuMs }),
    },
    basis: {
      qubits,
      layers,
      shots,
      weight,
      gpuMs,
      gpuBasis,
      compileMs,
      compileBasis,
      ...(isSmall && { cpuMs, cpuBasis: stated === undefined ? 'modelled' : 'measured' }),
    },
  };
}
