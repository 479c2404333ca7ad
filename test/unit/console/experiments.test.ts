/** Experiments of the console: entries, curves of logical error rates, counts that events bring. */
import { describe, expect, test } from 'vitest';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import type { TaskCounts } from '../../../src/client/api-types.ts';
import { submissionOf, taskFaults } from '../../../src/console/experiments/draft.ts';
import { EXAMPLES } from '../../../src/console/experiments/examples.ts';
import {
  CODES,
  FIRST_GENERATOR,
  type GeneratorDraft,
  generatedTasks,
  withCode,
} from '../../../src/console/experiments/generated-tasks.ts';
import { withCounts } from '../../../src/console/experiments/live-counts.ts';
import {
  crossingsInWords,
  plotFields,
  thresholdPlot,
  usualChoice,
} from '../../../src/console/experiments/threshold.ts';
import { FieldError } from '../../../src/console/shell/faults.ts';

const [{ draft }] = EXAMPLES;

/** Counts of a task of 1,000 shots. */
function counts(metadata: unknown, errors: number, rest: Partial<TaskCounts> = {}): TaskCounts {
  const rate = errors / 1000;
  return {
    ...{ task: 0, shots: 1000, errors, discards: 0, seconds: 1, logical_error_rate: rate },
    ...{
      interval: [rate - 0.02, rate + 0.02],
      decoder: 'matching',
      seed: 1,
      strong_id: '',
      metadata,
    },
    ...rest,
  };
}

describe('the entries of an experiment', () => {
  const faultsOf = (change: Partial<typeof draft>) => {
    try {
      submissionOf({ ...draft, ...change });
    } catch (error) {
      if (error instanceof FieldError) return error.details;
      throw error;
    }
    return [];
  };

  test('become a request; empty ones are left out', () => {
    const text = 'M 0\n';
    expect(submissionOf({ ...draft, text, maxErrors: '', name: ' ' })).toEqual({
      tasks: [{ stim: text }],
      target_processor: 'qvm',
      decoder: 'matching',
      max_shots: 100_000,
    });
    expect(submissionOf({ ...draft, seed: '0', relativeError: '0.1' })).toMatchObject({
      seed: 0,
      relative_error: 0.1,
      max_errors: 1000,
    });
  });

  test.each([
    ['a list', '[{"stim":"M 0"}]'],
    ['one task', '{"stim":"M 0"}'],
    ['a request', '{"tasks":[{"stim":"M 0"}]}'],
  ])('take tasks as %s', (_, text) => {
    expect(submissionOf({ ...draft, text }).tasks).toEqual([{ stim: 'M 0' }]);
  });

  test.each([
    [{ text: ' ' }, 'tasks'],
    [{ text: '[' }, 'tasks'],
    [{ text: '[]' }, 'tasks'],
    [{ maxShots: '1.5' }, 'max_shots'],
    [{ maxErrors: '0' }, 'max_errors'],
    [{ relativeError: '2' }, 'relative_error'],
    [{ seed: '-1' }, 'seed'],
  ])('%j are refused at %s', (change, path) => {
    expect(faultsOf(change).map((fault) => fault.path)).toEqual([path]);
  });

  test('a fault of a task is named with the number of the task', () => {
    const error = new FieldError([{ path: 'tasks[12].stim', message: 'No such gate.' }]);
    expect(taskFaults(error)).toEqual(['Task 12: No such gate.']);
  });

  test('the examples are circuits with a detector for each check and round, and one more round', () => {
    const tasks = EXAMPLES.flatMap((example) => submissionOf(example.draft).tasks);
    expect(tasks).toHaveLength(12 + 12 + 1);
    for (const { stim = '', metadata } of tasks) {
      const { d = 3 } = Object(metadata) as { readonly d?: number };
      const { detectors, logicalObservables } = readStim(stim, { maxQubits: 13, maxGates: 1000 });
      expect(detectors).toHaveLength((d - 1) * (d + 1));
      expect(logicalObservables).toHaveLength(1);
    }
  });
});

describe('the generator', () => {
  const faultsOf = (change: Partial<GeneratorDraft>) => {
    try {
      generatedTasks({ ...FIRST_GENERATOR, ...change });
    } catch (error) {
      if (error instanceof FieldError) return error.details;
      throw error;
    }
    return [];
  };

  test('writes a task for each distance and rate, with rounds by the distance', () => {
    const tasks = generatedTasks({
      ...FIRST_GENERATOR,
      distances: '3 5',
      rounds: '2d',
      rates: '0.1',
    });
    expect(tasks.map(({ metadata }) => metadata)).toEqual([
      { d: 3, r: 6, p: 0.1 },
      { d: 5, r: 10, p: 0.1 },
    ]);
    // Four checks in the first round and at the end, and eight in each of the rounds between.
    const { detectors } = readStim(tasks[0]?.stim ?? '', { maxQubits: 26, maxGates: 10_000 });
    expect(detectors).toHaveLength(8 * 5 + 4 + 4);
  });

  test('has only the errors that are chosen', () => {
    const [task] = generatedTasks({ ...FIRST_GENERATOR, errors: ['afterResetFlipProbability'] });
    const noise = [...(task?.stim ?? '').matchAll(/^ *(\w+)\(0\.002\)/gm)].map(([, name]) => name);
    expect(new Set(noise)).toEqual(new Set(['X_ERROR']));
  });

  test('knows every code with a task of its own', () => {
    const least: Readonly<Record<string, Partial<GeneratorDraft>>> = {
      honeycomb_code: { distances: '2', rounds: '3' },
      reed_muller_code: { distances: '3', rounds: '1' },
    };
    for (const code of CODES) {
      const draft = { ...withCode(FIRST_GENERATOR, code), ...least[code] };
      expect(generatedTasks(draft).length).toBeGreaterThan(0);
    }
  });

  test.each([
    [{ distances: '' }, 'distances'],
    [{ distances: '3, x' }, 'distances'],
    [{ distances: '53' }, 'distances'],
    [{ distances: '1' }, 'distances'],
    [{ distances: '49 51' }, 'distances'],
    [{ rounds: 'e' }, 'rounds'],
    [{ rounds: '0' }, 'rounds'],
    [{ rates: '0.6' }, 'rates'],
    [{ code: 'honeycomb_code', task: 'memory', distances: '3' }, 'distances'],
  ])('%j is refused at %s', (change, path) => {
    expect(faultsOf(change).map((fault) => fault.path)).toEqual([path]);
  });
});

