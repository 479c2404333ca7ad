/**
 * Schema of a noise model. It checks types and field names; `read-noise-model.ts` checks what they mean. The bounds
 * below are for readers of the API document.
 */
import { z } from 'zod';
import { channelSchema } from './channel-schema.ts';

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
        `${NAMES} are all gates on so many qubits, controls counted, and "*" is every gate`,
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
