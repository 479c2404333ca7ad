/** The task `noise_scan`: runs a circuit at several levels of emulated noise. */
import { z } from 'zod';
import {
  hasMidCircuitMeasurement,
  type Operation,
  operationQubits,
  withFinalMeasurement,
} from '../../../circuit/circuit.ts';
import { FaultList } from '../../../circuit/errors.ts';
import { readoutErrorsOf } from '../../../circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../../circuit/noise/noise-model-schema.ts';
import { scaleNoiseModel } from '../../../circuit/noise/scale-noise-model.ts';
import { parseObservables } from '../../../circuit/observable.ts';
import { NAMED_NOISE_MODELS, NOISE_MODELS } from '../../../compiler/device/noise-models.ts';
import { DEVICE_IDS } from '../../../compiler/device/public-devices.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { basisLabel } from '../../../math/basis-index.ts';
import { numMisreadStrings, readingMap } from '../../algorithms/noise/misread-observable.ts';
import {
  type NoiseScan,
  type NoisyResult,
  runNoiseScan,
  updatesPerOperation,
} from '../../algorithms/noise/run-noise-scan.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { circuitFields, circuitOf, faultsOf, seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { noiseField, noiseModelOf, withNoise } from '../../procedures/noise-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { outputFields, SWEEP_LIMITS } from '../../procedures/sweep-fields.ts';

const LIMITS = {
  qubits: 16,
  gates: 2000,
  levels: 20,
  trajectories: 20_000,
  observables: SWEEP_LIMITS.observables,
  observable_terms: SWEEP_LIMITS.observable_terms,
  /** Most Pauli strings that misread bits make of the observables, which is up to 2^w of w Paulis. */
  misread_strings: 2 ** 14,
  /** Most gates times amplitudes over all states. */
  amplitude_updates: 1e11,
} as const;

/** Qubits of the widest state on the smallest node. */
const WIDEST_STATE = 26;

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
    .describe('Noise levels to compare; give this, device or noise'),
  device: z
    .enum(DEVICE_IDS)
    .optional()
    .describe(
      'Device whose published median errors are emulated, on the gates as written: short for noise {"model": NAME}',
    ),
  noise: noiseField.optional(),
  scale_factors: z
    .array(z.number().min(0).max(1000))
    .min(1)
    .max(LIMITS.levels)
    .optional()
    .describe(
      'device and noise only: factors by which all probabilities are multiplied, up to those of complete noise, and times of relaxation, one level for each; default [1]',
    ),
  observables: outputFields.observables,
  trajectories: z
    .int()
    .min(2)
    .max(LIMITS.trajectories)
    .default(400)
    .describe(
      'Erroneous trajectories of each level, about, where the circuit is too wide for a density matrix: 8 qubits always have one, wider circuits where it is not much more work. Default 400',
    ),
  seed: seedField,
});
type NoiseScanInput = z.output<typeof input>;

