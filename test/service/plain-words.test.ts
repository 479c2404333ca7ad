/**
 * Faults of a request are named in plain words: which field, what it must be. The first part walks
 * every schema of what the service is sent and provokes every kind of fault at every place; the second spoils whole
 * requests, so that what is checked by hand is heard, too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CodedError, type Fault } from '../../src/errors/coded-error.ts';
import { formFaults, unwrapped } from '../../src/errors/form-faults.ts';
import { circuitBody } from '../../src/service/circuits/circuit-schema.ts';
import { readCircuit } from '../../src/service/circuits/read-circuit.ts';
import { JOB_RESOURCES } from '../../src/service/jobs/job-resources.ts';
import { jobParams, jobQuery } from '../../src/service/jobs/job-schema.ts';
import { auditQuery } from '../../src/service/keys/key-routes.ts';
import { readClassification, readTextRequest } from '../../src/service/models/inference-body.ts';
import { classificationBody, textBody } from '../../src/service/models/model-schema.ts';
import { readTask } from '../../src/service/work/read-task.ts';
import { readTpuJob } from '../../src/service/work/tpu-jobs.ts';
import { tpuJobBody } from '../../src/service/work/tpu-schema.ts';
import { AGENTS } from '../../src/workloads/agents/agents.ts';
import { TPU_PROCEDURES } from '../../src/workloads/tpu/tpu-procedures.ts';
import { FakeProcessor } from './support/fake-processor.ts';

/** Words of validators and of JavaScript, which mean nothing to a physicist. */
const RAW =
  /Invalid|\breceived\b|expected (a )?(string|number|int|array|object|boolean|record)|Unrecognized|Too (small|big)|[<>]=|undefined|NaN|\[object|match pattern/;
/** Parts of a message from which a reader knows what to change. */
const REMEDY = /must (be|have)|is missing; give|Did you mean|leave it out|takes|Name something/;

type Path = readonly PropertyKey[];

interface Place {
  readonly path: Path;
  readonly schema: z.ZodType;
}

/** Every place that a schema describes; of a list the first entry, of a record one name. */
function* placesOf(schema: z.ZodType, path: Path = []): Generator<Place> {
  yield { path, schema };
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    for (const [name, field] of Object.entries<z.ZodType>(inner.shape)) {
      yield* placesOf(field, [...path, name]);
    }
  } else if (inner instanceof z.ZodArray) yield* placesOf(inner.element as z.ZodType, [...path, 0]);
  else if (inner instanceof z.ZodRecord)
    yield* placesOf(inner.valueType as z.ZodType, [...path, 'a']);
  else if (inner instanceof z.ZodTuple) {
    for (const [i, item] of inner.def.items.entries())
      yield* placesOf(item as z.ZodType, [...path, i]);
  } else if (inner instanceof z.ZodUnion) {
    for (const option of inner.options) yield* placesOf(option as z.ZodType, path);
  }
}

/** Values that the schema may refuse, one at least for each kind of fault that it knows. */
function wrongValues(schema: z.ZodType): readonly unknown[] {
  const inner = unwrapped(schema);
  const any = [
    undefined,
    null,
    'nonsense',
    'pi/2',
    '7',
    '',
    0.5,
    -1,
    1e300,
    Infinity,
    true,
    [],
    {},
  ];
  if (inner instanceof z.ZodNumber) {
    return [...any, Number(inner.minValue) - 1, Number(inner.maxValue) + 1];
  }
  if (inner instanceof z.ZodString) {
    return [...any, 'x'.repeat(Math.min(1e6, (inner.maxLength ?? 0) + 1)), '\u0000'];
  }
  if (inner instanceof z.ZodEnum) return [...any, `${inner.options[0]}x`];
  if (inner instanceof z.ZodArray) return [...any, new Array(lengthBeyond(inner)).fill(null)];
  if (inner instanceof z.ZodTuple) return [...any, [1, 2, 3, 4, 5, 6, 7, 8, 9]];
  if (inner instanceof z.ZodRecord) return [...any, { ['x'.repeat(5000)]: 1 }];
  if (inner instanceof z.ZodObject) {
    const [first = 'field'] = Object.keys(inner.shape);
    return [...any, { [`${first}x`]: 1 }, { whatEverElse: 1 }];
  }
  return any;
}

