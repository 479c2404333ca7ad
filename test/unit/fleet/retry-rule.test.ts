/** Which circuits are run again when the engine under them is lost. */
import { expect, test } from 'vitest';
import { EngineFailure, WorkerLostError } from '../../../src/fleet/errors.ts';
import { isTriedAgain } from '../../../src/fleet/retry-rule.ts';

const LOST = new WorkerLostError('signal SIGKILL');
const never = () => false;

test.each([
  ['one start on an adapter', 'adapter-0', { attempts: 1, handOvers: 1 }, true],
  ['three starts on adapters', 'adapter-0', { attempts: 3, handOvers: 3 }, false],
  ['one start on the CPU', 'small', { attempts: 1, handOvers: 1 }, true],
  ['two starts on the CPU', 'small', { attempts: 2, handOvers: 2 }, false],
  ['workers that were dead before they began it', 'small', { attempts: 0, handOvers: 9 }, true],
  ['ten such workers', 'small', { attempts: 0, handOvers: 10 }, false],
] as const)('after %s', (_, lane, task, isAgain) => {
  expect(isTriedAgain(LOST, lane, task, never)).toBe(isAgain);
});

test('a circuit that failed by itself is not run again', () => {
  const failure = new EngineFailure('ENGINE_CLOSED', 'It is closed.', []);
  expect(isTriedAgain(failure, 'small', { attempts: 1, handOvers: 1 }, () => true)).toBe(false);
});
