/**
 * Estimates the probability that a circuit runs without error on a device, from published median error
 * rates.
 */
import { type Circuit, operationQubits } from '../../../../circuit/circuit.ts';
import type { PublicDevice } from '../../../../compiler/device/public-devices.ts';
import type { JsonObject } from '../../../procedures/json.ts';

/** The estimate, with a list of the effects that it omits. */
export function successEstimate(
  circuit: Circuit,
  { errors, virtualGates }: PublicDevice,
): JsonObject {
  let [one, two, read] = [0, 0, 0];
  for (const operation of circuit.operations) {
    if (operation.kind === 'measure') read += operation.qubits.length;
    if (operation.kind !== 'gate' || virtualGates.includes(operation.gate)) continue;
    if (operationQubits(operation).length === 1) one++;
    else two++;
  }
  const readout = errors.readout.reduce((sum, each) => sum + each, 0) / errors.readout.length;
  return {
    probability:
      (1 - errors.oneQubit) ** one * (1 - errors.twoQubit) ** two * (1 - readout) ** read,
    basis: 'modelled',
    description:
      "The product of 1 − error over gates and measurements, with the device's published median errors; errors while qubits wait, and between gates that run side by side, are left out.",
    one_qubit_gates: one,
    two_qubit_gates: two,
    measurements: read,
    one_qubit_error: errors.oneQubit,
    two_qubit_error: errors.twoQubit,
    readout_error: readout,
  };
}
