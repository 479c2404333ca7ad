/** Checks a circuit for a device: its outputs, its operations and, where the caller fits circuits, its gates. */
import { type DynamicCircuit, isStatic } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import {
  misfits,
  missingAbilities,
  usedQubits,
  withoutIdleQubits,
} from '../../compiler/device/device.ts';
import type { DeviceSpec, ProcessorSpec } from '../../fleet/processor.ts';
import type { Output } from '../schemas/circuits.ts';

/** Results that a submission asks for, and the field of its circuit. */
interface Asked {
  readonly outputs: readonly Output[];
  /** Results that the program requests. */
  readonly results: readonly { readonly type: string }[];
  readonly source: SourceField;
}

/** Field that a circuit came in. */
export type SourceField = 'circuit' | 'qasm';

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
  checkOperations(circuit, device, source, faults);
  if (device.fittedBy === 'service' || !isStatic(circuit)) return circuit;
  checkNumUsed(usedQubits(circuit).size, { id, device }, source, faults);
  return withoutIdleQubits(circuit);
}

/** Adds the operations that a device lacks and, where the caller fits circuits, the gates that are not its own. */
export function checkOperations(
  circuit: DynamicCircuit,
  device: DeviceSpec,
  source: SourceField,
  faults: FaultList,
): void {
  const gates = device.fittedBy === 'caller' && isStatic(circuit) ? misfits(circuit, device) : [];
  for (const { index, message } of [...missingAbilities(circuit, device.abilities), ...gates]) {
    if (faults.isFull) break;
    const inText = source === 'qasm' && index !== undefined ? `Operation ${index}: ` : '';
    const path = source === 'circuit' && index !== undefined ? `circuit[${index}]` : source;
    faults.add(path, `${inText}${message}`);
  }
}

/** Adds a fault if a circuit uses more qubits of an emulated device than can be simulated. */
export function checkNumUsed(
  numUsed: number,
  { id, device }: { readonly id: string; readonly device: DeviceSpec },
  source: SourceField,
  faults: FaultList,
): void {
  const { numQubits, maxUsedQubits = numQubits } = device;
  if (numUsed <= maxUsedQubits) return;
  const problem = `The circuit uses ${numUsed} qubits; ${id} simulates at most ${maxUsedQubits} of its ${numQubits}. A circuit without M measures all of them.`;
  faults.add(source, problem, LIMIT_EXCEEDED);
}
