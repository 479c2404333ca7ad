/** A submission reads the state of its own processor only, and once. */
import { expect, test } from 'vitest';
import { checkCircuit } from '../../src/service/circuits/check-circuit.ts';
import { liveTargetsOf, targetsOf } from '../../src/service/circuits/targets.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { BELL } from './support/test-service.ts';

class WatchedProcessor extends FakeProcessor {
  numLooks = 0;

  override availability() {
    this.numLooks++;
    return super.availability();
  }
}

function fleetOfTwo() {
  const processors = [new WatchedProcessor(), new WatchedProcessor({ id: 'gpu-fleet' })] as const;
  return { processors, get: () => undefined };
}

test('a circuit for one processor asks nothing of another, and of its own once', () => {
  const fleet = fleetOfTwo();
  checkCircuit(BELL, liveTargetsOf(fleet));
  expect(fleet.processors.map(({ numLooks }) => numLooks)).toEqual([1, 0]);
});

test('a target stays as it was when it was first looked at', () => {
  const fleet = fleetOfTwo();
  const [target] = liveTargetsOf(fleet);
  expect(target?.available).toBe(true);
  fleet.processors[0].reason = 'lost';
  expect(target?.available).toBe(true);
  expect(liveTargetsOf(fleet)[0]?.available).toBe(false);
});

test.each(['statevector-sim', 'gpu-fleet', 'nowhere'])(
  'what is prepared or refused for %s is the same as from plain data',
  (target_processor) => {
    const fleet = fleetOfTwo();
    fleet.processors[1].reason = 'lost';
    const outcome = (targets: ReturnType<typeof targetsOf>) => {
      try {
        return checkCircuit({ ...BELL, target_processor }, targets);
      } catch (error) {
        return error;
      }
    };
    expect(outcome(liveTargetsOf(fleet))).toEqual(outcome(targetsOf(fleet)));
  },
);
