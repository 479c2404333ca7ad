/**
 * The fewest graphlike errors of a logical error, against all sets of few errors, and of generated circuits. Many models
 * are compared with Stim in test/clients/stim.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generateStim } from '../../../src/circuit/stim/generate/generate-stim.ts';
import { readErrorModel } from '../../../src/compiler/clifford/read-error-model.ts';
import {
  type IndependentErrors,
  type Symptoms,
  sum,
} from '../../../src/compiler/clifford/symptoms.ts';
import { shortestGraphlikeError } from '../../../src/decoding/shortest-graphlike-error.ts';
import { runQcs } from '../../support/command-line.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { numCases } from '../../support/seeds.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function modelOf(text: string): IndependentErrors {
  const model = readErrorModel(text);
  if ('problem' in model) throw new Error(`${model.line}: ${model.problem}`);
  return model;
}

const isLogical = (flipped: Symptoms, numDetectors: number) =>
  flipped.length > 0 && flipped.every((each) => each >= numDetectors);

/** The fewest errors by trying all sets of them. */
function fewest({ errors, numDetectors }: IndependentErrors): number | undefined {
  let best: number | undefined;
  for (let set = 1; set < 2 ** errors.length; set++) {
    const some = errors.filter((_, i) => (set >> i) & 1);
    const flipped = some.reduce<Symptoms>((all, { symptoms }) => sum(all, symptoms), []);
    if (isLogical(flipped, numDetectors)) best = Math.min(best ?? some.length, some.length);
  }
  return best;
}

test('it is a logical error, and there is none of fewer errors', () => {
  const random = new RandomStream(7);
  let numFound = 0;
  for (let round = 0; round < numCases(150); round++) {
    const numDetectors = 1 + random.below(6);
    const lines = Array.from({ length: 2 + random.below(9) }, () => {
      const flipped = [random.below(numDetectors), random.below(numDetectors)].map((i) => `D${i}`);
      const some = [...new Set(flipped.slice(random.below(2)))];
      if (random.below(4) === 0) some.push(`L${random.below(2)}`);
      return `error(0.1) ${some.join(' ')}`;
    });
    const model = modelOf(
      [...new Set(lines), `detector D${numDetectors - 1}`, 'logical_observable L1'].join('\n'),
    );
    const found = shortestGraphlikeError(model);
    expect(found?.length).toBe(fewest(model));
    if (found === undefined) continue;
    numFound++;
    const all = model.errors.map(({ symptoms }) => symptoms.join());
    for (const each of found) expect(all).toContain(each.join());
    expect(isLogical(found.reduce(sum), numDetectors)).toBe(true);
  }
  expect(numFound).toBeGreaterThan(20);
});

test.each([
  ['an error of an observable alone', 'error(0.1) D0 L0\nerror(0.1) D0\nerror(0.1) L1', ['L1']],
  [
    'two errors of the same detectors',
    'error(0.1) D0 D1 L0\nerror(0.1) D0 D1',
    ['D0 D1', 'D0 D1 L0'],
  ],
  ['nothing of errors that never happen', 'error(0) D0 L0\nerror(0.1) D0', undefined],
  ['nothing of three detectors', 'error(0.1) D0 D1 D2 L0\nerror(0.1) D0 D1 D2', undefined],
  // As in Stim.
  [
    'nothing of errors that are split',
    'error(0.1) D0 ^ D1 L0\nerror(0.1) D0\nerror(0.1) D1',
    undefined,
  ],
])('it has %s', (_, text, expected) => {
  const model = modelOf(text);
  const names = (symptoms: Symptoms) =>
    symptoms
      .map((i) => (i < model.numDetectors ? `D${i}` : `L${i - model.numDetectors}`))
      .join(' ');
  expect(shortestGraphlikeError(model)?.map(names)).toEqual(expected);
});

describe('a model in the format of Stim', () => {
  test('is read with its blocks, shifts and comments', () => {
    const text = `# a model
error[tag](0.125) D0 D1 ^ D1 L2 L2
repeat 2 {
    ERROR(1e-3) D0 D1   # of each round
    shift_detectors(0, 1) 2
}
detector(1, 2.5) D3
`;
    expect(modelOf(text)).toEqual({
      numDetectors: 8,
      numObservables: 3,
      errors: [
        { symptoms: [0, 1, 2 ** 31 - 1, 1], probability: 0.125 },
        { symptoms: [0, 1], probability: 0.001 },
        { symptoms: [2, 3], probability: 0.001 },
      ],
    });
  });

  test.each([
    ['error(0.1) D0\nerror(2) D0', 2, 'a probability from 0 to 1'],
    ['error D0', 1, 'a probability from 0 to 1'],
    ['fault(0.1) D0', 1, 'no instruction fault'],
    ['error(0.1) X0', 1, 'no line of a detector error model'],
    ['error(0.1) 5', 1, 'neither a detector nor an observable'],
    ['repeat 2 {\nerror(0.1) D0', 1, 'no } at its end'],
    ['}', 1, 'no block for this }'],
    ['repeat 2', 1, 'begins with repeat'],
  ])('%j is refused at line %i', (text, line, problem) => {
    expect(readErrorModel(text)).toEqual({ line, problem: expect.stringContaining(problem) });
  });
});

describe('qcs distance', () => {
  const fileOf = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };

  // Numbers of errors by circuit.shortest_graphlike_error() of Stim 1.16.
  test.each([
    ['repetition_code', 'memory', 5, 5],
    ['surface_code', 'rotated_memory_x', 5, 5],
    ['surface_code', 'unrotated_memory_z', 4, 4],
    ['color_code', 'memory_xyz', 5, 3],
  ])('of a %s, %s, of distance %i is %i', async (code, task, distance, expected) => {
    const noise = {
      afterCliffordDepolarization: 0.001,
      beforeRoundDataDepolarization: 0.001,
      beforeMeasureFlipProbability: 0.001,
      afterResetFlipProbability: 0.001,
      idleDepolarization: 0,
      afterTPhaseFlipProbability: 0,
    };
    const generated = generateStim({ code, task, distance, rounds: 4, noise });
    if ('problem' in generated) throw new Error(generated.problem);
    const ended = await runQcs(['distance', fileOf('memory.stim', generated.text)]);
    const [summary, ...errors] = ended.stdout.trim().split('\n');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(summary).toContain(`# ${expected} errors: together they flip a logical observable`);
    expect(errors).toHaveLength(expected);
    for (const line of errors) expect(line).toMatch(/^error\(1\)( D\d+){1,2}( L0)?$/);
  });

  test('takes a model, and prints JSON', async () => {
    const path = fileOf('a.dem', 'error(0.1) D0 L0\nerror(0.1) D0 D1\nerror(0.1) D1');
    const ended = await runQcs(['distance', path, '--json']);
    const errors = ['D0 D1', 'D0 L0', 'D1'];
    expect(JSON.parse(ended.stdout)).toEqual({ num_errors: 3, errors });
  });

  test.each([
    ['none.dem', 'error(0.1) D0 L0', 1, 'has no graphlike logical error'],
    [
      'wrong.dem',
      'error(0.1) D0\nerrr(0.1) D0',
      2,
      'wrong.dem cannot be used: line 2: There is no',
    ],
    ['none.stim', 'M 0', 2, 'The text has no DETECTOR'],
  ])('of %s fails with its reason', async (name, text, code, message) => {
    const ended = await runQcs(['distance', fileOf(name, text)]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });
});
