/** Bodies of inferences that are made to be long: what they cost, and what is said of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClassification, readTextRequest } from '../../src/service/models/inference-body.ts';
import { type ModelService, openModelService } from './support/model-service.ts';

const INFERENCE = '/models/qnn-hybrid/inference';
const TEXT = '/models/llma-text/inference';
const MAX_BODY_BYTES = 256 * 1024;

let models: ModelService;
beforeAll(async () => {
  models = await openModelService({ settings: { bodyLimitBytes: 16 * 1024 * 1024 } });
});
afterAll(() => models[Symbol.asyncDispose]());

const post = (url: string, payload: string) =>
  models.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload,
  });

/** As many of the element as a body has room for. */
function filled(head: string, element: string, tail: string): string {
  const room = MAX_BODY_BYTES - head.length - tail.length;
  return (
    head +
    Array(Math.floor(room / (element.length + 1)))
      .fill(element)
      .join(',') +
    tail
  );
}

/** A value that counts how often one of its elements or fields is looked at, at any depth. */
function watched<T extends object>(value: T) {
  let looks = 0;
  const watch = <V extends object>(inner: V): V =>
    new Proxy(inner, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (!Object.prototype.propertyIsEnumerable.call(target, name)) return found;
        looks++;
        return typeof found === 'object' && found !== null ? watch(found) : found;
      },
    });
  return { value: watch(value), looks: () => looks };
}

describe.each([INFERENCE, TEXT])('POST %s', (url) => {
  test('takes no body over 256 KiB, whatever the service takes elsewhere', async () => {
    const answer = await post(url, `{"input":"${'x'.repeat(MAX_BODY_BYTES - 11)}"}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain(`${MAX_BODY_BYTES} bytes`);
  });

  test('takes one of 256 KiB for what it is', async () => {
    const answer = await post(url, `{"input":"${'x'.repeat(MAX_BODY_BYTES - 12)}"}`);
    // The text model of this service has no upstream.
    expect(answer.statusCode).toBe(url === TEXT ? 503 : 400);
  });
});

describe('a list longer than any good one', () => {
  test.each([
    ['rows', 'inputs', 257, (list: unknown) => ({ inputs: list })],
    ['a row', 'input', 5, (list: unknown) => ({ input: list })],
    ['a row among others', 'inputs[1]', 5, (list: unknown) => ({ inputs: [[5, 3, 5, 1], list] })],
    [
      'a theta',
      'parameters.theta',
      1025,
      (list: unknown) => ({ input: [0, 0, 0, 0], parameters: { theta: list } }),
    ],
  ])('is one fault, and its elements are not looked at: %s', (_, path, length, bodyOf) => {
    const { value: list, looks } = watched(Array(length).fill(''));
    expect(() => readClassification(bodyOf(list), () => 1)).toThrow(
      expect.objectContaining({
        faults: [{ path, message: expect.stringContaining(`has ${length} `) }],
      }),
    );
    expect(looks()).toBe(0);
  });

  test.each([
    ['a request to classify', (body: unknown) => readClassification(body, () => 1), ''],
    [
      'its parameters',
      (body: unknown) => readClassification({ parameters: body, input: [5, 3, 5, 1] }, () => 1),
      'parameters',
    ],
    ['a request for text', (body: unknown) => readTextRequest(body, 1024), ''],
    [
      'its parameters',
      (body: unknown) => readTextRequest({ input: 'a', parameters: body }, 1024),
      'parameters',
    ],
  ])('holds for fields, too: %s', (_, read, path) => {
    const fields = Object.fromEntries(Array.from({ length: 33 }, (_none, i) => [`f${i}`, i]));
    expect(() => read(fields)).toThrow(
      expect.objectContaining({
        faults: expect.arrayContaining([{ path, message: 'has 33 fields; at most 32 are read.' }]),
      }),
    );
  });

  test('leaves the faults of other fields to be told', () => {
    const body = { inputs: Array(300).fill(''), shots: 0, seed: 'x', parameters: { theta: [1] } };
    expect(() => readClassification(body, () => 1)).toThrow(
      expect.objectContaining({
        faults: ['inputs', 'seed', 'shots', 'parameters.theta'].map((path) =>
          expect.objectContaining({ path }),
        ),
      }),
    );
  });
});

const ROW = '["","","",""]';
const manyFields = (length: number) =>
  `{${Array.from({ length }, (_, i) => `"f${i}":1`).join(',')}}`;

test.each([
  ['rows of the wrong type', filled('{"inputs":[', '""', ']}')],
  ['empty rows', filled('{"inputs":[', '[]', ']}')],
  ['a row without end', filled('{"input":[', '1', ']}')],
  ['a theta without end', filled('{"parameters":{"theta":[', '""', ']}}')],
  [
    'as much as is looked at',
    `{"inputs":[${Array(256).fill(ROW)}],"input":${ROW},"parameters":{"theta":[${Array(1024).fill('""')}]}}`,
  ],
  ['long rows', `{"inputs":[${Array(256).fill(`[${Array(500).fill(1)}]`)}]}`],
  ['unknown fields', manyFields(24_000)],
  ['unknown parameters', `{"parameters":${manyFields(24_000)}}`],
  ['depth', `{"inputs":${'['.repeat(130_000)}${']'.repeat(130_000)}}`],
  ['depth of objects', `${'{"inputs":'.repeat(23_000)}1${'}'.repeat(23_000)}`],
  ['a number of many digits', `{"shots":${'9'.repeat(260_000)}}`],
])('a body of 256 KiB is refused after few looks, in few words: %s', async (_, body) => {
  expect(body.length).toBeLessThanOrEqual(MAX_BODY_BYTES);
  for (const url of [INFERENCE, TEXT]) {
    const answer = await post(url, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(8192);
  }
  const value: object = JSON.parse(body);
  for (const read of [
    (whole: unknown) => readClassification(whole, () => 1),
    (whole: unknown) => readTextRequest(whole, 1024),
  ]) {
    const { value: whole, looks } = watched(value);
    expect(() => read(whole)).toThrow(expect.objectContaining({ faults: expect.any(Array) }));
    // The longest good body has some two thousand numbers; each is looked at a few times.
    expect(looks()).toBeLessThan(10_000);
  }
});
