/** Detectors of an engine: their events and error models against the exact distribution of the bits. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { pauliChannel } from '../../src/circuit/noise/named-channels.ts';
import {
  compileStabilizer,
  isStabilizerProgram,
} from '../../src/compiler/clifford/compile-stabilizer.ts';
import type { DetectorView, Engine, RunResult } from '../../src/engine/engine.ts';
import { joinedShots } from '../../src/engine/join-shots.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { type Ask, NEVER } from '../support/engine-runs.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { gate } from '../support/random-circuits.ts';

/** XX, XZ and YI on two qubits, each by itself; together they are a channel of seven errors. */
const CORRELATED = pauliChannel(
  2,
  Array.from({ length: 7 }, (_, i) => {
    const errors = [
      { flips: 3, signs: 0, probability: 0.03 },
      { flips: 1, signs: 2, probability: 0.02 },
      { flips: 1, signs: 1, probability: 0.05 },
    ];
    let [flips, signs, probability] = [0, 0, 1];
    for (const [j, error] of errors.entries()) {
      const happens = (((i + 1) >> j) & 1) === 1;
      probability *= happens ? error.probability : 1 - error.probability;
      if (happens) [flips, signs] = [flips ^ error.flips, signs ^ error.signs];
    }
    return { flips, signs, probability };
  }),
)!;
const DEPOLARIZING = pauliChannel(
  1,
  [1, 2, 3].map((i) => ({ flips: i & 1, signs: i >> 1, probability: 0.04 })),
)!;

/** Two rounds of a code of three data qubits, whose ancillas are measured through gates that differ. */
function repetitionCode(): DynamicCircuit {
  const round = (first: number): DynamicOperation[] => [
    { kind: 'noise', qubits: [1], channel: DEPOLARIZING },
    gate('CX', [3], [0]),
    { kind: 'noise', qubits: [0, 3], channel: CORRELATED },
    gate('CX', [3], [1]),
    gate('H', [4]),
    gate('CZ', [4], [1]),
    { kind: 'noise', qubits: [4, 1], channel: CORRELATED },
    gate('CZ', [4], [2]),
    gate('H', [4]),
    { kind: 'measure', qubits: [3, 4], bits: [first, first + 1] },
    { kind: 'misread', bits: [first + 1], p1Given0: 0.07, p0Given1: 0.07 },
    { kind: 'reset', qubits: [3, 4] },
  ];
  return {
    numQubits: 5,
    numBits: 7,
    operations: [
      // |111⟩: detectors of the data qubits are odd without noise.
      gate('X', [0]),
      gate('X', [1]),
      gate('X', [2]),
      ...round(0),
      gate('S', [2]),
      ...round(2),
      { kind: 'noise', qubits: [2, 0], channel: CORRELATED },
      { kind: 'measure', qubits: [0, 1, 2], bits: [4, 5, 6] },
      { kind: 'misread', bits: [4], p1Given0: 0.02, p0Given1: 0.02 },
    ],
  };
}

const VIEW: DetectorView = {
  detectors: [[0], [1], [0, 2], [1, 3], [2, 4, 5], [3, 5, 6]],
  logicalObservables: [[6]],
};

