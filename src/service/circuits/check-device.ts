/** Checks circuits for a device: what is asked of them, their operations, and the qubits that they use. */
import {
  type DynamicCircuit,
  isNoisy,
  withAllBits,
  withoutMeasurements,
} from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { missingAbilities } from '../../compiler/device/device.ts';
import type { DeviceSpec, ProcessorSpec } from '../../fleet/processor.ts';
import { type Asked, checkDeviceOutputs, isEstimated } from './check-outputs.ts';

/** Field that a circuit came in. */
export type SourceField = 'circuit' | 'qasm';

/**
 * Adds the outputs that a device does not give, and the operations that it lacks.
 *
 * @param circuits - Circuits of one program, with their final measurements.
 */
export function checkDevice(
  form: 'circuit' | 'batch',
  circuits: readonly DynamicCircuit[],
  asked: Asked,
  source: SourceField,
  { id, device }: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): void {
  if (device === undefined) return;
  checkDeviceOutputs(form, asked, { id, device }, faults);
  const noisy = circuits.find(isNoisy);
  if (noisy !== undefined) {
    checkOperations(noisy, device, source, faults);
    return;
  }
  // The measurements of an estimate are added later; what the program measures does not matter.
  const isRead = form === 'circuit' || !isEstimated({ ...asked, method: 'statevector' });
  for (const circuit of circuits) {
    const before = faults.count;
    checkOperations(isRead ? circuit : withoutMeasurements(circuit), device, source, faults);
    if (faults.count > before) return;
  }
}

/** Adds the operations that a device lacks. */
function checkOperations(
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
