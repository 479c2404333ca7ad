/**
 * Schema of a noise channel. It checks types and field names; `read-channel.ts` checks which fields a channel takes
 * and what their values mean. The bounds below are for readers of the API document.
 */
import * as z from 'zod';
import { FIELD_ADVICE, type FieldAdvice } from '../../errors/form-faults.ts';
import { nearestNames } from '../../errors/nearest-names.ts';
import {
  CHANNEL_FIELDS,
  CHANNEL_TYPES,
  type ChannelField,
  type ChannelType,
  MAX_KRAUS_QUBITS,
  MAX_PAULI_QUBITS,
} from './channel-object.ts';

const number = (description: string, meta: { minimum?: number; maximum?: number } = {}) =>
  z.number().optional().describe(description).meta(meta);
const FRACTION = { minimum: 0, maximum: 1 };

/** Names of the channels that take a field, for its description. */
function takenBy(field: ChannelField): string {
  return CHANNEL_TYPES.filter((type) => {
    const { needed, others } = CHANNEL_FIELDS[type];
    return needed.includes(field) || others.includes(field);
  }).join(', ');
}

/** A noise channel. */
export const channelSchema = z
  .strictObject({
    type: z
      .enum(CHANNEL_TYPES)
      .describe(CHANNEL_TYPES.map((type) => `${type}: ${CHANNEL_FIELDS[type].summary}`).join('. ')),
    probability: number(`For ${takenBy('probability')}`, FRACTION),
    probabilities: z
      .record(z.string().max(64), z.number())
      .optional()
      .describe(
        `pauli only: probability of each Pauli string, for example {"X": 0.01} or {"ZZ": 0.002}; the leftmost letter acts on the last operand. Up to ${MAX_PAULI_QUBITS} letters. The rest is the identity`,
      ),
    num_qubits: number(
      'depolarizing only: number of qubits, by default as many as there are operands',
      { minimum: 1, maximum: MAX_PAULI_QUBITS },
    ),
    gamma: number(`For ${takenBy('gamma')}`, FRACTION),
    excited: number(
      'Stationary population of |1⟩; generalized_amplitude_damping needs it, thermal_relaxation takes 0 by default',
      FRACTION,
    ),
    t1_us: number('thermal_relaxation only: T1 in microseconds'),
    t2_us: number('thermal_relaxation only: T2 in microseconds, at most 2·T1'),
    duration_ns: number('thermal_relaxation only: how long, in nanoseconds', { minimum: 0 }),
    value: number('reset only: the state that is left, 0 (default) or 1', FRACTION),
    matrices: z
      .array(z.array(z.array(z.tuple([z.number(), z.number()]).describe('[re, im]'))))
      .optional()
      .describe(
        `kraus only: matrices as rows of [re, im] on up to ${MAX_KRAUS_QUBITS} qubits, with Σ K†K = 1 within 1e-8; the first operand is the least significant bit of an index`,
      ),
  })
  .meta({
    id: 'NoiseChannel',
    examples: [
      { type: 'depolarizing', probability: 0.01 },
      { type: 'pauli', probabilities: { X: 0.001, Z: 0.004 } },
      { type: 'thermal_relaxation', t1_us: 120, t2_us: 80, duration_ns: 300 },
    ],
  });

/** Says what to write in place of a field that the channel does not have. */
const adviseChannelField: FieldAdvice = (object, field) => {
  const given = Object.keys(Object(object));
  const type: unknown = Object(object).type;
  if (!isChannelType(type)) return undefined;
  const { needed, others } = CHANNEL_FIELDS[type];
  const open = [...needed, ...others].filter((known) => !given.includes(known));
  const shown = field.length > 40 ? `${field.slice(0, 40)}…` : field;
  const near = nearestNames(field, open).slice(0, 1);
  const meant = near.length > 0 ? near : needed.filter((known) => !given.includes(known));
  if (meant.length > 0) return `${type} takes ${meant.join(' and ')}, not ${shown}.`;
  return `${type} takes no ${shown}; leave it out.`;
};

function isChannelType(name: unknown): name is ChannelType {
  return CHANNEL_TYPES.some((type) => type === name);
}

FIELD_ADVICE.add(channelSchema, { advise: adviseChannelField });
