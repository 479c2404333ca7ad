/** Bodies that begin well and are then broken: always 400 with a path, never 500, never a hang. */
import fc from 'fast-check';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseJsonBody, registerJsonBody } from '../../src/service/http/json-body.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const qubit = fc.integer({ min: 0, max: 3 });
const angle = fc.double({ noNaN: true, min: -10, max: 10 });
const operation = fc.oneof(
  fc.record({ gate: fc.constantFrom('H', 'x', 'T'), qubit }),
  fc.record({ gate: fc.constantFrom('rx', 'RZ'), qubit, theta: angle }),
  fc.record({ gate: fc.constant('CX'), control: fc.constant(0), target: fc.constant(1) }),
  fc.record({ gate: fc.constant('M'), qubits: fc.constant([0, 1]) }),
);
const goodBody = fc.record({
  circuit: fc.array(operation, { minLength: 1, maxLength: 8 }),
  target_processor: fc.constant('statevector-sim'),
  shots: fc.integer({ min: 1, max: 1000 }),
  seed: fc.maxSafeNat(),
  priority: fc.constantFrom('low', 'normal', 'high'),
});

/** Values that are wrong wherever they stand in a good body. */
const wrongValue = fc.constantFrom<unknown>(
  null,
  '',
  -1,
  1e300,
  0.5,
  true,
  {},
  [[]],
  [[[[null]]]],
  { toString: 1 },
  'x'.repeat(500),
  '\u0000',
  { constructor: { prototype: {} } },
);

/** Every place of a value: the list of keys that leads there. */
function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

type Change = (holder: Record<string, unknown>, key: string) => void;

/** A copy with one place changed. */
function changed(value: object, path: readonly string[], change: Change): unknown {
  const copy = { root: structuredClone(value) };
  const keys = ['root', ...path];
  const last = keys.pop() ?? 'root';
  let holder: Record<string, unknown> = copy;
  // Checked: the path was read off the value itself.
  for (const key of keys) holder = holder[key] as Record<string, unknown>;
  change(holder, last);
  return copy.root;
}

const mutated = fc
  .tuple(goodBody, fc.nat(), wrongValue, fc.constantFrom('replace', 'add', 'spoil'))
  .map(([body, at, wrong, how]) => {
    const all = places(body);
    const path = all[at % all.length] ?? [];
    if (how === 'spoil') {
      const text = JSON.stringify(body);
      return text.slice(0, at % text.length);
    }
    if (how === 'add') return JSON.stringify({ ...body, [`extra${at}`]: wrong });
    return JSON.stringify(
      changed(body, path, (holder, key) => {
        // Any number is an angle.
        holder[key] = key === 'theta' && typeof wrong === 'number' ? `${wrong}` : wrong;
      }),
    );
  });

test('200 good bodies, each broken in one place, answer 400 with the path of a fault', async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      const answer = await service.submit(text);
      const { error } = answer.json();
      expect([text, answer.statusCode]).toEqual([text, 400]);
      expect(error.details.length).toBeGreaterThan(0);
      for (const { path, message } of error.details) {
        expect(path).toEqual(expect.any(String));
        expect(message).toMatch(/./);
      }
      expect(service.processor.tasks).toHaveLength(0);
    }),
    { numRuns: 200, seed: 20260102 },
  );
});

test('the good bodies themselves are taken', async () => {
  await using own = await openTestService();
  await fc.assert(
    fc.asyncProperty(goodBody, async (body) => {
      expect((await own.submit(body)).statusCode).toBe(201);
    }),
    { numRuns: 50, seed: 20260103 },
  );
});

test('200 arbitrary JSON values answer 400', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (text) => {
      expect((await service.submit(text)).statusCode).toBe(400);
    }),
    { numRuns: 200, seed: 20260104 },
  );
});

// So long that quadratic time, some 10^13 steps, would take hours; linear time takes a second or less.
test.each([
  ['brackets', '['.repeat(8_000_000)],
  ['objects', '{"a":'.repeat(3_200_000)],
  ['balanced brackets', '['.repeat(8_000_000) + ']'.repeat(8_000_000)],
  ['a string of brackets that never ends', `"${'['.repeat(16_000_000)}`],
  ['backslashes in a string that ends in one', `{"a":"${'\\'.repeat(15_999_993)}`],
  ['digits of one number', `{"shots":${'9'.repeat(16_000_000)}}`],
])('sixteen megabytes of %s answer 400 and hang nothing', async (_what, text) => {
  await using roomy = await openTestService({ settings: { bodyLimitBytes: 16 * 1024 * 1024 } });
  expect((await roomy.submit(text)).statusCode).toBe(400);
  expect((await roomy.submit('{"a":"\\')).statusCode).toBe(400);
});

