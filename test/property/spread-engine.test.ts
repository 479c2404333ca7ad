// @needs facilities
/**
 * A state spread over several devices agrees with the reference engine: amplitudes, distributions,
 * expectation values, and counts for a seed. Sizes are small, so that qubits of tiles, chunks and devices
 * all occur.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Circuit, type Operation, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { Program } from '../../src/compiler/program.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import type { SpreadEngineOptions } from '../../src/engine/webgpu/spread/spread-engine.ts';
import { countsByLabel, runCircuit, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { gate, randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { anyDriver } from '../support/software-gpu.ts';
import { openSoftwareSpread } from '../support/spread-gpu.ts';

const reference = openReferenceEngine({ maxQubits: 14 });
const driver = anyDriver();

interface Spread {
  readonly numDevices: number;
  readonly sizes: Partial<SpreadEngineOptions>;
}

const SPREADS: readonly [string, Spread][] = [
  [
    'two devices in chunks of 2^8',
    {
      numDevices: 2,
      sizes: { tileQubits: 8, chunkQubits: 8, indexBits: 11, maxRuns: 4, windowBytes: 2 ** 10 },
    },
  ],
  [
    'four devices in chunks of 2^9',
    { numDevices: 4, sizes: { tileQubits: 8, chunkQubits: 9, windowBytes: 2 ** 12 } },
  ],
  [
    'eight devices of one chunk',
    { numDevices: 8, sizes: { tileQubits: 8, chunkQubits: 11, windowBytes: 2 ** 9 } },
  ],
];

function randomObservable(random: RandomStream, numQubits: number): PauliSum {
  return Array.from({ length: 8 }, () => ({
    coefficient: random.uniform() - 0.5,
    factors: random
      .distinct(1 + random.below(6), numQubits)
      .map((qubit) => ({ pauli: random.pick(['X', 'Y', 'Z'] as const), qubit })),
  }));
}

/** Gates after which no string of Paulis is 0 for a reason. */
function tilted(random: RandomStream, numQubits: number): readonly Operation[] {
  const tilts = Array.from({ length: numQubits }, (_, q) => [
    gate('RY', [q], [], [0.4 + random.uniform()]),
    gate('RZ', [q], [], [0.4 + random.uniform()]),
  ]);
  return [...tilts.flat(), ...randomGates(random, numQubits, 40, 3), ...tilts.flat()];
}

function exchangesOf({ steps }: Program): readonly number[] {
  return steps.flatMap((step) => (step.kind === 'exchange' ? step.pairs.map(([far]) => far) : []));
}

