/**
 * Runs that a circuit needs beside its own, for results that a program requests: a gradient, and measurements of
 * observables in their own bases. They are batches of one circuit each.
 */
import { withoutMeasurements } from '../../circuit/circuit.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import { anglesOf } from '../../compiler/shape.ts';
import type { CircuitResult, CircuitRun } from '../../fleet/processor.ts';
import { countsOfRow } from '../../fleet/run-outputs.ts';
import { addToSeed } from '../../math/philox.ts';
import type { CheckedCircuit } from './check-circuit.ts';
import { methodRequestOf } from './check-method.ts';
import { sampledTogether } from './observable-samples.ts';

/** Numbers of the further runs. */
export interface FurtherNumbers {
  /** For each sampled observable, in the order of the program, the value of each shot. */
  readonly samples: readonly Float64Array[];
  readonly gradient?: {
    readonly expectation: number;
    readonly gradient: Readonly<Record<string, number>>;
  };
}

/** Runs one circuit as a batch; `name` tells the runs of one circuit apart. */
type RunFurther = (
  asked: Pick<CircuitRun, 'circuit' | 'request'>,
  name: string,
) => Promise<CircuitResult>;

/** Numbers of a circuit that needs no further runs. */
export const NO_NUMBERS: FurtherNumbers = { samples: [] };

/** @throws what `run` throws. */
export async function runFurther(
  checked: CheckedCircuit,
  { shots, seed }: { readonly shots: number; readonly seed: number },
  run: RunFurther,
): Promise<FurtherNumbers> {
  const { circuit, results, gradient, method } = checked;
  const sampled = results.flatMap((result: ProgramResult) =>
    result.type === 'sample' ? result.observables : [],
  );
  if (sampled.length === 0 && gradient === undefined) return NO_NUMBERS;
  const samples: Float64Array[] = [];
  for (const [g, group] of sampledTogether(circuit, sampled).entries()) {
    // Measurements in other bases draw numbers of their own.
    const own = addToSeed(seed, g);
    const angles = Float64Array.from(anglesOf(group.circuit));
    const request = {
      numCircuits: 1,
      angles,
      shots,
      seeds: [own],
      countsOfSingles: true,
      ...methodRequestOf(checked),
    };
    const { outputs } = await run({ circuit: group.circuit, request }, `sample-${g}`);
    const values = group.valuesOf(countsOfRow(outputs, 0, group.circuit.numBits), own, method);
    for (const [i, index] of group.members.entries()) samples[index] = values[i]!;
  }
  if (gradient === undefined) return { samples };
  const { observable, formulas, row, inputs } = gradient;
  const request = {
    numCircuits: 1,
    angles: row,
    formulas,
    observables: [observable],
    gradients: true,
  };
  const { outputs } = await run({ circuit: withoutMeasurements(circuit), request }, 'gradient');
  const byInput = inputs.map(({ name, index }) => [name, outputs.gradients![index]!] as const);
  const [expectation] = outputs.expectations!;
  return {
    samples,
    gradient: { expectation: expectation!, gradient: Object.fromEntries(byInput) },
  };
}
