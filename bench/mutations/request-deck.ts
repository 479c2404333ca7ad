/**
 * Requests to every operation of the OpenAPI document, most of them broken in some way. A request
 * depends only on the seed and its number, except for ids of jobs and keys, which the service
 * draws.
 */
import { RandomStream } from '../../test/support/random-stream.ts';
import type { PublishedWork } from '../../test/support/service-client.ts';
import { API_PREFIX, type OpenApi, type Operation, operationsOf } from './answer-check.ts';
import { mutatedBytes, mutatedJson, withMutatedProgram } from './mutate.ts';
import { JSON_BODIES, OPENQASM_PROGRAMS } from './seed-bodies.ts';

/** A valid body, and its path if the operation's path is a pattern. */
interface Seed {
  readonly body: unknown;
  readonly path?: string;
}

/** A request ready to be sent. */
export interface MutatedRequest {
  readonly number: number;
  readonly method: string;
  readonly target: string;
  readonly bytes: Buffer;
  /** Whether the request ends where its framing says. */
  readonly isFramed: boolean;
  /** API key of the request; undefined without one. */
  readonly key: string | undefined;
  /** Mutations that made this request from its example. */
  readonly mutations: readonly string[];
}

/** An id, and the key that may see its object. */
export interface OwnedId {
  readonly id: string;
  readonly key: string;
}

/** Ids that requests may use: of jobs by parameter name, and of keys made for the purpose. */
export type IdPools = Readonly<
  Record<'circuit_id' | 'task_id' | 'job_id' | 'key_id', readonly OwnedId[]>
>;

/** Keys by their scopes. */
export interface BenchKeys {
  /** All scopes. */
  readonly whole: readonly string[];
  /** Some scopes. */
  readonly narrow: readonly string[];
}

const NUMBERS_A_SEED = 2 ** 32;

/** Relative frequency of an operation; 3 by default. */
const WEIGHTS: Readonly<Record<string, number>> = {
  submitCircuit: 60,
  compileCircuit: 40,
  runInference: 30,
  executeTask: 40,
  submitTpuJob: 20,
  submitPlan: 20,
  runDemo: 6,
  // Each request makes a key that stays.
  createKey: 2,
};
/** Only these are put into maintenance; the other requests need the rest. */
const MAINTAINED = ['superconducting-1', 'gpu-46', 'gpu-47', 'gpu-99', 'no-such-thing'];
const FIXED_IDS: Readonly<Record<string, readonly string[]>> = {
  processor_id: ['statevector-sim', 'gpu-fleet', 'superconducting-1', 'no-such-processor'],
  device_id: ['gpu-00', 'gpu-17', 'gpu-47', 'gpu-48', 'no-such-device'],
  agent_id: ['computation', 'research', 'security', 'design', 'robotics', 'no-such-agent'],
  system_id: ['qvm', 'quantum-os', 'asi', 'llma', 'no-such-system'],
  model_id: ['qnn-hybrid', 'qnn-hybrid', 'llma-text', 'no-such-model'],
};
const MADE_UP_IDS: Readonly<Record<keyof IdPools, string>> = {
  circuit_id: 'circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
  task_id: 'task_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
  job_id: 'tpujob_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
  key_id: '0123456789abcdef',
};

type Header = readonly [name: string, value: string];

