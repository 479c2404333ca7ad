/** Reads inference requests from bodies. */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { formatPath } from '../../errors/fault-path.ts';
import { formFaults } from '../../errors/form-faults.ts';
import {
  type ClassificationRequest,
  faultsOfOwnCircuit,
  faultsOfRows,
  faultsOfShots,
  INFERENCE_LIMITS,
  MAX_THETA_LENGTH,
  type RowKind,
} from '../../workloads/models/qnn-hybrid/classification-request.ts';
import { NUM_FEATURES } from '../../workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import {
  faultsOfText,
  type TextRequest,
} from '../../workloads/models/text-generation/text-request.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import { RequestInvalidError } from '../http/errors.ts';
import { type ClassificationBody, classificationBody, textBody } from './model-schema.ts';

/** Classification request, with the form of its answer. */
interface ReadClassification {
  readonly request: ClassificationRequest;
  /** True if rows came as `inputs`. */
  readonly isBatch: boolean;
}

/**
 * Reads a classification request. The model checks its limits; if the body has other faults, limits are
 * checked here too, so that one answer lists all faults.
 *
 * @param drawSeed - Draws a seed for a request without one.
 * @throws {RequestInvalidError} listing every fault.
 */
export function readClassification(body: unknown, drawSeed: () => number): ReadClassification {
  const sized = sizedClassification(body);
  const parsed = classificationBody.safeParse(sized.body);
  const formed = formFaultsBeside(sized, parsed.error, classificationBody);
  const read = parsed.success ? parsed.data : readableClassificationOf(sized.body);
  const faults = read ? [...formed, ...meaningFaultsOfClassification(read)] : formed;
  if (!parsed.success || faults.length > 0) {
    throw new RequestInvalidError([...faults, ...(read ? limitFaultsOfClassification(read) : [])]);
  }
  return { isBatch: parsed.data.inputs !== undefined, request: requestOf(parsed.data, drawSeed) };
}

function requestOf(
  { input, inputs, parameters = {}, ...beside }: ClassificationBody,
  drawSeed: () => number,
): ClassificationRequest {
  const { theta, qubits, threshold } = parameters;
  const shots = beside.shots ?? parameters.shots;
  return {
    rows: inputs ?? (input === undefined ? [] : [input]),
    pathOf: (row) => (inputs === undefined ? 'input' : `inputs[${row}]`),
    ...(theta && {
      own: {
        theta,
        ...(qubits !== undefined && { numQubits: qubits }),
        ...(threshold !== undefined && { threshold }),
      },
    }),
    ...(shots !== undefined && { shots }),
    shotsPath: beside.shots === undefined ? 'parameters.shots' : 'shots',
    seed: beside.seed ?? parameters.seed ?? drawSeed(),
  };
}

/**
 * Reads a text request. The model checks its limits; if the body has other faults, limits are checked here
 * too, so that one answer lists all faults.
 *
 * @param maxTokensBound - The operator's limit of tokens.
 * @throws {RequestInvalidError} listing every fault.
 */
