/**
 * The form of one entry of a circuit.
 *
 * Only types and field names are checked here. Which fields a gate takes and which numbers are
 * qubits is the circuit layer's knowledge, and a circuit of good form goes there whole, so that one
 * answer lists all of its faults; the integer bounds below are for the document's readers.
 */
import { z } from 'zod';
import { FIELD_ADVICE } from '../errors/form-faults.ts';
import { adviseGateField } from './gate-fields.ts';

const index = (what: string) => z.number().meta({ type: 'integer', minimum: 0, description: what });
const qubit = index('A qubit, from 0');
const angle = z.number().describe('Radians');

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
      .describe('UNITARY only: rows of [re, im], 2^k of each for k qubits'),
    bits: z
      .array(index('A classical bit, from 0'))
      .optional()
      .describe('M only: the classical bit of each qubit; by default the next free ones'),
    condition: z
      .strictObject({
        bits: z.array(index('A classical bit')).describe('bits[0] is the least significant'),
        value: index('What the bits must read'),
      })
      .optional()
      .describe('Runs the operation only where earlier measured bits read the value'),
  })
  .meta({ id: 'GateObject' });

FIELD_ADVICE.add(gateObject, { advise: adviseGateField });
