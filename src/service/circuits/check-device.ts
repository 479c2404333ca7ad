/** Checks a circuit for a device: its outputs, its operations and, where the caller fits circuits, its gates. */
import { type DynamicCircuit, isStatic, operationQubits } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import {
  type Misfit,
  misfits,
  missingAbilities,
  withoutIdleQubits,
} from '../../compiler/device/device.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import type { Output } from '../schemas/circuits.ts';

/** Results that a submission asks for, and the field of its circuit. */
interface Asked {
  readonly outputs: readonly Output[];
  /** Results that the program requests. */
  readonly results: readonly { readonly type: string }[];
  /** Field that the circuit came in. */
  readonly source: 'circuit' | 'qasm';
}

/**
 * Adds the faults of a circuit that a device does not take.
 *
 * @returns The circuit to run: an emulated device leaves out the qubits that it does not use.
 */
export function checkDevice(
  circuit: DynamicCircuit,
  { outputs, results, source }: Asked,
  { id, device }: ProcessorSpec,
  faults: FaultList,
): DynamicCircuit {
  if (device === undefined) return circuit;
  const onlySimulated = (path: string, names: readonly string[]) => {
    if (names.length === 0) return;
    const list = names.join(', ');
    faults.add(path, `${list} can be computed only by a simulator; ${id} gives counts.`);
  };
  onlySimulated(
    'return',
    outputs.filter((name) => name !== 'counts'),
  );
  onlySimulated(
    'qasm',
    results.map(({ type }) => type),
  );
  const add = ({ index, message }: Misfit) => {
    const inText = source === 'qasm' && index !== undefined ? `Operation ${index}: ` : '';
    const path = source === 'circuit' && index !== undefined ? `circuit[${index}]` : source;
    faults.add(path, `${inText}${message}`);
  };
  for (const fault of missingAbilities(circuit, device.abilities)) add(fault);
  if (device.fittedBy === 'service' || !isStatic(circuit)) return circuit;
  for (const misfit of misfits(circuit, device)) {
    if (faults.isFull) break;
    add(misfit);
  }
  const { maxUsedQubits = device.numQubits } = device;
  const numUsed = new Set(circuit.operations.flatMap(operationQubits)).size;
  if (numUsed > maxUsedQubits) {
    const problem = `The circuit uses ${numUsed} qubits; ${id} simulates at most ${maxUsedQubits} of its ${device.numQubits}. A circuit without M measures all of them.`;
    faults.add(source, problem, LIMIT_EXCEEDED);
  }
  return withoutIdleQubits(circuit);
}
