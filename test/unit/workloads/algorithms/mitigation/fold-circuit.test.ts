/** Folded circuits: the same unitary, the wanted numbers of gates, and noise of inverse gates. */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../../src/circuit/errors.ts';
import { applyNoise } from '../../../../../src/circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../../src/circuit/noise/read-noise-model.ts';
import { maxAbsDifference } from '../../../../../src/math/complex-matrix.ts';
import {
  foldedScale,
  foldGlobally,
  withNoiseOfInverses,
} from '../../../../../src/workloads/algorithms/mitigation/fold-circuit.ts';
import { gate, randomGates } from '../../../../support/random-circuits.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import { unitaryOf } from '../../../../support/small-unitary.ts';

const circuitOf = (numQubits: number, operations: readonly Operation[]): Circuit => ({
  numQubits,
  numBits: 0,
  operations,
});

describe('a folded circuit', () => {
  test.each([1, 1.2, 2, 3, 4.6, 7])('of scale factor %f has the same unitary', (factor) => {
    const random = new RandomStream(5);
    for (let i = 0; i < 5; i++) {
      const circuit = circuitOf(3, randomGates(random, 3, 12, 2));
      const folded = foldGlobally(circuit, factor);
      expect(maxAbsDifference(unitaryOf(folded.circuit), unitaryOf(circuit))).toBeLessThan(1e-12);
      const gatesOf = ({ operations }: Circuit) =>
        operations.filter(({ kind }) => kind !== 'barrier').length;
      expect(gatesOf(folded.circuit)).toBe(folded.numGates);
      expect(folded.numGates / gatesOf(circuit)).toBeCloseTo(folded.scaleFactor, 12);
      const step = 1 / gatesOf(circuit);
      expect(Math.abs(folded.scaleFactor - factor)).toBeLessThanOrEqual(step + 1e-12);
    }
  });

  test('folds its last gates once more for a factor in between, and keeps barriers', () => {
    const [h, s, x, t] = ['H', 'S', 'X', 'T'].map((name) => gate(name, [0]));
    const barrier: Operation = { kind: 'barrier', qubits: [0] };
    const measure: Operation = { kind: 'measure', qubits: [0], bits: [0] };
    const circuit = { numQubits: 1, numBits: 1, operations: [h!, s!, x!, barrier, t!, measure] };
    const { circuit: folded, scaleFactor } = foldGlobally(circuit, 2);
    const names = folded.operations.map((each) => (each.kind === 'gate' ? each.gate : '|'));
    expect(names.join(' ')).toBe('H S X | T TDG | X X | T');
    expect(scaleFactor).toBe(2);
    expect(folded.numBits).toBe(0);
  });

  test('has the factor nearest to the one asked for', () => {
    expect([1, 1.1, 1.4, 2, 2.9, 3].map((factor) => foldedScale(2, factor))).toEqual([
      1, 1, 1, 2, 3, 3,
    ]);
  });
});

describe('noise of inverse gates', () => {
  const numNoise = (object: NoiseModelObject, circuit: Circuit, factor: number) => {
    const faults = new FaultList();
    const model = withNoiseOfInverses(readNoiseModel(object, faults, new Map())!, circuit);
    const noisy = applyNoise(foldGlobally(circuit, factor).circuit, model, faults);
    expect(faults.kept).toEqual([]);
    return noisy.operations.filter(({ kind }) => kind === 'noise').length;
  };
  const noiseAfter = (name: string): NoiseModelObject => ({
    gates: [{ gates: [name], channel: { type: 'bit_flip', probability: 0.1 } }],
  });

  test('is that of the gate where the model does not name the inverse', () => {
    const circuit = circuitOf(1, [gate('S', [0]), gate('H', [0])]);
    expect(numNoise(noiseAfter('S'), circuit, 3)).toBe(3);
    expect(numNoise(noiseAfter('*1'), circuit, 3)).toBe(6);
    expect(numNoise(noiseAfter('H'), circuit, 3)).toBe(3);
  });

  test('stays its own where the circuit has the inverse, too', () => {
    const circuit = circuitOf(1, [gate('S', [0]), gate('SDG', [0])]);
    // S SDG S SDG S SDG.
    expect(numNoise(noiseAfter('S'), circuit, 3)).toBe(3);
  });

  test('holds for gates with controls and for the time that gates take', () => {
    const circuit = circuitOf(2, [
      gate('H', [1]),
      { kind: 'gate', gate: 'S', controls: [0], targets: [1], angles: [] },
    ]);
    expect(numNoise(noiseAfter('CS'), circuit, 3)).toBe(3 * 2);
    const idle: NoiseModelObject = {
      idle: [{ t1_us: 100, t2_us: 100, durations_ns: { SX: 50 } }],
    };
    const cz = gate('CZ', [1], [0]);
    const waiting = circuitOf(2, [gate('H', [0]), cz, gate('SX', [1]), cz]);
    // Qubit 0 waits for SX, SXDG and SX.
    expect(numNoise(idle, waiting, 3)).toBe(3);
  });
});
