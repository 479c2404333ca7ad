/** Generated preparations of T states, run by the service's own methods. Distances are checked by Stim in test/clients/stim. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generateStim } from '../../../../src/circuit/stim/generate/generate-stim.ts';
import type { GeneratedNoise } from '../../../../src/circuit/stim/generate/memory-text.ts';
import { runQcs } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../support/service-process.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const QUIET: GeneratedNoise = {
  afterCliffordDepolarization: 0,
  beforeRoundDataDepolarization: 0,
  beforeMeasureFlipProbability: 0,
  afterResetFlipProbability: 0,
  idleDepolarization: 0,
  afterTPhaseFlipProbability: 0,
};

function generated(task: 'cultivation' | 'distillation', rounds: number, noise = QUIET): string {
  const code = task === 'cultivation' ? 'color_code' : 'reed_muller_code';
  const circuit = generateStim({ code, task, distance: 3, rounds, noise });
  if ('problem' in circuit) throw new Error(circuit.problem);
  return circuit.text;
}

/** Shares of shots that a detector discards, and of kept shots whose observable flipped. */
async function ratesOf(text: string, shots: number) {
  const file = join(folder.path, 'circuit.json');
  const body = {
    stim: text,
    target_processor: 'qvm',
    shots,
    seed: 5,
    return: ['detection_events'],
  };
  writeFileSync(file, JSON.stringify(body));
  const { code, stdout, stderr } = await runQcs(['run', file, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { data, num_detectors, bytes_per_shot } = JSON.parse(stdout).detection_events;
  const rows = Buffer.from(data, 'base64');
  let [kept, flipped] = [0, 0];
  for (let shot = 0; shot < shots; shot++) {
    const row = rows.subarray(shot * bytes_per_shot, (shot + 1) * bytes_per_shot);
    const bit = (i: number) => ((row[i >> 3] ?? 0) >> (i & 7)) & 1;
    if (Array.from({ length: num_detectors }, (_, i) => bit(i)).includes(1)) continue;
    kept++;
    flipped += bit(num_detectors);
  }
  return { discarded: 1 - kept / shots, flipped: flipped / kept, kept };
}

describe('cultivation', () => {
  test.each([2, 4])('has no events and its T state in %i rounds without noise', async (rounds) => {
    const text = generated('cultivation', rounds);
    expect(await ratesOf(text, 2000)).toMatchObject({ discarded: 0, flipped: 0 });
    // The logical operators of 7 qubits are X on all, and Y on all with the other sign. Of T_DAG|+⟩ both products are 1/√2.
    const end = /T_DAG [\d ]+\nMPP (\S+)\n(OBSERVABLE_INCLUDE\(0\) rec\[-1\])\nT [\d ]+\n/;
    for (const pauli of ['X', 'Y']) {
      const product = text.replace(end, (_, all: string, observable: string) =>
        [`MPP ${all.replaceAll('X', pauli)}`, observable, ''].join('\n'),
      );
      const { discarded, flipped } = await ratesOf(product, 20_000);
      expect(discarded).toBe(0);
      expect(Math.abs(flipped - (1 - Math.SQRT1_2) / 2)).toBeLessThan(0.01);
    }
  });

  test('discards 31.6 % of the shots at 0.1 % noise, as by Clifft', async () => {
    const p = 0.001;
    const noise = {
      ...QUIET,
      afterCliffordDepolarization: p,
      beforeMeasureFlipProbability: p,
      afterResetFlipProbability: p,
      idleDepolarization: p,
    };
    // Of 2,000,000 shots by Clifft 0.12, 0.3159 were discarded, and no observable of the others flipped.
    const { discarded, flipped } = await ratesOf(generated('cultivation', 2, noise), 50_000);
    expect(Math.abs(discarded - 0.3159)).toBeLessThan(0.011);
    expect(flipped).toBeLessThan(1e-4);
  });
});

describe('distillation', () => {
  test('has no events and its T state without noise', async () => {
    const text = generated('distillation', 1);
    expect(await ratesOf(text, 2000)).toMatchObject({ discarded: 0, flipped: 0 });
  });

  test.each([0.03, 0.1])('discards and errs as the code does, with Z errors of %d', async (p) => {
    const noise = { ...QUIET, afterTPhaseFlipProbability: p };
    const { discarded, flipped, kept } = await ratesOf(
      generated('distillation', 1, noise),
      100_000,
    );
    // By the weights of the words of the code and its dual (Bravyi & Kitaev, equation 35).
    const x = 1 - 2 * p;
    const passes = (1 + 15 * x ** 8) / 16;
    const errs = (1 - 15 * x ** 7 + 15 * x ** 8 - x ** 15) / (2 * (1 + 15 * x ** 8));
    expect(Math.abs(discarded - (1 - passes))).toBeLessThan(0.008);
    expect(Math.abs(flipped - errs)).toBeLessThan(5 * Math.sqrt(errs / kept));
    if (p < 0.05) expect(errs / (35 * p ** 3)).toBeCloseTo(1, 0);
  });
});
