/** Fits circuits of a batch to a device. Pure; it runs in a reader's process, because it takes long. */
import type { Circuit } from '../../circuit/circuit.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import { fitShape } from '../../compiler/device/fit-shape.ts';
import { gateFigures } from '../../compiler/report.ts';
import type { DeviceSpec, FittedProgram, Fitting } from '../../fleet/processor.ts';
import { type PackedCircuit, unpackCircuit } from '../../fleet/workers/sent-batch.ts';
import { layoutSource } from '../circuits/fitted-circuit.ts';
import type { Reading } from '../http/reading/reading.ts';

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

/** Fitting takes longer than reading. */
const FIT_CPU_FACTOR = 10;

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
      const { circuit, initialLayout, numSwaps } = fitted;
      circuits.push({ qasm: printOpenQasm(circuit, '3', true), numBits: circuit.numBits });
      fitting ??= { ...gateFigures(shape, circuit), swaps: numSwaps, initialLayout };
    }
  }
  if (fitting === undefined) throw new Error('unreachable: no circuits to fit');
  return { circuits, fitting, fitMs: performance.now() - started };
}
