/**
 * Faults of size in the body of an inference, found before its elements are examined.
 *
 * zod reports every bad element and cannot be stopped, and a body has room for tens of thousands. A list
 * longer than any valid one is therefore a single fault, and its elements are not examined; other fields are.
 */

import type { Fault } from '../../errors/coded-error.ts';
import { formatPath } from '../../errors/fault-path.ts';
import {
  INFERENCE_LIMITS,
  MAX_THETA_LENGTH,
} from '../../workloads/models/qnn-hybrid/classification-request.ts';
import { NUM_FEATURES } from '../../workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';

/**
 * Greatest length of theta that is examined. It exceeds the longest valid one, so that slightly wrong lengths
 * get a message with the valid ones.
 */
const MAX_THETA_READ = 1024;
/** Greatest number of fields of an object. */
const MAX_FIELDS = 32;

/** Body with bounded sizes, and the faults of the parts removed. */
export interface SizedBody {
  /** The body with null in place of every overlong part. */
  readonly body: unknown;
  readonly faults: readonly Fault[];
}

/** Checks the sizes of a request to classify. */
export function sizedClassification(body: unknown): SizedBody {
  return sizedBody(body, (fields, faults) => ({
    ...('input' in fields && { input: sizedRow(fields['input'], ['input'], faults) }),
    ...('inputs' in fields && { inputs: sizedRows(fields['inputs'], faults) }),
    ...('parameters' in fields && { parameters: sizedParameters(fields['parameters'], faults) }),
  }));
}

/** Checks the sizes of a text request; the model checks the length of the text. */
export function sizedText(body: unknown): SizedBody {
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
