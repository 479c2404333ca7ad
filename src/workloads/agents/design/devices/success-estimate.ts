/**
 * Estimates the probability that a circuit in native gates runs without error on a device, by the noise model of the
 * device.
 */
import { type Circuit, operationQubits } from '../../../../circuit/circuit.ts';
import { noErrorProbability } from '../../../../circuit/noise/noise-facts.ts';
import { nativeNoiseOf } from '../../../../compiler/device/noise-models.ts';
import { type PublicDevice, pauliErrorOf } from '../../../../compiler/device/public-devices.ts';
import type { JsonObject } from '../../../procedures/json.ts';
import { noiseModelOf, withNoise } from '../../../procedures/noise-fields.ts';

/** The estimate, with a list of the effects that it omits. */
export function successEstimate(circuit: Circuit, device: PublicDevice): JsonObject {
  const { errors, virtualGates } = device;
  const noisy = withNoise(circuit, noiseModelOf(nativeNoiseOf(device)));
  let probability = noErrorProbability(noisy);
  for (const operation of noisy.operations) {
    if (operation.kind !== 'misread') continue;
    probability *= (1 - (operation.p1Given0 + operation.p0Given1) / 2) ** operation.bits.length;
  }
  let [one, two, read] = [0, 0, 0];
  for (const operation of circuit.operations) {
    if (operation.kind === 'measure') read += operation.qubits.length;
    if (operation.kind !== 'gate' || virtualGates.includes(operation.gate)) continue;
    if (operationQubits(operation).length === 1) one++;
    else two++;
  }
  return {
    probability,
    basis: 'modelled',
    description:
      "Probability that no channel of the device's noise model errs and no bit is misread, as if these were independent: Pauli errors after gates, readout errors, and relaxation where the device publishes times. The model has published medians; errors between gates that run side by side are left out.",
    one_qubit_gates: one,
    two_qubit_gates: two,
    measurements: read,
    one_qubit_error: pauliErrorOf(errors.oneQubit, 1, errors.measure),
    two_qubit_error: pauliErrorOf(errors.twoQubit, 2, errors.measure),
    readout_error: errors.readout.reduce((sum, each) => sum + each, 0) / errors.readout.length,
  };
}
