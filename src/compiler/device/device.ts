/** Devices that circuits must fit: which gates they have, and on which qubits. */
import {
  type Circuit,
  type DynamicCircuit,
  type DynamicOperation,
  isNoisy,
  isStatic,
  notByStabilizers,
  operationQubits,
  type Qubit,
  withAllBits,
} from '../../circuit/circuit.ts';
import type { Coupler } from '../routing/coupling-map.ts';
import { onPlaces } from '../routing/route-circuit.ts';

/** Error probabilities that a vendor reports, for the choice of qubits. */
export interface DeviceErrors {
  /** Errors of each qubit: of its readout and of a one-qubit gate together. Length numQubits. */
  readonly qubits: readonly number[];
  /** Errors of a two-qubit gate on each coupler, in the order of `couplers`. */
  readonly couplers: readonly number[];
}

/** Operations other than gates and measurements at the end that a device can execute. */
export interface DeviceAbilities {
  /** Further operations on a qubit after its measurement. */
  readonly midCircuitMeasurement: boolean;
  readonly reset: boolean;
  /** Operations under a condition on classical bits. */
  readonly condition: boolean;
}

/** A device as plain data. */
export interface Device {
  readonly numQubits: number;
  /** Pairs of qubits that a two-qubit gate can act on, in this order of its operands. */
  readonly couplers: readonly Coupler[];
  /** Whether gates can act on couplers in the other order, too. */
  readonly isSymmetric: boolean;
  /** Canonical names of the gates that it executes. */
  readonly nativeGates: readonly string[];
  readonly abilities: DeviceAbilities;
  /** Absent where the vendor reports none. */
  readonly errors?: DeviceErrors;
}

/** An operation that a device cannot execute. */
export interface Misfit {
  /** Index of the operation; absent for a fault of the whole circuit. */
  readonly index?: number;
  readonly message: string;
}

/** Returns the operations beyond gates that a device lacks, each kind once. */
export function missingAbilities(
  circuit: DynamicCircuit,
  { midCircuitMeasurement, reset, condition }: DeviceAbilities,
): readonly Misfit[] {
  if (isNoisy(circuit)) {
    return [
      {
        message:
          'Noise channels in a circuit need a simulator: the device has noise of its own. An emulated device takes another model in the field noise.',
      },
    ];
  }
  if (!isStatic(circuit)) {
    const construct =
      withAllBits(circuit) === undefined
        ? 'Loops on measured bits, and values computed from them, need a simulator.'
        : 'Bits that are measured and not part of the outcome need a simulator: bits of subroutines, and all others where the program has "output".';
    return [{ message: construct }];
  }
  const found = new Map<string, number>();
  const measured = new Set<number>();
  for (const [i, operation] of circuit.operations.entries()) {
    if (operation.kind === 'barrier') continue;
    const note = (message: string) => found.has(message) || found.set(message, i);
    if (!condition && operation.condition !== undefined) {
      note('The device executes no operations under conditions on measured bits.');
    }
    if (!reset && operation.kind === 'reset') note('The device has no reset.');
    const qubits = operationQubits(operation);
    if (!midCircuitMeasurement && qubits.some((qubit) => measured.has(qubit))) {
      note('The device executes nothing on a qubit after its measurement.');
    }
    if (operation.kind !== 'measure') continue;
    for (const qubit of qubits) measured.add(qubit);
    const { bits } = operation;
    if (bits.length > 1 && operation.condition?.bits.some((bit) => bits.includes(bit))) {
      note('A measurement of several qubits must not write bits of its own condition.');
    }
  }
  return [...found].map(([message, index]) => ({ index, message }));
}

/**
 * Returns the gates that are not native to a device. Shares no code with routing and translation, whose results it
 * checks.
 */
export function misfits(
  circuit: Circuit,
  { couplers, isSymmetric, nativeGates }: Pick<Device, 'couplers' | 'isSymmetric' | 'nativeGates'>,
): readonly Misfit[] {
  const gates = new Set(nativeGates);
  const list = nativeGates.join(', ');
  const coupled = new Set(couplers.map(([a, b]) => `${a} ${b}`));
  if (isSymmetric) for (const [a, b] of couplers) coupled.add(`${b} ${a}`);
  const found: Misfit[] = [];
  for (const [index, operation] of circuit.operations.entries()) {
    if (operation.kind === 'unitary') {
      found.push({ index, message: `An explicit matrix is no native gate; those are ${list}.` });
    }
    if (operation.kind !== 'gate') continue;
    const qubits = [...operation.controls, ...operation.targets];
    if (!gates.has(operation.gate)) {
      found.push({ index, message: `${operation.gate} is no native gate; those are ${list}.` });
    } else if (qubits.length > 2) {
      found.push({ index, message: `${operation.gate} with further controls is no native gate.` });
    } else if (qubits.length === 2 && !coupled.has(qubits.join(' '))) {
      const problem = coupled.has(qubits.toReversed().join(' '))
        ? `acts on qubits ${qubits.join(' and ')} in this order, which the coupler does not allow`
        : `acts on qubits ${qubits.join(' and ')}, which nothing couples`;
      found.push({ index, message: `${operation.gate} ${problem}.` });
    }
  }
  return found;
}

/** The qubits that a circuit's operations act on. */
export function usedQubits(circuit: Circuit): ReadonlySet<Qubit> {
  return new Set(circuit.operations.flatMap(operationQubits));
}

/**
 * The circuit on qubits of other numbers; on one qubit if they are none.
 *
 * @param circuit - Without loops.
 * @param numbers - New number of each qubit, from 0 on, for at least all that the circuit uses.
 */
export function renumbered(circuit: Circuit, numbers: ReadonlyMap<Qubit, number>): Circuit;
export function renumbered(
  circuit: DynamicCircuit,
  numbers: ReadonlyMap<Qubit, number>,
): DynamicCircuit;
export function renumbered(
  circuit: DynamicCircuit,
  numbers: ReadonlyMap<Qubit, number>,
): DynamicCircuit {
  const placesOf = (own: readonly Qubit[]) => own.map((qubit) => numbers.get(qubit)!);
  const operations = circuit.operations.map((operation): DynamicOperation => {
    switch (operation.kind) {
      case 'while':
        throw new Error('unreachable: a loop on a device');
      case 'assign':
      case 'misread':
        return operation;
      case 'noise':
        return { ...operation, qubits: placesOf(operation.qubits) };
      case 'initialize':
        throw new Error('unreachable: an initial state on a device');
      case 'save':
        throw new Error('unreachable: a snapshot on a device');
      case 'track':
      case 'repeat':
        throw notByStabilizers(operation);
      default:
        return onPlaces(operation, placesOf(operationQubits(operation)));
    }
  });
  return { ...circuit, numQubits: Math.max(1, numbers.size), operations };
}
