/** The gate catalog: its schema, and its route. */
import { z } from 'zod';
import { gateCatalog } from '../../circuit/gate-catalog.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';

/** One operation that a circuit may hold. */
const operation = z
  .strictObject({
    gate: z.string(),
    aliases: z.array(z.string()),
    summary: z.string(),
    kind: z.enum(['unitary', 'measurement', 'reset', 'directive', 'noise']),
    num_qubits: z.int().nullable().describe('Null if the operation acts on any number of qubits'),
    operands: z.array(
      z.strictObject({
        field: z.enum(['qubit', 'qubits', 'control', 'controls', 'target', 'targets']),
        min: z.int(),
        max: z.int().nullable().describe('Null if there is no maximum'),
      }),
    ),
    parameters: z.array(z.strictObject({ name: z.string(), unit: z.literal('radians') })),
    formula: z
      .string()
      .nullable()
      .describe('Matrix that acts on the targets if all controls are |1⟩'),
    matrix: z
      .array(z.array(z.tuple([z.number(), z.number()])))
      .nullable()
      .describe(
        'Whole matrix at the angles of the example, as rows of [re, im]; the first operand is the least significant bit',
      ),
    openqasm: z
      .strictObject({
        name: z.string(),
        library: z.enum(['qelib1+stdgates', 'qelib1', 'stdgates', 'builtin', 'none']),
      })
      .nullable(),
    traits: z.array(z.enum(['diagonal', 'permutation', 'real', 'self-inverse'])),
    example: gateObject.describe('Complete gate object; a circuit with only this object runs'),
  })
  .meta({ id: 'Operation' });

/** The catalog. */
const operationList = z.strictObject({ operations: z.array(operation) });

/** Registers `/quantum/operations`. */
export function operationRoutes(app: ServiceApp, { envelopes }: RouteContext): void {
  // Serialized once: the gate table does not change while the process runs.
  const catalog = { json: JSON.stringify({ operations: gateCatalog() }) };
  app.get(
    '/quantum/operations',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOperations',
        tags: ['operations'],
        summary: 'Catalog of gates and other operations',
        response: { 200: successEnvelope(operationList) },
      },
    },
    async (request, reply) => envelopes.sendText(request, reply, catalog),
  );
}
