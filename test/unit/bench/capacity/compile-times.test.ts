import { expect, test } from 'vitest';
import { CompileTimes, statedCosts } from '../../../../bench/capacity/compile-times.ts';
import { stepOf } from '../../../../bench/capacity/measure-load.ts';

/** Nothing that is measured here takes just as long. */
const STATED_MS = 700.123456789;
const KIND = { qubits: 4, layers: 4, shots: 10, weight: 1 };
const sample = {
  qubits: 4,
  latencyMs: 900,
  queueMs: 1,
  compileMs: STATED_MS,
  executionMs: 30,
  samplingMs: 10,
};
const none = stepOf('closed', 0, { samples: [], numRefused: 0, seconds: 1 });
const MEASURED = {
  mix: [KIND],
  warmUp: none,
  closed: [],
  open: [],
  devices: [],
  startErrors: [],
  processor: { id: 'gpu-fleet', execution: 'cpu-fallback' },
  newCircuits: stepOf('closed', 1, { samples: [sample], numRefused: 0, seconds: 1 }),
};

test('compiling takes what the service stated of new circuits of the kind', () => {
  const { compileMs, compileBasis } = new CompileTimes(MEASURED).of(KIND);

  expect([compileMs, compileBasis]).toEqual([STATED_MS, 'service']);
});

test.each([
  ['layers', { ...KIND, layers: 5 }],
  ['shots', { ...KIND, shots: 11 }],
  ['qubits', { ...KIND, qubits: 5 }],
])('what the service stated is not taken for circuits of other %s', (_, kind) => {
  const { compileMs, compileBasis } = new CompileTimes(MEASURED).of(kind);

  expect(compileBasis).toBe('this process');
  expect(compileMs).not.toBe(STATED_MS);
  expect(statedCosts(kind, MEASURED)).toBeUndefined();
});
