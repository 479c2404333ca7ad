/** Admission to the queue: what counts towards its limits. */
import { expect, test } from 'vitest';
import { Admission } from '../../../src/fleet/admission.ts';

test('runs for which another run keeps a place fill no queue', () => {
  let numWaiting = 0;
  const admission = new Admission({
    queueLimit: 3,
    numWaiting: () => numWaiting,
    untilRoomMs: () => 0,
  });
  const wait = (isPart: boolean) => {
    numWaiting++;
    admission.enter({ key: 'a', numBytes: 10, isPart });
  };
  const isFull = () => {
    try {
      admission.check('statevector-sim', 'b');
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'FLEET_QUEUE_FULL' });
      return true;
    }
  };
  admission.admit('statevector-sim', { id: 'batch', keyId: 'a' });
  for (let i = 0; i < 20; i++) wait(true);
  expect(isFull()).toBe(false);
  wait(false);
  expect(isFull()).toBe(false);
  wait(false);
  expect(isFull()).toBe(true);
  for (let i = 0; i < 20; i++) {
    numWaiting--;
    admission.leave({ key: 'a', numBytes: 10, isPart: true });
  }
  expect(isFull()).toBe(true);
  admission.withdraw('batch');
  expect(isFull()).toBe(false);
});
