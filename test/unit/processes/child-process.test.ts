import { expect, test } from 'vitest';
import type { Ended } from '../../../src/fleet/workers/worker-messages.ts';
import { describeExit, withOwnBuffers } from '../../../src/processes/child-process.ts';

test('what was read off a channel is taken out of the buffer that it lay in', () => {
  const channel = new ArrayBuffer(1024);
  const outputs = {
    countsByRow: [
      {
        numBits: 1,
        wordsPerOutcome: 1,
        outcomes: new Uint32Array(channel, 0, 2).fill(1),
        occurrences: new Uint32Array(channel, 8, 2).fill(2),
      },
    ],
    statevectors: new Float64Array(channel, 16, 4).fill(3),
    probabilities: new Float64Array(channel, 48, 2).fill(4),
    statePasses: [1],
  };
  const outcome = { outputs, compileMs: 1, executionMs: 2, samplingMs: 1, ownMs: 2 };
  const end: Ended = { kind: 'done', id: 1, agoMs: 1, outcome };
  const message = { kind: 'news', ended: [end] } as const;
  const own = withOwnBuffers(message);
  const [ended] = own.kind === 'news' ? own.ended : [];
  if (ended?.kind !== 'done') throw new Error('unreachable: it was done');
  expect(own).toEqual(message);
  const { countsByRow = [], statevectors, probabilities } = ended.outcome.outputs;
  const [counts] = countsByRow;
  const arrays = [counts!.outcomes, counts!.occurrences, statevectors!, probabilities!];
  expect(arrays.map(({ buffer, byteLength }) => buffer.byteLength - byteLength)).toEqual([
    0, 0, 0, 0,
  ]);
  expect(new Set(arrays.map(({ buffer }) => buffer)).size).toBe(4);
});

test('of a batch run, too', () => {
  const channel = new ArrayBuffer(64);
  const outputs = {
    counts: new Uint32Array(channel, 0, 2).fill(1),
    statevectors: new Float64Array(channel, 8, 2).fill(2),
    probabilities: new Float64Array(channel, 24, 1).fill(3),
    expectations: new Float64Array(channel, 32, 2).fill(4),
  };
  const outcome = { outputs, compileMs: 1, executionMs: 1 };
  const message = { kind: 'news', ended: [{ kind: 'done', id: 1, agoMs: 1, outcome }] } as const;
  const own = withOwnBuffers(message);
  expect(own).toEqual(message);
  const [ended] = own.kind === 'news' ? own.ended : [];
  if (ended?.kind !== 'done') throw new Error('unreachable: it is');
  const arrays = Object.values(ended.outcome.outputs);
  expect(arrays.map(({ buffer }) => buffer.byteLength)).toEqual([8, 16, 8, 16]);
  expect(
    withOwnBuffers({ kind: 'news', ended: [{ ...ended, outcome: { ...outcome, outputs: {} } }] }),
  ).toEqual({
    kind: 'news',
    ended: [{ ...ended, outcome: { ...outcome, outputs: {} } }],
  });
});

test('the end of a process is described with the lines that may have caused it', () => {
  const usual =
    'Warning: maxDynamicUniformBuffersPerPipelineLayout artificially reduced from 9 to 1.\n';
  expect(describeExit(null, 'SIGKILL', usual + usual)).toBe('signal SIGKILL');
  expect(describeExit(1, null, `${usual}no driver\n`)).toBe('exit code 1, saying: no driver');
});
