/** Runs the task `noise_scan`. */
import { basisLabel } from '../../../math/basis-index.ts';
import { DEVICE_PROFILES } from '../../algorithms/noise/noise-levels.ts';
import { type NoisyResult, runNoiseScan } from '../../algorithms/noise/pauli-trajectories.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { type NoiseScanInput, noiseScanOf } from './noise-scan.ts';

/** The input's scan. */
export async function runNoiseScanTask(
  input: NoiseScanInput,
  context: ProcedureContext,
): Promise<JsonObject> {
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

/** Outcomes listed of each distribution. */
const MAX_OUTCOMES = 32;

/** The likeliest outcomes by label, likeliest first. */
function likeliest(probabilities: Float64Array, numBits: number): JsonObject[] {
  const possible: (readonly [outcome: number, probability: number])[] = [];
  for (const entry of probabilities.entries()) if (entry[1] > 1e-12) possible.push(entry);
  return possible
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_OUTCOMES)
    .map(([outcome, probability]) => ({ outcome: basisLabel(outcome, numBits), probability }));
}
