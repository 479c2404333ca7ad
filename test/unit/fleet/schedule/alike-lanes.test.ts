import { describe, expect, test } from 'vitest';
import { RunEstimates } from '../../../../src/fleet/schedule/run-estimates.ts';

const WORK = {
  numQubits: 20,
  numOperations: 10,
  gateCost: 80,
  isBranching: false,
  shots: 100,
  numReadouts: 0,
};

describe('lanes of one model', () => {
  test('are expected to take as long as either of them took', () => {
    const estimates = new RunEstimates();
    estimates.setModel('adapter-0', 'card');
    estimates.setModel('adapter-1', 'card');
    estimates.observe('adapter-0', WORK, 40);
    estimates.observe('adapter-1', WORK, 60);

    expect(estimates.expectedMs('adapter-0', WORK)).toBeCloseTo(50);
    expect(estimates.expectedMs('adapter-1', WORK)).toBe(estimates.expectedMs('adapter-0', WORK));
  });

  test('tell nothing of lanes of another', () => {
    const estimates = new RunEstimates();
    estimates.setModel('adapter-0', 'card');
    estimates.setModel('adapter-1', 'another card');
    estimates.setSpeed('adapter-0', 8);
    const before = estimates.expectedMs('adapter-1', WORK);
    estimates.observe('adapter-0', WORK, 40);

    expect(estimates.expectedMs('adapter-1', WORK)).toBe(before);
  });

  test('have one speed before they have run anything', () => {
    const estimates = new RunEstimates();
    estimates.setModel('adapter-0', 'card');
    estimates.setModel('adapter-1', 'card');
    estimates.setSpeed('adapter-0', 8);

    expect(estimates.expectedMs('adapter-1', WORK)).toBe(estimates.expectedMs('adapter-0', WORK));
  });
});
