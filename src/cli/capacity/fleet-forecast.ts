/** What 48 GPUs would do, from what was measured here and what is modelled; each figure says which. */
import { circuitFromGateObjects } from '../../circuit/gate-objects.ts';
import { shapeOnGpu } from '../../fleet/capacity/circuit-shape.ts';
import {
  type FleetKind,
  type FullFleetResult,
  simulateFullFleet,
} from '../../fleet/capacity/full-fleet.ts';
import { H200_MEMORY_BYTES, type Hardware, modelledMs } from '../../fleet/capacity/hardware.ts';
import { circuitWork, runWork } from '../../fleet/schedule/run-work.ts';
import { MAX_SMALL_QUBITS } from '../../fleet/width.ts';
import { type CircuitMix, MIXES, type MixClass, mirrorCircuit } from './circuit-mix.ts';
import type { GpuBasis } from './gpu-basis.ts';
import type { ServiceMeasurement } from './measure-load.ts';

/** Small circuits as the default load has them, and wide ones, each rarer than the last. */
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

/** One thread of a CPU on small circuits, where none was measured. */
const MODELLED_THREAD: Hardware = {
  name: 'a CPU thread',
  bytesPerSecond: 10e9,
  flopsPerSecond: 20e9,
  fixedMs: 0.05,
};
/** Each is compiled for the first time; the fastest counts, for others share the machine. */
const NUM_COMPILED = 8;
/** As the service's own. */
const AGEING_MS = 30_000;
/** Spread of run times of one kind. */
const SIGMA = 0.2;
const LOADS = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] as const;
const LOAD = 0.8;
const POINT_PART = 0.06;

/** Where a run time is from. */
export interface KindBasis {
  readonly qubits: number;
  readonly layers: number;
  readonly shots: number;
  readonly weight: number;
  /** On the GPU: submitting, evolution, reading. */
  readonly gpuMs: number;
  readonly gpuBasis: 'measured' | 'modelled';
  /** Compiling for it, here, for each circuit is taken to be new. */
  readonly compileMs: number;
  readonly cpuMs?: number;
  readonly cpuBasis?: 'measured' | 'modelled';
}

/** A forecast. */
export interface FleetForecast {
  readonly numGpus: number;
  readonly numThreads: number;
  readonly gpu: Pick<GpuBasis, 'basis' | 'explanation'>;
  readonly load: number;
  readonly sigma: number;
  readonly kinds: readonly KindBasis[];
  readonly result: FullFleetResult;
  /** Circuits a second that one front process took at most, measured; absent without a measurement. */
  readonly frontPerSecond?: number;
  readonly tookMs: number;
}

/** What a forecast is made from. */
export interface ForecastOptions {
  readonly gpu: GpuBasis;
  readonly numJobs: number;
  readonly numThreads: number;
  readonly seed: number;
  readonly measured: ServiceMeasurement | undefined;
  readonly onStep: (what: string) => void;
}

/** Simulates the fleet of 48. */
export function forecastFleet(options: ForecastOptions): FleetForecast {
  const { gpu, numJobs, numThreads, seed, measured, onStep } = options;
  onStep('compiling the circuits of the fleet');
  const prepared = FLEET_MIX.map((kind) => prepare(kind, gpu, measured));
  const begin = performance.now();
  const result = simulateFullFleet({
    kinds: prepared.map(({ fleetKind }) => fleetKind),
    memoryBytes: H200_MEMORY_BYTES,
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
  const steps = [...(measured?.closed ?? []), ...(measured?.open ?? [])];
  return {
    numGpus: result.longRun.devices.length,
    numThreads,
    gpu: { basis: gpu.basis, explanation: gpu.explanation },
    load: LOAD,
    sigma: SIGMA,
    kinds: prepared.map(({ basis }) => basis),
    result,
    ...(steps.length > 0 && {
      frontPerSecond: Math.max(...steps.map(({ perSecond }) => perSecond)),
    }),
    tookMs: performance.now() - begin,
  };
}

function prepare(
  kind: MixClass,
  { hardware, basis: gpuBasis }: GpuBasis,
  measured: ServiceMeasurement | undefined,
): { readonly fleetKind: FleetKind; readonly basis: KindBasis } {
  const { qubits, layers, shots, weight } = kind;
  const limits = { maxQubits: 40, maxGates: 100_000 };
  const circuits = Array.from({ length: NUM_COMPILED }, (_, seed) =>
    circuitFromGateObjects(mirrorCircuit(kind, seed).gates, { limits, numQubits: qubits }),
  );
  const compiled = circuits.map(shapeOnGpu).toSorted((a, b) => a.compileMs - b.compileMs);
  const [circuit] = circuits;
  const [fastest] = compiled;
  if (circuit === undefined || fastest === undefined) throw new Error('unreachable: no circuit');
  const { shape, compileMs } = fastest;
  const gpuMs = modelledMs(hardware, shape);
  const cpu = qubits > MAX_SMALL_QUBITS ? undefined : cpuTime(kind, compileMs, measured);
  const modelledCpu = compileMs + modelledMs(MODELLED_THREAD, shape);
  const cpuMs = cpu?.ms ?? modelledCpu;
  const isSmall = qubits <= MAX_SMALL_QUBITS;
  return {
    fleetKind: {
      qubits,
      weight,
      work: runWork(circuitWork(circuit), { shots, seed: 0 }),
      gpuMs: compileMs + gpuMs,
      ...(isSmall && { cpuMs }),
    },
    basis: {
      qubits,
      layers,
      shots,
      weight,
      gpuMs,
      gpuBasis,
      compileMs,
      ...(isSmall && { cpuMs, cpuBasis: cpu === undefined ? 'modelled' : 'measured' }),
    },
  };
}

/** From the gentlest load that had circuits of this kind: there they were not slowed by others. */
function cpuTime(
  { qubits, layers, shots }: MixClass,
  compileMs: number,
  measured: ServiceMeasurement | undefined,
): { readonly ms: number } | undefined {
  const isSent = measured?.mix.some(
    (kind) => kind.qubits === qubits && kind.layers === layers && kind.shots === shots,
  );
  if (!isSent) return undefined;
  const costs = measured?.closed[0]?.costsBySize[String(qubits)];
  return costs && { ms: compileMs + costs.execution + (costs.sampling ?? 0) };
}
