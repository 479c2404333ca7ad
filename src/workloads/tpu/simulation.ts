/** The TPU job `simulation`: runs circuits, several in flight at a time, or the points of a sweep. */
import { z } from 'zod';
import {
  type Circuit,
  hasMidCircuitMeasurement,
  measuredQubits,
  withFinalMeasurement,
} from '../../circuit/circuit.ts';
import { type PauliSum, parseObservables } from '../../circuit/observable.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { runParameterSweep } from '../agents/research/parameter-sweep.ts';
import { circuitSeed, distributionView, runCircuit } from '../algorithms/run-points.ts';
import { ProcedureInputError } from '../procedures/errors.ts';
import {
  circuitFields,
  circuitOf,
  faultsOf,
  NEEDS_FINAL_STATE,
  seedField,
  UPDATES_PER_DRAW,
  widthFaults,
} from '../procedures/input-fields.ts';
import type { JsonObject } from '../procedures/json.ts';
import { procedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import {
  outputFields,
  type SweepInput,
  sweepFaults,
  sweepFields,
} from '../procedures/sweep-fields.ts';
import { metered } from './metered-circuits.ts';

const LIMITS = {
  circuits: 64,
  qubits: 24,
  shots: 100_000,
  /** Most classical bits of a distribution. */
  probability_bits: 14,
  /** Most gates of all circuits together. */
  gates: 20_000,
  /** Most outcomes and values in the result. */
  result_numbers: 100_000,
  /** Most work of all circuits together: gates times amplitudes, and draws. */
  amplitude_updates: 1e11,
} as const;

const entry = z.strictObject({
  ...circuitFields,
  name: z.string().max(64).optional().describe('Name of the circuit, repeated in the result'),
  shots: z
    .int()
    .min(0)
    .max(LIMITS.shots)
    .optional()
    .describe('Shots of this circuit; 0 draws none; by default the `shots` of the job'),
  observables: outputFields.observables,
  probabilities: z
    .boolean()
    .default(false)
    .describe('Whether the result has exact probabilities; those below 1e-12 are left out'),
});

const { seed: _seed, ...sweepOnly } = sweepFields;

const input = z.strictObject({
  circuits: z
    .array(entry)
    .min(1)
    .max(LIMITS.circuits)
    .optional()
    .describe('Circuits, each with the outputs asked for; by default a Bell pair and a GHZ state'),
  sweep: z
    .strictObject(sweepOnly)
    .optional()
    .describe('One circuit with named parameters, at many values of them; replaces circuits'),
  shots: z
    .int()
    .min(1)
    .max(LIMITS.shots)
    .default(1024)
    .describe('Shots of every circuit without shots of its own; default 1024'),
  seed: seedField,
});

type SimulationInput = z.output<typeof input>;

/** Default circuits. */
const DEFAULT_CIRCUITS = z.array(entry).parse([
  {
    name: 'bell',
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X0 X1' }],
  },
  {
    name: 'ghz',
    circuit: [
      { gate: 'H', qubit: 0 },
      ...[1, 2, 3, 4].map((target) => ({ gate: 'CX', control: target - 1, target })),
    ],
  },
]);

/** The TPU job `simulation`. */
export const simulation = procedure({
  name: 'simulation',
  description:
    'Runs several circuits, or one at many values of its parameters. The result has for each circuit or point the requested outputs: counts, exact probabilities, exact expectation values.',
  input,
  check: simulationFaults,
  limits: { ...LIMITS, deadline_ms: 600_000 },
  example: {
    circuits: [
      {
        name: 'bell',
        circuit: [
          { gate: 'H', qubit: 0 },
          { gate: 'CX', control: 0, target: 1 },
        ],
        observables: [{ pauli: 'Z0 Z1' }],
      },
      {
        name: 'coin',
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; h q; c = measure q;',
      },
    ],
    shots: 1000,
    seed: 7,
  },
  run: metered(runSimulation),
});

/** A circuit of the input and its outputs. */
interface PlannedCircuit {
  readonly name?: string;
  /** The circuit with its measurements; without any, all its qubits are measured. */
  readonly circuit: Circuit;
  readonly shots: number;
  readonly observables: readonly PauliSum[];
  readonly probabilities: boolean;
}

/** Input of the sweep that a job describes; undefined if the job is not a sweep. */
function sweepOf({ sweep, seed }: SimulationInput): SweepInput | undefined {
  return sweep && { ...sweep, ...(seed !== undefined && { seed }) };
}

/**
 * Reads a circuit of an input.
 *
 * @throws {CodedError} listing its faults, with paths relative to it.
 */
function plannedCircuit(one: z.output<typeof entry>, ofJob: SimulationInput): PlannedCircuit {
  const { name, shots = ofJob.shots, observables = [], probabilities } = one;
  const circuit = withFinalMeasurement(circuitOf(one, { maxQubits: LIMITS.qubits }));
  const parsed = parseObservables(observables, circuit.numQubits, 'observables');
  const planned = { circuit, shots, observables: parsed, probabilities };
  return name === undefined ? planned : { ...planned, name };
}

function simulationFaults(given: SimulationInput): readonly Fault[] {
  const sweep = sweepOf(given);
  if (sweep !== undefined) {
    if (given.circuits !== undefined) {
      return [{ path: 'sweep', message: 'Give either circuits or a sweep, not both.' }];
    }
    return sweepFaults(sweep).map((fault) => ({ ...fault, path: `sweep.${fault.path}` }));
  }
  const sizes = { gates: 0, result_numbers: 0, amplitude_updates: 0 };
  const faults = (given.circuits ?? []).flatMap((one, i) => {
    const place = `circuits[${i}]`;
    const found = faultsOf(() => {
      const planned = plannedCircuit(one, given);
      addSizes(sizes, planned);
      return outputFaults(planned);
    }, '');
    return found.map((fault) => within(place, fault));
  });
  return faults.length > 0 ? faults : sizeFaults(sizes);
}

function within(place: string, fault: Fault): Fault {
  return { ...fault, path: fault.path === '' ? place : `${place}.${fault.path}` };
}

function outputFaults(planned: PlannedCircuit): readonly Fault[] {
  const { circuit, shots, observables, probabilities } = planned;
  const faults: Fault[] = [];
  if (shots === 0 && observables.length === 0 && !probabilities) {
    const message = 'Nothing is asked for: give shots, observables or probabilities.';
    faults.push({ path: 'shots', message });
  }
  if (hasMidCircuitMeasurement(circuit)) {
    const message = `Needs ${NEEDS_FINAL_STATE}`;
    if (observables.length > 0) faults.push({ path: 'observables', message });
    if (probabilities) faults.push({ path: 'probabilities', message });
  } else if (probabilities && circuit.numBits > LIMITS.probability_bits) {
    const message = `${circuit.numBits} classical bits; probabilities are given of at most ${LIMITS.probability_bits}.`;
    faults.push({ path: 'probabilities', message });
  }
  return faults;
}

type Sizes = { gates: number; result_numbers: number; amplitude_updates: number };

function addSizes(sizes: Sizes, planned: PlannedCircuit): void {
  const { circuit, shots, observables, probabilities } = planned;
  const { numQubits, numBits, operations } = circuit;
  const outcomes = 2 ** numBits;
  const runs = hasMidCircuitMeasurement(circuit) ? shots : 1;
  sizes.gates += operations.length;
  sizes.result_numbers +=
    Math.min(shots, outcomes) + observables.length + (probabilities ? outcomes : 0);
  const terms = observables.reduce((sum, { length }) => sum + length, 0);
  sizes.amplitude_updates +=
    (runs * operations.length + terms) * 2 ** numQubits + UPDATES_PER_DRAW * shots;
}

function sizeFaults(sizes: Sizes): readonly Fault[] {
  const words = {
    gates: 'gates',
    result_numbers: 'outcomes and values in the result',
    amplitude_updates: 'amplitude updates and draws',
  } as const;
  return (['gates', 'result_numbers', 'amplitude_updates'] as const).flatMap((size) => {
    if (sizes[size] <= LIMITS[size]) return [];
    const message = `The circuits come to ${sizes[size]} ${words[size]}; the limit ${size} is ${LIMITS[size]}.`;
    return [{ path: 'circuits', message }];
  });
}

/** Circuits in flight: enough that a processor always has the next one. */
const MAX_OUTSTANDING = 4;

async function runSimulation(
  input: SimulationInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const sweep = sweepOf(input);
  const result =
    sweep === undefined
      ? await runCircuits(input, context)
      : { sweep: await runParameterSweep(sweep, context) };
  return {
    ...result,
    bit_order: 'little-endian',
  };
}

async function runCircuits(input: SimulationInput, context: ProcedureContext): Promise<JsonObject> {
  const { seed = context.seed, circuits = DEFAULT_CIRCUITS } = input;
  const planned = circuits.map((one) => plannedCircuit(one, input));
  const { maxQubits } = context.circuits;
  const faults = planned.flatMap(({ circuit }, i) =>
    widthFaults(circuit, maxQubits, `circuits[${i}]`),
  );
  if (faults.length > 0) throw new ProcedureInputError(faults);
  const results = new Array<JsonObject>(planned.length);
  const todo = planned.entries();
  let numDone = 0;
  const work = async () => {
    for (const [i, one] of todo) {
      results[i] = await runOne(one, circuitSeed(seed, i), context);
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

async function runOne(
  { name, circuit, shots, observables, probabilities }: PlannedCircuit,
  seed: number,
  context: ProcedureContext,
): Promise<JsonObject> {
  const outputs = { shots, probabilities, ...(observables.length > 0 && { observables }) };
  const outcome = await runCircuit(circuit, { ...outputs, seed }, context);
  return {
    ...(name !== undefined && { name }),
    ...(outcome.counts && { counts: outcome.counts, shots, seed }),
    ...(outcome.probabilities && { probabilities: distributionView(outcome.probabilities) }),
    ...(outcome.expectations && { expectations: outcome.expectations }),
    qubits: circuit.numQubits,
    measured_qubits: measuredQubits(circuit),
  };
}
