/**
 * Counts circuits and the floating-point operations of their simulation, gate by gate.
 *
 * Each gate counts as a dense matrix on its targets where its controls are set: 2^(n − c) amplitudes,
 * each a sum of 2^k complex products for k targets, with 6 operations per product and 2 per addition. An
 * engine that exploits diagonal gates or fuses gates does fewer. Shots, expectation values and single
 * precision are not counted, nor is noise: the count is that of the plain method, for comparison. A gradient counts as
 * one circuit, and its operations are those of the adjoint method without its sums.
 */
import { type DynamicCircuit, hasMidCircuitMeasurement } from '../../circuit/circuit.ts';
import type { RunProcedure } from '../procedures/procedure.ts';
import type { CircuitRunner } from '../procedures/procedure-context.ts';

/** A gradient takes a state forward, and two states back. */
const RUNS_PER_GRADIENT = 3;

/** Explanation of the count in results. */
const FLOPS_BASIS =
  'Counted, not measured: gates as dense matrices on a full state vector, 8·2^k − 2 operations an amplitude for k targets; a gradient as three such runs.';

/**
 * Floating-point operations of one run of a circuit.
 *
 * @param shots - Runs, if a measurement comes before the end; 1 unless given.
 */
function circuitFlops(circuit: DynamicCircuit, shots = 1): number {
  let flops = 0;
  for (const operation of circuit.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const { controls, targets } = operation;
    const amplitudes = 2 ** (circuit.numQubits - controls.length);
    flops += amplitudes * (8 * 2 ** targets.length - 2);
  }
  return hasMidCircuitMeasurement(circuit) ? flops * Math.max(1, shots) : flops;
}

/** Runs a procedure on circuits that are counted, and adds the counts to its result. */
export function metered<Input>(run: RunProcedure<Input>): RunProcedure<Input> {
  return async (input, context) => {
    let [circuits, flops] = [0, 0];
    const runner: CircuitRunner = {
      ...context.circuits,
      run: (circuit, request) => {
        const { numCircuits = 1, gradients, shots } = request;
        const runs = gradients === true ? RUNS_PER_GRADIENT : 1;
        circuits += numCircuits;
        flops += numCircuits * runs * circuitFlops(circuit, shots);
        return context.circuits.run(circuit, request);
      },
    };
    const result = await run(input, { ...context, circuits: runner });
    return { ...result, circuits, flops, flops_basis: FLOPS_BASIS };
  };
}