describe('the threshold plot', () => {
  const tasks = [
    counts({ d: 5, p: 0.1 }, 90),
    counts({ d: 3, p: 0.1 }, 100),
    counts({ d: 3, p: 0.2 }, 300),
    counts({ d: 5, p: 0.2 }, 400),
    counts({ d: 3, p: 0.01 }, 0),
  ];

  test('has a curve for each distance over the rate, by default', () => {
    expect(plotFields(tasks)).toEqual({ numbers: ['d', 'p'], all: ['d', 'p', 'decoder'] });
    const choice = usualChoice(tasks);
    expect(choice).toEqual({ x: 'p', curves: ['d'] });
    const plot = thresholdPlot(tasks, choice ?? { x: '', curves: [] }, true);
    expect(plot.x).toEqual({ label: 'p', values: [0.01, 0.1, 0.2], isLogarithmic: true });
    expect(plot.series.map(({ label, values }) => [label, values])).toEqual([
      ['d = 3', [0, 0.1, 0.3]],
      ['d = 5', [Number.NaN, 0.09, 0.4]],
    ]);
    expect(plot.series[0]?.intervals?.high).toEqual([0, 0.1, 0.3].map((rate) => rate + 0.02));
  });

  test('curves cross between points at which their intervals are apart', () => {
    const rates = { 0.02: [90, 10], 0.05: [120, 110], 0.1: [150, 160], 0.2: [300, 400] } as const;
    const measured = Object.entries(rates).flatMap(([p, errors]) =>
      errors.map((each, i) => counts({ d: [3, 5][i], p: Number(p) }, each)),
    );
    const inWords = (some: readonly TaskCounts[]) =>
      crossingsInWords(thresholdPlot(some, { x: 'p', curves: ['d'] }, true));
    expect(inWords(measured)).toEqual(['d = 3 and d = 5 cross between p = 0.02 and p = 0.2.']);
    expect(inWords(measured.slice(0, 6))).toEqual([]);
  });

  test('tells tasks apart by further fields if it has to, the decoder too', () => {
    const twice = tasks.flatMap((task) => [task, { ...task, decoder: 'none' as const }]);
    expect(usualChoice(twice)?.curves).toEqual(['d', 'decoder']);
    const bases = ['x', 'z'].map((basis) => counts({ q: 0.1, basis, note: 'same' }, 1));
    expect(usualChoice(bases)).toEqual({ x: 'q', curves: ['basis'] });
  });

  test('never adds counts of several tasks: each is a point', () => {
    const plot = thresholdPlot([...tasks, ...tasks], { x: 'p', curves: ['d'] }, true);
    expect(plot.hasTwins).toBe(true);
    expect(plot.series.map(({ label }) => label)).toEqual([
      'd = 3',
      'd = 3 (2)',
      'd = 5',
      'd = 5 (2)',
    ]);
  });

  test('says which tasks and curves are missing, and is linear where a number is not positive', () => {
    const many = Array.from({ length: 13 }, (_, d) => counts({ d, p: 0 }, 1));
    const plot = thresholdPlot([...many, counts(null, 1)], { x: 'p', curves: ['d'] }, true);
    expect(plot).toMatchObject({ numWithoutX: 1, numHidden: 2, x: { isLogarithmic: false } });
    expect(plot.series).toHaveLength(11);
  });

  test.each([undefined, null, [1], 'p = 0.1', { p: '0.1' }])(
    'there is none for metadata such as %j',
    (metadata) => {
      expect(usualChoice([counts(metadata, 1)])).toBeUndefined();
    },
  );

  test('tasks without counts have points that have not arrived', () => {
    const none = counts({ p: 0.1 }, 0, { logical_error_rate: null, interval: null, shots: 0 });
    const { series } = thresholdPlot([none], { x: 'p', curves: [] }, true);
    expect(series[0]?.values).toEqual([Number.NaN]);
    expect(series[0]?.intervals?.low).toEqual([Number.NaN]);
  });
});

test('counts of an event replace those of their tasks alone, in the order of the tasks', () => {
  const [zero, one, two] = [0, 1, 2].map((task) => counts(undefined, task, { task }));
  const job = { experiment_id: 'exp_1', tasks: [zero, one] };
  const later = counts(undefined, 500, { task: 0 });
  expect(withCounts(job, two === undefined ? [] : [two, later]).tasks).toEqual([later, one, two]);
});