/** The task `noise_scan`. */
export const noiseScan = procedure({
  name: 'noise_scan',
  description:
    'Shows how the result of a circuit degrades with noise: Pauli errors after gates and flipped readouts at given levels, or a noise model or the published medians of a device, multiplied by factors. The result has for each level the distance and fidelity to the ideal distribution, and expectation values as they would be measured. Narrow circuits run on density matrices, and all values are exact. Wider ones run trajectories, and values have standard errors; `largest_probability_standard_error` bounds that of the probability of an outcome.',
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
 * @throws {CodedError} listing every fault of the circuit, the noise and the observables.
 */
function noiseScanOf(given: NoiseScanInput, seed: number): NoiseScan {
  const circuit = withFinalMeasurement(circuitOf(given, { maxQubits: LIMITS.qubits }));
  const observables = parseObservables(given.observables ?? [], circuit.numQubits, 'observables');
  const levels = levelsOf(given).map((level) => noiseModelOf(level));
  return { circuit, levels, observables, numTrajectories: given.trajectories, seed };
}

/** The models of all levels. */
function levelsOf(given: NoiseScanInput): readonly NoiseModelObject[] {
  const { levels, device, noise, scale_factors = [1] } = given;
  if (levels !== undefined) return levels.map(modelOfRates);
  const asked = noise ?? { model: device };
  // Reports its faults before it is multiplied.
  noiseModelOf(asked);
  const model = asked.model === undefined ? asked : NOISE_MODELS.get(asked.model)!;
  const faults = new FaultList();
  const scaled = scale_factors.map((factor) => scaleNoiseModel(model, factor, faults));
  if (faults.count > 0) throw new ProcedureInputError(faults.kept);
  return scaled;
}

type Rates = NonNullable<NoiseScanInput['levels']>[number];

function modelOfRates({ one_qubit_error, two_qubit_error, readout_error }: Rates) {
  const after = (gates: string, probability: number) => ({
    gates: [gates],
    channel: { type: 'depolarizing' as const, probability },
  });
  return {
    gates: [after('*1', one_qubit_error), after('*2', two_qubit_error)],
    readout: [{ p1_given_0: readout_error, p0_given_1: readout_error }],
  };
}

/** Rates of a model as `modelOfRates` and those of devices are: noise of all gates on one qubit, then on two. */
function ratesOf({ gates = [], readout = [] }: NoiseModelObject): Rates {
  const [one, two] = gates;
  const { p1_given_0: misread0 = 0, p0_given_1: misread1 = 0 } = readout[0] ?? {};
  return {
    one_qubit_error: one?.channel.probability ?? 0,
    two_qubit_error: two?.channel.probability ?? 0,
    readout_error: (misread0 + misread1) / 2,
  };
}

function noiseFaults(given: NoiseScanInput): readonly Fault[] {
  const faults = levelFaults(given);
  if (faults.length > 0) return faults;
  return faultsOf(() => scanFaults(given, noiseScanOf(given, 0)));
}

function levelFaults({ levels, device, noise, scale_factors }: NoiseScanInput): readonly Fault[] {
  const given = Object.entries({ levels, device, noise }).filter(([, each]) => each !== undefined);
  if (given.length > 1) {
    const message = 'Give one of levels, device and noise.';
    return [{ path: given[1]![0], message }];
  }
  if (given.length === 0) {
    return [{ path: 'levels', message: 'Required: levels, or device or noise instead.' }];
  }
  if (levels !== undefined && scale_factors !== undefined) {
    return [{ path: 'scale_factors', message: 'Only taken with device or noise.' }];
  }
  return [];
}

function scanFaults(given: NoiseScanInput, scan: NoiseScan): readonly Fault[] {
  const { circuit, levels, observables, numTrajectories } = scan;
  const path = given.qasm === undefined ? 'circuit' : 'qasm';
  const { operations, numQubits, numBits } = circuit;
  if (hasMidCircuitMeasurement(circuit)) {
    return [
      { path, message: 'Nothing may come after a measurement, nor be reset or conditioned.' },
    ];
  }
  const tooWide = operations.findIndex((operation) => gateWidth(operation) > 2);
  if (tooWide >= 0 && given.noise === undefined) {
    const at = given.qasm === undefined ? `circuit[${tooWide}]` : 'qasm';
    const found = `Operation ${tooWide} acts on ${gateWidth(operations[tooWide]!)} qubits`;
    const message = `${found}; rates are known for gates on one and two, so take it apart first.`;
    return [{ path: at, message }];
  }
  for (const model of levels) withNoise(circuit, model);
  const terms = observables.reduce((sum, { length }) => sum + length, 0);
  const strings = levels.map((model) =>
    observables.reduce((sum, observable) => {
      const mapOf = (qubit: number) => readingMap(readoutErrorsOf(model, qubit));
      return sum + numMisreadStrings(observable, mapOf);
    }, 0),
  );
  const updates = updatesPerOperation(numQubits, numTrajectories, WIDEST_STATE);
  const work = levels.length * operations.length * updates;
  const sizes: readonly (readonly [string, string, number, number])[] = [
    [path, 'operations', operations.length, LIMITS.gates],
    [path, 'classical bits', numBits, LIMITS.qubits],
    ['observables', 'terms', terms, LIMITS.observable_terms],
    ['observables', 'Pauli strings of misread bits', Math.max(...strings), LIMITS.misread_strings],
    ['trajectories', 'amplitude updates', work, LIMITS.amplitude_updates],
  ];
  return sizes.flatMap(([at, what, size, most]) =>
    size <= most
      ? []
      : [{ path: at, message: `${size} ${what} are more than the limit, ${most}.` }],
  );
}

/** Qubits of a gate or explicit unitary; 0 of other operations. */
function gateWidth(operation: Operation): number {
  const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
  return isGate ? operationQubits(operation).length : 0;
}

async function runTask(input: NoiseScanInput, context: ProcedureContext): Promise<JsonObject> {
  const seed = input.seed ?? context.seed;
  const scan = noiseScanOf(input, seed);
  const numLevels = scan.levels.length;
  context.progress(0, `level 1 of ${numLevels}`);
  const { ideal, levels } = await runNoiseScan(scan, context, (done) => {
    const current = Math.min(numLevels, done + 1);
    context.progress(done / numLevels, `level ${current} of ${numLevels}`);
  });
  const { numBits } = scan.circuit;
  const { device, noise, scale_factors = [1] } = input;
  const models = levelsOf(input);
  const name = device ?? noise?.model;
  const named = NAMED_NOISE_MODELS.find(({ id }) => id === name);
  return {
    ideal: {
      likeliest_outcomes: likeliest(ideal.probabilities, numBits),
      expectations: [...ideal.expectations],
    },
    levels: levels.map((level, i) => ({
      ...(input.levels === undefined && { scale_factor: scale_factors[i]! }),
      ...(noise === undefined && ratesOf(models[i]!)),
      ...levelView(level, numBits),
    })),
    ...(device !== undefined && { device }),
    ...(named !== undefined && { rates_source: named.source }),
    seed,
    basis: `emulated: a simulator ran the noise model, and no hardware was called. ${
      levels.every(({ numTrajectories }) => numTrajectories === 0)
        ? 'All values are exact, from density matrices'
        : 'Levels with trajectories are means over them, drawn with the seed; the others are exact'
    }`,
  };
}

function levelView(result: NoisyResult, numBits: number): JsonObject {
  return {
    no_gate_error_probability: result.noErrorProbability,
    trajectories: result.numTrajectories,
    total_variation_distance: result.totalVariationDistance,
    classical_fidelity: result.classicalFidelity,
    largest_probability_standard_error: result.largestStandardError,
    expectations: result.expectations.map(({ value, standardError }) => ({
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
