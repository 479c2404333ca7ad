/**
 * Schema of a gate object, one entry of a circuit in JSON.
 *
 * It checks types and field names only. Which fields a gate takes, and which numbers are qubits, is checked
 * by `gate-objects.ts`, so that one answer lists all faults of a circuit. The integer bounds below are for
 * readers of the API document.
 */
import * as z from 'zod';
import { type Fault, MAX_FAULTS } from '../errors/coded-error.ts';
import { FIELD_ADVICE, type FieldAdvice, formFaults } from '../errors/form-faults.ts';
import { nearestNames } from '../errors/nearest-names.ts';
import type { GateDefinition } from './gate-definition.ts';
import {
  EVOLVE_FIELDS,
  findOperation,
  type SpecialOperation,
  TARGET_FIELDS,
} from './gate-object.ts';
import { channelSchema } from './noise/noise-model-schema.ts';
import { basisLabel, MAX_COEFFICIENT, MAX_PAULI_LENGTH, pauliTerm } from './observable-schema.ts';
import { outputsOf } from './outputs.ts';

const index = (what: string) => z.number().meta({ type: 'integer', minimum: 0, description: what });
const qubit = index('A qubit, from 0');
const inputAngle = z
  .strictObject({
    input: z.string().max(256).describe('Name of an input'),
    scale: z.number().optional().describe('Default 1').meta({ default: 1 }),
    offset: z.number().optional().describe('Radians; default 0').meta({ default: 0 }),
  })
  .describe('input · scale + offset, in radians')
  .meta({ id: 'InputAngle' });
const angle = z.union([z.number(), inputAngle]).describe('Radians, or an input');

/** A gate object. */
export const gateObject = z
  .strictObject({
    gate: z
      .string()
      .max(64)
      .describe('Name or alias from GET /quantum/operations, in any case')
      .meta({ examples: ['H'] }),
    qubit: qubit.optional(),
    target: qubit.optional(),
    control: qubit.optional(),
    controls: z.array(qubit).optional(),
    qubits: z.array(qubit).optional(),
    targets: z.array(qubit).optional(),
    theta: angle.optional(),
    phi: angle.optional(),
    lambda: angle.optional(),
    gamma: angle.optional(),
    beta: angle.optional(),
    matrix: z
      .array(z.array(z.tuple([z.number(), z.number()]).describe('[re, im]')))
      .optional()
      .describe('UNITARY only: matrix as 2^k rows of 2^k entries [re, im], for k qubits'),
    bits: z
      .array(index('A classical bit, from 0'))
      .optional()
      .describe('M only: classical bit of each qubit; by default the next free ones'),
    label: z.string().optional().describe('SAVE only: name of the snapshot in `saved`'),
    what: z
      .string()
      .max(64)
      .optional()
      .describe(`SAVE only: ${outputsOf('save').join(', ')}`),
    observables: z
      .array(z.union([pauliTerm, z.array(pauliTerm)]))
      .optional()
      .describe('SAVE of expectation only: as `observables` of a request'),
    basis_states: z
      .array(basisLabel)
      .optional()
      .describe('SAVE of amplitudes only: as `basis_states` of a request'),
    channel: channelSchema.optional().describe('NOISE only: the channel'),
    hamiltonian: z
      .array(
        z.strictObject({
          pauli: z
            .string()
            .max(MAX_PAULI_LENGTH)
            .describe('Pauli string, such as `Z0 Z1`; `I` is the identity'),
          coefficient: z
            .union([z.number().min(-MAX_COEFFICIENT).max(MAX_COEFFICIENT), inputAngle])
            .optional()
            .describe('A real number, or an input; default 1'),
        }),
      )
      .optional()
      .describe('EVOLVE only: terms of the Hamiltonian H, in the order of a product formula'),
    time: z
      .union([z.number(), inputAngle])
      .optional()
      .describe('EVOLVE only: the time t of exp(−i·t·H), or an input'),
    order: z
      .number()
      .optional()
      .describe(
        'EVOLVE only: order of the product formula; 1 (Trotter), 2 (symmetric, default) or 4 (Suzuki)',
      )
      .meta({ type: 'integer', minimum: 1, maximum: 4 }),
    steps: z
      .number()
      .optional()
      .describe('EVOLVE only: steps of a product formula, used where the evolution is not exact')
      .meta({ type: 'integer', minimum: 1 }),
    max_error: z
      .number()
      .optional()
      .describe(
        'EVOLVE only, in place of steps: bound on the error, from which the number of steps follows',
      )
      .meta({ exclusiveMinimum: 0 }),
    exact: z
      .boolean()
      .optional()
      .describe(
        'EVOLVE only: true refuses what needs a product formula, false uses one wherever terms do not commute; by default up to 6 qubits that hang together are exact',
      ),
    condition: z
      .strictObject({
        bits: z.array(index('A classical bit')).describe('bits[0] is the least significant'),
        value: index('Value that the bits must have'),
      })
      .optional()
      .describe('The operation runs only if these measured bits have this value'),
  })
  .meta({ id: 'GateObject' });

