/** What a circuit whose qubits may be lost does not answer: labels without a 2, and outputs without a place for one. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { OutputName } from '../../circuit/outputs.ts';
import { type Asked, addResultFault } from './check-outputs.ts';
import type { SourceField } from './circuit-schema.ts';
import type { AskedLabelFormat } from './outcome-labels.ts';

/** Bits of the longest label with a digit for each. */
export const MAX_LOSS_LABEL_BITS = 1024;

/** Outputs that have no form for a lost qubit. */
const WITHOUT_LOSS: readonly OutputName[] = ['probabilities', 'gradient', 'sample'];

/** Adds the outputs that a circuit does not give because its qubits may be lost, and a batch that has such circuits. */
export function checkLoss(
  form: 'circuit' | 'batch',
  { lossMarks }: Pick<DynamicCircuit, 'lossMarks'>,
  { outputs, results }: Asked,
  source: SourceField,
  faults: FaultList,
): void {
  if (lossMarks === undefined) return;
  if (form === 'batch') {
    const problem =
      'Qubits of this program may be lost, and a batch has no labels for that; POST /api/v1/quantum/circuits does.';
    faults.add(source, problem);
    return;
  }
  const why = 'has no value for outcomes of lost qubits. Ask for counts or memory.';
  for (const name of outputs) {
    if (WITHOUT_LOSS.includes(name)) faults.add('return', `${name} ${why}`);
  }
  for (const result of results) {
    const { type } = result;
    if (type === 'probability' || type === 'sample') addResultFault(result, why, faults);
  }
}

/** Checks the labels of a circuit, which have a digit for each bit. */
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
