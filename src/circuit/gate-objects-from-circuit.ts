/** Converts a circuit to gate objects, the JSON that a caller could have written for it. */
import type { GateOperation, NoiseOperation, Operation, Qubit } from './circuit.ts';
import type { GateObject } from './gate-object.ts';
import { gateNamed } from './gates.ts';
import { rowsFromMatrix } from './matrix-rows.ts';
import { channelObject } from './noise/write-channel.ts';

/**
 * Returns gate objects that describe a circuit; reading them with its `numQubits` gives the circuit again.
 *
 * Gate objects cannot express two things that OpenQASM can: classical bits past the last measured one, and
 * conditions on bits that nothing measures.
 */
export function gateObjectsFromCircuit({ operations }: WritableCircuit): GateObject[] {
  return operations.map(gateObject);
}

/** A circuit without classical computation; misread bits have no gate object. */
interface WritableCircuit {
  readonly operations: readonly (Operation | NoiseOperation)[];
}

function gateObject(operation: Operation | NoiseOperation): GateObject {
  switch (operation.kind) {
    case 'gate':
      return withCondition(operation, namedGate(operation));
    case 'unitary':
      return withCondition(operation, {
        gate: 'UNITARY',
        ...controlFields(operation.controls),
        qubits: operation.targets,
        matrix: rowsFromMatrix(operation.matrix),
      });
    case 'measure': {
      const { qubits, bits } = operation;
      return withCondition(operation, { gate: 'M', qubits, bits });
    }
    case 'reset':
      return withCondition(operation, { gate: 'RESET', qubits: operation.qubits });
    case 'barrier':
      return { gate: 'BARRIER', qubits: operation.qubits };
    case 'noise': {
      const channel = channelObject(operation.channel);
      return withCondition(operation, { gate: 'NOISE', qubits: operation.qubits, channel });
    }
  }
}

function withCondition(
  { condition }: Exclude<Operation | NoiseOperation, { kind: 'barrier' }>,
  object: GateObject,
): GateObject {
  return condition === undefined ? object : { ...object, condition };
}

function namedGate({ gate, controls, targets, angles }: GateOperation): GateObject {
  const { parameters } = gateNamed(gate);
  return {
    gate,
    ...controlFields(controls),
    ...targetFields(targets, controls.length > 0),
    ...Object.fromEntries(parameters.map((parameter, i) => [parameter, angles[i]])),
  };
}

function controlFields(controls: readonly Qubit[]): Pick<GateObject, 'control' | 'controls'> {
  if (controls.length === 0) return {};
  return controls.length === 1 ? { control: controls[0] } : { controls };
}

/** Fields for the targets: `qubit` or `qubits`, and `target` or `targets` where there are controls. */
function targetFields(
  targets: readonly Qubit[],
  isControlled: boolean,
): Pick<GateObject, 'qubit' | 'qubits' | 'target' | 'targets'> {
  if (targets.length === 0) return {};
  if (targets.length === 1) {
    return isControlled ? { target: targets[0] } : { qubit: targets[0] };
  }
  return isControlled ? { targets } : { qubits: targets };
}
