/** Checks answers against docs/openapi.json. */
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { ERROR_TABLE, SPEC_CODES } from '../../src/service/http/error-table.ts';
import type { WireAnswer } from './wire.ts';

const mediaTypes = z.record(z.string(), z.looseObject({}));
const operation = z.looseObject({
  operationId: z.string(),
  requestBody: z.looseObject({ content: mediaTypes }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: mediaTypes.optional() })),
});
const openApi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});
/** The parts of the document that are read here. */
export type OpenApi = z.output<typeof openApi>;

/** Reads the text of docs/openapi.json. */
export function parseOpenApi(text: string): OpenApi {
  return openApi.parse(JSON.parse(text));
}

/** An operation of the document. */
export interface Operation {
  readonly id: string;
  /** Capitals. */
  readonly method: string;
  /** Template of the document: `/tasks/{task_id}`. */
  readonly path: string;
  readonly described: z.output<typeof operation>;
}

/** All operations. */
export function operationsOf({ paths }: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      described,
    })),
  );
}

/** The check of one answer: its route, its fault if it has one, its codes and data. */
export interface Verdict {
  /** `POST /tasks/{task_id}/cancel`, or `nothing there`. */
  readonly route: string;
  /** Undefined if the answer is right. */
  readonly fault: string | undefined;
  /** Exact conditions of an error, as in docs/errors.md. */
  readonly codes: readonly string[];
  /** `data` of a success. */
  readonly data: unknown;
}

export const API_PREFIX = '/api/v1';
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ERROR_REF = { $ref: 'openapi#/components/schemas/Error' };
const PROBLEM = 'application/problem+json';
const PROBLEM_REF = { $ref: 'openapi#/components/schemas/Problem' };

const errorBody = z.union([
  z.looseObject({
    error: z.looseObject({ code: z.string(), status: z.int(), details: z.unknown() }),
  }),
  z.looseObject({ code: z.string(), status: z.int(), details: z.unknown() }),
]);
const details = z.array(z.looseObject({ code: z.string() })).default([]);

/** Checks answers against the document. */
export class AnswerCheck {
  readonly #operations: readonly { readonly operation: Operation; readonly pattern: RegExp }[];
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    formats: { date: DATE, 'date-time': DATE_TIME, qasm3: true },
  });
  readonly #validators = new Map<string, ReturnType<Ajv2020['compile']>>();

  constructor(document: OpenApi) {
    this.#ajv.addSchema(document, 'openapi');
    this.#operations = operationsOf(document).map((operation) => ({
      operation,
      // The root is the prefix itself: with a slash more there is nothing.
      pattern: new RegExp(
        `^${API_PREFIX}${operation.path.replace(/^\/$/, '').replace(/\{.*?\}/g, '[^/]+')}/?$`,
      ),
    }));
  }

  /** Checks the answer to a request. A request that breaks HTTP's framing may get any answer 4xx. */
  judge(method: string, target: string, isFramed: boolean, answer: WireAnswer): Verdict {
    const operation = this.#operationAt(method, target);
    const route =
      operation === undefined ? 'nothing there' : `${operation.method} ${operation.path}`;
    const { status, type, body } = answer;
    if (status >= 500 && status !== 503) return { route, fault: body, codes: [], data: undefined };
    if (method === 'HEAD' || status === 304 || type === 'text/event-stream' || status === 204) {
      return { route, fault: undefined, codes: [], data: undefined };
    }
    if (operation === undefined && status < 400) {
      return { route, fault: undefined, codes: [], data: undefined };
    }
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      return { route, fault: `is not JSON: ${body.slice(0, 200)}`, codes: [], data: undefined };
    }
    const fault =
      operation === undefined || (!isFramed && status >= 400)
        ? this.#formFault('error', type === PROBLEM ? PROBLEM_REF : ERROR_REF, type, parsed)
        : this.#declaredFault(operation, answer, parsed);
    if (status < 400) return { route, fault, codes: [], data: Object(parsed).data };
    const { codes, codeFault } = codesOf(parsed, status);
    return { route, fault: fault ?? codeFault, codes, data: undefined };
  }

  /** The operation at a path as it is written; none where its escapes are broken. */
  #operationAt(method: string, target: string): Operation | undefined {
    const path = target.split(/[?#]/, 1)[0] ?? '';
    try {
      decodeURIComponent(path);
    } catch {
      return undefined;
    }
    // Only paths with GET take HEAD.
    const wanted = method === 'HEAD' ? 'GET' : method;
    return this.#operations.find(
      ({ operation, pattern }) => operation.method === wanted && pattern.test(path),
    )?.operation;
  }

  #declaredFault(
    { id, path, method, described }: Operation,
    { status, type }: WireAnswer,
    parsed: unknown,
  ): string | undefined {
    const declared = described.responses[status]?.content;
    const codes = status >= 400 ? codesOf(parsed, status).codes.join(', ') : '';
    if (declared === undefined) return `the status is not declared (${codes})`;
    if (declared[type] === undefined) return `the type ${type} is not declared (${codes})`;
    const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type];
    const $ref = `openapi#/${[...pointer, 'schema'].map(pointerPart).join('/')}`;
    return this.#formFault(`${id} ${status} ${type}`, { $ref }, type, parsed);
  }

  #formFault(
    name: string,
    schema: AnySchemaObject,
    type: string,
    parsed: unknown,
  ): string | undefined {
    const known = `${name} ${type}`;
    const validate = this.#validators.get(known) ?? this.#ajv.compile(schema);
    this.#validators.set(known, validate);
    if (validate(parsed)) return undefined;
    return `breaks its schema: ${this.#ajv.errorsText(validate.errors).slice(0, 300)}`;
  }
}

/** Exact conditions of an error, and whether they belong to its status. */
function codesOf(parsed: unknown, status: number) {
  const read = errorBody.safeParse(parsed);
  if (!read.success) return { codes: [], codeFault: 'is no error' };
  const error = 'error' in read.data ? Object(read.data.error) : read.data;
  const codes = [...new Set(details.parse(error.details).map(({ code }) => code))];
  const isKnown = Object.entries(SPEC_CODES).some(
    ([code, spec]) => code === error.code && spec.status === status,
  );
  if (!isKnown || error.status !== status) {
    return { codes, codeFault: `says ${error.code} and ${error.status} with ${status}` };
  }
  // A failed job has its own conditions beside the one that reports the failure.
  const wrong = codes.filter(
    (code) => code !== 'SERVICE_JOB_FAILED' && ERROR_TABLE[code]?.answers !== error.code,
  );
  const codeFault = wrong.length === 0 ? undefined : `${wrong.join(', ')} with ${error.code}`;
  return { codes, codeFault };
}

/** A part of a JSON pointer in the fragment of a URL. */
function pointerPart(part: string | number): string {
  return encodeURIComponent(`${part}`.replaceAll('~', '~0').replaceAll('/', '~1'));
}
