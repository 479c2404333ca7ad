/** Searches for minima that are known. */
import { describe, expect, test } from 'vitest';
import {
  type MinimiseOptions,
  minimise,
  type Objective,
} from '../../../../../src/workloads/algorithms/optimisers/minimise.ts';

const OPTIONS: MinimiseOptions = {
  optimizer: 'bfgs',
  steps: 100,
  learningRate: 0.1,
  tolerance: 1e-8,
  isNoisy: false,
};

/** Rosenbrock's valley: minimum 0 at (1, 1). */
const valley = ([x = 0, y = 0]: ArrayLike<number> & Iterable<number>) =>
  (1 - x) ** 2 + 100 * (y - x * x) ** 2;
const objective: Objective = {
  values: async (points) => Float64Array.from(points, valley),
  slope: async (point) => {
    const [x = 0, y = 0] = point;
    const gradient = Float64Array.of(-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x));
    return { value: valley(point), gradient };
  },
  tangentSpace: async (point) => {
    const [x = 0] = point;
    const { value, gradient } = await objective.slope(point);
    // Without second derivatives of the residuals, as Gauss and Newton have it.
    const curvature = Float64Array.of(2 + 800 * x * x, -400 * x, -400 * x, 200);
    return { value, gradient, curvature, metric: Float64Array.of(1, 0, 0, 1), spread: 100 };
  },
};

describe.each(['bfgs', 'levenberg_marquardt'] as const)('%s', (optimizer) => {
  test('goes through a curved valley to its end, down at every step', async () => {
    const values: number[] = [];
    const start = Float64Array.of(-1.2, 1);
    const found = await minimise(objective, start, { ...OPTIONS, optimizer }, (step, value) => {
      expect(step).toBe(values.length);
      values.push(value);
    });
    expect(found.stoppedBecause).toBe('gradient_below_tolerance');
    expect([...found.point]).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
    expect(found.gradientSize).toBeLessThanOrEqual(1e-8);
    expect(values.every((value, i) => i === 0 || value < values[i - 1]!)).toBe(true);
    expect([...start]).toEqual([-1.2, 1]);
  });

  test('stops where it is when its steps are used up', async () => {
    const options = { ...OPTIONS, optimizer, steps: 2 };
    const found = await minimise(objective, Float64Array.of(-1.2, 1), options, () => {});
    expect(found.stoppedBecause).toBe('steps_used_up');
    expect(found.value).toBe(valley(found.point));
  });

  test('stops where nothing is lower', async () => {
    // A gradient that lies: whichever way it leads, values rise.
    const lying: Objective = {
      ...objective,
      values: async (points) => Float64Array.from(points, () => 5),
    };
    const found = await minimise(lying, Float64Array.of(0, 0), { ...OPTIONS, optimizer }, () => {});
    expect(found.stoppedBecause).toBe('no_progress');
    expect([...found.point]).toEqual([0, 0]);
  });
});

describe('adam', () => {
  const options = { ...OPTIONS, optimizer: 'adam' as const, steps: 30 };
  const bowl = (noise: readonly number[]): Objective => {
    let calls = 0;
    return {
      ...objective,
      slope: async (point) => ({
        value: point[0]! ** 2 + (noise[calls++] ?? 0),
        gradient: Float64Array.of(2 * point[0]!),
      }),
    };
  };

  test('keeps the lowest point of exact values', async () => {
    const values: number[] = [];
    const found = await minimise(bowl([]), Float64Array.of(0.25), options, (_, value) =>
      values.push(value),
    );
    expect(found.value).toBe(Math.min(...values));
  });

  test('keeps the last point of noisy ones, whatever luck an earlier one had', async () => {
    const noisy = { ...options, isNoisy: true };
    const found = await minimise(bowl([0, -10]), Float64Array.of(1), noisy, () => {});
    expect(found.value).toBeGreaterThan(-1);
    const exact = await minimise(bowl([0, -10]), Float64Array.of(1), options, () => {});
    expect(exact.value).toBeLessThan(-9);
  });
});
