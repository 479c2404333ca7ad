/**
 * Loops on measured bits and assignments: the exact distribution, also where qubits have to move
 * between places for a loop, and the reference engine's counts for the same seed.
 */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, runCircuit, runProgram } from '../support/engine-runs.ts';
import { gate, randomGates, randomLoopCircuit } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/** Flips a coin until it shows 1; bits 1 … 4 count the throws, modulo 16. */
function untilOne(maxRounds: number): DynamicCircuit {
  const throws = [1, 2, 3, 4];
  const not: DynamicOperation = {
    kind: 'assign',
    bits: [5],
    value: {
      kind: 'apply',
      operator: '!',
      operands: [{ kind: 'read', bits: [0], encoding: 'uint', type: 'bool' }],
    },
  };
  const count: DynamicOperation = {
    kind: 'assign',
    bits: throws,
    value: {
      kind: 'apply',
      operator: '+',
      operands: [
        { kind: 'read', bits: throws, encoding: 'uint', type: 'uint' },
        { kind: 'scalar', type: 'uint', value: 1 },
      ],
    },
  };
  const body: readonly DynamicOperation[] = [
    { kind: 'reset', qubits: [0] },
    gate('H', [0]),
    { kind: 'measure', qubits: [0], bits: [0] },
    count,
    not,
  ];
  return {
    numQubits: 1,
    numBits: 5,
    control: { numScratchBits: 1, maxRounds },
    operations: [not, { kind: 'while', condition: { bits: [5], value: 1 }, body }],
  };
}

/** A loop over a register that no small tile holds, with gates everywhere, and what it must come to. */
function wideLoop(numQubits: number): DynamicCircuit {
  const stream = new RandomStream(77);
  const there = randomGates(stream, numQubits, 40, 2).filter(({ kind }) => kind === 'gate');
  const flag: DynamicOperation = {
    kind: 'assign',
    bits: [numQubits],
    value: {
      kind: 'apply',
      operator: '!',
      operands: [{ kind: 'read', bits: [0], encoding: 'uint', type: 'bool' }],
    },
  };
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits,
    control: { numScratchBits: 1, maxRounds: 1000 },
    operations: [
      ...there,
      flag,
      {
        kind: 'while',
        condition: { bits: [numQubits], value: 1 },
        body: [
          ...there,
          gate('SWAP', [0, numQubits - 1]),
          gate('H', [0]),
          { kind: 'measure', qubits: [0], bits: [0] },
          flag,
        ],
      },
      { kind: 'measure', qubits: all, bits: all },
    ],
  };
}

/** Loops and assignments on an engine. */
export function describeLoops({
  engine,
  maxQubits,
  mostStates = Number.POSITIVE_INFINITY,
}: EngineUnderTest): void {
  describe('loops on measured bits', () => {
    test('run until a coin shows 1, each shot by its own draws', async () => {
      const circuit = untilOne(1000);
      const { counts } = await runCircuit(engine(), circuit, { shots: 20_000, seed: 3 });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
      expect(statistic).toBeLessThan(bound);
      expect([...countsByLabel(counts).keys()].every((label) => label.endsWith('1'))).toBe(true);
    });

    test('that a shot goes through too often fail the run, and say so', async () => {
      const running = runCircuit(engine(), untilOne(3), { shots: 1000, seed: 3 });
      await expect(running).rejects.toMatchObject({ code: 'ENGINE_TOO_MANY_ROUNDS' });
      await expect(running).rejects.toThrow('more than 3 rounds');
    });

    testSeeds(
      'draw from their exact distributions, as the reference engine does',
      seeds(2),
      async (seed) => {
        const circuit = randomLoopCircuit(new RandomStream(500 + seed), 3);
        // Shots with the same outcomes share a state, so that ten shots take about one.
        const shots = Math.min(1000, 10 * mostStates);
        const { counts } = await runCircuit(engine(), circuit, { shots, seed });
        const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
        expect(statistic).toBeLessThan(bound);
        await using reference = openReference();
        const same = await runCircuit(reference.engine, circuit, { shots, seed });
        expect(countsByLabel(counts)).toEqual(countsByLabel(same.counts));
      },
    );

    test('find their qubits where they left them, also where no tile holds them all', async () => {
      const numQubits = Math.min(maxQubits, 12);
      const circuit = wideLoop(numQubits);
      const { counts } = await runCircuit(engine(), circuit, { shots: 200, seed: 9 });
      await using reference = openReference();
      const same = await runCircuit(reference.engine, circuit, { shots: 200, seed: 9 });
      const [own, other] = [countsByLabel(counts), countsByLabel(same.counts)];
      // Draws within rounding of a boundary may fall on the other side in single precision.
      const labels = new Set([...own.keys(), ...other.keys()]);
      const apart = [...labels].filter((label) => own.get(label) !== other.get(label));
      expect(apart.length).toBeLessThanOrEqual(2);
    });

    test('follow measurements whose outcome was overwritten', async () => {
      const circuit: DynamicCircuit = {
        numQubits: 2,
        numBits: 1,
        control: { numScratchBits: 1, maxRounds: 1 },
        operations: [
          gate('H', [0]),
          { kind: 'measure', qubits: [0], bits: [0] },
          { kind: 'measure', qubits: [1], bits: [0] },
          { kind: 'while', condition: { bits: [1], value: 1 }, body: [gate('X', [1])] },
          gate('H', [0]),
          { kind: 'measure', qubits: [0], bits: [0] },
        ],
      };
      const { counts } = await runCircuit(engine(), circuit, { shots: 2000, seed: 4 });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
      expect(statistic).toBeLessThan(bound);
    });

    test('are optimised without meaning anything else', async () => {
      const circuit = randomLoopCircuit(new RandomStream(503), 3);
      const { program } = compile(circuit, engine().target, { keepState: false });
      const { counts } = await runProgram(engine(), program, { shots: 1000, seed: 5 });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
      expect(statistic).toBeLessThan(bound);
    });
  });

  describe('assignments after the last measurement', () => {
    const circuit: DynamicCircuit = {
      numQubits: 3,
      numBits: 3,
      control: { numScratchBits: 1, maxRounds: 0 },
      operations: [
        ...[0, 1, 2].map((qubit) => gate('RY', [qubit], [], [0.7 + qubit])),
        { kind: 'measure', qubits: [0, 1, 2], bits: [0, 1, 3] },
        {
          kind: 'assign',
          bits: [2],
          value: {
            kind: 'apply',
            operator: '^',
            operands: [0, 3].map((bit) => ({
              kind: 'read' as const,
              bits: [bit],
              encoding: 'uint' as const,
              type: 'uint' as const,
            })),
          },
        },
      ],
    };

    test('count, and leave one final state for all shots', async () => {
      const exact = exactOutcomes(circuit);
      const ask = { shots: 20_000, seed: 4, probabilities: true };
      const { counts, probabilities } = await runCircuit(engine(), circuit, ask);
      const { statistic, bound } = chiSquared(countsByLabel(counts), exact);
      expect(statistic).toBeLessThan(bound);
      for (const [value, probability] of [...(probabilities ?? [])].entries()) {
        const label = value.toString(2).padStart(3, '0');
        expect(probability).toBeCloseTo(exact.get(label) ?? 0, 5);
      }
      expect(probabilities).toHaveLength(8);
    });
  });
}

function openReference() {
  const engine = openReferenceEngine({ maxQubits: 12 });
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}
