/**
 * Checks a program of a batch for a device, once for all of its points: its outputs, its operations and, where the
 * caller fits circuits, its gates.
 *
 * A device gives counts. Expectation values and gradients are estimated from counts, as on simulators with shots.
 */
import { type Circuit, isNoisy, isStatic, withoutMeasurements } from '../../circuit/circuit.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import {
  numbersInOrder,
  onQubits,
  usedQubits,
  withoutIdleQubits,
} from '../../compiler/device/device.ts';
import type { DeviceSpec, ProcessorSpec } from '../../fleet/processor.ts';
import { checkNumUsed, checkOperations, type SourceField } from '../circuits/check-device.ts';
import type { BatchOutput } from '../schemas/batches.ts';
import { isEstimated, type ProgramGroup } from './batch-program.ts';

/** Parts of a program that depend on its device. */
interface DeviceParts {
  readonly groups: readonly ProgramGroup[];
  readonly observables: readonly PauliSum[];
}

/** Results that a program asks for. */
interface Asked {
  readonly outputs: readonly BatchOutput[];
  readonly shots: number | undefined;
  readonly source: SourceField;
}

/**
 * Adds the faults of a program that a device does not take.
 *
 * @returns The circuits and observables to run: an emulated device leaves out the qubits that no operation uses.
 */
export function checkBatchDevice(
  program: DeviceParts,
  asked: Asked,
  { id, device }: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): DeviceParts {
  if (device === undefined) return program;
  checkOutputs(asked, id, faults);
  const noisy = program.groups.find(({ circuit }) => isNoisy(circuit));
  if (noisy !== undefined) {
    checkOperations(noisy.circuit, device, asked.source, faults);
    return program;
  }
  // The measurements of an estimate are added later; what the program measures does not matter.
  const areMeasured = !isEstimated({
    outputs: asked.outputs,
    method: 'statevector',
    ...shotsOf(asked),
  });
  const groups = program.groups.map((group) =>
    areMeasured ? group : { ...group, circuit: withoutMeasurements(group.circuit) },
  );
  for (const { circuit } of groups) {
    checkOperations(circuit, device, asked.source, faults);
    if (faults.count > 0) return program;
  }
  if (device.fittedBy === 'service') return program;
  return emulated({ ...program, groups }, areMeasured, { id, device }, asked.source, faults);
}

const shotsOf = ({ shots }: Asked) => (shots === undefined ? {} : { shots });

function checkOutputs({ outputs, shots }: Asked, id: string, faults: FaultList): void {
  for (const name of outputs) {
    if (name === 'counts') continue;
    if (name !== 'expectation' && name !== 'gradient') {
      faults.add('return', `${name} can be computed only by a simulator; ${id} gives counts.`);
    } else if (shots === undefined) {
      faults.add('shots', `Required: ${id} gives counts, from which ${name} is estimated.`);
    } else if (outputs.includes('counts')) {
      const problem = `${name} beside counts is exact, which only a simulator can compute. Leave out counts to have it estimated from shots.`;
      faults.add('return', problem);
    }
  }
}

/** The program on the qubits that it uses. */
function emulated(
  { groups, observables }: DeviceParts,
  areMeasured: boolean,
  target: { readonly id: string; readonly device: DeviceSpec },
  source: SourceField,
  faults: FaultList,
): DeviceParts {
  const used = groups.map(({ circuit }) => usedQubits(staticCircuit(circuit)));
  const read = observables.flatMap((sum) =>
    sum.flatMap(({ factors }) => factors.map(({ qubit }) => qubit)),
  );
  // Circuits that are measured as they are keep qubits of their own, so that a seed gives the counts of a single circuit.
  const shared = areMeasured ? undefined : new Set([...used.flatMap((own) => [...own]), ...read]);
  const widest = shared?.size ?? used.reduce((most, { size }) => Math.max(most, size), 0);
  checkNumUsed(widest, target, source, faults);
  if (faults.count > 0 || shared === undefined) {
    const narrow = groups.map((group) => ({
      ...group,
      circuit: withoutIdleQubits(staticCircuit(group.circuit)),
    }));
    return { groups: narrow, observables };
  }
  const numbers = numbersInOrder(shared);
  return {
    groups: groups.map((group) => ({
      ...group,
      circuit: onQubits(staticCircuit(group.circuit), shared),
    })),
    observables: observables.map((sum) =>
      sum.map(({ coefficient, factors }) => ({
        coefficient,
        factors: factors.map(({ pauli, qubit }) => ({ pauli, qubit: numbers.get(qubit)! })),
      })),
    ),
  };
}

function staticCircuit(circuit: ProgramGroup['circuit']): Circuit {
  if (!isStatic(circuit)) throw new Error('unreachable: a dynamic circuit on a device');
  return circuit;
}
