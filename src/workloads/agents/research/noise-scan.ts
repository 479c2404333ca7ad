/** The task `noise_scan`: runs a circuit at several levels of emulated noise. */
import { z } from 'zod';
import { hasMidCircuitMeasurement, withFinalMeasurement } from '../../../circuit/circuit.ts';
import { parseObservables } from '../../../circuit/observable.ts';
import { CodedError, type Fault } from '../../../errors/coded-error.ts';
import { basisLabel } from '../../../math/basis-index.ts';
import {
  DEVICE_NAMES,
  DEVICE_PROFILES,
  deviceNoise,
  type NoiseLevel,
} from '../../algorithms/noise/noise-levels.ts';
import { gateQubits } from '../../algorithms/noise/pauli-slots.ts';
import {
  type NoiseScan,
  type NoisyResult,
  runNoiseScan,
} from '../../algorithms/noise/pauli-trajectories.ts';
import { circuitFields, circuitOf, seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { outputFields, SWEEP_LIMITS } from './sweep-fields.ts';

const LIMITS = {
  qubits: 16,
  gates: 2000,
  levels: 20,
  trajectories: 20_000,
  observables: SWEEP_LIMITS.observables,
  observable_terms: SWEEP_LIMITS.observable_terms,
  /** Most gates times amplitudes over all trajectories, room for errors included. */
  amplitude_updates: 1e11,
} as const;

const rate = (most: number, what: string) =>
  z.number().min(0).max(most).default(0).describe(`${what}; default 0`);

const input = z.strictObject({
  ...circuitFields,
  levels: z
    .array(
      z.strictObject({
        one_qubit_error: rate(1, 'Probability that X, Y or Z follows a gate on one qubit'),
        two_qubit_error: rate(
          1,
          'Probability that one of the 15 pairs of Paulis but the identity follows a gate on two qubits',
        ),
        readout_error: rate(0.5, 'Probability that a measured bit is flipped'),
      }),
    )
    .min(1)
    .max(LIMITS.levels)
    .optional()
    .describe('Noise levels to compare; give either this or device'),
  device: z
    .enum(DEVICE_NAMES)
    .optional()
    .describe('Device whose published median errors are emulated, on the gates as written'),
  scale_factors: z
    .array(z.number().min(0).max(1000))
    .min(1)
    .max(LIMITS.levels)
    .optional()
    .describe(
      'device only: factors by which the noise of the device is multiplied, one level for each; default [1]',
    ),
  observables: outputFields.observables,
  trajectories: z
    .int()
    .min(2)
    .max(LIMITS.trajectories)
    .default(400)
    .describe('Number of error patterns drawn for each level; default 400'),
  seed: seedField,
});
type NoiseScanInput = z.output<typeof input>;

/** The task `noise_scan`. */
export const noiseScan = procedure({
  name: 'noise_scan',
  description:
    'Shows how the result of a circuit degrades with noise: Pauli errors after gates and flipped readouts, at given levels or at the published medians of a device, emulated on a simulator. The result has for each level the distance and fidelity to the ideal distribution, and expectation values with standard errors; `largest_probability_standard_error` is the largest standard error of the probability of an outcome, from the trajectories.',
  input,
  check: noiseFaults,
  limits: { ...LIMITS, deadline_ms: 600_000 },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 1, target: 2 },
    ],
    device: 'ibm-fez',
    scale_factors: [0, 1, 10],
    observables: [{ pauli: 'Z0 Z2' }],
    trajectories: 100,
  },
  run: runTask,
});

/**
 * Reads the scan of an input. A circuit without measurements has all its qubits measured.
 *
 * @throws {CodedError} listing every fault of the circuit and the observables.
 */
function noiseScanOf(given: NoiseScanInput, seed: number): NoiseScan {
  const circuit = withFinalMeasurement(circuitOf(given, { maxQubits: LIMITS.qubits }));
  const observables = parseObservables(given.observables ?? [], circuit.numQubits, 'observables');
  const numTrajectories = given.trajectories;
  return { circuit, levels: levelsOf(given), observables, numTrajectories, seed };
}

function levelsOf({ levels, device, scale_factors = [1] }: NoiseScanInput): readonly NoiseLevel[] {
  if (device !== undefined) return scale_factors.map((factor) => deviceNoise(device, factor));
  return (levels ?? []).map((level) => ({
    oneQubitError: level.one_qubit_error,
    twoQubitError: level.two_qubit_error,
    readoutError: level.readout_error,
  }));
}

function noiseFaults(given: NoiseScanInput): readonly Fault[] {
  const faults = levelFaults(given);
  if (faults.length > 0) return faults;
  try {
    return circuitFaults(given, noiseScanOf(given, 0));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return error.faults;
  }
}

