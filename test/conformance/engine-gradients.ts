/** Gradients of expectation values, by all gates with angles. */
import { describe, expect, test } from 'vitest';
import {
  type Circuit,
  type DynamicCircuit,
  type Operation,
  withAngles,
} from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import { CONSTANT } from '../../src/compiler/parametric.ts';
import { anglesOf } from '../../src/compiler/shape.ts';
import { gradientOf, ownSlots, preparedGradient } from '../support/engine-runs.ts';
import { gradientOracle } from '../support/gradient-oracle.ts';
import {
  expectationOf,
  largestDifference,
  randomObservable,
} from '../support/parametric-circuits.ts';
import { gate, randomGates, randomUse } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { applied, finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

const PARAMETRIC = GATES.filter(({ parameters }) => parameters.length > 0);
const SEEDS = seeds(12);
const STEP = 1e-5;

/** Tilted qubits, then gates with angles among unitaries and gates of all kinds. */
function randomCircuit(seed: number, numQubits: number, numGates: number): Circuit {
  const stream = new RandomStream(4000 + seed);
  const fitting = PARAMETRIC.filter((g) => g.numControls + g.numTargets <= numQubits);
  const operations: Operation[] = [];
  for (let q = 0; q < numQubits; q++) operations.push(gate('U', [q], [], [1, 2 + q, 3]));
  for (let i = 0; i < numGates; i++) {
    if (stream.below(2) === 0) operations.push(randomUse(stream, stream.pick(fitting), numQubits));
    else operations.push(...randomGates(stream, numQubits, 1, 2));
  }
  return { numQubits, numBits: 0, operations };
}

/** Amplitudes of a random state. */
function randomState(stream: RandomStream, numQubits: number): Float64Array {
  const amplitudes = Float64Array.from({ length: 2 * 2 ** numQubits }, () => stream.normal());
  const norm = Math.sqrt(amplitudes.reduce((sum, each) => sum + each * each, 0));
  return amplitudes.map((each) => each / norm);
}

/** A circuit that begins with these amplitudes. */
function begun(circuit: Circuit, amplitudes: Float64Array): DynamicCircuit {
  const qubits = Array.from({ length: circuit.numQubits }, (_, q) => q);
  const start = { kind: 'initialize', qubits, state: { kind: 'pure', amplitudes } } as const;
  return { ...circuit, operations: [start, ...circuit.operations] };
}

/** Layers as those that are trained: rotations of all qubits, and rotations or gates of pairs. */
function layeredCircuit(seed: number, numQubits: number): Circuit {
  const stream = new RandomStream(5000 + seed);
  const operations: Operation[] = [];
  for (let layer = 0; layer < 3; layer++) {
    const names = stream.pick([['RY', 'RZ'], ['RX'], ['H', 'RZ', 'RX'], ['U']]);
    for (let q = 0; q < numQubits; q++) {
      for (const name of names) {
        const count = { H: 0, U: 3 }[name] ?? 1;
        operations.push(
          gate(
            name,
            [q],
            [],
            Array.from({ length: count }, () => stream.angle()),
          ),
        );
      }
    }
    const pairs = stream.pick([['CX'], ['RZZ'], ['RXX', 'RYY', 'RZZ'], ['CRX'], ['CP']]);
    const order = stream.distinct(numQubits, numQubits);
    for (let i = 0; i + 1 < numQubits; i++) {
      const [a, b] = [order[i]!, order[i + 1]!];
      for (const name of pairs) {
        const angles = name === 'CX' ? [] : [stream.angle()];
        const isControlled = name.startsWith('C');
        operations.push(
          isControlled ? gate(name, [a], [b], angles) : gate(name, [a, b], [], angles),
        );
      }
    }
  }
  return { numQubits, numBits: 0, operations };
}

/** Circuits wider than a tile with their gradients, which take seconds and are those of every engine. */
const LAYERED = new Map<string, ReturnType<typeof layeredGradient>>();

function layered(seed: number, numQubits: number) {
  const key = `${seed} ${numQubits}`;
  const known = LAYERED.get(key) ?? layeredGradient(seed, numQubits);
  LAYERED.set(key, known);
  return known;
}

function layeredGradient(seed: number, numQubits: number) {
  const circuit = layeredCircuit(seed, numQubits);
  const observable = randomObservable(new RandomStream(200 + seed), numQubits);
  const angles = Float64Array.from(anglesOf(circuit));
  return { circuit, observable, expected: gradientOracle(circuit, angles, observable) };
}

/** Sums of many products, each as exact as an amplitude. */
const exactOf = (tolerance: number) => 100 * tolerance;

/** Holds an engine to the derivatives that differences and a plain implementation give. */
export function describeGradients({ engine, tolerance, maxQubits }: EngineUnderTest): void {
  const exact = exactOf(tolerance);

  describe('gradients', () => {
    testSeeds('are those of central differences', SEEDS, async (seed) => {
      const stream = new RandomStream(seed);
      const numQubits = 1 + (seed % 5);
      const circuit = randomCircuit(seed, numQubits, 10);
      const angles = Float64Array.from(anglesOf(circuit));
      const observable = randomObservable(stream, numQubits);
      const { values, gradients } = await gradientOf(engine(), circuit, [observable]);
      const valueAt = (moved: Float64Array) =>
        expectationOf(finalAmplitudes(withAngles(circuit, moved)), observable);
      expect(Math.abs(values[0]! - valueAt(angles))).toBeLessThan(exact);
      const differences = Array.from(angles, (angle, i) => {
        const up = valueAt(angles.with(i, angle + STEP));
        return (up - valueAt(angles.with(i, angle - STEP))) / (2 * STEP);
      });
      expect(largestDifference(gradients, differences)).toBeLessThan(Math.max(1e-6, exact));
    });

    testSeeds('of each observable are its own', SEEDS, async (seed) => {
      const stream = new RandomStream(100 + seed);
      const numQubits = 6 + (seed % 5);
      const circuit = randomCircuit(seed, numQubits, 20);
      const observables = Array.from({ length: 3 }, () => randomObservable(stream, numQubits));
      const { values, gradients } = await gradientOf(engine(), circuit, observables);
      const angles = Float64Array.from(anglesOf(circuit));
      const expected = observables.map((each) => gradientOracle(circuit, angles, each));
      expect(
        largestDifference(
          values,
          expected.map(({ value }) => value),
        ),
      ).toBeLessThan(exact);
      const all = expected.flatMap(({ angleGradient }) => [...angleGradient]);
      expect(largestDifference(gradients, all)).toBeLessThan(exact);
    });

    testSeeds('cross the borders of tiles', seeds(2), async (seed) => {
      // More qubits than a tile of the CPU engine has, and fewer.
      const numQubits = Math.min(seed === 0 ? 15 : 13, maxQubits - 1);
      const { circuit, observable, expected } = layered(seed, numQubits);
      const { values, gradients } = await gradientOf(engine(), circuit, [observable]);
      expect(Math.abs(values[0]! - expected.value)).toBeLessThan(exact);
      expect(largestDifference(gradients, expected.angleGradient)).toBeLessThan(exact);
    });

    testSeeds(
      'add up where angles are one parameter, and leave others out',
      SEEDS,
      async (seed) => {
        const stream = new RandomStream(300 + seed);
        const circuit = randomCircuit(seed, 5, 20);
        const values = Array.from({ length: 4 }, () => stream.angle());
        const slots = Int32Array.from(anglesOf(circuit), () => stream.below(5) - 1);
        const own = anglesOf(circuit).map((angle, i) => values[slots[i]!] ?? angle);
        const observable = randomObservable(stream, 5);
        const wanted = Uint8Array.of(1, 0, 1, 1);
        const { gradients } = await gradientOf(
          engine(),
          circuit,
          [observable],
          { slots, wanted },
          values,
        );
        const { angleGradient } = gradientOracle(circuit, Float64Array.from(own), observable);
        const expected = new Float64Array(
          slots.reduce((most, slot) => Math.max(most, slot + 1), 0),
        );
        for (const [i, slot] of slots.entries()) {
          if (slot !== CONSTANT && wanted[slot] === 1) expected[slot]! += angleGradient[i]!;
        }
        expect(largestDifference(gradients, expected)).toBeLessThan(exact);
      },
    );

    testSeeds('exist at angles where a gate has another form', SEEDS, async (seed) => {
      const stream = new RandomStream(400 + seed);
      const special = [0, Math.PI / 2, Math.PI, -Math.PI, 2 * Math.PI, 1e-9, Math.PI - 1e-7];
      const shape = randomCircuit(seed, 4, 16);
      const angles = Float64Array.from(anglesOf(shape), () => stream.pick(special));
      const observable = randomObservable(stream, 4);
      const slots = ownSlots(shape);
      const { gradients } = await gradientOf(engine(), shape, [observable], { slots }, angles);
      const { angleGradient } = gradientOracle(shape, angles, observable);
      expect(largestDifference(gradients, angleGradient)).toBeLessThan(exact);
    });

    testSeeds('are exact between gates of small constant angles', SEEDS, async (seed) => {
      const stream = new RandomStream(500 + seed);
      const circuit = randomCircuit(seed, 4, 16);
      const slots = Int32Array.from(anglesOf(circuit), () => stream.below(2) - 1);
      const small = () => stream.pick([2e-3, -1e-3, 1e-4]);
      const own = Float64Array.from(slots, (slot) => (slot === CONSTANT ? small() : 0.7));
      const observable = randomObservable(stream, 4);
      const { gradients } = await gradientOf(
        engine(),
        withAngles(circuit, own),
        [observable],
        { slots },
        [0.7],
      );
      const { angleGradient } = gradientOracle(circuit, own, observable);
      const sum = angleGradient.reduce((all, each, i) => all + (slots[i] === 0 ? each : 0), 0);
      expect(Math.abs((gradients[0] ?? 0) - sum)).toBeLessThan(exact);
    });

    testSeeds(
      'of circuits that begin in any state are those of differences',
      SEEDS,
      async (seed) => {
        const stream = new RandomStream(900 + seed);
        const numQubits = 1 + (seed % 5);
        const shape = randomCircuit(seed, numQubits, 10);
        const amplitudes = randomState(stream, numQubits);
        const angles = Float64Array.from(anglesOf(shape));
        const observables = [0, 1].map(() => randomObservable(stream, numQubits));
        const circuit = begun(shape, amplitudes);
        const { values, gradients } = await gradientOf(engine(), circuit, observables);
        const valuesAt = (at: Float64Array) => {
          const { operations } = withAngles(shape, at);
          const state = operations.reduce(
            (before, operation) =>
              operation.kind === 'gate' || operation.kind === 'unitary'
                ? applied(before, operation)
                : before,
            amplitudes,
          );
          return observables.map((each) => expectationOf(state, each));
        };
        expect(largestDifference(values, valuesAt(angles))).toBeLessThan(exact);
        const differences = observables.flatMap((_, o) =>
          Array.from(angles, (angle, i) => {
            const [up, down] = [STEP, -STEP].map((by) => valuesAt(angles.with(i, angle + by))[o]!);
            return (up! - down!) / (2 * STEP);
          }),
        );
        expect(largestDifference(gradients, differences)).toBeLessThan(Math.max(1e-6, exact));
      },
    );

    test('of circuits that begin in any state cross the borders of tiles', async () => {
      const numQubits = Math.min(15, maxQubits - 1);
      const shape = layeredCircuit(1, numQubits);
      const stream = new RandomStream(950);
      const amplitudes = randomState(stream, numQubits);
      const observable = randomObservable(stream, numQubits);
      const circuit = begun(shape, amplitudes);
      const { gradients } = await gradientOf(engine(), circuit, [observable]);
      const angles = Float64Array.from(anglesOf(shape));
      const { angleGradient } = gradientOracle(shape, angles, observable, amplitudes);
      expect(largestDifference(gradients, angleGradient)).toBeLessThan(exact);
    });

    test('pass phases under two controls beside gates of the same pair', async () => {
      const operations = [
        gate('RY', [0], [], [0.93]),
        gate('ISWAP', [1, 0]),
        gate('GPHASE', [], [0, 1], [0.7]),
        gate('XX+YY', [1, 0], [], [0.3, 2.5]),
      ];
      const circuit = { numQubits: 2, numBits: 0, operations };
      const observable = randomObservable(new RandomStream(600), 2);
      const { gradients } = await gradientOf(engine(), circuit, [observable]);
      const angles = Float64Array.from(anglesOf(circuit));
      const { angleGradient } = gradientOracle(circuit, angles, observable);
      expect(largestDifference(gradients, angleGradient)).toBeLessThan(exact);
    });

    test.each([4.7936899621426287e-5, 1e-9, 2e-10])(
      'exist where a constant angle of %d turns phases from powers of i',
      async (small) => {
        const operations = [gate('PRX', [0], [], [small, 0.3]), gate('SXDG', [0])];
        const circuit = { numQubits: 2, numBits: 0, operations };
        const slots = Int32Array.of(CONSTANT, 0);
        const observable = randomObservable(new RandomStream(800), 2);
        const { gradients } = await gradientOf(engine(), circuit, [observable], { slots }, [0.3]);
        const { angleGradient } = gradientOracle(circuit, Float64Array.of(small, 0.3), observable);
        expect(Math.abs(gradients[0]! - angleGradient[1]!)).toBeLessThan(exact);
      },
    );

    test('ignore measurements at the end', async () => {
      const circuit = {
        numQubits: 1,
        numBits: 1,
        operations: [
          gate('RY', [0], [], [0.4]),
          { kind: 'measure', qubits: [0], bits: [0] } as const,
        ],
      };
      const z = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }] as const;
      const { values, gradients } = await gradientOf(engine(), circuit, [z]);
      expect(Math.abs(values[0]! - Math.cos(0.4))).toBeLessThan(tolerance);
      expect(Math.abs(gradients[0]! + Math.sin(0.4))).toBeLessThan(tolerance);
    });

    test('of nothing are nothing', async () => {
      const circuit = { numQubits: 2, numBits: 0, operations: [gate('H', [0])] };
      const x = [{ coefficient: 2, factors: [{ pauli: 'X', qubit: 0 }] }] as const;
      const { values, gradients } = await gradientOf(engine(), circuit, [x]);
      expect(Math.abs(values[0]! - 2)).toBeLessThan(tolerance);
      expect(gradients).toHaveLength(0);
    });

    test('need a final state', async () => {
      const measured = { kind: 'measure', qubits: [0], bits: [0] } as const;
      const turn = gate('RX', [0], [], [0.3]);
      const circuit = { numQubits: 1, numBits: 1, operations: [turn, measured, turn] };
      await expect(preparedGradient(engine(), circuit)).rejects.toMatchObject({
        code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
      });
    });

    test('take two states', async () => {
      const numQubits = engine().target.maxQubits;
      const operations = [gate('RX', [numQubits - 1], [], [0.3])];
      const circuit = { numQubits, numBits: 0, operations };
      await expect(preparedGradient(engine(), circuit)).rejects.toMatchObject({
        code: 'ENGINE_PROGRAM_TOO_WIDE',
      });
    });

    test('stop when they are cancelled', async () => {
      const numQubits = Math.min(maxQubits - 1, 16);
      const tilts = Array.from({ length: numQubits }, (_, q) => gate('H', [q]));
      const turns = Array.from({ length: 3000 }, (_, i) =>
        gate('RX', [i % numQubits], [(i + 1) % numQubits], [0.1 + i]),
      );
      const circuit = { numQubits, numBits: 0, operations: [...tilts, ...turns] };
      await using executable = await preparedGradient(engine(), circuit);
      const controller = new AbortController();
      const fractions: number[] = [];
      const onProgress = (fraction: number) => {
        fractions.push(fraction);
        controller.abort(new Error('cancelled on the way'));
      };
      const z = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }] as const;
      const run = executable.run({ observables: [z], onProgress }, controller.signal);
      await expect(run).rejects.toThrow('cancelled on the way');
      expect(fractions.at(-1)).toBeLessThan(0.5);
    });
  });
}

/** Holds the kernels of an engine to its precision over thousands of gates, which run one after the other. */
export function describeLongGradients({ engine, tolerance }: EngineUnderTest): void {
  test.each([
    ['on one qubit', 4096, 1],
    ['on a pair', 1600, 2],
  ])(
    'gradients of thousands of gates %s stay within the precision',
    async (_, numGates, numQubits) => {
      const turns = Array.from({ length: numGates }, (_, i) => [
        gate('RY', [i % numQubits], [], [1 + 1e-4 * i]),
        ...(numQubits > 1 ? [gate('CX', [0], [1])] : []),
      ]);
      const circuit = { numQubits, numBits: 0, operations: turns.flat() };
      const observable = randomObservable(new RandomStream(700), numQubits);
      const { gradients } = await gradientOf(engine(), circuit, [observable]);
      const angles = Float64Array.from(anglesOf(circuit));
      const { angleGradient } = gradientOracle(circuit, angles, observable);
      expect(largestDifference(gradients, angleGradient)).toBeLessThan(exactOf(tolerance));
    },
  );
}
