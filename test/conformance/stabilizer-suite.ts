/** Stabilizer runs of an engine against the oracle of noise, which follows density matrices through every outcome. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import type { PauliFactor, PauliSum } from '../../src/circuit/observable.ts';
import { inverseOperation } from '../../src/circuit/operation-matrix.ts';
import { compileActive } from '../../src/compiler/clifford/compile-active.ts';
import { compileStabilizer } from '../../src/compiler/clifford/compile-stabilizer.ts';
import type { StabilizerProgram } from '../../src/compiler/program.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { joinedShots } from '../../src/engine/run-trajectories.ts';
import { chiSquared } from '../support/chi-squared.ts';
import {
  type CliffordParts,
  PHASE_DAMPING,
  randomClifford,
  randomCliffordCircuit,
} from '../support/clifford-circuits.ts';
import { densityExpectation, densityVariance } from '../support/density-matrix.ts';
import { type Ask, countsByLabel, NEVER, runCircuit } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

/** The program of a Clifford circuit, or of one with active qubits. */
function programOf(circuit: DynamicCircuit): StabilizerProgram {
  const clifford = compileStabilizer(circuit);
  if (!('kind' in clifford)) return clifford;
  const compiled = compileActive(circuit, { maxActiveQubits: 8 });
  if ('kind' in compiled) throw new Error(`Not compiled: ${JSON.stringify(compiled)}`);
  return compiled;
}