function levelFaults({ levels, device, scale_factors }: NoiseScanInput): readonly Fault[] {
  if (levels !== undefined && device !== undefined) {
    return [{ path: 'device', message: 'Give either levels or device, not both.' }];
  }
  if (levels === undefined && device === undefined) {
    return [{ path: 'levels', message: 'Required: levels, or device instead.' }];
  }
  if (levels !== undefined && scale_factors !== undefined) {
    return [{ path: 'scale_factors', message: 'Only taken with device.' }];
  }
  return [];
}

function circuitFaults(given: NoiseScanInput, scan: NoiseScan): readonly Fault[] {
  const { circuit, levels, observables, numTrajectories } = scan;
  const path = given.qasm === undefined ? 'circuit' : 'qasm';
  const { operations, numQubits, numBits } = circuit;
  if (hasMidCircuitMeasurement(circuit)) {
    return [
      { path, message: 'Nothing may come after a measurement, nor be reset or conditioned.' },
    ];
  }
  const tooWide = operations.findIndex((operation) => gateQubits(operation).length > 2);
  if (tooWide >= 0) {
    const at = given.qasm === undefined ? `circuit[${tooWide}]` : 'qasm';
    const found = `Operation ${tooWide} acts on ${gateQubits(operations[tooWide]!).length} qubits`;
    const message = `${found}; rates are known for gates on one and two, so take it apart first.`;
    return [{ path: at, message }];
  }
  const terms = observables.reduce((sum, { length }) => sum + length, 0);
  const work = levels.length * numTrajectories * operations.length * 5 * 2 ** numQubits;
  const sizes: readonly (readonly [string, string, number, number])[] = [
    [path, 'operations', operations.length, LIMITS.gates],
    [path, 'classical bits', numBits, LIMITS.qubits],
    ['observables', 'terms', terms, LIMITS.observable_terms],
    ['trajectories', 'amplitude updates, with room for errors,', work, LIMITS.amplitude_updates],
  ];
  return sizes.flatMap(([at, what, size, most]) =>
    size <= most
      ? []
      : [{ path: at, message: `${size} ${what} are more than the limit, ${most}.` }],
  );
}

async function runTask(input: NoiseScanInput, context: ProcedureContext): Promise<JsonObject> {
  const seed = input.seed ?? context.seed;
  const scan = noiseScanOf(input, seed);
  const numLevels = scan.levels.length;
  const { ideal, levels } = await runNoiseScan(scan, context, (done) => {
    const current = Math.min(numLevels, Math.floor(done) + 1);
    context.progress(done / numLevels, `level ${current} of ${numLevels}`);
  });
  const { numBits } = scan.circuit;
  const { device, scale_factors = [1] } = input;
  return {
    ideal: {
      likeliest_outcomes: likeliest(ideal.probabilities, numBits),
      expectations: [...ideal.expectations],
    },
    levels: levels.map((level, i) => ({
      ...(device !== undefined && { scale_factor: scale_factors[i]! }),
      ...levelView(level, numBits),
    })),
    ...(device !== undefined && { device, rates_source: DEVICE_PROFILES[device].source }),
    seed,
    basis:
      'emulated: Pauli errors drawn with the seed, no hardware was called. The ideal result, the part without errors and the readout errors are exact; the part with errors is an average over trajectories',
  };
}

function levelView(result: NoisyResult, numBits: number): JsonObject {
  const { level, expectations } = result;
  return {
    one_qubit_error: level.oneQubitError,
    two_qubit_error: level.twoQubitError,
    readout_error: level.readoutError,
    no_gate_error_probability: result.noErrorProbability,
    trajectories: result.numTrajectories,
    total_variation_distance: result.totalVariationDistance,
    classical_fidelity: result.classicalFidelity,
    largest_probability_standard_error: result.largestStandardError,
    expectations: expectations.map(({ value, standardError }) => ({
      value,
      standard_error: standardError,
    })),
    likeliest_outcomes: likeliest(result.probabilities, numBits),
  };
}

/** Most outcomes listed of each distribution. */
const MAX_OUTCOMES = 32;

/** The most probable outcomes by label, in descending order. */
function likeliest(probabilities: Float64Array, numBits: number): JsonObject[] {
  const possible: (readonly [outcome: number, probability: number])[] = [];
  for (const entry of probabilities.entries()) if (entry[1] > 1e-12) possible.push(entry);
  return possible
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_OUTCOMES)
    .map(([outcome, probability]) => ({ outcome: basisLabel(outcome, numBits), probability }));
}
