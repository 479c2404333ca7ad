/**
 * Faults of meaning and of limits in the body of an inference, also if the body is malformed: every readable
 * field is checked whatever the others are, so that one answer lists all faults.
 *
 * Bodies are read leniently here. An unreadable value becomes null, which keeps its place among others and
 * has no fault here, because it already has one of form.
 */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import {
  faultsOfOwnCircuit,
  faultsOfRows,
  faultsOfShots,
  type RowKind,
} from '../../workloads/models/qnn-hybrid/classification-request.ts';
import { faultsOfText } from '../../workloads/models/text-generation/text-request.ts';

const number = z.number().nullish().catch(null);
const integer = z.int().nullish().catch(null);
// The elements exist, so an unreadable one can only become null.
const numbers = z.array(z.number().nullable().catch(null));

const readableClassification = z.object({
  input: numbers.nullish().catch(null),
  inputs: z.array(numbers.nullable().catch(null)).nullish().catch(null),
  parameters: z
    .object({
      theta: numbers.nullish().catch(null),
      qubits: integer,
      threshold: number,
      shots: integer,
      seed: integer,
    })
    .nullish()
    .catch(null),
  shots: integer,
  seed: integer,
});
/** Readable part of a body. */
type ReadableClassification = z.output<typeof readableClassification>;

const readableText = z.object({
  input: z.string().nullish().catch(null),
  parameters: z.object({ max_tokens: integer, temperature: number }).nullish().catch(null),
});

/** Readable fields of a malformed body; undefined if it is not an object. */
export function readableClassificationOf(body: unknown): ReadableClassification | undefined {
  return readableClassification.safeParse(body).data;
}

/** Faults of missing fields and of fields that exclude each other. */
export function meaningFaultsOfClassification({
  input,
  inputs,
  parameters,
  ...beside
}: ReadableClassification): readonly Fault[] {
  const faults: Fault[] = [];
  if (input === undefined && inputs === undefined) {
    const message = 'input is missing; give a list of 4 numbers, or `inputs` with rows.';
    faults.push({ path: 'input', message });
  } else if (input !== undefined && inputs !== undefined) {
    faults.push({ path: 'inputs', message: 'Give either input or inputs, not both.' });
  }
  for (const name of ['shots', 'seed'] as const) {
    if (parameters?.[name] === undefined || beside[name] === undefined) continue;
    faults.push({
      path: name,
      message: `${name} is given in parameters.${name}, too; give it once.`,
    });
  }
  for (const name of ['qubits', 'threshold'] as const) {
    if (parameters?.[name] === undefined || parameters.theta !== undefined) continue;
    const message = `${name} is for a circuit of the caller's own; give parameters.theta with it.`;
    faults.push({ path: `parameters.${name}`, message });
  }
  return faults;
}

/** Exceeded limits in all readable fields. */
export function limitFaultsOfClassification({
  input,
  inputs,
  shots,
  parameters,
}: ReadableClassification): readonly Fault[] {
  const { theta, qubits, threshold } = parameters ?? {};
  const kind = rowKindOf(parameters);
  return [
    ...faultsOfShots(shots, 'shots'),
    ...faultsOfShots(parameters?.shots, 'parameters.shots'),
    ...(theta === undefined ? [] : faultsOfOwnCircuit({ theta, numQubits: qubits, threshold })),
    ...(input ? faultsOfRows([input], () => 'input', kind) : []),
    ...(inputs ? faultsOfRows(inputs, (row) => `inputs[${row}]`, kind) : []),
  ];
}

/** Exceeded limits in all readable fields. */
export function limitFaultsOfText(body: unknown, maxTokensBound: number): readonly Fault[] {
  const { data } = readableText.safeParse(body);
  if (data === undefined) return [];
  const { input, parameters } = data;
  const { max_tokens: maxTokens, temperature } = parameters ?? {};
  return faultsOfText({ input, maxTokens, temperature }, maxTokensBound);
}

/** Kind of rows; null if the parameters, which may contain theta, cannot be read. */
function rowKindOf(parameters: ReadableClassification['parameters']): RowKind {
  if (parameters === null) return null;
  return parameters?.theta === undefined ? 'centimetres' : 'scaled';
}
