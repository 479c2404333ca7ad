import { beforeAll, describe, expect, test } from 'vitest';
import { checkCounts, checkExpectations } from '../../../bench/inference/answer-checks.ts';
import { type DeployedModel, deployedModel } from '../../../bench/inference/deployed-model.ts';
import { perSecond } from '../../../bench/interleaved.ts';

const SHOTS = 1024;

describe('an answer of the classifier', () => {
  test('passes with the noise of its shots, on either side', () => {
    // √((1 − 0.6²) / 1024) is 0.025, so that six of it are 0.15.
    // Of an outcome that is expected once, eight come up now and then.
    const exact = [0.6, 0.6, 0, 1, 1 - 2 / 1024];
    const found = [0.749, 0.451, 0.18, 1, 1 - 16 / 1024];
    expect(() => checkExpectations(found, exact, SHOTS)).not.toThrow();
  });

  test.each([
    ['above', [0.751], [0.6]],
    ['below', [0.449], [0.6]],
    ['in its second row', [0, 0.2], [0, 0]],
    ['where there is no noise', [1 - 2 / 1024], [1]],
    ['where an outcome is rare', [1 - 60 / 1024], [1 - 2 / 1024]],
    ['as no number', [Number.NaN], [0]],
    ['with a row too few', [0], [0, 0]],
  ])('does not pass when wrong %s', (_, found, exact) => {
    expect(() => checkExpectations(found, exact, SHOTS)).toThrow(/⟨Z₀⟩|rows are answered/);
  });
});

describe('counts of the demo', () => {
  const answer = { expectation: 0.5 };

  test('pass where the rightmost bit says the expectation', () => {
    expect(() =>
      checkCounts(answer, { '0000': 700, '1110': 68, '0001': 256 }, SHOTS),
    ).not.toThrow();
  });

  test.each([
    ['another bit says it', { '0000': 768, '1000': 256 }],
    ['they say another value', { '0000': 767, '0001': 257 }],
    ['they are too few', { '0000': 3, '0001': 1 }],
  ])('do not pass where %s', (_, counts) => {
    expect(() => checkCounts(answer, counts, SHOTS)).toThrow(/counts say|shots are counted/);
  });
});

describe('the model that is measured', () => {
  let model: DeployedModel;
  beforeAll(async () => {
    model = await deployedModel();
  });

  test('has the expectations that the deployed file knows', () => {
    const { rows, exact } = model.flowers(100);
    for (const { input, expectation } of model.artefact.known_answers) {
      const place = rows.findIndex((row) => row.join() === input.join());
      expect(exact[place]).toBeCloseTo(expectation, 12);
    }
  });

  test('begins again with the first flower after the last', () => {
    const { rows, inputs, exact } = model.flowers(101);
    expect([rows[100], inputs[100], exact[100]]).toEqual([rows[0], inputs[0], exact[0]]);
    expect(model.anglesOf(model.flowers(3))).toHaveLength(3 * model.circuit.angles.length);
  });
});

test('a rate has its largest value where the time has its smallest', () => {
  const time = { name: '', value: 100, unit: 'µs', spread: [50, 200] as const };
  expect(perSecond('rows', time, 256)).toEqual({
    name: 'rows',
    value: 2_560_000,
    unit: 'per second',
    spread: [1_280_000, 5_120_000],
  });
});