async function run(engine: Engine, circuit: DynamicCircuit, ask: Ask): Promise<RunResult> {
  const program = compileStabilizer(circuit);
  if (!isStabilizerProgram(program)) throw new Error(program.operation);
  await using executable = await engine.prepareStabilizer!(program);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

/** Exact distribution of detectors and observables, as numbers whose bit i is parity i; |111⟩ without noise gives 0. */
function exactParities(): ReadonlyMap<string, number> {
  const parities = [...VIEW.detectors, ...VIEW.logicalObservables];
  const inReference = new Set([6]);
  const exact = new Map<string, number>();
  for (const [label, probability] of exactRun(repetitionCode()).outcomes) {
    const bits = [...label].reverse().map(Number);
    const value = parities.map((list, i) =>
      list.reduce((sum, bit) => sum ^ bits[bit]!, inReference.has(i) ? 1 : 0),
    );
    const key = value.join('');
    if (probability > 1e-12) exact.set(key, (exact.get(key) ?? 0) + probability);
  }
  return exact;
}

/** The distribution that an error model says. */
function modelledParities(text: string): Float64Array {
  let distribution = new Float64Array(128);
  distribution[0] = 1;
  for (const line of text.trim().split('\n')) {
    const [, probability, targets] = /^error\((.*)\) (.*)$/.exec(line)!;
    const mask = targets!
      .split(' ')
      .filter((target) => target !== '^')
      .reduce((sum, target) => {
        const number = Number(target.slice(1)) + (target.startsWith('L') ? 6 : 0);
        return sum ^ (1 << number);
      }, 0);
    distribution = distribution.map(
      (value, i) =>
        value * (1 - Number(probability)) + distribution[i ^ mask]! * Number(probability),
    );
  }
  return distribution;
}

/** Tests of detectors. */
export function describeDetectors(engine: () => Engine): void {
  describe('detectors', () => {
    test('have an error model whose independent errors give the exact distribution', async () => {
      const { errorModel } = await run(engine(), repetitionCode(), {
        detectors: VIEW,
        errorModel: true,
      });
      const modelled = modelledParities(errorModel!);
      const exact = exactParities();
      for (const [value, probability] of modelled.entries()) {
        const key = value.toString(2).padStart(7, '0').split('').reverse().join('');
        expect(probability).toBeCloseTo(exact.get(key) ?? 0, 9);
      }
    });

    test('have events of that distribution, in the same order whatever the ranges', async () => {
      const ask = { shots: 3_000, seed: 4, detectors: VIEW };
      const { detections } = await run(engine(), repetitionCode(), ask);
      expect(detections).toMatchObject({ numDetectors: 6, numObservables: 1, wordsPerShot: 1 });
      const counts = new Map<string, number>();
      for (const events of detections!.shots) {
        const key = events.toString(2).padStart(7, '0').split('').reverse().join('');
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      const { statistic, bound } = chiSquared(counts, exactParities());
      expect(statistic).toBeLessThan(bound);
      const ranges = [];
      for (const [from, to] of [
        [0, 1_000],
        [1_000, 3_000],
      ] as const) {
        const shotRange = { from, to };
        const result = await run(engine(), repetitionCode(), { ...ask, shotRange });
        ranges.push({ result, numShots: to - from });
      }
      const joined = await joinedShots(ranges, ask.seed, NEVER);
      expect(joined.detections).toEqual(detections);
    });

    test('are divided into edges in an error model where they are more than two', async () => {
      // An error on the middle qubit of two pairs of detectors, each of which has edges of its own.
      const flip = (qubits: readonly number[], flips: number): DynamicOperation => ({
        kind: 'noise',
        qubits,
        channel: pauliChannel(qubits.length, [{ flips, signs: 0, probability: 0.125 }])!,
      });
      const circuit: DynamicCircuit = {
        numQubits: 4,
        numBits: 4,
        operations: [
          flip([0, 1], 3),
          flip([2, 3], 3),
          flip([0, 1, 2, 3], 15),
          { kind: 'measure', qubits: [0, 1, 2, 3], bits: [0, 1, 2, 3] },
        ],
      };
      const detectors = { detectors: [[0], [1], [2], [3]], logicalObservables: [] };
      const { errorModel } = await run(engine(), circuit, { detectors, errorModel: true });
      expect(errorModel).toBe(
        'error(0.125) D0 D1 ^ D2 D3\nerror(0.125) D2 D3\nerror(0.125) D0 D1\n',
      );
    });

    test('that are random without noise have no error model', async () => {
      const circuit: DynamicCircuit = {
        numQubits: 1,
        numBits: 1,
        operations: [gate('H', [0]), { kind: 'measure', qubits: [0], bits: [0] }],
      };
      const detectors = { detectors: [[0]], logicalObservables: [] };
      await expect(run(engine(), circuit, { detectors, errorModel: true })).rejects.toMatchObject({
        code: 'ENGINE_DETECTOR_NOT_DETERMINISTIC',
      });
    });
  });
}
