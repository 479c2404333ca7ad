import { describe, expect, test } from 'vitest';
import {
  type AdamOptions,
  adamStep,
  startAdam,
} from '../../../../../src/workloads/algorithms/optimisers/minimise.ts';

const OPTIONS: AdamOptions = { learningRate: 0.1 };

describe('Adam', () => {
  test('moves first by the learning rate against the sign of each slope, however steep', () => {
    const { theta, step } = adamStep(startAdam([1, 2, 3]), [0.001, -400, 0], OPTIONS);
    expect(step).toBe(1);
    expect(theta[0]).toBeCloseTo(1 - (0.1 * 0.001) / (0.001 + 1e-8), 12);
    expect(theta[1]).toBeCloseTo(2.1, 10);
    expect(theta[2]).toBe(3);
  });

  test('corrects the bias of both means in the second step', () => {
    // g = 1, then 2: m = 0.9·0.1 + 0.1·2 = 0.29, v = 0.999·0.001 + 0.001·4 = 0.004999.
    const first = adamStep(startAdam([0]), [1], OPTIONS);
    const second = adamStep(first, [2], OPTIONS);
    expect(second.firstMoment[0]).toBeCloseTo(0.29, 14);
    expect(second.secondMoment[0]).toBeCloseTo(0.004999, 14);
    const move = (0.1 * 0.29) / 0.19 / (Math.sqrt(0.004999 / 0.001999) + 1e-8);
    expect(second.theta[0]).toBeCloseTo(first.theta[0]! - move, 12);
  });

  test('takes the decays and epsilon that it is given', () => {
    const options = { learningRate: 1, beta1: 0.5, beta2: 0.25, epsilon: 1 };
    // g = 3, then 1: m = 0.5·1.5 + 0.5 = 1.25 of 0.75; v = 0.25·6.75 + 0.75 = 2.4375 of 0.9375.
    const first = adamStep(startAdam([0]), [3], options);
    expect(first.theta[0]).toBeCloseTo(-3 / (3 + 1), 14);
    const second = adamStep(first, [1], options);
    const move = 1.25 / 0.75 / (Math.sqrt(2.4375 / 0.9375) + 1);
    expect(second.theta[0]).toBeCloseTo(first.theta[0]! - move, 14);
  });

  test('asks a schedule for the rate of each step, from 0', () => {
    const asked: number[] = [];
    const learningRate = (step: number) => {
      asked.push(step);
      return step === 1 ? 0 : 0.1;
    };
    let state = adamStep(startAdam([0]), [1], { learningRate });
    expect(state.theta[0]).toBeCloseTo(-0.1, 8);
    const before = state.theta[0];
    state = adamStep(state, [1], { learningRate });
    expect([state.theta[0], asked]).toEqual([before, [0, 1]]);
  });

  test('leaves the state before as it was', () => {
    const theta = [1];
    const start = startAdam(theta);
    const first = adamStep(start, [1], OPTIONS);
    adamStep(first, [1], OPTIONS);
    expect(start).toEqual(startAdam([1]));
    expect(first).toEqual(adamStep(startAdam([1]), [1], OPTIONS));
    expect(theta).toEqual([1]);
  });

  test('finds the lowest point of a narrow valley', () => {
    let state = startAdam([3, -2]);
    for (let i = 0; i < 2000; i++) {
      const [x = 0, y = 0] = state.theta;
      const learningRate = (step: number) => 0.1 / (1 + step / 100);
      state = adamStep(state, [2 * (x - 1), 200 * (y - 0.5)], { learningRate });
    }
    expect(state.theta[0]).toBeCloseTo(1, 4);
    expect(state.theta[1]).toBeCloseTo(0.5, 4);
  });

  test('refuses a gradient of another length', () => {
    expect(() => adamStep(startAdam([1, 2]), [1], OPTIONS)).toThrow(RangeError);
  });
});