test.each([
  ['at the top', '{"__proto__":{"shots":1}}', '__proto__'],
  ['in a gate', '{"circuit":[{"gate":"H","__proto__":1}]}', 'circuit[0].__proto__'],
  ['spelt with escapes', '{"\\u005f_proto__":1}', '__proto__'],
])('a field called __proto__ %s answers 400 and pollutes nothing', async (_where, text, path) => {
  const answer = await service.submit(text);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toMatchObject([{ path }]);
  expect(Object.hasOwn(Object.prototype, 'shots')).toBe(false);
});

test('a body is read down to 32 levels and no further', async () => {
  const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  const codeOf = async (text: string) => (await service.submit(text)).json().error.details[0].code;
  expect(await codeOf(nested(32))).toBe('SERVICE_REQUEST_INVALID');
  expect(await codeOf(nested(33))).toBe('SERVICE_BODY_MALFORMED');
  expect(await codeOf(`{"a":"\\u0041","b":${nested(400_000)}}`)).toBe('SERVICE_BODY_MALFORMED');
});

test('brackets and prototypes inside texts are no structure', async () => {
  const name = `${'['.repeat(60)} \\" __proto__`;
  const answer = await service.submit(`{"circuit":[{"gate":"${name}"}]}`);
  const paths = answer.json().error.details.map(({ path }: { path: string }) => path);
  expect(paths).toContain('circuit[0].gate');
});

test.each([
  ['content-encoding', 'gzip'],
  ['content-type', 'application/json; charset=utf-16'],
])('a body with %s: %s answers 400 that names it', async (name, value) => {
  const answer = await service.request({
    method: 'POST',
    url: '/quantum/circuits',
    headers: { 'content-type': 'application/json', [name]: value },
    payload: '{}',
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.message).toContain(value.split('=').at(-1));
});

test('an object of more fields than any schema takes is refused before it is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const fields = Array.from({ length: 4097 }, (_, i) => `"name${i}":[{"a:b":0}]`);
  const answer = await service.submit(`{"inputs":{${fields.join(',')}}}`);
  const parsed = parse.mock.calls.filter(([text]) => text.includes('name4096'));
  parse.mockRestore();
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.message).toContain('inputs has more than 4096 fields');
  expect(parsed).toEqual([]);
});

test.each([
  [
    'a list of more entries than any circuit has gates',
    `"programs":[{"return":[1,2],"inputs":{"a,[b":[${'0,'.repeat(2_000_000)}0]}}]`,
    'programs[0].inputs["a,[b"] has more than 2000000 entries.',
  ],
  [
    'more lists and objects than any request of its length',
    `"programs":[${'[],'.repeat(20_000)}[]]`,
    'it has more lists and objects than any request of its length.',
  ],
])('%s is refused before it is parsed', async (_, fields, problem) => {
  const parse = vi.spyOn(JSON, 'parse');
  const text = `{"not-parsed":0,${fields}}`;
  const answer = (() => {
    try {
      return parseJsonBody(Buffer.from(text));
    } catch (error) {
      return error;
    }
  })();
  const parsed = parse.mock.calls.filter(([given]) => given.includes('not-parsed'));
  parse.mockRestore();
  expect(answer).toMatchObject({ code: 'SERVICE_BODY_MALFORMED', faults: [{ message: problem }] });
  expect(parsed).toEqual([]);
});

test.each([
  ['POST', '/quantum/circuits/circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35/cancel'],
  ['POST', '/tasks/task_0199f3a2c5d87c3e9b1f2a4d6c8e0b35/retry'],
  ['DELETE', '/tpu/jobs/tpujob_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'],
] as const)('%s %s takes no large body', async (method, path) => {
  const answer = await service.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
    payload: `[${'0,'.repeat(50_000)}0]`,
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toEqual([
    expect.objectContaining({ code: 'SERVICE_BODY_TOO_LARGE' }),
  ]);
});

test('sizeable bodies that arrive together are read in a turn of the event loop each', async () => {
  const app = Fastify();
  registerJsonBody(app, { reserve: () => ({ [Symbol.dispose]() {} }) }, 2 ** 20);
  let turn = 0;
  let counting = setImmediate(function count() {
    turn++;
    counting = setImmediate(count);
  });
  const turns: number[] = [];
  app.post('/', async () => {
    turns.push(turn);
    return {};
  });
  const headers = { 'content-type': 'application/json' };
  const payload = JSON.stringify('a'.repeat(5000));
  await Promise.all(
    Array.from({ length: 5 }, () => app.inject({ method: 'POST', url: '/', headers, payload })),
  );
  clearImmediate(counting);
  await app.close();
  expect(new Set(turns).size).toBe(5);
});
