/** A simulation job: circuits one by one, several under way at a time, or the points of a sweep. */
import { measuredQubits } from '../../circuit/circuit.ts';
import type { Counts } from '../../engine/engine.ts';
import { outcomeLabel } from '../../math/basis-index.ts';
import { runParameterSweep } from '../agents/research/run-parameter-sweep.ts';
import { distributionView } from '../algorithms/sweep/outcome-view.ts';
import { circuitSeed } from '../algorithms/sweep/run-circuits.ts';
import { ProcedureInputError } from '../procedures/errors.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { RunProcedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { FLOPS_BASIS } from './circuit-flops.ts';
import { MeteredCircuits } from './metered-circuits.ts';
import {
  type PlannedCircuit,
  plannedCircuits,
  type SimulationInput,
  sweepOf,
} from './simulation.ts';

/** Circuits under way at a time: enough for a processor to have the next one at hand. */
const MAX_OUTSTANDING = 4;

/** Runs the job. */
export const runSimulation: RunProcedure<SimulationInput> = async (input, context) => {
  const meter = new MeteredCircuits(context.circuits);
  const metered = { ...context, circuits: meter.runner };
  const sweep = sweepOf(input);
  const result =
    sweep === undefined
      ? await runCircuits(input, metered)
      : { sweep: await runParameterSweep(sweep, metered) };
  return {
    ...result,
    bit_order: 'little-endian',
    circuits: meter.numCircuits,
    flops: meter.flops,
    flops_basis: FLOPS_BASIS,
  };
};

async function runCircuits(input: SimulationInput, context: ProcedureContext): Promise<JsonObject> {
  const { seed = context.seed } = input;
  const planned = [...plannedCircuits(input)];
  checkWidths(planned, context.circuits.maxQubits);
  const results = new Array<JsonObject>(planned.length);
  const todo = planned.entries();
  let numDone = 0;
  const work = async () => {
    for (const [i, one] of todo) {
      context.signal.throwIfAborted();
      results[i] = await runOne(one, circuitSeed(seed, i), context);
      context.countUnits(1);
      numDone++;
      context.progress(numDone / planned.length, `${numDone} of ${planned.length} circuits`);
    }
  };
  await Promise.all(Array.from({ length: MAX_OUTSTANDING }, work));
  return {
    results,
    seed,
    basis:
      'Counts are sampled with each circuit’s seed, which follows from the job’s; all else is exact up to the precision of the processor.',
  };
}

function checkWidths(planned: readonly PlannedCircuit[], maxQubits: number): void {
  const faults = planned.flatMap(({ circuit: { numQubits } }, i) =>
    numQubits <= maxQubits
      ? []
      : [
          {
            path: `circuits[${i}]`,
            message: `${numQubits} qubits; the widest circuit that would run now has ${maxQubits}.`,
          },
        ],
  );
  if (faults.length > 0) throw new ProcedureInputError(faults);
}

async function runOne(
  { name, circuit, shots, observables, probabilities }: PlannedCircuit,
  seed: number,
  { circuits }: ProcedureContext,
): Promise<JsonObject> {
  const run = await circuits.run(circuit, {
    ...(shots > 0 && { shots, seed }),
    ...(probabilities && { probabilities }),
    ...(observables.length > 0 && { observables }),
  });
  return {
    ...(name !== undefined && { name }),
    ...(shots > 0 && { counts: countsView(run.counts), shots, seed }),
    ...(run.probabilities && { probabilities: distributionView(run.probabilities) }),
    ...(run.expectations && { expectations: [...run.expectations] }),
    qubits: circuit.numQubits,
    measured_qubits: measuredQubits(circuit),
  };
}

function countsView({ numBits, wordsPerOutcome, outcomes, occurrences }: Counts): JsonObject {
  return Object.fromEntries(
    Array.from(occurrences, (occurrence, i) => [
      outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits),
      occurrence,
    ]),
  );
}
