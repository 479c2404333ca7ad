/** What the GPU of the simulated fleet is taken to be: measured where a GPU was, else modelled. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { H200, type Hardware } from '../../fleet/capacity/hardware.ts';
import { FileUnreadableError } from '../errors.ts';

/** A GPU's speed and where the figure is from. */
export interface GpuBasis {
  readonly basis: 'measured' | 'modelled';
  readonly hardware: Hardware;
  /** A sentence. */
  readonly explanation: string;
}

/** Of what `npm run bench -- webgpu-engine` stores, the part that is read. */
const benchResults = z.object({
  date: z.string(),
  adapter: z.object({ name: z.string(), isSoftware: z.boolean() }).optional(),
  measurements: z.array(
    z.object({
      numQubits: z.int().optional(),
      evolutionMs: z.number().optional(),
      bytesMoved: z.number().optional(),
    }),
  ),
});

/** Of states from here on; smaller ones say more of what it takes to begin. */
const MIN_QUBITS = 24;

/**
 * The rate at which whole circuits moved states on a GPU, if the file has measurements of one; else the
 * H200 as it is modelled.
 *
 * @param path - undefined or of a file that is not there: modelled.
 * @throws {FileUnreadableError}
 */
export function gpuBasis(path: string | undefined): GpuBasis {
  const text = path === undefined ? undefined : readIfThere(path);
  if (path === undefined || text === undefined) return modelled();
  const { adapter, date, measurements } = parse(path, text);
  if (adapter === undefined || adapter.isSoftware) return modelled();
  const rates = measurements.flatMap(({ numQubits = 0, evolutionMs, bytesMoved }) =>
    numQubits < MIN_QUBITS || evolutionMs === undefined || bytesMoved === undefined
      ? []
      : [bytesMoved / (evolutionMs / 1000)],
  );
  const bytesPerSecond = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)];
  if (bytesPerSecond === undefined) return modelled();
  // Arithmetic is in the measured rate.
  const flopsPerSecond = Number.POSITIVE_INFINITY;
  const hardware = { name: adapter.name, bytesPerSecond, flopsPerSecond, fixedMs: H200.fixedMs };
  const gbPerSecond = Math.round(bytesPerSecond / 1e9);
  return {
    basis: 'measured',
    hardware,
    explanation: `${adapter.name}: sweeps × 2 × bytes of the state at ${gbPerSecond} GB/s, the median of ${rates.length} circuits measured on it on ${date.slice(0, 10)}; to begin, ${H200.fixedMs} ms, a guess.`,
  };
}

function modelled(): GpuBasis {
  const { name, bytesPerSecond, flopsPerSecond, fixedMs } = H200;
  return {
    basis: 'modelled',
    hardware: H200,
    explanation: `${name}, modelled: sweeps × 2 × bytes of the state at ${bytesPerSecond / 1e12} TB/s, and 17 flops an amplitude and gate at ${flopsPerSecond / 1e12} TFLOP/s, one after the other; to begin, ${fixedMs} ms, a guess. No GPU was measured.`,
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new FileUnreadableError(path, String(error), { cause: error });
  }
}

function parse(path: string, text: string): z.output<typeof benchResults> {
  try {
    return benchResults.parse(JSON.parse(text));
  } catch (error) {
    throw new FileUnreadableError(path, 'it is not what the benchmark stores', { cause: error });
  }
}
