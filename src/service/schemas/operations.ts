/** Schema of the gate catalog. */
import { z } from 'zod';
import { gateObject } from '../../circuit/gate-object-schema.ts';

/** One operation that a circuit may hold. */
export const operation = z
  .strictObject({
    gate: z.string(),
    aliases: z.array(z.string()),
    summary: z.string(),
    kind: z.enum(['unitary', 'measurement', 'reset', 'directive']),
    num_qubits: z.int().nullable().describe('Null where the operation has any width'),
    operands: z.array(
      z.strictObject({
        field: z.enum(['qubit', 'qubits', 'control', 'controls', 'target', 'targets']),
        min: z.int(),
        max: z.int().nullable().describe('Null where there is no bound'),
      }),
    ),
    parameters: z.array(z.strictObject({ name: z.string(), unit: z.literal('radians') })),
    formula: z.string().nullable().describe('What acts on the targets where the controls are |1⟩'),
    matrix: z
      .array(z.array(z.tuple([z.number(), z.number()])))
      .nullable()
      .describe("The whole matrix at the example's angles, rows of [re, im]; first operand lowest"),
    openqasm: z
      .strictObject({
        name: z.string(),
        library: z.enum(['qelib1+stdgates', 'qelib1', 'stdgates', 'builtin', 'none']),
      })
      .nullable(),
    traits: z.array(z.enum(['diagonal', 'permutation', 'real', 'self-inverse'])),
    example: gateObject.describe('A circuit of this object alone runs'),
  })
  .meta({ id: 'Operation' });

/** The catalog. */
export const operationList = z.strictObject({ operations: z.array(operation) });
