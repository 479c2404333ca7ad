/** Reads the circuit of a stored request and fits it to its target's device. Pure; it runs in a reader's process. */
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { FittedProgram } from '../../fleet/processor.ts';
import type { Reading } from '../http/reading/reading.ts';
import { checkCircuit } from './check-circuit.ts';
import { fitted } from './fitted-circuit.ts';
import type { CircuitContext } from './program-jobs.ts';
import { circuitFactsOf, storedBody } from './read-circuit.ts';
import type { DeviceLayout } from './result-json.ts';

/** A circuit as its device executes it, and the layout of its result. */
export interface DeviceProgram extends FittedProgram {
  readonly layout: DeviceLayout;
}

/** CPU time of fitting relative to reading. */
const FIT_CPU_FACTOR = 10;

/** Reading that fits a stored request's circuit. */
export const DEVICE_READING: Reading<CircuitContext, DeviceProgram> = {
  name: 'device circuit',
  cpuFactor: FIT_CPU_FACTOR,
  read: (text, { targets }) => {
    const stored = String(text);
    const checked = checkCircuit(storedBody(stored), targets);
    const target = targets.find(({ spec }) => spec.id === checked.target);
    if (target?.spec.device === undefined)
      throw new Error('unreachable: hardware without a device');
    const { measuredQubits, warnings, labelFormat, numBits } = checked;
    const started = performance.now();
    const { circuit, fitting } = fitted(
      checked.circuit,
      target.spec.device,
      circuitFactsOf(stored).seed,
    );
    return {
      circuits: [{ qasm: printOpenQasm(circuit, '3', true), numBits }],
      fitting,
      fitMs: performance.now() - started,
      layout: { measuredQubits, warnings, labelFormat },
    };
  },
};