export function readTextRequest(body: unknown, maxTokensBound: number): TextRequest {
  const sized = sizedText(body);
  const parsed = textBody.safeParse(sized.body);
  if (!parsed.success) {
    const faults = formFaultsBeside(sized, parsed.error, textBody);
    throw new RequestInvalidError([...faults, ...limitFaultsOfText(sized.body, maxTokensBound)]);
  }
  const { input, parameters: { max_tokens: maxTokens, temperature } = {} } = parsed.data;
  return {
    input,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Faults of size and of form, without the faults of form for nulls that replace overlong parts. */
function formFaultsBeside(
  { body, faults }: SizedBody,
  error: z.ZodError | undefined,
  schema: z.ZodType,
): readonly Fault[] {
  if (error === undefined) return faults;
  const paths = new Set(faults.map(({ path }) => path));
  return [...faults, ...formFaults(error, schema, body).filter(({ path }) => !paths.has(path))];
}

/**
 * Greatest length of theta that is examined. It exceeds the longest valid one, so that slightly wrong lengths
 * get a message with the valid ones.
 */
const MAX_THETA_READ = 1024;
/** Greatest number of fields of an object. */
const MAX_FIELDS = 32;

/**
 * Body with bounded sizes, and the faults of the parts removed, found before its elements are examined.
 *
 * zod reports every bad element and cannot be stopped, and a body has room for tens of thousands. A list
 * longer than any valid one is therefore a single fault, and its elements are not examined; other fields are.
 */
interface SizedBody {
  /** The body with null in place of every overlong part. */
  readonly body: unknown;
  readonly faults: readonly Fault[];
}

/** Checks the sizes of a request to classify. */
function sizedClassification(body: unknown): SizedBody {
  return sizedBody(body, (fields, faults) => ({
    ...('input' in fields && { input: sizedRow(fields['input'], ['input'], faults) }),
    ...('inputs' in fields && { inputs: sizedRows(fields['inputs'], faults) }),
    ...('parameters' in fields && { parameters: sizedParameters(fields['parameters'], faults) }),
  }));
}

/** Checks the sizes of a text request; the model checks the length of the text. */
function sizedText(body: unknown): SizedBody {
  return sizedBody(body, (fields, faults) => ({
    ...('parameters' in fields && { parameters: sizedParameters(fields['parameters'], faults) }),
  }));
}

/** Fields of an object by name. */
type Fields = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

function sizedBody(body: unknown, sized: (fields: Fields, faults: Fault[]) => Fields): SizedBody {
  const faults: Fault[] = [];
  const fields = sizedFields(body, [], faults);
  if (!isJsonObject(fields)) return { body: fields, faults };
  return { body: { ...fields, ...sized(fields, faults) }, faults };
}

function sizedParameters(value: unknown, faults: Fault[]): unknown {
  const fields = sizedFields(value, ['parameters'], faults);
  if (!isJsonObject(fields) || !('theta' in fields)) return fields;
  const path = ['parameters', 'theta'];
  const message = (length: number) =>
    `has ${length} numbers; the largest circuit takes ${MAX_THETA_LENGTH}.`;
  return { ...fields, theta: sizedList(fields['theta'], MAX_THETA_READ, path, message, faults) };
}

function sizedRows(value: unknown, faults: Fault[]): unknown {
  const { maxRows } = INFERENCE_LIMITS;
  const message = (length: number) => `has ${length} rows; one inference takes 1 to ${maxRows}.`;
  const rows = sizedList(value, maxRows, ['inputs'], message, faults);
  return Array.isArray(rows) ? rows.map((row, i) => sizedRow(row, ['inputs', i], faults)) : rows;
}

function sizedRow(value: unknown, path: Path, faults: Fault[]): unknown {
  const message = (length: number) => `has ${length} values; it takes ${NUM_FEATURES}.`;
  return sizedList(value, NUM_FEATURES, path, message, faults);
}

function sizedList(
  value: unknown,
  most: number,
  path: Path,
  messageOf: (length: number) => string,
  faults: Fault[],
): unknown {
  if (!Array.isArray(value) || value.length <= most) return value;
  faults.push({ path: formatPath(path), message: messageOf(value.length) });
  return null;
}

function sizedFields(value: unknown, path: Path, faults: Fault[]): unknown {
  if (!isJsonObject(value)) return value;
  const { length } = Object.keys(value);
  if (length <= MAX_FIELDS) return value;
  const message = `has ${length} fields; at most ${MAX_FIELDS} are read.`;
  faults.push({ path: formatPath(path), message });
  return null;
}

// Faults of meaning and of limits in the body of an inference, also if the body is malformed: every readable
// field is checked whatever the others are, so that one answer lists all faults.
//
// Bodies are read leniently here. An unreadable value becomes null, which keeps its place among others and
// has no fault here, because it already has one of form.

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
function readableClassificationOf(body: unknown): ReadableClassification | undefined {
  return readableClassification.safeParse(body).data;
}

/** Faults of missing fields and of fields that exclude each other. */
function meaningFaultsOfClassification({
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
function limitFaultsOfClassification({
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
function limitFaultsOfText(body: unknown, maxTokensBound: number): readonly Fault[] {
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
