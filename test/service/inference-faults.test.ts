/** Answers to requests for a classification that are faulty. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { infer, THETA } from './support/infer.ts';
import { type ModelService, openModelService } from './support/model-service.ts';

let models: ModelService;
beforeAll(async () => {
  models = await openModelService();
});
afterAll(() => models[Symbol.asyncDispose]());

describe('a body that cannot be', () => {
  const input = [0, 0, 0, 0];
  test.each([
    ['nothing', {}, 'input', 'list of 4 numbers'],
    [
      'both forms',
      { input: [5, 3, 5, 1], inputs: [[5, 3, 5, 1]] },
      'inputs',
      'either input or inputs',
    ],
    ['three values', { input: [1, 2, 3] }, 'input', 'takes 4'],
    ['a text', { input: 'flower' }, 'input', 'must be a list'],
    ['no length', { input: [5, 3, 0, 1] }, 'input[2]', 'above 0'],
    ['no flower', { input: [5, 3, 5, 101] }, 'input[3]', 'at most 100'],
    ['no rows', { inputs: [] }, 'inputs', '1 to 256'],
    ['too many rows', { inputs: Array(257).fill([5, 3, 5, 1]) }, 'inputs', '1 to 256'],
    [
      'a bad row',
      {
        inputs: [
          [5, 3, 5, 1],
          [5, 3, 5],
        ],
      },
      'inputs[1]',
      'takes 4',
    ],
    ['too many shots', { input: [5, 3, 5, 1], shots: 8193 }, 'shots', '8192'],
    [
      'too many shots',
      { input: [5, 3, 5, 1], parameters: { shots: 8193 } },
      'parameters.shots',
      '8192',
    ],
    ['half a shot', { input: [5, 3, 5, 1], shots: 0.5 }, 'shots', 'whole number'],
    ['shots twice', { input: [5, 3, 5, 1], shots: 5, parameters: { shots: 5 } }, 'shots', 'once'],
    ['a seed below 0', { input: [5, 3, 5, 1], seed: -1 }, 'seed', 'at least 0'],
    [
      'qubits alone',
      { input: [5, 3, 5, 1], parameters: { qubits: 4 } },
      'parameters.qubits',
      'theta',
    ],
    [
      'an unscaled row',
      { input: [5.1, 0, 0, 0], parameters: { theta: THETA } },
      'input[0]',
      'from -1 to 1',
    ],
    [
      'one theta too many',
      { input, parameters: { theta: [...THETA, 0] } },
      'parameters.theta',
      '12, 24, 36',
    ],
    ['no theta', { input, parameters: { theta: [] } }, 'parameters.theta', '12, 24, 36'],
    [
      'nine layers',
      { input, parameters: { theta: Array(108).fill(0) } },
      'parameters.theta',
      '8 layers',
    ],
    [
      '13 qubits',
      { input, parameters: { theta: Array(39).fill(0), qubits: 13 } },
      'parameters.qubits',
      '12',
    ],
    ['a misspelt field', { input: [5, 3, 5, 1], shot: 5 }, 'shot', 'Did you mean shots?'],
  ])('%s is refused with its path: %#', async (_, body, path, words) => {
    const { status, error } = await infer(models, body);
    expect(status).toBe(400);
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.details).toEqual([
      expect.objectContaining({ path, message: expect.stringContaining(words) }),
    ]);
  });

  test('has all its faults listed', async () => {
    const body = {
      input: [2, 0, 0],
      shots: 0,
      parameters: { theta: [1], qubits: 13, threshold: 2 },
    };
    const { error } = await infer(models, body);
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual([
      'shots',
      'parameters.qubits',
      'parameters.threshold',
      'input',
    ]);
  });

  test.each([
    [
      'an unknown field',
      { input: [0, 2, 9, 0], shots: 0, foo: 1 },
      ['foo', 'shots', 'input[0]', 'input[3]'],
    ],
    [
      'a malformed seed',
      { input: [0, 2, 9, 0], seed: -1, parameters: { theta: [1], qubits: 99 } },
      ['seed', 'parameters.qubits', 'input[1]', 'input[2]'],
    ],
    [
      'both forms of rows',
      {
        input: [0.5, 3, 0, 1],
        inputs: [],
        shots: 0,
        parameters: { theta: [1, 2], qubits: 99, threshold: 9 },
      },
      ['inputs', 'shots', 'parameters.qubits', 'parameters.threshold', 'input[1]', 'inputs'],
    ],
    [
      'shots given twice',
      { ...{ input: [5, 3, 5, 0], shots: 0 }, parameters: { shots: 8193 } },
      ['shots', 'shots', 'parameters.shots', 'input[3]'],
    ],
    ['neither form of rows', { shots: 0 }, ['input', 'shots']],
    [
      'values that are no numbers',
      { inputs: [[5, 'x', 0, 1], 7, [1, 2, 3]], shots: '5' },
      ['inputs[0][1]', 'inputs[1]', 'shots', 'inputs[0][2]', 'inputs[2]'],
    ],
    ['a malformed row alone', { input: 'flower', shots: 0 }, ['input', 'shots']],
    [
      'a malformed theta, which still says that rows are scaled',
      { input: [0, 0.5, -0.5, 2], parameters: { theta: 'x', qubits: 13 } },
      ['parameters.theta', 'parameters.qubits', 'input[3]'],
    ],
    [
      'a malformed number of qubits, which no count of theta can be held to',
      { input: [0, 0, 0, 0], parameters: { theta: [1e308], qubits: 'x' } },
      ['parameters.qubits', 'parameters.theta[0]'],
    ],
    [
      'parameters that cannot be read, so that nobody knows of scaled rows',
      { inputs: [[-1, 0, 0, 0], []], parameters: 5 },
      ['parameters', 'inputs[1]'],
    ],
    ['a seed beyond all integers', { input: [5, 3, 5, 1], seed: 2 ** 53 }, ['seed']],
    ['a seed below all integers', { input: [5, 3, 5, 1], seed: -(2 ** 53) }, ['seed']],
    [
      'a seed below 0 in both places',
      { input: [5, 3, 5, 1], seed: -1, parameters: { seed: -1 } },
      ['parameters.seed', 'seed', 'seed'],
    ],
    ['no object', [5, 3, 5, 1], ['']],
  ])('gets every fault, once each: %s', async (_, body, paths) => {
    const { status, error } = await infer(models, body);
    expect(status).toBe(400);
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
    const faults = error.details.map((fault: object) => JSON.stringify(fault));
    expect(new Set(faults).size).toBe(faults.length);
  });

  test('gets every theta that is too large, as far as an answer has room', async () => {
    const parameters = { theta: Array(1000).fill(1e308) };
    const { error } = await infer(models, { input, parameters });
    expect(error.details).toHaveLength(20);
    expect(error.details.at(-1).path).toBe('parameters.theta[18]');
    expect(error.message).toContain('289 faults');
  });

  test('gets faults of form and of meaning together', async () => {
    const { error } = await infer(models, {
      input: [5, 3, 5],
      parameters: { qubits: 13 },
      shots: 9999,
    });
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual([
      'parameters.qubits',
      'shots',
      'input',
    ]);
  });
});
