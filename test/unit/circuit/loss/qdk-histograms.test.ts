/**
 * Histograms of Microsoft's QDK, whose noise models have loss, against exact distributions.
 *
 * From qdk 1.33.1, `run_qir` with 200,000 shots and seed 7, type "clifford" ("cpu" for RZ and RXX), with
 * `NoiseConfig` as each case says; `.loss` is the probability for each operand, and `.on_loss` a `LossPolicy`. Labels
 * have result 0 rightmost and 2 for a loss. The type "cpu" gives the same distributions, but for the first case: there
 * '20' minus '21' is 5,634, and 7,087 by "clifford". In theory it is 200,000 · 0.05 · 0.95² · 0.9² = 7,310: qubit 1
 * was lost by its first H, and qubit 0 not at all.
 */
import { expect, test } from 'vitest';
import { withFinalMeasurement } from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import type { GateObject } from '../../../../src/circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { lowerLoss } from '../../../../src/circuit/loss/lower-loss.ts';
import { applyNoise } from '../../../../src/circuit/noise/apply-noise.ts';
import type { NoiseModelObject } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { chiSquared } from '../../../support/chi-squared.ts';
import { labelWithLoss } from '../../../support/loss-oracle.ts';
import { exactRun } from '../../../support/noise-oracle.ts';

const h = (qubit: number): GateObject => ({ gate: 'H', qubit });
const x = (qubit: number): GateObject => ({ gate: 'X', qubit });
const rz = (qubit: number, theta: number): GateObject => ({ gate: 'RZ', qubit, theta });
const cx = (control: number, target: number): GateObject => ({ gate: 'CX', control, target });
const cz = (control: number, target: number): GateObject => ({ gate: 'CZ', control, target });
const swap: GateObject = { gate: 'SWAP', qubits: [1, 2] };
const readAndReload = (qubit: number, bit: number): readonly GateObject[] => [
  { gate: 'M', qubits: [qubit], bits: [bit] },
  { gate: 'RESET', qubits: [qubit] },
];
const after = (gate: string, probability: number) => ({
  gates: [gate],
  channel: { type: 'loss' as const, probability },
});

interface Case {
  readonly circuit: readonly GateObject[];
  readonly noise: NoiseModelObject;
  readonly counts: Readonly<Record<string, number>>;
}

const CASES: Readonly<Record<string, Case>> = {
  'cz.loss = 0.1, h.loss = 0.05': {
    circuit: [h(0), h(1), cz(0, 1), h(1), cz(0, 1), h(0)],
    noise: { gates: [after('CZ', 0.1), after('H', 0.05)] },
    // biome-ignore format: a row
    counts: { '00': 26574, '01': 26859, '02': 23283, '10': 26844, '11': 26670, '12': 15811, '20': 23178, '21': 16091, '22': 14690 },
  },
  'cx.loss = 0.1, cx.on_loss = PROPAGATE': {
    circuit: [h(0), cx(0, 1), cx(1, 2), cx(0, 2)],
    noise: { gates: [after('CX', 0.1)], loss: [{ gates: ['CX'], rule: 'propagate' }] },
    // biome-ignore format: a row
    counts: { '000': 53350, '002': 5840, '011': 53124, '012': 5816, '020': 5823, '021': 5940, '022': 1347, '200': 5815, '202': 15924, '211': 5980, '212': 16130, '220': 703, '221': 683, '222': 23525 },
  },
  'rz.loss = 0.15, cx.loss = 0.05': {
    circuit: [h(0), rz(0, 0.7), h(0), cx(0, 1), rz(1, 1.1), h(1), cx(1, 0), h(1)],
    noise: { gates: [after('RZ', 0.15), after('CX', 0.05)] },
    // biome-ignore format: a row
    counts: { '00': 12652, '01': 46290, '02': 31792, '10': 46222, '11': 12506, '12': 3921, '20': 29244, '21': 6511, '22': 10862 },
  },
  'x.loss = 0.3, swap.on_loss = APPLY_ANYWAY': {
    circuit: [h(0), cx(0, 1), x(1), swap, cx(1, 0), cx(2, 1)],
    noise: { gates: [after('X', 0.3)], loss: [{ gates: ['SWAP'], rule: 'exchange' }] },
    counts: { '001': 70028, '110': 69961, '200': 30047, '201': 29964 },
  },
  'h.loss = 0.3, cz.on_loss = RESIDUAL_S_DAGGER': {
    circuit: [h(0), h(1), cz(0, 1), cz(0, 1), h(1), { gate: 'S', qubit: 1 }, h(1)],
    noise: { gates: [after('H', 0.3)], loss: [{ gates: ['CZ'], rule: 'residual_s_dagger' }] },
    // biome-ignore format: a row
    counts: { '00': 11962, '01': 12127, '02': 10342, '10': 12093, '11': 11783, '12': 10323, '20': 45907, '21': 46117, '22': 39346 },
  },
  'x.loss = 0.3, rxx.on_loss = DEGRADE': {
    circuit: [x(0), { gate: 'RXX', qubits: [0, 1], theta: 0.9 }],
    noise: { gates: [after('X', 0.3)], loss: [{ gates: ['RXX'], rule: 'degrade' }] },
    counts: { '01': 113362, '02': 48577, '10': 26616, '12': 11445 },
  },
  'x.loss = 0.3': {
    circuit: [h(0), cx(0, 1), x(1), swap, cx(1, 0), cx(2, 1)],
    noise: { gates: [after('X', 0.3)] },
    counts: { '001': 70028, '020': 30047, '021': 29964, '110': 69961 },
  },
  'x.loss = 0.3, and qubits that are used again': {
    circuit: [
      ...[h(0), cx(0, 1), x(0)],
      ...readAndReload(0, 0),
      ...[x(0), cx(0, 1)],
      ...readAndReload(0, 1),
      ...readAndReload(1, 2),
    ],
    noise: { gates: [after('X', 0.3)] },
    // biome-ignore format: a row
    counts: { '010': 48909, '012': 21022, '021': 20922, '022': 8960, '111': 49106, '112': 21087, '120': 21052, '122': 8942 },
  },
};

test.each(Object.entries(CASES))('%s', (_, { circuit, noise, counts }) => {
  const faults = new FaultList();
  const model = readNoiseModel(noise, faults, new Map())!;
  const measured = withFinalMeasurement(
    circuitFromGateObjects(circuit, { limits: { maxQubits: 3, maxGates: 100 } }),
  );
  const noisy = applyNoise(measured, model, faults);
  expect(faults.kept).toEqual([]);
  const lowered = lowerLoss(noisy, { rules: model.loss, readsState: false });
  const exact = new Map(
    [...exactRun(lowered).outcomes]
      .filter(([, probability]) => probability > 1e-12)
      .map(([label, probability]) => [labelWithLoss(label, lowered.lossMarks ?? []), probability]),
  );
  const { statistic, bound } = chiSquared(new Map(Object.entries(counts)), exact);
  expect(statistic).toBeLessThan(bound);
  for (const [label, probability] of exact) {
    const expected = 200_000 * probability;
    const deviation = Math.sqrt(expected * (1 - probability));
    expect(Math.abs((counts[label] ?? 0) - expected)).toBeLessThan(5 * deviation);
  }
});
