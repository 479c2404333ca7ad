/** State vectors and probabilities, and the order of all outputs under relabelling. */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation, Qubit } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { Program } from '../../src/compiler/program.ts';
import {
  countsByLabel,
  runCircuit,
  runProgram,
  statevectorOf,
  worstAmplitude,
} from '../support/engine-runs.ts';
import { gate, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/** H on physical 2, then CX from 2 to physical 0, in a program that ends with the given layout. */
function relabelledProgram(finalLayout: readonly Qubit[]): Program {
  const half = Math.SQRT1_2;
  return {
    hash: `relabelled to ${finalLayout.join(' ')}`,
    numQubits: 3,
    numBits: 2,
    matrices: Float64Array.of(half, 0, half, 0, half, 0, -half, 0, 1, 0, 1, 0),
    steps: [
      {
        kind: 'sweep',
        resident: [0, 1, 2],
        kernels: [
          { kind: 'dense', targets: [2], controls: [], offset: 0 },
          { kind: 'permutation', targets: [0], controls: [2], offset: 4, rows: [1, 0] },
          { kind: 'permutation', targets: [1], controls: [], offset: 4, rows: [1, 0] },
        ],
      },
      { kind: 'measure', qubits: [2, 1], bits: [0, 1] },
    ],
    finalLayout,
  };
}

/** Output tests of an engine. */
export function describeOutputs({ engine, tolerance }: EngineUnderTest): void {
  test('answers the amplitudes in logical order: X on qubit 0 of 3 is index 1', async () => {
    const operations = [gate('X', [0])];
    const amplitudes = await statevectorOf(engine(), { numQubits: 3, numBits: 0, operations });
    expect([...amplitudes]).toEqual([0, 0, 1, 0, ...new Array(12).fill(0)]);
  });

  describe('with a final layout that is not the identity', () => {
    // Physical: (|000⟩ + |101⟩)/√2 with qubit 1 flipped. Logical 0 is at 1, 1 at 2, 2 at 0.
    const layout = [1, 2, 0];

    test('gives the state vector in logical order', async () => {
      const { statevector } = await runProgram(engine(), relabelledProgram(layout), {
        statevector: true,
      });
      const expected = new Float64Array(16);
      expected[2 * 0b001] = Math.SQRT1_2;
      expected[2 * 0b111] = Math.SQRT1_2;
      expect(worstAmplitude(statevector!, expected)).toBeLessThan(tolerance);
    });

    test('gives amplitudes of logical basis states, in the order in which they are asked for', async () => {
      const asked = [0b111, 0b101, 0b001, 0b111];
      const { amplitudes } = await runProgram(engine(), relabelledProgram(layout), {
        amplitudes: asked.map(BigInt),
      });
      const expected = Float64Array.of(Math.SQRT1_2, 0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0);
      expect(worstAmplitude(amplitudes!, expected)).toBeLessThan(tolerance);
    });

    test('measures physical qubits', async () => {
      const { counts, probabilities } = await runProgram(engine(), relabelledProgram(layout), {
        shots: 100,
        probabilities: true,
      });
      expect([...countsByLabel(counts).keys()]).toEqual(['10', '11']);
      expect(probabilities![0b10]).toBeCloseTo(0.5, 5);
      expect(probabilities![0b11]).toBeCloseTo(0.5, 5);
    });

    test('takes observables on logical qubits', async () => {
      const on = (pauli: 'X' | 'Y' | 'Z', ...qubits: Qubit[]): PauliSum => [
        { coefficient: 1, factors: qubits.map((qubit) => ({ pauli, qubit })) },
      ];
      const observables = [on('Z', 0), on('Z', 1, 2), on('X', 1, 2), on('Y', 1, 2), on('Z', 1)];
      const { expectations } = await runProgram(engine(), relabelledProgram(layout), {
        observables,
      });
      const exact = [-1, 1, 1, -1, 0];
      for (const [i, value] of exact.entries()) expect(expectations![i]).toBeCloseTo(value, 5);
    });

    test('sums probabilities in logical order when it samples', async () => {
      // The same draw lies below 1/2 for the first logical basis state, whichever is first
      // physically: the flipped layout must exchange what the same shots measure.
      const program = relabelledProgram([2, 1, 0]);
      const readFlipped: Program = {
        ...program,
        hash: 'flipped',
        steps: [...program.steps.slice(0, 1), { kind: 'measure', qubits: [0, 1], bits: [0, 1] }],
      };
      const straight = await runProgram(engine(), program, { shots: 1000 });
      const flipped = await runProgram(engine(), readFlipped, { shots: 1000 });
      expect(countsByLabel(flipped.counts)).toEqual(countsByLabel(straight.counts));
    });
  });

  test('keeps logical order through SWAPs that the compiler relabels away', async () => {
    const operations: readonly Operation[] = [
      gate('RY', [0], [], [0.7]),
      gate('SWAP', [0, 2]),
      gate('CRX', [1], [2], [1.1]),
      gate('SWAP', [1, 3]),
      gate('SWAP', [3, 0]),
      gate('CU', [3], [2], [0.1, 0.2, 0.3, 0.4]),
    ];
    const circuit: Circuit = { numQubits: 4, numBits: 0, operations };
    const amplitudes = await statevectorOf(engine(), circuit);
    expect(worstAmplitude(amplitudes, finalAmplitudes(circuit))).toBeLessThan(tolerance);
  });

  testSeeds('gives the exact distribution of measured bits', seeds(1), async (seed) => {
    const gates = randomGates(new RandomStream(600 + seed), 5, 20, 2);
    const measures: readonly Operation[] = [
      { kind: 'measure', qubits: [4, 0], bits: [1, 5] },
      { kind: 'measure', qubits: [2, 4], bits: [0, 3] },
    ];
    const circuit: Circuit = { numQubits: 5, numBits: 6, operations: [...gates, ...measures] };
    const { probabilities } = await runCircuit(engine(), circuit, { probabilities: true });
    const exact = exactOutcomes(circuit);
    expect(probabilities).toHaveLength(64);
    for (const [value, probability] of probabilities!.entries()) {
      const label = value.toString(2).padStart(6, '0');
      expect(Math.abs(probability - (exact.get(label) ?? 0))).toBeLessThan(tolerance);
    }
  });

  testSeeds('gives amplitudes of basis states with their phases', seeds(2), async (seed) => {
    const stream = new RandomStream(700 + seed);
    const numQubits = 6;
    const measure: Operation = { kind: 'measure', qubits: [3, 0], bits: [0, 1] };
    const gates = randomGates(stream, numQubits, 30, 3);
    const circuit: Circuit = { numQubits, numBits: 2, operations: [...gates, measure] };
    const asked = Array.from({ length: 20 }, () => stream.below(2 ** numQubits));
    const { amplitudes } = await runCircuit(engine(), circuit, {
      shots: 10,
      amplitudes: asked.map(BigInt),
    });
    const exact = finalAmplitudes(circuit);
    const expected = asked.flatMap((index) => [...exact.subarray(2 * index, 2 * index + 2)]);
    expect(amplitudes).toHaveLength(40);
    expect(worstAmplitude(amplitudes!, Float64Array.from(expected))).toBeLessThan(tolerance);
  });

  test('gives the register as certain where nothing is measured', async () => {
    const operations = [gate('H', [0])];
    const circuit: Circuit = { numQubits: 1, numBits: 1, operations };
    const { probabilities } = await runCircuit(engine(), circuit, { probabilities: true });
    expect(probabilities).toHaveLength(2);
    expect(probabilities![0]).toBeCloseTo(1, 5);
  });

  test('gives back only what was asked for', async () => {
    const circuit: Circuit = { numQubits: 1, numBits: 0, operations: [gate('H', [0])] };
    const result = await runCircuit(engine(), circuit, {});
    expect(Object.keys(result).sort()).toEqual(['counts', 'statePasses', 'timing']);
  });

  describe('refuses what needs one final state, after', () => {
    const measure: Operation = { kind: 'measure', qubits: [0], bits: [0] };
    test.each<[string, readonly Operation[]]>([
      ['a measurement in mid-circuit', [measure, gate('H', [0])]],
      ['a reset', [{ kind: 'reset', qubits: [0] }]],
      ['a conditioned gate', [{ ...gate('X', [0]), condition: { bits: [0], value: 0 } }]],
      ['a conditioned measurement', [measure, { ...measure, condition: { bits: [0], value: 1 } }]],
    ])('%s', async (_, operations) => {
      const circuit: Circuit = { numQubits: 1, numBits: 1, operations };
      const code = 'ENGINE_OUTPUT_NEEDS_FINAL_STATE';
      for (const ask of [
        { statevector: true },
        { amplitudes: [0n] },
        { probabilities: true },
        { observables: [[]] },
      ]) {
        await expect(runCircuit(engine(), circuit, ask)).rejects.toMatchObject({ code });
      }
    });
  });

  test('refuses a distribution over more bits than can be listed', async () => {
    const circuit: Circuit = { numQubits: 1, numBits: 27, operations: [] };
    await expect(runCircuit(engine(), circuit, { probabilities: true })).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_OUTCOMES',
    });
  });
}