const suite = 'random circuits over several devices';
describeWith([driver], suite, () =>
  describe.each(SPREADS)('%s', (_, { numDevices, sizes }) => {
    let engine: Engine;
    beforeAll(async () => {
      const devices = Array.from({ length: numDevices }, () => driver);
      const options = { ...sizes, maxQubits: 14, memoryBytes: 2 ** 24 };
      ({ engine } = await openSoftwareSpread(devices, options));
    });
    afterAll(() => engine?.close());

    test.each([8, 9, 11, 12, 14])('random circuits of %i qubits', async (numQubits) => {
      const random = new RandomStream(9000 + 16 * numDevices + numQubits);
      const operations = tilted(random, numQubits);
      const circuit: Circuit = withFinalMeasurement({ numQubits, numBits: 0, operations });
      const observables = [
        randomObservable(random, numQubits),
        randomObservable(random, numQubits),
      ];
      const ask = { shots: 500, seed: 3, statevector: true, probabilities: true, observables };
      const found = await runCircuit(engine, circuit, ask);
      const exact = await runCircuit(reference, circuit, ask);
      expect(worstAmplitude(found.statevector!, exact.statevector!)).toBeLessThan(1e-5);
      const worst = found.probabilities!.reduce(
        (most, p, i) => Math.max(most, Math.abs(p - exact.probabilities![i]!)),
        0,
      );
      expect(worst).toBeLessThan(1e-5);
      for (const [i, value] of found.expectations!.entries()) {
        expect(Math.abs(value - exact.expectations![i]!)).toBeLessThan(2e-5);
      }
      expect(countsByLabel(found.counts)).toEqual(countsByLabel(exact.counts));
      // Drawn where the states are.
      const many = { shots: 10_000, seed: 4 };
      const drawn = countsByLabel((await runCircuit(engine, circuit, many)).counts);
      const expected = countsByLabel((await runCircuit(reference, circuit, many)).counts);
      const moved = [...new Set([...drawn.keys(), ...expected.keys()])].reduce(
        (sum, label) => sum + Math.abs((drawn.get(label) ?? 0) - (expected.get(label) ?? 0)),
        0,
      );
      // Of 16,384 boundaries between basis states each is a rounding off: a draw may fall in between.
      expect(moved / 2).toBeLessThanOrEqual(10);
    });

    test.each([0, 1])('random circuit %i with measurements, resets and conditions', async (i) => {
      const random = new RandomStream(9500 + 8 * numDevices + i);
      const circuit = randomDynamicCircuit(random, 12, 6, 40);
      // Nearly every shot takes a state of its own, over all devices.
      const ask = { shots: 40, seed: i };
      const found = await runCircuit(engine, circuit, ask);
      const exact = await runCircuit(reference, circuit, ask);
      expect(countsByLabel(found.counts)).toEqual(countsByLabel(exact.counts));
    });

    test('an exchange with a place that was never written moves zeros, whatever memory held', async () => {
      const numQubits = 12;
      const qubits = Array.from({ length: numQubits }, (_, q) => q);
      const everywhere = qubits.map((qubit) => gate('H', [qubit]));
      await runCircuit(engine, { numQubits, numBits: 0, operations: everywhere }, { shots: 1 });
      // The first tiles hold the lowest eight places, the last ones all others of a device.
      const others = qubits.slice(8, numQubits - Math.log2(numDevices));
      const program: Program = {
        hash: 'places of memory, one after the other',
        numQubits,
        numBits: 0,
        steps: [
          { kind: 'sweep', resident: [0, 1, 2, 3], kernels: [] },
          { kind: 'exchange', pairs: [[numQubits - 1, 8]] },
          { kind: 'sweep', resident: [0, 1, 2, 3, ...others], kernels: [] },
        ],
        matrices: new Float64Array(),
        finalLayout: qubits,
      };
      const { statevector } = await runProgram(engine, program, { statevector: true });
      const expected = new Float64Array(2 * 2 ** numQubits);
      expected[0] = 1;
      expect(statevector).toEqual(expected);
    });

    test('circuits that use all qubits exchange some between devices', async () => {
      const operations = randomGates(new RandomStream(9600), 14, 80, 3);
      const { program } = compile({ numQubits: 14, numBits: 0, operations }, engine.target);
      const farthest = Math.max(...exchangesOf(program));
      expect(farthest).toBeGreaterThanOrEqual(14 - Math.log2(numDevices));
      const { statevector } = await runProgram(engine, program, { statevector: true });
      const exact = await runProgram(reference, program, { statevector: true });
      expect(worstAmplitude(statevector!, exact.statevector!)).toBeLessThan(1e-5);
    });

    test.each([0, 1, 2, 3, 4, 5])('exchanges of any places, case %i', async (i) => {
      const random = new RandomStream(9700 + 8 * numDevices + i);
      const numQubits = 13;
      const numLocal = numQubits - Math.log2(numDevices);
      const numPairs = 1 + random.below(Math.log2(numDevices));
      const nears = random.distinct(numPairs, numLocal);
      const fars = random.distinct(numPairs, numQubits - numLocal);
      const pairs = nears.map((near, k) => [numLocal + fars[k]!, near] as const);
      const { program } = compile(
        { numQubits, numBits: 0, operations: randomGates(random, numQubits, 30, 3) },
        engine.target,
      );
      const exchanged: Program = {
        ...program,
        hash: `${program.hash} and back`,
        steps: [...program.steps, { kind: 'exchange', pairs }],
      };
      const { statevector } = await runProgram(engine, exchanged, { statevector: true });
      const exact = await runProgram(reference, exchanged, { statevector: true });
      expect(worstAmplitude(statevector!, exact.statevector!)).toBeLessThan(1e-5);
    });
  }),
);