async function runStabilizer(
  engine: Engine,
  circuit: DynamicCircuit,
  ask: Ask,
): Promise<RunResult> {
  if (engine.prepare.stabilizer === undefined) throw new Error('The engine has no tableaux.');
  await using executable = await engine.prepare.stabilizer(programOf(circuit));
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

/** All 4^n Pauli strings. */
function allStrings(numQubits: number): readonly PauliSum[] {
  return Array.from({ length: 4 ** numQubits }, (_, number): PauliSum => {
    const factors = Array.from({ length: numQubits }, (_, qubit): readonly PauliFactor[] => {
      const pauli = (['I', 'X', 'Y', 'Z'] as const)[(number >> (2 * qubit)) & 3]!;
      return pauli === 'I' ? [] : [{ pauli, qubit }];
    }).flat();
    return [{ coefficient: 1, factors }];
  });
}

const KINDS: readonly (readonly [name: string, parts: CliffordParts])[] = [
  ['gates', {}],
  ['measurements and resets', { readings: true }],
  ['Pauli noise', { noise: true }],
  ['noise and measurements', { noise: true, readings: true }],
  ['Paulis under conditions', { noise: true, readings: true, paulisOnBits: true }],
  [
    'anything under conditions',
    { noise: true, readings: true, paulisOnBits: true, anythingOnBits: true },
  ],
  ['other gates between measurements', { others: true, readings: true }],
  [
    'other gates, noise and conditions',
    { others: true, noise: true, readings: true, paulisOnBits: true },
  ],
];

/** Kinds of circuits whose values are exact. */
const EXACT_KINDS = KINDS.slice(0, 4);

/** Runs the suite on an engine. */
export function describeStabilizer(name: string, open: () => Engine): void {
  describe(`stabilizer runs of the ${name} engine`, () => {
    let engine: Engine;
    beforeAll(() => {
      engine = open();
    });
    afterAll(() => engine.close());

    describe.each(KINDS)('of circuits with %s', (_, parts) => {
      testSeeds('draw from the exact distribution', seeds(12), async (seed) => {
        const circuit = circuitOf(seed, parts);
        const { counts } = await runStabilizer(engine, circuit, { shots: 4_000, seed });
        const exact = [...exactRun(circuit).outcomes].filter(([, p]) => p > 1e-12);
        const { statistic, bound } = chiSquared(countsByLabel(counts), new Map(exact));
        expect(statistic).toBeLessThan(bound);
      });

      testSeeds('are the same in ranges of shots', seeds(2), async (seed) => {
        const circuit = circuitOf(seed, parts);
        const ask = { shots: 2_500, seed };
        const whole = await runStabilizer(engine, circuit, ask);
        const ranges = [];
        for (const [from, to] of [
          [0, 700],
          [700, 2_048],
          [2_048, 2_500],
        ] as const) {
          const result = await runStabilizer(engine, circuit, { ...ask, shotRange: { from, to } });
          ranges.push({ result, numShots: to - from });
        }
        const joined = await joinedShots(ranges, seed, NEVER);
        expect(countsByLabel(joined.counts)).toEqual(countsByLabel(whole.counts));
      });

      if (name === 'reference') return;
      testSeeds('are those of the reference engine', seeds(4), async (seed) => {
        const reference = openReferenceEngine({ maxQubits: 1 });
        const circuit = circuitOf(seed, parts);
        for (const shots of [100, 1_500]) {
          const [own, other] = await Promise.all(
            [engine, reference].map((each) => runStabilizer(each, circuit, { shots, seed })),
          );
          expect(countsByLabel(own!.counts)).toEqual(countsByLabel(other!.counts));
        }
      });
    });

    describe.each(EXACT_KINDS)('of circuits with %s', (_, parts) => {
      testSeeds('give exact probabilities', seeds(8), async (seed) => {
        const circuit = circuitOf(seed, parts);
        const { probabilities } = await runStabilizer(engine, circuit, { probabilities: true });
        const { outcomes } = exactRun(circuit);
        for (const [value, probability] of probabilities!.entries()) {
          const label = value.toString(2).padStart(circuit.numBits, '0');
          expect(probability).toBeCloseTo(outcomes.get(label) ?? 0, 10);
        }
      });

      testSeeds('give exact expectation values of all strings', seeds(4), async (seed) => {
        const circuit = circuitOf(seed, parts);
        const observables = allStrings(circuit.numQubits);
        const { expectations } = await runStabilizer(engine, circuit, { observables });
        const rho = densityBeforeReadout(circuit);
        for (const [i, observable] of observables.entries()) {
          expect(expectations![i]).toBeCloseTo(densityExpectation(rho, observable), 10);
        }
      });

      testSeeds('give exact variances of sums', seeds(4), async (seed) => {
        const circuit = circuitOf(seed, parts);
        const strings = allStrings(circuit.numQubits).flat();
        const stream = new RandomStream(900 + seed);
        const sum = stream
          .distinct(6, strings.length)
          .map((i) => ({ ...strings[i]!, coefficient: stream.normal() }));
        const { expectations, variances } = await runStabilizer(engine, circuit, {
          observables: [sum],
          variances: true,
        });
        const rho = densityBeforeReadout(circuit);
        expect(expectations![0]).toBeCloseTo(densityExpectation(rho, sum), 10);
        expect(variances![0]).toBeCloseTo(densityVariance(rho, sum), 10);
      });
    });

    testSeeds('draw from the exact distribution of qubits far apart', seeds(4), async (seed) => {
      const circuit = circuitOf(4 * seed + 3, { noise: true, readings: true });
      const { counts } = await runStabilizer(engine, spreadOut(circuit), { shots: 4_000, seed });
      const exact = [...exactRun(circuit).outcomes].filter(([, p]) => p > 1e-12);
      const { statistic, bound } = chiSquared(countsByLabel(counts), new Map(exact));
      expect(statistic).toBeLessThan(bound);
    });

    testSeeds('have the values of state vectors of up to 12 qubits', seeds(8), async (seed) => {
      const stream = new RandomStream(7000 + seed);
      const numQubits = 5 + stream.below(8);
      const circuit = randomCliffordCircuit(stream, numQubits, 20 * numQubits);
      const observables = Array.from({ length: 200 }, (): PauliSum => {
        const qubits = stream.distinct(1 + stream.below(3), numQubits);
        const factors = qubits.map((qubit) => ({
          pauli: stream.pick(['X', 'Y', 'Z'] as const),
          qubit,
        }));
        return [{ coefficient: 1, factors }];
      });
      const ask = { observables, probabilities: true };
      const reference = openReferenceEngine({ maxQubits: 12 });
      const expected = await runCircuit(reference, circuit, ask);
      const own = await runStabilizer(engine, circuit, ask);
      for (const name of ['probabilities', 'expectations'] as const) {
        const values = Array.from(own[name] ?? []);
        expect(values).toEqual(
          Array.from(expected[name] ?? [], (value) => expect.closeTo(value, 9)),
        );
        expect(values.length).toBeGreaterThan(0);
      }
      const { counts } = await runStabilizer(engine, circuit, { shots: 20_000, seed });
      const exact = new Map<string, number>();
      for (const [value, probability] of expected.probabilities!.entries()) {
        const label = value.toString(2).padStart(circuit.numBits, '0');
        if (probability > 1e-12) exact.set(label, probability);
      }
      // Up to so many outcomes each is drawn often enough to be compared.
      if (exact.size <= 2 ** 10) {
        const { statistic, bound } = chiSquared(countsByLabel(counts), exact);
        expect(statistic).toBeLessThan(bound);
      }
      for (const label of countsByLabel(counts).keys()) expect(exact.has(label)).toBe(true);
    });

    testSeeds('undo what was done to 200 qubits', seeds(3), async (seed) => {
      const numQubits = 200;
      const stream = new RandomStream(8000 + seed);
      const gates = Array.from({ length: 3_000 }, () => randomClifford(stream, numQubits));
      const inverse = gates.toReversed().map(inverseOperation);
      const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
      const measured: DynamicOperation = { kind: 'measure', qubits, bits: qubits };
      const back = { numQubits, numBits: numQubits, operations: [...gates, ...inverse, measured] };
      const { counts } = await runStabilizer(engine, back, { shots: 200, seed });
      expect(countsByLabel(counts)).toEqual(new Map([['0'.repeat(numQubits), 200]]));
      // Of the state in between, measured qubits agree with themselves.
      const bits = qubits.map((qubit) => numQubits + qubit);
      const twice = {
        numQubits,
        numBits: 2 * numQubits,
        operations: [...gates, measured, { ...measured, bits }],
      };
      const { counts: pairs } = await runStabilizer(engine, twice, { shots: 200, seed });
      for (const label of countsByLabel(pairs).keys()) {
        expect(label.slice(0, numQubits)).toBe(label.slice(numQubits));
      }
    });

    test('take Kraus matrices that are a mixture of Paulis', async () => {
      const circuit: DynamicCircuit = {
        numQubits: 1,
        numBits: 1,
        operations: [
          gate('H', [0]),
          { kind: 'noise', qubits: [0], channel: PHASE_DAMPING },
          gate('H', [0]),
          { kind: 'measure', qubits: [0], bits: [0] },
        ],
      };
      const { probabilities } = await runStabilizer(engine, circuit, { probabilities: true });
      expect(probabilities![1]).toBeCloseTo((1 - Math.sqrt(0.7)) / 2, 12);
    });

    test('repeat a circuit until a measurement succeeds', async () => {
      const circuit: DynamicCircuit = {
        numQubits: 2,
        numBits: 2,
        control: { numScratchBits: 0, maxRounds: 1000 },
        operations: [
          {
            kind: 'while',
            condition: { bits: [0], value: 0 },
            body: [
              { kind: 'reset', qubits: [0, 1] },
              gate('H', [0]),
              gate('CX', [1], [0]),
              { kind: 'measure', qubits: [0], bits: [0] },
            ],
          },
          { kind: 'measure', qubits: [1], bits: [1] },
        ],
      };
      const { counts } = await runStabilizer(engine, circuit, { shots: 200 });
      expect(countsByLabel(counts)).toEqual(new Map([['11', 200]]));
    });

    test('entangle a thousand qubits', async () => {
      const qubits = Array.from({ length: 1_000 }, (_, qubit) => qubit);
      const circuit: DynamicCircuit = {
        numQubits: 1_000,
        numBits: 1_000,
        operations: [
          gate('H', [0]),
          ...qubits.slice(1).map((qubit) => gate('CX', [qubit], [qubit - 1])),
          { kind: 'measure', qubits, bits: qubits },
        ],
      };
      const { counts } = await runStabilizer(engine, circuit, { shots: 1_000 });
      expect([...countsByLabel(counts).keys()].sort()).toEqual([
        '0'.repeat(1000),
        '1'.repeat(1000),
      ]);
    });

    test('refuse amplitudes', async () => {
      for (const ask of [{ statevector: true }, { amplitudes: [0n] }]) {
        const asked = runStabilizer(engine, circuitOf(1, {}), ask);
        await expect(asked).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_AMPLITUDES' });
      }
    });

    test('refuse exact values where operations have conditions', async () => {
      const circuit = circuitOf(3, { readings: true, anythingOnBits: true });
      const asked = runStabilizer(engine, circuit, { probabilities: true });
      await expect(asked).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE' });
    });

    test('refuse programs of more than 20,000 qubits', async () => {
      const circuit = { numQubits: 20_001, numBits: 0, operations: [] };
      await expect(runStabilizer(engine, circuit, {})).rejects.toMatchObject({
        code: 'ENGINE_PROGRAM_TOO_WIDE',
      });
    });

    test('end soon after the signal aborts', async () => {
      const controller = new AbortController();
      const program = programOf(circuitOf(5, { noise: true, readings: true }));
      await using executable = await engine.prepare.stabilizer!(program);
      const request = {
        shots: 10_000_000,
        seed: 1,
        onProgress: () => controller.abort(new Error('enough')),
      };
      await expect(executable.run(request, controller.signal)).rejects.toThrow('enough');
    });
  });
}

/** The circuit on qubits that are in different words, among qubits that are in use, too. */
function spreadOut({ operations, ...circuit }: DynamicCircuit): DynamicCircuit {
  const places = [5, 131, 258, 299];
  const moved = (operation: DynamicOperation): DynamicOperation => {
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        const [targets, controls] = [operation.targets, operation.controls].map((qubits) =>
          qubits.map((qubit) => places[qubit]!),
        );
        return { ...operation, targets: targets!, controls: controls! };
      }
      case 'measure':
      case 'reset':
      case 'barrier':
      case 'noise':
        return { ...operation, qubits: operation.qubits.map((qubit) => places[qubit]!) };
      default:
        return operation;
    }
  };
  const others = Array.from({ length: 300 }, (_, qubit) => qubit).filter(
    (qubit) => !places.includes(qubit),
  );
  const chain = others.slice(1).map((qubit, i) => gate('CX', [qubit], [others[i]!]));
  return {
    ...circuit,
    numQubits: 300,
    operations: [gate('H', [0]), ...chain, ...operations.map(moved)],
  };
}

const circuitOf = (seed: number, parts: CliffordParts): DynamicCircuit =>
  randomCliffordCircuit(new RandomStream(7000 + seed), 1 + (seed % 4), 24, parts);
