/** Noise models of public devices have the published error rates, whatever these are defined as. */
import { describe, expect, test } from 'vitest';
import { FaultList } from '../../../../src/circuit/errors.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { NAMED_NOISE_MODELS, nativeNoiseOf } from '../../../../src/compiler/device/noise-models.ts';
import { DEVICE_IDS, DEVICES } from '../../../../src/compiler/device/public-devices.ts';

/** The depolarizing channels of a model, after gates on one qubit and on two. */
function depolarizingOf(gates: (typeof NAMED_NOISE_MODELS)[number]['noise']['gates']) {
  const found = (gates ?? []).flatMap(({ channel }) =>
    channel.type === 'depolarizing' ? [channel.probability] : [],
  );
  expect(found).toHaveLength(2);
  return found as [number, number];
}

describe.each(DEVICE_IDS)('the noise of %s', (id) => {
  const device = DEVICES[id];
  const { noise, source } = NAMED_NOISE_MODELS.find((model) => model.id === id)!;
  const native = nativeNoiseOf(device);

  test('is a valid model, in native gates and for any circuit', () => {
    for (const model of [noise, native]) {
      const faults = new FaultList();
      expect(readNoiseModel(model, faults, new Map())).toBeDefined();
      expect(faults.kept).toEqual([]);
    }
    const names = (native.gates ?? []).flatMap(({ gates }) => gates);
    expect(new Set(names)).toEqual(
      new Set(device.nativeGates.filter((name) => !device.virtualGates.includes(name))),
    );
  });

  test('has the published rates', () => {
    const { measure, oneQubit, twoQubit } = device.errors;
    for (const gates of [noise.gates, native.gates]) {
      for (const [i, probability] of depolarizingOf(gates).entries()) {
        const [rate, dimension] = [[oneQubit, twoQubit][i]!, 2 ** (i + 1)];
        // The identity is one of the d² Kraus operators, so the entanglement fidelity is 1 − p.
        const averageFidelity = (dimension * (1 - probability) + 1) / (dimension + 1);
        // The fully mixed state contains each Pauli string, the identity as well, with weight 1/d².
        const mixedWeight = probability / (1 - 1 / dimension ** 2);
        const published = {
          average_infidelity: 1 - averageFidelity,
          pauli_error: probability,
          depolarizing_parameter: mixedWeight,
        };
        expect(published[measure]).toBeCloseTo(rate, 8);
      }
    }
    expect(source).toMatch(/median/i);
  });
});
