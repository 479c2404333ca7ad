import { expect, test } from 'vitest';
import type { Program } from '../../../../src/compiler/program.ts';
import type { GpuProgram } from '../../../../src/engine/webgpu/gpu-program.ts';
import { GpuSegments } from '../../../../src/engine/webgpu/gpu-states.ts';

const program = (hash: string): Program => ({
  hash,
  numQubits: 1,
  numBits: 0,
  steps: [],
  matrices: new Float64Array(),
  finalLayout: [0],
});

test('segments that were not used for the longest time go, once their work is submitted', async () => {
  const events: string[] = [];
  const place = async ({ hash }: Program): Promise<GpuProgram> => {
    events.push(`place ${hash}`);
    const shape = { numQubits: 8, chunkQubits: 8 };
    const destroy = () => void events.push(`destroy ${hash}`);
    return { shape, needsClearing: false, steps: [], bytes: 10, destroy };
  };
  const segments = new GpuSegments({ flush: () => void events.push('flush') }, place, 15);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(program) as [Program, Program, Program, Program];

  await segments.placed(a);
  await segments.placed(b);
  await segments.placed(a);
  await segments.placed(c);
  await segments.placed(a);
  await segments.placed(d);
  segments.clear();

  expect(events).toEqual([
    ...['place a', 'place b', 'flush', 'destroy b', 'place c'],
    ...['flush', 'destroy c', 'place d', 'destroy a', 'destroy d'],
  ]);
});
