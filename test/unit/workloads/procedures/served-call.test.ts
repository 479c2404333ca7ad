// @needs processes
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FromProcess } from '../../../../src/workloads/procedures/procedure-messages.ts';
import { ServedCall } from '../../../../src/workloads/procedures/served-call.ts';
import { findProcedure } from '../../../support/procedure-catalog.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Runs a procedure of the catalog; gives what was posted. */
async function postedBy(name: string): Promise<readonly FromProcess[]> {
  const posted: FromProcess[] = [];
  const call = new ServedCall(
    {
      kind: 'call',
      call: 1,
      owner: 'test',
      name,
      input: {},
      seed: 3,
      maxQubits: 1,
      maxNoisyQubits: 1,
    },
    {
      findProcedure,
      maxResultBytes: 100,
      post: (message) => void posted.push(message),
      hasTooMuchMemory: () => false,
    },
  );
  await call.run();
  return posted;
}

describe('a call in its process', () => {
  test('posts the first and the last of what is reported in no time', async () => {
    expect(await postedBy('report')).toEqual([
      { kind: 'progress', call: 1, fraction: 0, message: 'Step 0' },
      { kind: 'progress', call: 1, fraction: 1, message: 'Step 1000' },
      { kind: 'done', call: 1, resultJson: '{}', units: 1 },
    ]);
  });
});
