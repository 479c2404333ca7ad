/** Refuses what a circuit whose qubits may be lost does not answer: labels without a 2, and outputs without a place for one. */
import { type DynamicCircuit, savesOf } from '../../circuit/circuit.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { type OutputName, outputOfResult } from '../../circuit/outputs.ts';
import { type Asked, addResultFault, addSaveFault } from './check-outputs.ts';
import type { AskedLabelFormat } from './outcome-labels.ts';

/** Bits of the longest label with a digit for each. */
export const MAX_LOSS_LABEL_BITS = 1024;

const NO_VALUE = 'has no value for outcomes of lost qubits. Ask for counts or memory.';

/** Outputs that a circuit with loss does not give, and why. */
const NOT_GIVEN: { readonly [K in OutputName]?: string } = {
  probabilities: NO_VALUE,
  sample: NO_VALUE,
  gradient: 'does not work with loss of qubits, which puts conditions on gates.',
};

/**
 * Adds the outputs that a circuit does not give because its qubits may be lost.
 *
 * @param circuits - Circuits of one program, lowered; their outcomes must have the same bits.
 */
export function checkLoss(
  circuits: readonly DynamicCircuit[],
  { outputs, results }: Asked,
  faults: FaultList,
): void {
  const [first, ...others] = circuits.map(({ lossMarks }) => lossMarks?.join());
  if (others.some((marks) => marks !== first)) {
    const problem =
      'At some points a lost qubit may be measured into other bits than at point 0. Send these points as another program.';
    faults.add('inputs', problem);
  }
  if (circuits.every(({ lossMarks }) => lossMarks === undefined)) return;
  for (const name of outputs) {
    const why = NOT_GIVEN[name];
    if (why !== undefined) faults.add('return', `${name} ${why}`);
  }
  for (const result of results) {
    const why = NOT_GIVEN[outputOfResult(result.type)];
    if (why !== undefined) addResultFault(result, why, faults);
  }
  for (const save of savesOf(circuits[0]!)) {
    const why = NOT_GIVEN[save.output.what];
    if (why !== undefined) addSaveFault(save, why, faults);
  }
}

/** Checks the labels of a program whose qubits may be lost, which have a digit for each bit. */
export function checkLossLabels(
  numBits: number,
  outputs: readonly OutputName[],
  asked: AskedLabelFormat = 'automatic',
  faults: FaultList,
): void {
  if (asked === 'hex') {
    const problem =
      'Hexadecimal labels have no digit for a lost qubit, which is 2. Leave it out: the labels are digits of all bits.';
    faults.add('label_format', problem);
  }
  const listed = outputs.filter((name) => name === 'counts' || name === 'memory');
  if (listed.length === 0 || numBits <= MAX_LOSS_LABEL_BITS) return;
  const most = MAX_LOSS_LABEL_BITS.toLocaleString('en');
  const problem = `${listed.join(' and ')} of ${numBits} classical bits; where qubits may be lost the limit is ${most}. Ask for measurements or detection_events, and measure in the circuit whether qubits are lost.`;
  faults.add('return', problem, LIMIT_EXCEEDED);
}
