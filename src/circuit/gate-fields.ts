/** Which fields an operation of a JSON circuit takes, for callers who wrote another one. */
import type { FieldAdvice } from '../errors/form-faults.ts';
import { nearestNames } from '../errors/nearest-names.ts';
import type { GateDefinition } from './gate-definition.ts';
import { findOperation, type SpecialOperation, TARGET_FIELDS } from './gate-object.ts';

/** What to write in place of a field that no gate object has: `RX takes theta, not angle.` */
export const adviseGateField: FieldAdvice = (object, field) => {
  const given = Object.keys(Object(object));
  const name = Object(object).gate;
  const operation = typeof name === 'string' ? findOperation(name) : undefined;
  if (operation === undefined) return undefined;
  const shown = field.length > 40 ? `${field.slice(0, 40)}…` : field;
  const { needed, others } = fieldsOf(operation, given);
  const open = [...needed, ...others].filter((known) => !given.includes(known));
  const near = nearestNames(field, open).slice(0, 1);
  const meant = near.length > 0 ? near : needed;
  if (meant.length > 0) return `${operation.name} takes ${meant.join(' and ')}, not ${shown}.`;
  return `${operation.name} takes no ${shown}; leave it out. It also takes ${open.join(', ')}.`;
};

/** The fields that the object still lacks, and all others that it may have. */
function fieldsOf(operation: GateDefinition | SpecialOperation, given: readonly string[]) {
  const takesTargets = !('parameters' in operation) || operation.numTargets > 0;
  const hasTargets = TARGET_FIELDS.some((field) => given.includes(field));
  const isGate = 'parameters' in operation;
  const numQubits = isGate ? operation.numControls + operation.numTargets : 2;
  const target = numQubits === 1 ? 'qubit' : 'qubits';
  const own = isGate ? operation.parameters : SPECIAL_FIELDS[operation.name];
  const needsTargets = takesTargets && !hasTargets && operation.name !== 'BARRIER';
  const needed = [
    ...(needsTargets ? [target] : []),
    ...own.filter((name) => !given.includes(name)),
  ];
  const optional = operation.name === 'M' ? ['bits'] : [];
  const controls = isGate || operation.name === 'UNITARY' ? ['control', 'controls'] : [];
  const targets = hasTargets ? [] : TARGET_FIELDS;
  const conditional = operation.name === 'BARRIER' ? [] : ['condition'];
  return { needed, others: [...targets, ...controls, ...optional, ...conditional] };
}

const SPECIAL_FIELDS: Readonly<Record<SpecialOperation['name'], readonly string[]>> = {
  UNITARY: ['matrix'],
  M: [],
  RESET: [],
  BARRIER: [],
};
