/** Checks a circuit for a device: its outputs and its operations. */
import { type DynamicCircuit, withAllBits } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { missingAbilities } from '../../compiler/device/device.ts';
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

/** Outputs of circuits on emulated devices; hardware gives counts. */
const EMULATED_OUTPUTS: readonly string[] = ['counts', 'memory', 'probabilities', 'expectation'];
/** Results that a program may request of an emulated device. */
const EMULATED_RESULTS: readonly string[] = ['expectation', 'variance'];

/** Adds the faults of a circuit that a device does not take: outputs that it does not have, and operations that it lacks. */
export function checkDevice(
  circuit: DynamicCircuit,
  { outputs, results, source }: Asked,
  { id, device }: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): void {
  if (device === undefined) return;
  const isEmulated = device.emulation !== undefined;
  const check = (path: string, names: readonly string[], taken: readonly string[]) => {
    const others = names.filter((name) => !taken.includes(name));
    if (others.length === 0) return;
    const problem = isEmulated
      ? `${id} does not give ${others.join(', ')}; qvm does. It gives ${taken.join(', ')}.`
      : `${others.join(', ')} can be computed only by a simulator; ${id} gives counts.`;
    faults.add(path, problem);
  };
  check('return', outputs, isEmulated ? EMULATED_OUTPUTS : ['counts']);
  check(
    'qasm',
    results.map(({ type }) => type),
    isEmulated ? EMULATED_RESULTS : [],
  );
  checkOperations(circuit, device, source, faults);
}

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
