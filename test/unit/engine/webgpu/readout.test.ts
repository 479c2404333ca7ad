// @needs facilities
/** Readouts of a state on a device, compared with the reference engine's on the same numbers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PauliTerm } from '../../../../src/circuit/observable.ts';
import * as reference from '../../../../src/engine/reference/final-state.ts';
import * as referenceCollapse from '../../../../src/engine/reference/reference-states.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { collapse, qubitMasses } from '../../../../src/engine/webgpu/readout/collapse.ts';
import { expectations } from '../../../../src/engine/webgpu/readout/expectation.ts';
import {
  logicalAmplitudes,
  outcomeProbabilities,
} from '../../../../src/engine/webgpu/readout/final-state.ts';
import { addMasses } from '../../../../src/engine/webgpu/readout/masses.ts';
import { BitImages } from '../../../../src/math/bit-images.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { describeWith } from '../../../support/facilities/describe-with.ts';
import {
  physicalIndex,
  randomGpuState,
  storedAmplitudes,
  storedState,
} from '../../../support/gpu-states.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { openSoftwareDevice, triedDrivers } from '../../../support/software-gpu.ts';

const ALL_WIDTHS = Array.from({ length: 14 }, (_, i) => i + 1);
/** Chunk sizes that give one chunk, two, and up to 32. */
const chunkSizes = (n: number) => new Set([n, n - 1, n - 5].map((size) => Math.max(1, size)));
/** Largest error for a state of norm 1: sums of rounded squares, added by pairs. */
const TOLERANCE = 5e-7;
const slicer = new TimeSlicer(NEVER, () => {});

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  expect(a.length).toBe(b.length);
  return Array.from(a, (value, i) => Math.abs(value - b[i]!)).reduce((x, y) => Math.max(x, y), 0);
};