/** Values of a header; sent as Latin-1. */
const HEADER_VALUES: readonly Header[] = [
  ...[
    ...['respond-async', 'wait=0', 'wait=1', 'wait=-1', 'wait=1e3', 'wait=0x1', 'wait', 'wait=""'],
    ...['respond-async, wait=1', 'respond-async;a=b', 'return=minimal', ';;;,,,', '"', 'wait="1'],
    ...['WAIT = 1', 'respond-async,'.repeat(300), 'a='.padEnd(5000, '\\"'), 'wait=1\xff', ''],
  ].map((value): Header => ['prefer', value]),
  ...[
    ...['a', 'b', '', ' ', '\t', 'k'.repeat(255), 'k'.repeat(256), '\xe9\xff', 'a, b', '"a"'],
    ...['__proto__', 'a\tb', '%00', 'k'.repeat(9000)],
  ].map((value): Header => ['idempotency-key', value]),
  ...[
    ...['application/json; charset=utf-8', 'application/json; charset=utf-16', 'text/plain', ''],
    ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/JSON'],
    ...['application/json; charset', 'application/jsonp', '/', '\xff', 'a/b;'.repeat(500)],
    ...['application/json, text/plain', 'application/problem+json', 'application/json;'],
  ].map((value): Header => ['content-type', value]),
  ...[
    ...['application/problem+json', 'application/problem+json;q=0', '*/*', 'text/html', '', '\xff'],
    ...['application/problem+json;q=foo', 'a/b,'.repeat(1000), 'text/event-stream', 'q=,;'],
  ].map((value): Header => ['accept', value]),
  ...[
    ...['1.2.3.4', '::1', 'unknown', '1.2.3.4, 5.6.7.8', '::ffff:1.2.3.4', '[::1]:80', '', '\xff'],
    ...['1.2.3.4,'.repeat(1000), '999.999.999.999', '__proto__', '<script>'],
  ].map((value): Header => ['x-forwarded-for', value]),
  ['forwarded', 'for="[2001:db8::1]:4711";proto=https'],
  ['forwarded', 'for=;;for=,,"'],
  ...['my-id', '', 'x'.repeat(65), 'a b', '\xff', '../..'].map(
    (value): Header => ['x-request-id', value],
  ),
  ...['0', '1', '-1', '1e9', 'abc', '', '9'.repeat(400), '\xff'].map(
    (value): Header => ['last-event-id', value],
  ),
  ...['*', '"', 'W/"x"', '"a","b"', ','.repeat(3000)].map(
    (value): Header => ['if-none-match', value],
  ),
  ['if-modified-since', 'Thu, 99 Foo 9999'],
  ['range', 'bytes=0-1,5-,-3'],
  ['accept-encoding', 'gzip;q=1.0, *;q=0'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'x-none'],
  ['expect', '100-continue'],
  ['expect', 'miracles'],
  ['connection', 'close'],
  ['connection', 'upgrade'],
  ['upgrade', 'websocket'],
  ['te', 'trailers'],
  ['origin', 'https://example.org'],
  ['access-control-request-method', 'POST'],
  ['cookie', 'a=b; __proto__=c'],
  ['authorization', 'Bearer qcs_x'],
  ['host', 'example.org'],
  ['host', ''],
  ['x-http-method-override', 'DELETE'],
  ['x-large', 'x'.repeat(20_000)],
];
const OTHER_METHODS = [
  ...[
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'get',
    'BREW',
  ],
];
const KEYS_THAT_ARE_NONE = [
  null,
  '',
  `qcs_0123456789abcdef_${'0'.repeat(64)}`,
  'qcs_',
  '\xff\xfe',
  'k'.repeat(5000),
  '__proto__',
];
const QUERIES = [
  ...[
    'limit=0',
    'limit=1',
    'limit=100',
    'limit=101',
    'limit=-1',
    'limit=1.5',
    'limit=1e1',
    'limit=',
  ],
  ...['limit=abc', 'limit=1&limit=2', 'limit[]=1', 'limit=%00', 'limit=%F0%9F', 'LIMIT=1', 'limit'],
  ...['cursor=', 'cursor=abc', 'cursor=%FF', 'cursor[a]=b', 'cursor=..%2F..', '__proto__=1'],
  ...['__proto__[a]=1', 'constructor=1', '=', '&', '&&&=&', 'a', '%', '%zz', '?', '#', 'a=%u0041'],
  ...['status=queued', 'a=b&'.repeat(1500), 'x='.padEnd(9000, 'y'), 'limit=5&cursor=CURSOR'],
];
const PATH_INSERTS = [
  ...['/', '//', '/.', '/..', '/../', '%2e%2e', '%2f', '%00', '%', '%zz', '%c0%af', '%F0%9F', '\\'],
  ...[
    ';a=b',
    ' ',
    '\t',
    '\xe9',
    '*',
    ':id',
    '{id}',
    '+',
    '__proto__',
    'x'.repeat(201),
    'x'.repeat(9000),
  ],
  ...['/cancel', '/retry', '/events', '?', '#', '/0', '/-1'],
];

/** Generates requests. */
export class RequestDeck {
  readonly #seed: number;
  readonly #host: string;
  readonly #keys: BenchKeys;
  readonly #ids: IdPools;
  readonly #operations: readonly Operation[];
  /** Operations repeated by their frequency. */
  readonly #drawn: readonly Operation[];
  readonly #seeds = new Map<string, readonly Seed[]>();

