/** Making and running plans. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type MadePlan,
  makePlan,
  type PlanAgents,
} from '../../../../src/workloads/plans/make-plan.ts';
import {
  type PlanStep,
  type PlanTask,
  parsePath,
  referencesIn,
  valueAt,
} from '../../../../src/workloads/plans/plan.ts';
import { runPlan } from '../../../../src/workloads/plans/run-plan.ts';
import type { JsonObject } from '../../../../src/workloads/procedures/json.ts';
import { procedure } from '../../../../src/workloads/procedures/procedure.ts';

const never = async () => {
  throw new Error('unreachable: plans are not run here');
};
const grow = procedure({
  name: 'grow',
  description: 'Makes a circuit.',
  input: z.strictObject({ size: z.int().min(1) }),
  limits: { deadline_ms: 1000 },
  example: { size: 1 },
  feeds: { circuit: 'circuit', trunk: 'wood' },
  run: never,
});
const cut = procedure({
  name: 'cut',
  description: 'Takes a circuit, or a text instead.',
  input: z.strictObject({
    circuit: z.array(z.int()).optional(),
    qasm: z.string().optional(),
    depth: z.int().max(5).optional(),
  }),
  check: ({ circuit, qasm }) =>
    circuit === undefined && qasm === undefined ? [{ path: 'circuit', message: 'Required.' }] : [],
  limits: { deadline_ms: 1000 },
  example: { circuit: [] },
  feeds: { circuit: 'circuit' },
  run: never,
});
const burn = procedure({
  name: 'burn',
  description: 'Takes wood.',
  input: z.strictObject({ wood: z.int() }),
  limits: { deadline_ms: 1000 },
  example: { wood: 1 },
  run: never,
});
const weigh = procedure({
  name: 'weigh',
  description: 'Takes one of two.',
  input: z.strictObject({ apples: z.int().optional(), wood: z.int().optional() }),
  check: ({ apples, wood }) =>
    apples === undefined && wood === undefined
      ? [{ path: 'apples', message: 'Required: apples, or wood instead.' }]
      : [],
  limits: { deadline_ms: 1000 },
  example: { apples: 1 },
  run: never,
});
const PROCEDURES = new Map([
  ['gardener', [grow]],
  ['cook', [cut, burn, weigh]],
]);
const AGENTS: PlanAgents = {
  ids: [...PROCEDURES.keys()],
  proceduresOf: (agent) => PROCEDURES.get(agent),
};

function task(agent: string, name: string, rest: Partial<PlanTask> = {}): PlanTask {
  return { agent, task: name, input: {}, ...rest };
}

function stepsOf(made: MadePlan): readonly PlanStep[] {
  if ('faults' in made) throw new Error(JSON.stringify(made.faults));
  return made.steps;
}

function pathsOf(tasks: readonly PlanTask[]): readonly string[] {
  const made = makePlan(tasks, AGENTS);
  return 'faults' in made ? made.faults.map(({ path }) => path) : [];
}

describe('a plan', () => {
  test('feeds a field that a task lacks from the nearest task before it that fits', () => {
    const steps = stepsOf(
      makePlan(
        [
          task('gardener', 'grow', { name: 'first', input: { size: 1 } }),
          task('gardener', 'grow', { name: 'second', input: { size: 2 } }),
          task('cook', 'cut', { name: 'third', input: { depth: 2 } }),
          task('cook', 'burn'),
        ],
        AGENTS,
      ),
    );
    expect(steps[2]?.input).toEqual({ depth: 2, circuit: { $from: 'second', path: 'circuit' } });
    expect(steps[2]?.fed).toEqual([{ field: 'circuit', from: 'second', path: 'circuit' }]);
    expect(steps[2]?.needs).toEqual(['second']);
    expect(steps[3]?.name).toBe('step4');
    expect(steps[3]?.input).toEqual({ wood: { $from: 'second', path: 'trunk' } });
  });

  test('feeds any of several fields of which one is needed', () => {
    const grown = task('gardener', 'grow', { input: { size: 1 } });
    const [, weighed] = stepsOf(makePlan([grown, task('cook', 'weigh')], AGENTS));
    expect(weighed?.input).toEqual({ wood: { $from: 'step1', path: 'trunk' } });
    const own = { wood: { $from: 'step1', path: 'size' } };
    const [, given] = stepsOf(makePlan([grown, task('cook', 'weigh', { input: own })], AGENTS));
    expect(given?.input).toEqual(own);
    expect(given?.fed).toEqual([]);
  });

  test('feeds nothing that the input has no need of', () => {
    const steps = stepsOf(
      makePlan(
        [
          task('gardener', 'grow', { input: { size: 1 } }),
          task('cook', 'cut', { input: { qasm: 'h q;' } }),
        ],
        AGENTS,
      ),
    );
    expect(steps[1]?.input).toEqual({ qasm: 'h q;' });
    expect(steps[1]?.needs).toEqual([]);
  });

  test('takes references at any depth, and waits for what it refers to', () => {
    const input = { circuit: [1, { $from: 'step1', path: 'a.b[0]' }] };
    const steps = stepsOf(
      makePlan(
        [task('gardener', 'grow', { input: { size: 1 } }), task('cook', 'cut', { input })],
        AGENTS,
      ),
    );
    expect(steps[1]?.needs).toEqual(['step1']);
    expect(steps[1]?.input).toEqual(input);
  });
});

describe('a fault', () => {
  test.each<[string, readonly PlanTask[], readonly string[]]>([
    ['an unknown agent', [task('smith', 'forge')], ['tasks[0].agent']],
    ['an unknown task', [task('cook', 'grow')], ['tasks[0].task']],
    [
      'two tasks of one name',
      [
        task('gardener', 'grow', { name: 'a', input: { size: 1 } }),
        task('gardener', 'grow', { name: 'a', input: { size: 1 } }),
      ],
      ['tasks[1].name'],
    ],
    [
      'an input that would not run',
      [task('gardener', 'grow', { input: { size: 0 } })],
      ['tasks[0].input.size'],
    ],
    ['a field that nothing feeds', [task('cook', 'cut')], ['tasks[0].input.circuit']],
    [
      'a reference to itself',
      [task('cook', 'cut', { name: 'me', input: { circuit: { $from: 'me' } } })],
      ['tasks[0].input.circuit'],
    ],
    [
      'a reference to a later task',
      [
        task('cook', 'cut', { input: { circuit: { $from: 'later' } } }),
        task('gardener', 'grow', { name: 'later', input: { size: 1 } }),
      ],
      ['tasks[0].input.circuit'],
    ],
    [
      'a reference with another field',
      [
        task('gardener', 'grow', { input: { size: 1 } }),
        task('cook', 'cut', { input: { circuit: { $from: 'step1', index: 2 } } }),
      ],
      ['tasks[1].input.circuit'],
    ],
    [
      'a path that is none',
      [
        task('gardener', 'grow', { input: { size: 1 } }),
        task('cook', 'cut', { input: { circuit: { $from: 'step1', path: 'a..b' } } }),
      ],
      ['tasks[1].input.circuit'],
    ],
    [
      'waiting for what is not before it',
      [task('gardener', 'grow', { input: { size: 1 }, after: ['x'] })],
      ['tasks[0].after[0]'],
    ],
    [
      'more references than a task may have',
      [
        task('gardener', 'grow', { input: { size: 1 } }),
        task('cook', 'cut', {
          input: { circuit: Array.from({ length: 101 }, () => ({ $from: 'step1', path: 'x' })) },
        }),
      ],
      ['tasks[1].input'],
    ],
    [
      'another field of an input that is fed',
      [
        task('gardener', 'grow', { input: { size: 1 } }),
        task('cook', 'cut', { input: { depth: 9 } }),
      ],
      ['tasks[1].input.depth'],
    ],
  ])('%s has its path', (_, tasks, paths) => {
    expect(pathsOf(tasks)).toEqual(paths);
  });
});

describe('a run', () => {
  const STEP = { agent: 'a', task: 't', fed: [] };

  test('gives each task what it refers to, and runs apart what has no need of another', async () => {
    const steps: PlanStep[] = [
      { ...STEP, name: 'a', input: { x: 1 }, needs: [] },
      { ...STEP, name: 'b', input: { x: 2 }, needs: [] },
      {
        ...STEP,
        name: 'c',
        input: {
          sum: [
            { $from: 'a', path: 'y' },
            { $from: 'b', path: 'list[1]' },
          ],
        },
        needs: ['a', 'b'],
      },
    ];
    const begun: string[] = [];
    const both = Promise.withResolvers<void>();
    const fractions: number[] = [];
    const results = await runPlan(steps, {
      onProgress: (fraction) => fractions.push(fraction),
      async runStep({ name }, input, onProgress) {
        begun.push(name);
        if (begun.length === 2) both.resolve();
        // Neither of the two goes on before the other has begun.
        await both.promise;
        onProgress(0.5);
        return name === 'c' ? input : { y: 10, list: [20, 30] };
      },
    });
    expect(results.get('c')).toEqual({ sum: [10, 30] });
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toEqual(fractions.toSorted((one, other) => one - other));
  });

  test('begins nothing after a failure, and tells it', async () => {
    const steps: PlanStep[] = [
      { ...STEP, name: 'a', input: {}, needs: [] },
      { ...STEP, name: 'b', input: {}, needs: ['a'] },
    ];
    const begun: string[] = [];
    const run = runPlan(steps, {
      onProgress: () => {},
      runStep: async ({ name }) => {
        begun.push(name);
        throw new Error('the roof fell in');
      },
    });
    await expect(run).rejects.toThrow('the roof fell in');
    expect(begun).toEqual(['a']);
  });

  test('brings together no more than an input may have, however often it refers to a result', async () => {
    const large = Array.from({ length: 1000 }, () => 'ten letters');
    const references = Array.from({ length: 100 }, () => ({ $from: 'a', path: 'large' }));
    const steps: PlanStep[] = [
      { ...STEP, name: 'a', input: {}, needs: [] },
      { ...STEP, name: 'b', input: { lists: references }, needs: ['a'] },
      { ...STEP, name: 'c', input: { lists: [...references, ...references] }, needs: ['a'] },
    ];
    const run = (some: readonly PlanStep[]) =>
      runPlan(some, { onProgress: () => {}, runStep: async () => ({ large }) });
    expect((await run(steps.slice(0, 2))).size).toBe(2);
    await expect(run(steps)).rejects.toMatchObject({ code: 'WORKLOADS_PLAN_INPUT' });
  });

  test('says which part of a result is not there', async () => {
    const steps: PlanStep[] = [
      { ...STEP, name: 'a', input: {}, needs: [] },
      { ...STEP, name: 'b', input: { x: { $from: 'a', path: 'nothing' } }, needs: ['a'] },
    ];
    const result: JsonObject = { something: 1 };
    const run = runPlan(steps, { onProgress: () => {}, runStep: async () => result });
    await expect(run).rejects.toMatchObject({
      code: 'WORKLOADS_PLAN_REFERENCE',
      message: expect.stringContaining('something'),
    });
  });
});

describe('a path', () => {
  test.each<[string, unknown]>([
    ['a.b[1].c', ['a', 'b', 1, 'c']],
    ['', []],
    ['[0]', [0]],
    ['.a', undefined],
    ['a.', undefined],
    ['a[x]', undefined],
    ['a b', undefined],
  ])('%j is read', (path, steps) => {
    expect(parsePath(path)).toEqual(steps);
  });

  test('reaches own fields alone', () => {
    expect(valueAt({ a: [] }, 'a.length')).toBeUndefined();
    expect(valueAt({ a: {} }, 'a.constructor')).toBeUndefined();
    expect(valueAt({ a: [null] }, 'a[0]')).toBeNull();
  });
});

test('what looks like a reference and is none is found where it stands', () => {
  const { references, malformed } = referencesIn({ x: [{ $from: 1 }], y: { $from: 'a' } });
  expect(references).toEqual([{ from: 'a', path: '', place: ['y'] }]);
  expect(malformed).toEqual([['x', 0]]);
});
