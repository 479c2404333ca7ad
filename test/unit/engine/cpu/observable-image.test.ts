import { describe, expect, test } from 'vitest';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { stateBytes } from '../../../../src/engine/cpu/command.ts';
import { applyObservable } from '../../../../src/engine/cpu/expectation.ts';
import { applyObservable as oracle } from '../../../../src/workloads/algorithms/hamiltonians/observable-action.ts';
import { randomSum, sharedFlips } from '../../../support/random-observables.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { amplitudesOf, BUILDS, precisionOf, randomState } from '../../../support/stored-states.ts';

describe.each(BUILDS)('an observable applied to a state of %s', (build) => {
  test.each([1, 2, 3, 4, 8, 12, 14, 15])('on %i qubits', async (n) => {
    const random = new RandomStream(400 + n);
    const options = { build, numQubits: n, isShuffled: n > 11 };
    const { runner, state, layout, amplitudes } = randomState(random, options);
    const before = amplitudesOf(runner, state);
    const imageAt = runner.allocate(stateBytes(state));
    new Uint8Array(runner.memory, imageAt, stateBytes(state)).fill(0x7a);
    for (const observable of [sharedFlips(random, n, 40), randomSum(random, n, 5), []]) {
      await applyObservable(runner, state, observable, layout, imageAt);

      const image = amplitudesOf(runner, { ...state, at: imageAt });
      const wanted = new Float64Array(amplitudes.length);
      oracle(onPhysicalQubits(observable, layout), amplitudes, wanted);
      const size = observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 1);
      const tolerance = precisionOf(build) === 'f64' ? 1e-15 : 3e-7;
      const worst = image.reduce((most, x, i) => Math.max(most, Math.abs(x - wanted[i]!)), 0);
      expect(worst).toBeLessThan(tolerance * size);
    }
    expect(amplitudesOf(runner, state)).toEqual(before);
  });
});

function onPhysicalQubits(observable: PauliSum, layout: readonly number[]): PauliSum {
  return observable.map(({ coefficient, factors }) => ({
    coefficient,
    factors: factors.map(({ pauli, qubit }) => ({ pauli, qubit: layout[qubit]! })),
  }));
}
