/**
 * Schemas of noise channels and noise models. They check types and field names; `read-channel.ts` and
 * `read-noise-model.ts` check which fields a channel takes and what values mean. The bounds below are for readers of
 * the API document.
 */
import * as z from 'zod';
import { FIELD_ADVICE, type FieldAdvice } from '../../errors/form-faults.ts';
import { nearestNames } from '../../errors/nearest-names.ts';
import { LOSS_RULES } from '../loss/loss-rule.ts';
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

/** Correction for a field that the channel does not have. */
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

const qubit = z.number().meta({ type: 'integer', minimum: 0, description: 'A qubit, from 0' });
const qubits = z
  .array(qubit)
  .optional()
  .describe('Qubits that the entry holds for; all unless given');
const PROBABILITY = { minimum: 0, maximum: 1 };
const NAMES = 'Names or aliases from GET /quantum/operations; "*1", "*2", …';

const gateNoise = z
  .strictObject({
    gates: z
      .array(z.string().max(64))
      .describe(
        `${NAMES} are all gates on so many qubits, controls counted, and "*" is every gate. "M" is before each measured qubit, "RESET" after each reset one, and "BARRIER" at the end of each layer`,
      ),
    qubits: z
      .array(z.array(qubit))
      .optional()
      .describe(
        'Operands that the entry holds for, each list in the order of the gate; all unless given',
      ),
    channel: channelSchema.describe(
      'A channel on one qubit is applied to each operand; one on k qubits to gates on k qubits',
    ),
  })
  .meta({ id: 'GateNoise' });

const readoutNoise = z
  .strictObject({
    qubits,
    p1_given_0: z
      .number()
      .describe('Probability that a measured 0 is reported as 1')
      .meta(PROBABILITY),
    p0_given_1: z
      .number()
      .describe('Probability that a measured 1 is reported as 0')
      .meta(PROBABILITY),
  })
  .meta({ id: 'ReadoutNoise' });

const idleNoise = z
  .strictObject({
    qubits,
    t1_us: z.number().describe('T1 in microseconds'),
    t2_us: z.number().describe('T2 in microseconds, at most 2·T1'),
    excited: z
      .number()
      .optional()
      .describe('Stationary population of |1⟩; default 0')
      .meta(PROBABILITY),
    durations_ns: z
      .record(z.string().max(64), z.number().meta({ minimum: 0 }))
      .optional()
      .describe(
        'Duration of gates, of M and of RESET in nanoseconds; names as in `gates`, of which the most specific holds. What is not named takes no time',
      ),
  })
  .meta({ id: 'IdleNoise' });

const lossRule = z
  .strictObject({
    gates: z.array(z.string().max(64)).describe('Gates on several qubits; names as in `gates`'),
    rule: z
      .enum(LOSS_RULES)
      .describe(
        'skip: the gate is left out, nothing else. propagate: its other qubits are lost, too. depolarize: nothing is left of the state of its other qubits. degrade, for RXX, RYY and RZZ: the other qubit is rotated about the same axis by the same angle. residual_s_dagger: its other qubits go through S†. exchange, for SWAP alone: the gate is done, and what is lost changes places',
      ),
  })
  .meta({ id: 'LossRule' });

/** A noise model, in full or by name. */
export const noiseModelSchema = z
  .strictObject({
    model: z
      .string()
      .max(100)
      .optional()
      .describe('Name of a model from GET /quantum/noise-models; then there are no other fields'),
    gates: z
      .array(gateNoise)
      .optional()
      .describe(
        'Channels after gates as the caller wrote them; all entries that match are applied, in this order',
      ),
    readout: z
      .array(readoutNoise)
      .optional()
      .describe('Errors of what measurements report; the state is left as it is'),
    idle: z
      .array(idleNoise)
      .optional()
      .describe('Relaxation of qubits while they wait; operations start as early as possible'),
    loss: z
      .array(lossRule)
      .optional()
      .describe(
        'Rules for gates on several qubits of which one is lost; the first entry that names a gate holds, and gates without a rule are left out',
      ),
  })
  .meta({
    id: 'NoiseModel',
    examples: [
      {
        gates: [
          { gates: ['*1'], channel: { type: 'depolarizing', probability: 0.0005 } },
          { gates: ['CX', 'CZ'], channel: { type: 'depolarizing', probability: 0.008 } },
        ],
        readout: [{ p1_given_0: 0.01, p0_given_1: 0.03 }],
      },
    ],
  });

/** A noise model as a caller writes it. */
export type NoiseModelObject = z.output<typeof noiseModelSchema>;