/** Longer than the list may be; 1 where it may have any length. */
function lengthBeyond({ def }: z.ZodArray): number {
  const bounds = (def.checks ?? []).map(({ _zod }) =>
    'maximum' in _zod.def ? _zod.def.maximum : 0,
  );
  return Math.max(0, ...bounds.map(Number)) + 1;
}

/** A value with one thing in it. */
function around(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => {
    if (typeof key !== 'number') return inner === undefined ? {} : { [key]: inner };
    return [...new Array(key).fill(null), inner];
  }, value);
}

/** Messages that have raw words in them, or are no sentences. */
function notPlain(faults: readonly Fault[], of: string): readonly string[] {
  return faults
    .filter(({ message }) => !/^[-A-Za-z0-9"].*[.?]$/s.test(message))
    .concat(faults.filter(({ path, message }) => RAW.test(`${of}: ${path}: ${message}`)))
    .map(({ path, message }) => `${of}: ${path}: ${message}`);
}

function expectPlain(faults: readonly Fault[], of: string): void {
  expect(notPlain(faults, of)).toEqual([]);
}

/** Schemas of what the service answers: nobody is told of faults in it. */
const ANSWERS =
  /(Record|Result|List|Detail|Summary|Fleet)$|^(processor|agent|status|compiledCircuit)$/;

const schemas = new Map<string, z.ZodType>();
const SERVICE = new URL('../../src/service/', import.meta.url);
for (const file of readdirSync(SERVICE, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('.ts') || !readFileSync(new URL(file, SERVICE), 'utf8').includes("'zod'")) {
    continue;
  }
  const module: object = await import(new URL(file, SERVICE).href);
  for (const [name, value] of Object.entries(module)) {
    if (value instanceof z.ZodType && !ANSWERS.test(name)) schemas.set(`${file} ${name}`, value);
  }
}
schemas.set('query of the audit log', auditQuery);
for (const resource of JOB_RESOURCES) {
  schemas.set(`query of ${resource.noun}`, jobQuery(resource));
  schemas.set(`path of ${resource.noun}`, jobParams(resource));
}
const procedures = [...AGENTS.flatMap((agent) => agent.procedures), ...TPU_PROCEDURES];
for (const { name, input } of procedures) schemas.set(`input of ${name}`, input);

const codesSeen = new Set<string>();

test.each([...schemas])(
  'every fault that %s can find names its field and a remedy',
  (of, schema) => {
    // Tens of thousands of faults: one expectation for each would take most of the time.
    const bad: string[] = [];
    for (const place of placesOf(schema)) {
      for (const wrong of wrongValues(place.schema)) {
        const value = around(place.path, wrong);
        const parsed = schema.safeParse(value);
        if (parsed.success || place.schema.safeParse(wrong).success) continue;
        for (const { code } of parsed.error.issues) codesSeen.add(code);
        const faults = formFaults(parsed.error, schema, value);
        if (faults.length === 0) bad.push(`no fault in ${JSON.stringify(value)?.slice(0, 100)}`);
        bad.push(...notPlain(faults, of));
        for (const { path, message } of faults) {
          // A name that is too long to repeat is cut; of the whole body something may be asked by name.
          const name = /[\w$-]+(?:\[\d+\])*$/.exec(path)?.[0] ?? '';
          if (!REMEDY.test(message)) bad.push(`no remedy: ${path}: ${message}`);
          if (!message.includes(name)) bad.push(`no name: ${path}: ${message}`);
        }
      }
    }
    expect(bad).toEqual([]);
  },
);

test('every kind of fault was among them', () => {
  expect([...codesSeen].sort()).toEqual([
    'custom',
    'invalid_format',
    'invalid_key',
    'invalid_type',
    'invalid_union',
    'invalid_value',
    'too_big',
    'too_small',
    'unrecognized_keys',
  ]);
});

describe('formFaults', () => {
  const shape = z.strictObject({
    shots: z.int().min(1).max(1000),
    theta: z.number().optional(),
    level: z.enum(['low', 'high']).optional(),
    qubits: z.array(z.int().min(0)).min(1).optional(),
    name: z.string().max(3).optional(),
  });
  test.each([
    [{ shots: 0 }, 'shots must be at least 1, not 0.'],
    [{ shots: 1001 }, 'shots must be at most 1000, not 1001.'],
    [{ shots: 0.5 }, 'shots must be a whole number, not 0.5.'],
    [
      { shots: '10' },
      'shots must be a whole number, not the string "10"; write 10 without quotation marks.',
    ],
    [
      { shots: 1, theta: '90°' },
      `theta must be a number, not the string "90°"; angles are in radians, and 90 degrees are ${Math.PI / 2}.`,
    ],
    [
      { shots: 1, theta: '-3*pi/4' },
      `theta must be a number, not the string "-3*pi/4"; write -3*pi/4 as a number in radians, ${(-3 * Math.PI) / 4}.`,
    ],
    [
      { shots: 1, theta: null },
      'theta must be a number, not null; leave the field out if it has no value (a number that is not finite becomes null in JSON).',
    ],
    [
      { shots: 1, level: 'hihg' },
      'level must be low or high, not the string "hihg". Did you mean high?',
    ],
    [{ shots: 1, qubits: 0 }, 'qubits must be a list, not 0; write [0].'],
    [{ shots: 1, qubits: [] }, 'qubits must have at least 1 entry; it has 0.'],
    [{ shots: 1, qubits: [-1] }, 'qubits[0] must be at least 0, not -1.'],
    [{ shots: 1, name: 'long' }, 'name must have at most 3 characters; it has 4.'],
    [{ shots: 1, shot: 1 }, 'There is no field "shot" here. Did you mean shots?'],
    [{}, 'shots is missing; give a whole number.'],
    [[], 'The body must be a JSON object, not a list.'],
  ])('%j: %s', (value, message) => {
    const { error } = shape.safeParse(value);
    expect(error && formFaults(error, shape, value).map((fault) => fault.message)).toEqual([
      message,
    ]);
  });
});

describe('a spoilt request', () => {
  const targets = [{ spec: new FakeProcessor().spec, available: true }];
  const simulators = ['statevector-sim'];
  const examples = (schema: z.ZodType) => {
    const given = schema.meta()?.['examples'];
    return Array.isArray(given) ? given : [];
  };
  const read: readonly (readonly [string, object, (body: unknown) => unknown])[] = [
    ...examples(circuitBody).map(
      (body) => ['circuit', body, (spoilt: unknown) => readCircuit(spoilt, targets)] as const,
    ),
    ...examples(classificationBody).map(
      (body) =>
        ['classification', body, (spoilt: unknown) => readClassification(spoilt, () => 1)] as const,
    ),
    ...examples(textBody).map(
      (body) => ['text', body, (spoilt: unknown) => readTextRequest(spoilt, 100)] as const,
    ),
    ...examples(tpuJobBody).map(
      (body) => ['TPU job', body, (spoilt: unknown) => readTpuJob(spoilt, simulators)] as const,
    ),
    ...AGENTS.flatMap(({ id, procedures: own }) =>
      own.map(
        ({ name, example }) =>
          [
            name,
            { task: name, input: example },
            (spoilt: unknown) => readTask(spoilt, id, simulators),
          ] as const,
      ),
    ),
  ];

  test.each(read)(
    '(%s) is refused in plain words wherever it is spoilt: %j',
    async (of, body, readIt) => {
      let numRefused = 0;
      for (const path of pathsIn(body)) {
        for (const wrong of [null, 'nonsense', -1, 0.5, 1e12, true, [], {}, [[]], { x: 1 }]) {
          const faults = await faultsOf(() => readIt(replaced(body, path, wrong)));
          numRefused += Math.min(1, faults.length);
          expectPlain(faults, of);
        }
      }
      expect(numRefused).toBeGreaterThan(0);
    },
  );

  async function faultsOf(readIt: () => unknown): Promise<readonly Fault[]> {
    try {
      await readIt();
      return [];
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      expect(error.message).not.toMatch(RAW);
      return error.faults;
    }
  }

  function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
    yield path;
    if (typeof value !== 'object' || value === null) return;
    // Of a long list the first entries are as good as all.
    for (const [key, inner] of Object.entries(value).slice(0, 8)) {
      yield* pathsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  }

  function replaced(value: unknown, path: Path, by: unknown): unknown {
    const [key, ...rest] = path;
    if (key === undefined) return by;
    const copy: object = Array.isArray(value) ? [...value] : { ...Object(value) };
    return Object.assign(copy, { [key]: replaced(Object(value)[key], rest, by) });
  }
});