for (const driver of triedDrivers()) {
  describeWith([driver], `readout on ${driver}`, () => {
    let context: GpuContext;

    beforeAll(async () => {
      context = new GpuContext(await openSoftwareDevice(driver), shaderFile);
    });

    afterAll(() => context.device.destroy());

    test.each(ALL_WIDTHS)('masses of each of %i qubits are the sums by hand', async (n) => {
      for (const chunkQubits of chunkSizes(n)) {
        const { state, amplitudes } = await randomGpuState(context, new RandomStream(n), {
          numQubits: n,
          chunkQubits,
        });
        for (let qubit = 0; qubit < n; qubit++) {
          const masses = await qubitMasses(context, state, qubit);
          const exact = await referenceCollapse.qubitMasses(amplitudes, qubit, slicer);
          expect(Math.abs(masses.zero - exact.zero)).toBeLessThan(TOLERANCE);
          expect(Math.abs(masses.one - exact.one)).toBeLessThan(TOLERANCE);
        }
      }
    });

    test('sums of 2^20 equal terms lose nothing, in many workgroups or in few', async () => {
      // 0.7 squared is not a short number, so that each addition rounds.
      const part = Math.fround(0.7 * 2 ** -10);
      const amplitudes = new Float64Array(2 * 2 ** 20).fill(part);
      const state = await storedState(context, amplitudes);
      const exact = 2 ** 20 * part ** 2;
      for (const qubit of [0, 7, 8, 19]) {
        for (const groupBits of [13, 0]) {
          const bins = new Float64Array(2);
          await addMasses(context, state, [{ qubit, image: 1 }], bins, { groupBits });
          expect(Math.abs(bins[0]! / exact - 1)).toBeLessThan(TOLERANCE);
          expect(Math.abs(bins[1]! / exact - 1)).toBeLessThan(TOLERANCE);
        }
        const flip: PauliTerm = { coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] };
        const [value = 0] = await expectations(context, state, [[flip]], [qubit], 16);
        expect(Math.abs(value / (2 * exact) - 1)).toBeLessThan(TOLERANCE);
      }
    });

    test.each(ALL_WIDTHS)(
      'a collapse of %i qubits leaves what the definition leaves',
      async (n) => {
        const random = new RandomStream(20 + n);
        for (const [outcome, left] of [
          [0, 0],
          [1, 1],
          [1, 0],
          [0, 1],
        ] as const) {
          for (const chunkQubits of chunkSizes(n)) {
            const { state, amplitudes } = await randomGpuState(context, random, {
              numQubits: n,
              chunkQubits,
            });
            // The qubit next to the border between chunks, and any other.
            for (const qubit of [Math.min(chunkQubits, n - 1), random.below(n)]) {
              const masses = await referenceCollapse.qubitMasses(amplitudes, qubit, slicer);
              const mass = outcome === 0 ? masses.zero : masses.one;
              if (mass === 0) continue;

              await collapse(context, state, qubit, outcome, left, mass);

              await referenceCollapse.collapse(amplitudes, qubit, outcome, left, mass, slicer);
              const found = await storedAmplitudes(context, state);
              expect(largestDifference(found, amplitudes)).toBeLessThan(TOLERANCE);
            }
          }
        }
      },
    );

    test.each(ALL_WIDTHS)('%i qubits come back in logical order, exactly', async (n) => {
      const random = new RandomStream(40 + n);
      const numSpare = Math.max(0, 6 - n);
      for (const chunkQubits of chunkSizes(n)) {
        const options = { numQubits: n, numSpare, chunkQubits };
        const stored = await randomGpuState(context, random, options);

        const found = await logicalAmplitudes(context, stored.state, stored.layout);

        const expected = Float64Array.from({ length: 2 * 2 ** n }, (_, i) => {
          return stored.amplitudes[2 * physicalIndex(i >>> 1, stored.layout) + (i & 1)]!;
        });
        expect(found).toEqual(expected);
      }
    });

    test('states longer than a slice come back whole', async () => {
      const amplitudes = new Float64Array(2 * 2 ** 20);
      for (let i = 0; i < amplitudes.length; i++) amplitudes[i] = i;
      const state = await storedState(context, amplitudes, 19);
      const reversed = Array.from({ length: 20 }, (_, q) => 19 - q);

      const found = await logicalAmplitudes(context, state, reversed);

      for (const logical of [0, 1, 2 ** 19, 2 ** 19 + 1, 2 ** 20 - 2, 2 ** 20 - 1]) {
        const physical = physicalIndex(logical, reversed);
        expect([found[2 * logical], found[2 * logical + 1]]).toEqual([
          2 * physical,
          2 * physical + 1,
        ]);
      }
    });

    test.each(ALL_WIDTHS)('probabilities of any bits of %i qubits are the sums', async (n) => {
      const random = new RandomStream(60 + n);
      const sizes = [...chunkSizes(n)];
      for (const numMeasured of new Set([0, 1, Math.ceil(n / 2), Math.max(0, n - 1), n])) {
        const chunkQubits = sizes[numMeasured % sizes.length]!;
        const stored = await randomGpuState(context, random, { numQubits: n, chunkQubits });
        const measured = random.distinct(numMeasured, n);
        const images = new Array<number>(n).fill(0);
        for (const [bit, qubit] of measured.entries()) images[stored.layout[qubit]!] = 2 ** bit;
        const outcomeOf = new BitImages(images);

        const { state, layout } = stored;
        const found = await outcomeProbabilities(context, state, layout, outcomeOf, numMeasured);

        const { amplitudes } = stored;
        const expected = await reference.outcomeProbabilities(
          amplitudes,
          outcomeOf,
          numMeasured,
          slicer,
        );
        expect(largestDifference(found, expected)).toBeLessThan(TOLERANCE);
      }
    });

    test('probabilities of one qubit in two bits and of a bit that none is in', async () => {
      const stored = await randomGpuState(context, new RandomStream(5), {
        numQubits: 9,
        layout: [7, 0, 6, 8, 5, 1, 4, 3, 2],
        chunkQubits: 6,
      });
      const images = new Array<number>(9).fill(0);
      images[stored.layout[3]!] = 0b1001;
      images[stored.layout[8]!] = 0b10;
      const outcomeOf = new BitImages(images);

      const { state, layout } = stored;
      const found = await outcomeProbabilities(context, state, layout, outcomeOf, 4);

      const expected = await reference.outcomeProbabilities(
        stored.amplitudes,
        outcomeOf,
        4,
        slicer,
      );
      expect(largestDifference(found, expected)).toBeLessThan(TOLERANCE);
    });

    test('probabilities that come back in several slices are in their places', async () => {
      const numQubits = 20;
      const amplitudes = new Float64Array(2 * 2 ** numQubits);
      const random = new RandomStream(6);
      const places = random.distinct(200, 2 ** numQubits);
      for (const [i, place] of places.entries()) amplitudes[2 * place + (i & 1)] = i + 1;
      const state = await storedState(context, amplitudes, 19);
      const layout = random.shuffled(Array.from({ length: numQubits }, (_, q) => q));
      const outcomeOf = new BitImages(layout.map((_, q) => 2 ** layout.indexOf(q)));

      const found = await outcomeProbabilities(context, state, layout, outcomeOf, numQubits);

      for (const [i, place] of places.entries()) {
        expect(found[outcomeOf.at(place)]).toBe((i + 1) ** 2);
      }
      expect(found.filter((value) => value !== 0)).toHaveLength(200);
    });

    test.each(ALL_WIDTHS)('expectation values of %i qubits are the reference’s', async (n) => {
      const random = new RandomStream(80 + n);
      for (const chunkQubits of chunkSizes(n)) {
        const stored = await randomGpuState(context, random, { numQubits: n, chunkQubits });
        const observable = Array.from({ length: 12 }, () => randomTerm(random, n));

        const { state, layout } = stored;
        const [found = 0] = await expectations(context, state, [observable], layout);

        const exact = await reference.expectation(stored.amplitudes, observable, layout, slicer);
        expect(Math.abs(found - exact)).toBeLessThan(12 * TOLERANCE);
        // One by one, where no term can make up for another.
        for (const term of observable.slice(0, 4)) {
          const [one = 0] = await expectations(context, state, [[term]], layout);
          const value = await reference.expectation(stored.amplitudes, [term], layout, slicer);
          expect(Math.abs(one - value)).toBeLessThan(TOLERANCE);
        }
      }
    });

    test('an observable has the same value alone and among others, to the last bit', async () => {
      const numQubits = 9;
      const random = new RandomStream(90);
      for (const chunkQubits of chunkSizes(numQubits)) {
        const { state, layout } = await randomGpuState(context, random, { numQubits, chunkQubits });
        const observables = Array.from({ length: 6 }, (_, i) =>
          Array.from({ length: 1 + 3 * i }, () => randomTerm(random, numQubits)),
        );

        const together = await expectations(context, state, observables, layout);

        for (const [i, observable] of observables.entries()) {
          const [alone] = await expectations(context, state, [observable], layout);
          expect(together[i]).toBe(alone);
        }
      }
    });

    test('an observable without terms is 0, and the identity is the norm', async () => {
      const { state, layout } = await randomGpuState(context, new RandomStream(1), {
        numQubits: 4,
      });
      const identity = [{ coefficient: -3, factors: [] }];
      const [none, norm = 0] = await expectations(context, state, [[], identity], layout);
      expect(none).toBe(0);
      expect(Math.abs(norm + 3)).toBeLessThan(2e-6);
    });

    test('an observable of more terms than one submit takes is the sum of all', async () => {
      // In the state |+…+⟩ each string of X is 1; sets of flipped qubits that differ share nothing.
      const numQubits = 12;
      const amplitudes = new Float64Array(2 * 2 ** numQubits);
      for (let i = 0; i < amplitudes.length; i += 2) amplitudes[i] = 2 ** -6;
      const state = await storedState(context, amplitudes, 11);
      const layout = Array.from({ length: numQubits }, (_, q) => q);
      const observable = Array.from({ length: 1100 }, (_, i): PauliTerm => {
        const flipped = layout.filter((qubit) => (((i + 1) >>> qubit) & 1) === 1);
        return { coefficient: i, factors: flipped.map((qubit) => ({ pauli: 'X', qubit })) };
      });

      const [found = 0] = await expectations(context, state, [observable], layout);

      expect(found).toBe((1100 * 1099) / 2);
    });
  });
}

/** A string of random Paulis on random qubits. */
function randomTerm(random: RandomStream, numQubits: number): PauliTerm {
  const qubits = random.distinct(random.below(numQubits + 1), numQubits);
  const factors = qubits.map((qubit) => ({ pauli: random.pick(['X', 'Y', 'Z'] as const), qubit }));
  return { coefficient: 2 * random.uniform() - 1, factors };
}
