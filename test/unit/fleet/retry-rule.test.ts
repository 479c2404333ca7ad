import { expect, test } from 'vitest';
import { WorkerLostError } from '../../../src/fleet/errors.ts';
import { isTriedAgain } from '../../../src/fleet/fleet-run.ts';

test.each([
  // What the worker kept of others may have filled it.
  ['that was full, the first time', true, true, 1, true],
  ['that was full of this circuit alone, again', true, true, 2, false],
  // One of the others may have filled it. From then on each runs by itself.
  ['that was full of several circuits', false, true, 2, true],
  ['that ended otherwise', true, false, 2, true],
])(
  'a circuit is tried again or not after a worker %s',
  (_, wasAlone, isFull, lossesAlone, isAgain) => {
    const error = new WorkerLostError('it ended', wasAlone, { isOutOfMemory: isFull });
    for (const lane of ['small', 'wide', 'adapter-0'] as const) {
      expect(isTriedAgain(error, lane, { attempts: 1, lossesAlone }, () => true)).toBe(isAgain);
    }
  },
);
