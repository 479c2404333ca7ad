/** Noise models in inputs: the field, its faults, and the circuit with the noise that it describes. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { FaultList } from '../../circuit/errors.ts';
import { hasLoss } from '../../circuit/loss/loss-facts.ts';
import { applyNoise } from '../../circuit/noise/apply-noise.ts';
import { type NoiseModelObject, noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { type NoiseModel, readNoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { ProcedureInputError } from './errors.ts';

/** Schema of a noise model, in full or by name. */
export const noiseField = noiseModelSchema.describe(
  'Noise model as for circuits, such as {"model": "ibm-fez"}; it adds noise to the gates as they are written',
);

/**
 * Reads a noise model.
 *
 * @param path - Path of the model in messages.
 * @throws {ProcedureInputError} listing every fault.
 */
export function noiseModelOf(object: NoiseModelObject, path = 'noise'): NoiseModel {
  const faults = new FaultList();
  const model = readNoiseModel(object, faults, NOISE_MODELS, path);
  refuseLoss(object, path, faults);
  if (model === undefined || faults.count > 0) throw new ProcedureInputError(faults.kept);
  return model;
}

/** Faults of a noise model; for `check`. */
export function noiseFaults(object: NoiseModelObject, path = 'noise'): readonly Fault[] {
  const faults = new FaultList();
  readNoiseModel(object, faults, NOISE_MODELS, path);
  refuseLoss(object, path, faults);
  return faults.kept;
}

/** Procedures read outcomes as bits, and a lost qubit has none. */
function refuseLoss({ gates = [] }: NoiseModelObject, path: string, faults: FaultList): void {
  for (const [i, { channel }] of gates.entries()) {
    if (channel.type !== 'loss') continue;
    const problem = 'Loss of qubits is not taken here; POST /api/v1/quantum/circuits takes it.';
    faults.add(`${path}.gates[${i}].channel`, problem);
  }
}

/**
 * Puts the noise of a model into a circuit, which has its final measurement.
 *
 * @throws {ProcedureInputError} if a channel has no form for one of the gates, or the noise is too much, or the circuit
 *   loses qubits itself.
 */
export function withNoise(
  circuit: DynamicCircuit,
  model: NoiseModel,
  path = 'noise',
): DynamicCircuit {
  const faults = new FaultList();
  const noisy = applyNoise(circuit, model, faults, path);
  if (hasLoss(noisy))
    faults.add('circuit', 'Qubits of the circuit may be lost, which is not taken here.');
  if (faults.count > 0) throw new ProcedureInputError(faults.kept);
  return noisy;
}