/** Correction for a field that the operation does not have: `RX takes theta, not angle.` */
const adviseGateField: FieldAdvice = (object, field) => {
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

/** Fields that the object still lacks, and all others that it may have. */
function fieldsOf(operation: GateDefinition | SpecialOperation, given: readonly string[]) {
  const takesTargets =
    'parameters' in operation ? operation.numTargets > 0 : operation.name !== 'EVOLVE';
  const hasTargets = TARGET_FIELDS.some((field) => given.includes(field));
  const isGate = 'parameters' in operation;
  const numQubits = isGate ? operation.numControls + operation.numTargets : 2;
  const target = numQubits === 1 ? 'qubit' : 'qubits';
  const own = isGate ? operation.parameters : SPECIAL_FIELDS[operation.name];
  const needsTargets =
    takesTargets && !hasTargets && operation.name !== 'BARRIER' && operation.name !== 'SAVE';
  const needed = [
    ...(needsTargets ? [target] : []),
    ...own.filter((name) => !given.includes(name)),
  ];
  const optional = OPTIONAL_FIELDS[operation.name] ?? [];
  const controls =
    isGate || ['UNITARY', 'EVOLVE'].includes(operation.name) ? ['control', 'controls'] : [];
  const targets = hasTargets || !takesTargets ? [] : TARGET_FIELDS;
  const conditional = ['BARRIER', 'SAVE'].includes(operation.name) ? [] : ['condition'];
  return { needed, others: [...targets, ...controls, ...optional, ...conditional] };
}

const SPECIAL_FIELDS: Readonly<Record<SpecialOperation['name'], readonly string[]>> = {
  UNITARY: ['matrix'],
  EVOLVE: ['hamiltonian', 'time'],
  M: [],
  RESET: [],
  BARRIER: [],
  NOISE: ['channel'],
  SAVE: ['label', 'what'],
};

const OPTIONAL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  M: ['bits'],
  SAVE: ['observables', 'basis_states'],
  EVOLVE: EVOLVE_FIELDS,
};

FIELD_ADVICE.add(gateObject, { advise: adviseGateField });

/**
 * Reads the entries of a list as gate objects, and adds the faults of their form. A malformed gate is replaced by a
 * barrier, so that the other gates keep their indices.
 *
 * @param faults - Reading ends once it has MAX_FAULTS of them or more.
 * @returns Undefined if a malformed entry may be a measurement, because later gates depend on it.
 */
export function gateObjectsOf(
  entries: readonly unknown[],
  faults: Fault[],
): z.output<typeof gateObject>[] | undefined {
  const gates: z.output<typeof gateObject>[] = [];
  let isWhole = true;
  for (const [i, entry] of entries.entries()) {
    const parsed = gateObject.safeParse(entry);
    if (parsed.success) gates.push(parsed.data);
    else {
      faults.push(...formFaults(parsed.error, gateObject, entry, ['circuit', i]));
      if (faults.length >= MAX_FAULTS) return undefined;
      gates.push({ gate: 'BARRIER' });
      isWhole &&= isGate(entry);
    }
  }
  return isWhole ? gates : undefined;
}

function isGate(entry: unknown): boolean {
  const isNamed = typeof entry === 'object' && entry !== null && 'gate' in entry;
  if (!isNamed || typeof entry.gate !== 'string') return false;
  const operation = findOperation(entry.gate);
  return operation !== undefined && operation.name !== 'M';
}
