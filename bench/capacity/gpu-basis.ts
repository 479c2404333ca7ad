/**
 * Model of the GPUs of the simulated fleet. Their run times are always modelled; the rate at which they move
 * states is measured if a GPU was benchmarked.
 */
import { z } from 'zod';
import { percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import { RESERVE_BYTES } from '../../src/fleet/adapters/adapter-plan.ts';
import { readBenchResults } from './bench-results.ts';
import { FLOPS_OF_A_GATE, H200, H200_MEMORY_BYTES, type Hardware } from './model/hardware.ts';

/** Speed of a GPU and the basis of the figure. */
export interface GpuBasis {
  readonly basis: 'modelled from a measured rate' | 'modelled';
  readonly hardware: Hardware;
  /** Memory for states, in bytes. */
  readonly memoryBytes: number;
  /** The basis as a sentence. */
  readonly explanation: string;
}

/** The part of the results file of `npm run bench -- webgpu-engine` that is read here. */
const benchResults = z.object({
  date: z.string(),
  adapter: z
    .object({
      name: z.string(),
      isSoftware: z.boolean(),
      cardBytes: z
        .number()
        .min(2 ** 30)
        .optional(),
    })
    .optional(),
  measurements: z.array(
    z.object({
      numQubits: z.int().optional(),
      evolutionMs: z.number().optional(),
      bytesMoved: z.number().optional(),
    }),
  ),
});

/** Narrowest circuits that count towards the rate. Narrower ones mostly measure start-up costs. */
const MIN_QUBITS = 24;

/**
 * Model of a GPU. If the file has GPU measurements, the rate and the memory are theirs; otherwise they are
 * those of a modelled H200.
 *
 * @param path - Results file; it may be missing.
 * @throws {FileUnreadableError} if the file is not a results file.
 */
export function gpuBasis(path: string): GpuBasis {
  const results = readBenchResults(path, benchResults);
  if (results === undefined) return modelled(`there is no ${path}`);
  const { adapter, date, measurements } = results;
  if (adapter === undefined) return modelled(`${path} does not say of which`);
  if (adapter.isSoftware) return modelled(`${path} is of ${adapter.name}, which is software`);
  const rates = measurements.flatMap(({ numQubits = 0, evolutionMs, bytesMoved }) =>
    numQubits < MIN_QUBITS || evolutionMs === undefined || bytesMoved === undefined
      ? []
      : [bytesMoved / (evolutionMs / 1000)],
  );
  if (rates.length === 0)
    return modelled(`${path} has no circuits of ${MIN_QUBITS} qubits or more`);
  const bytesPerSecond = percentilesOf(rates).p50;
  // The measured rate includes arithmetic.
  const flopsPerSecond = Number.POSITIVE_INFINITY;
  const hardware = { name: adapter.name, bytesPerSecond, flopsPerSecond, fixedMs: H200.fixedMs };
  const gbPerSecond = Math.round(bytesPerSecond / 1e9);
  const { cardBytes } = adapter;
  const memoryBytes = cardBytes === undefined ? H200_MEMORY_BYTES : cardBytes - RESERVE_BYTES;
  const memory =
    cardBytes === undefined
      ? `its memory is not in the file, an H200’s is taken: ${gigabytes(H200_MEMORY_BYTES)}`
      : `${gigabytes(memoryBytes)} for states`;
  return {
    basis: 'modelled from a measured rate',
    hardware,
    memoryBytes,
    explanation: `${adapter.name}, modelled: sweeps × 2 × bytes of the state at ${gbPerSecond} GB/s, the median of ${rates.length} circuits measured on it on ${date.slice(0, 10)}; to begin, ${H200.fixedMs} ms, a guess; ${memory}.`,
  };
}

function modelled(whyNotMeasured: string): GpuBasis {
  const { name, bytesPerSecond, flopsPerSecond, fixedMs } = H200;
  return {
    basis: 'modelled',
    hardware: H200,
    memoryBytes: H200_MEMORY_BYTES,
    explanation: `${name}, modelled: sweeps × 2 × bytes of the state at ${bytesPerSecond / 1e12} TB/s, and ${FLOPS_OF_A_GATE} flops an amplitude and gate at ${flopsPerSecond / 1e12} TFLOP/s, one after the other; to begin, ${fixedMs} ms, a guess; ${gigabytes(H200_MEMORY_BYTES)} for states. No GPU was measured: ${whyNotMeasured}.`,
  };
}

function gigabytes(bytes: number): string {
  return `${Math.round(bytes / 1e9)} GB`;
}
