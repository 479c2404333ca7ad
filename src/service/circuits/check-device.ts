/** Checks a circuit for a device: its operations, and the qubits that it uses. */
import { type DynamicCircuit, withAllBits } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { missingAbilities } from '../../compiler/device/device.ts';
import type { DeviceSpec } from '../../fleet/processor.ts';

/** Field that a circuit came in. */
export type SourceField = 'circuit' | 'qasm';

/** Adds the operations that a device lacks. */
export function checkOperations(
  circuit: DynamicCircuit,
  { abilities, emulation }: DeviceSpec,
  source: SourceField,
  faults: FaultList,
): void {
  // An emulated device is simulated, and keeps bits that are no part of the outcome.
  const needed = emulation === undefined ? circuit : (withAllBits(circuit) ?? circuit);
  for (const { index, message } of missingAbilities(needed, abilities)) {
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
  const { numQubits, emulation } = device;
  const { maxUsedQubits = numQubits } = emulation ?? {};
  if (numUsed <= maxUsedQubits) return;
  const problem = `The circuit uses ${numUsed} qubits; ${id} simulates at most ${maxUsedQubits} of its ${numQubits}. A circuit without M measures all of them.`;
  faults.add(source, problem, LIMIT_EXCEEDED);
}
