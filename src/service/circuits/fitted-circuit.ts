/**
 * Circuits of callers fitted to devices: one, or those of a batch. Pure. Fitting takes long; bodies that need it are
 * read in a process.
 */
import { type Circuit, type DynamicCircuit, isStatic } from '../../circuit/circuit.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import {
  type FittedCircuit,
  fitCircuit,
  fitShape,
  fitState,
} from '../../compiler/device/fit-circuit.ts';
import { gateFigures } from '../../compiler/report.ts';
import type { DeviceSpec, FittedProgram, Fitting } from '../../fleet/processor.ts';
import { type PackedCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { Chance } from '../../workloads/algorithms/chance.ts';
import type { Reading } from '../http/reading/reading.ts';

/** Number of the random stream of layouts. */
const LAYOUT_STREAM = 200;
/** Seed of the layouts of compiled circuits, and of those on emulated devices, so that both are the same. */
export const FIXED_LAYOUT_SEED = 0;

/** Makes the random source of a layout: the same numbers each time. */
function layoutSource(seed: number): () => () => number {
  return () => {
    const chance = new Chance(seed, LAYOUT_STREAM);
    return () => chance.uniform();
  };
}

/**
 * Fits a circuit to a device.
 *
 * @param seed - Decides which of equally good layouts is taken.
 * @param preserve - The invariant: the distribution of the classical bits, or the state before the last
 *   measurements as well.
 */
export function fitted(
  given: DynamicCircuit,
  device: DeviceSpec,
  seed: number,
  preserve: 'outcomes' | 'state' = 'outcomes',
): {
  readonly circuit: Circuit;
  readonly fitting: Fitting;
  readonly finalLayout: FittedCircuit['finalLayout'];
} {
  if (!isStatic(given)) throw new Error('unreachable: a dynamic circuit on a device');
  const fitAs = preserve === 'state' ? fitState : fitCircuit;
  const found = fitAs(given, device, layoutSource(seed)());
  const { circuit, finalLayout } = found;
  return { circuit, fitting: fittingOf(given, found), finalLayout };
}

function fittingOf(
  given: Circuit,
  { circuit, numSwaps, initialLayout }: Omit<FittedCircuit, 'finalLayout'>,
): Fitting {
  return { ...gateFigures(given, circuit), swaps: numSwaps, initialLayout };
}

/** Circuits to fit. */
export interface FitRequest {
  readonly device: DeviceSpec;
  /** Decides which of equally good layouts is taken. */
  readonly seed: number;
  readonly shapes: readonly {
    readonly shape: PackedCircuit;
    /** Angles of its circuits, row after row. */
    readonly rows: Float64Array;
    readonly numCircuits: number;
  }[];
}

/** CPU time of fitting relative to reading. */
export const FIT_CPU_FACTOR = 10;

/** Reading that fits circuits of a batch. They are in its context; the text is empty. */
export const FIT_READING: Reading<FitRequest, FittedProgram> = {
  name: 'device batch',
  cpuFactor: FIT_CPU_FACTOR,
  read: (_, request) => fittedBatch(request),
};

/** Fits circuits to a device. */
function fittedBatch({ device, seed, shapes }: FitRequest): FittedProgram {
  const started = performance.now();
  const circuits: { readonly qasm: string; readonly numBits: number }[] = [];
  let fitting: Fitting | undefined;
  for (const { shape: packed, rows, numCircuits } of shapes) {
    // The cast is safe: batches for devices are checked to be static.
    const shape = unpackCircuit(packed) as Circuit;
    for (const fitted of fitShape(shape, rows, numCircuits, device, layoutSource(seed))) {
      const { circuit } = fitted;
      circuits.push({ qasm: printOpenQasm(circuit, '3', true), numBits: circuit.numBits });
      fitting ??= fittingOf(shape, fitted);
    }
  }
  if (fitting === undefined) throw new Error('unreachable: no circuits to fit');
  return { circuits, fitting, fitMs: performance.now() - started };
}
