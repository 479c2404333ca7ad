/**
 * Floating-point operations that a state-vector simulation of a circuit takes, by counting gates.
 *
 * Each gate is reckoned as a dense matrix on its targets, where its controls are set: 2^(n − c)
 * amplitudes, each a sum of 2^k complex products for k targets, at 6 operations a product and 2 an
 * addition. An engine that knows diagonal gates or fuses gates does fewer; drawing shots, expectation
 * values and single precision are left out. The count is that of the plain method, for comparison.
 */
import { type Circuit, hasMidCircuitMeasurement } from '../../circuit/circuit.ts';

/** Words for results that tell such a count. */
export const FLOPS_BASIS =
  'Counted, not measured: gates as dense matrices on a full state vector, 8·2^k − 2 operations an amplitude for k targets.';

/**
 * The count for one run of the circuit.
 *
 * @param shots - Runs that are needed where measurements come before the end; 1 unless given.
 */
export function circuitFlops(circuit: Circuit, shots = 1): number {
  let flops = 0;
  for (const operation of circuit.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const { controls, targets } = operation;
    const amplitudes = 2 ** (circuit.numQubits - controls.length);
    flops += amplitudes * (8 * 2 ** targets.length - 2);
  }
  return hasMidCircuitMeasurement(circuit) ? flops * Math.max(1, shots) : flops;
}