  /** @throws Error for an operation that takes a body and has no example of one. */
  constructor(
    seed: number,
    host: string,
    keys: BenchKeys,
    ids: IdPools,
    document: OpenApi,
    published: readonly PublishedWork[],
  ) {
    this.#seed = seed;
    this.#host = host;
    this.#keys = keys;
    this.#ids = ids;
    this.#operations = operationsOf(document);
    this.#drawn = this.#operations.flatMap((each) =>
      Array<Operation>(WEIGHTS[each.id] ?? 3).fill(each),
    );
    for (const each of this.#operations) {
      if (each.described.requestBody === undefined) continue;
      const pattern = new RegExp(`^${each.path.replace(/\{.*?\}/g, '[^/]+')}$`);
      const seeds: readonly Seed[] = [
        ...examplesOf(each.described.requestBody.content['application/json'], document),
        ...(JSON_BODIES[each.id] ?? []),
      ].map((body) => ({ body }));
      const ofWork = published.filter(({ path }) => pattern.test(path));
      const all = [...seeds, ...ofWork.map(({ path, example }) => ({ path, body: example }))];
      if (all.length === 0) throw new Error(`${each.id} has no example to mutate`);
      this.#seeds.set(each.id, all);
    }
  }

  /** Generates the request of a number. */
  deal(number: number): MutatedRequest {
    const random = new RandomStream(this.#seed * NUMBERS_A_SEED + number);
    const operation = random.pick(this.#drawn);
    const mutations: string[] = [];
    const mutates = (what: string, part: number) => {
      if (random.uniform() >= part) return false;
      mutations.push(what);
      return true;
    };

    const headers: Header[] = [];
    const { path, owner } = this.#pathOf(operation, random);
    const key = this.#keyFor(owner, mutates, random);
    if (key !== undefined) headers.push(['x-api-key', key]);
    const seeds = this.#seeds.get(operation.id);
    const seed = seeds && random.pick(seeds);
    const body =
      operation.method !== 'GET' && mutates('large body', 0.002)
        ? largeBody(random)
        : bodyFor(seed, mutates, random);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    if (operation.id === 'submitCircuit' || operation.id === 'retryCircuit') {
      // A mutation may make a job long; nobody waits for it.
      headers.push(['prefer', random.pick(['respond-async', 'wait=0', 'wait=1', 'wait=1'])]);
    }
    if (mutates('header', 0.15)) changeHeaders(headers, random);

    let target = API_PREFIX + (seed?.path ?? path);
    if (mutates('path', 0.05)) target = changedPath(target, random);
    const takesQuery = operation.id.startsWith('list');
    if (mutates('query', takesQuery ? 0.6 : 0.03)) {
      target += `?${random.pick(QUERIES)}`;
      if (random.uniform() < 0.2) target += `&${random.pick(QUERIES)}`;
    }
    const method = mutates('method', 0.02) ? random.pick(OTHER_METHODS) : operation.method;
    const lies = mutates('framing', 0.01);
    const bytes = lies
      ? misframed(method, target, [...headers, ['host', this.#host]], body, random)
      : framed(method, target, this.#host, headers, body);
    return { number, method, target, bytes, isFramed: !lies, key, mutations };
  }

  /** A valid request that cancels a job. */
  cancel(path: string, { id, key }: OwnedId): MutatedRequest {
    const target = `${API_PREFIX}${path}/${id}/cancel`;
    const bytes = framed('POST', target, this.#host, [['x-api-key', key]], undefined);
    return { number: -1, method: 'POST', target, bytes, isFramed: true, key, mutations: [] };
  }

  #keyFor(
    owner: string | undefined,
    mutates: (what: string, part: number) => boolean,
    random: RandomStream,
  ): string | undefined {
    if (mutates('no key', 0.03)) return random.pick(KEYS_THAT_ARE_NONE) ?? undefined;
    if (mutates('narrow key', 0.05)) return random.pick(this.#keys.narrow);
    return owner !== undefined && random.uniform() < 0.9 ? owner : random.pick(this.#keys.whole);
  }

  /** The operation's path with ids, and the key that may see their objects. */
  #pathOf({ id, path }: Operation, random: RandomStream): { path: string; owner?: string } {
    let owner: string | undefined;
    const filled = path.replace(/\{(.*?)\}/g, (_, name: string) => {
      if (id.endsWith('Maintenance')) return random.pick(MAINTAINED);
      if (!isPooled(name)) return random.pick(FIXED_IDS[name] ?? ['x']);
      const pool = this.#ids[name];
      if (pool.length === 0 || random.uniform() < 0.1) return MADE_UP_IDS[name];
      const named = random.pick(pool);
      owner = named.key;
      return named.id;
    });
    return { path: filled, ...(owner !== undefined && { owner }) };
  }
}

/** A body larger than most routes accept. */
function largeBody(random: RandomStream): Buffer {
  const size = random.pick([100_000, 300_000, 2_000_000]);
  const part = random.pick(['0,', '[],', '{},', '"a",', ' ', '"', '[', '{"a":']);
  return Buffer.from(`[${part.repeat(size / part.length)}0]`);
}

function bodyFor(
  seed: Seed | undefined,
  mutates: (what: string, part: number) => boolean,
  random: RandomStream,
): Buffer | undefined {
  if (seed === undefined) {
    return mutates('body where none is taken', 0.03)
      ? Buffer.from(mutatedJson({ a: 1 }, 1, random))
      : undefined;
  }
  const hasProgram = Object(seed.body).qasm !== undefined;
  const body = hasProgram
    ? { ...Object(seed.body), qasm: random.pick(OPENQASM_PROGRAMS) }
    : seed.body;
  if (mutates('no body', 0.01)) return undefined;
  if (mutates('program', hasProgram ? 0.5 : 0.25)) {
    return Buffer.from(withMutatedProgram(body, random));
  }
  if (mutates('structure', 0.65)) {
    return Buffer.from(mutatedJson(body, 1 + random.below(3), random));
  }
  const text = JSON.stringify(body);
  return mutates('bytes', 0.5) ? mutatedBytes(text, random) : Buffer.from(text);
}

function isPooled(name: string): name is keyof IdPools {
  return Object.hasOwn(MADE_UP_IDS, name);
}

/** Examples of a schema, or of one that it refers to. */
function examplesOf(schema: unknown, document: OpenApi): readonly unknown[] {
  const { $ref, anyOf = [], schema: inner, examples = [], example } = Object(schema);
  const referred =
    typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) ?? ''] : inner;
  return [
    // A media type also lists its schema's examples.
    ...(Array.isArray(examples) ? examples : []),
    ...(example === undefined ? [] : [example]),
    ...(referred === undefined ? [] : examplesOf(referred, document)),
    ...[anyOf].flat().flatMap((each: unknown) => examplesOf(each, document)),
  ];
}

function changeHeaders(headers: Header[], random: RandomStream): void {
  for (let i = 1 + random.below(2); i > 0; i--) {
    const [name, value] = random.pick(HEADER_VALUES);
    const at = headers.findIndex((header) => header[0] === name);
    // Mostly replaces the existing header; else adds a second one.
    if (at >= 0 && random.uniform() < 0.8) headers.splice(at, 1, [name, value]);
    else headers.push([name, value]);
  }
}

function changedPath(target: string, random: RandomStream): string {
  const at = API_PREFIX.length * random.below(2) + random.below(target.length);
  const insert = random.pick(PATH_INSERTS);
  switch (random.below(5)) {
    case 0:
      return target.slice(0, at) + insert + target.slice(at);
    case 1:
      return target + insert;
    case 2:
      return target.slice(0, Math.max(1, at)) + target.slice(at + 1 + random.below(5));
    case 3:
      return target.toUpperCase();
    default:
      return target.replaceAll('/', random.pick(['//', '%2f', '/./', '\\']));
  }
}

function framed(
  method: string,
  target: string,
  host: string,
  headers: readonly Header[],
  body: Buffer | undefined,
): Buffer {
  const length: readonly Header[] =
    body === undefined ? [] : [['content-length', `${body.length}`]];
  return onTheWire(method, target, [['host', host], ...headers, ...length], body);
}

/** A request with contradictory or wrong framing. */
function misframed(
  method: string,
  target: string,
  headers: readonly Header[],
  body: Buffer = Buffer.alloc(0),
  random: RandomStream,
): Buffer {
  const length = body.length;
  const chunked: Header = ['transfer-encoding', 'chunked'];
  const chunk = (size: string) =>
    Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  const [lies, sent] = random.pick<readonly [readonly Header[], Buffer]>([
    [[['content-length', `${length + 7}`]], body],
    [[['content-length', `${Math.max(0, length - 7)}`]], body],
    [[['content-length', '-1']], body],
    [[['content-length', '1e3']], body],
    [[['content-length', '99999999999999999999']], body],
    [[['content-length', `${2 ** 40}`]], body],
    [
      [
        ['content-length', `${length}`],
        ['content-length', `${length + 1}`],
      ],
      body,
    ],
    [[['content-length', `${length}`], chunked], chunk(length.toString(16))],
    [[chunked], chunk(length.toString(16))],
    [[chunked], chunk((length + 5).toString(16))],
    [[chunked], chunk('zz')],
    [[chunked], chunk(`${length.toString(16)};${'e'.repeat(3000)}`)],
    [[['transfer-encoding', 'gzip, chunked']], chunk(length.toString(16))],
    [[['transfer-encoding', 'identity']], body],
    [[['bad header', 'a']], body],
    [[['a', 'b\rc']], body],
    [[['', 'a']], body],
    [[], Buffer.concat([body, Buffer.from('GET / HTTP/9.9\r\n\r\n')])],
  ]);
  return onTheWire(method, target, [...headers, ...lies], sent);
}

function onTheWire(
  method: string,
  target: string,
  headers: readonly Header[],
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
