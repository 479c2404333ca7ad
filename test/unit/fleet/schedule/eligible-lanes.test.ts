import { expect, test } from 'vitest';
import { WaitingNeeds } from '../../../../src/fleet/schedule/eligible-lanes.ts';
import type { Lane } from '../../../../src/fleet/schedule/lane.ts';
import { plainTask } from '../../../support/scheduler-fleets.ts';

const SPREAD: Lane = {
  id: 'spread-0',
  kind: 'spread',
  pools: ['adapter-0', 'adapter-1', 'spread-0'],
  maxQubits: { f32: 20, f64: 0 },
  isOpen: true,
  isSoftware: false,
};

test('a batch run is taken by what takes its circuits', () => {
  const needs = new WaitingNeeds();
  needs.setLanes([SPREAD]);
  const circuit = plainTask('circuit', { mayRunOn: 'adapter' });
  const batch = { ...circuit, id: 'batch', work: { ...circuit.work, numCircuits: 8 } };
  expect(needs.lanesOf(circuit)).toEqual([SPREAD]);
  expect(needs.lanesOf(batch)).toEqual([SPREAD]);
});
