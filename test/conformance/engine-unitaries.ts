/**
 * Engines compute the unitary a circuit means.
 *
 * A state reached from |0…0⟩ shows one column of a unitary. n Bell pairs on 2n qubits, one half of
 * each put through the circuit, show all of it in one run; which qubits the halves lie on is drawn
 * anew each time, so that every place in the register is used.
 */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { canonicalGate } from '../support/canonical-gate.ts';
import { statevectorOf, worstAmplitude } from '../support/engine-runs.ts';
import { circuitUnitary, type Matrix } from '../support/kronecker-oracle.ts';
import {
  gate,
  randomDiagonal,
  randomGates,
  randomMonomial,
  randomPair,
  randomUnitary,
  randomUnitaryUse,
  randomUse,
} from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { finalAmplitudes, probabilitiesOf } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

const WIDEST = 6;
const CASES_PER_GATE = 3;

/** Where the halves of the pairs lie: `inputs[q]` is put through, `partners[q]` keeps the column. */
interface Placement {
  readonly inputs: readonly number[];
  readonly partners: readonly number[];
}

/** The circuit on one half of each of n Bell pairs. */
function onBellPairs(circuit: Circuit, { inputs, partners }: Placement): Circuit {
  const place = (qubits: readonly number[]) => qubits.map((qubit) => inputs[qubit]!);
  const pairs = partners.flatMap((partner, q) => [
    gate('H', [partner]),
    gate('CX', [inputs[q]!], [partner]),
  ]);
  const moved = circuit.operations.map((op): Operation => {
    if (op.kind === 'gate' || op.kind === 'unitary') {
      return { ...op, targets: place(op.targets), controls: place(op.controls) };
    }
    return { ...op, qubits: place(op.qubits) };
  });
  const numQubits = 2 * circuit.numQubits;
  return { numQubits, numBits: 0, operations: [...pairs, ...moved] };
}

/** The amplitudes that n Bell pairs put through a unitary have. */
function expectedAmplitudes(unitary: Matrix, { inputs, partners }: Placement): Float64Array {
  const d = unitary.length;
  const spread = (index: number, qubits: readonly number[]) =>
    qubits.reduce((sum, qubit, q) => sum + 2 ** qubit * (Math.floor(index / 2 ** q) % 2), 0);
  const out = new Float64Array(2 * d * d);
  for (const [row, entries] of unitary.entries()) {
    for (const [col, [re, im]] of entries.entries()) {
      const index = spread(row, inputs) + spread(col, partners);
      out.set([re / Math.sqrt(d), im / Math.sqrt(d)], 2 * index);
    }
  }
  return out;
}

/** How far the engine's unitary of a circuit is from the oracle's, in its worst entry. */
async function unitaryError(engine: Engine, circuit: Circuit, seed: number): Promise<number> {
  const places = new RandomStream(seed).distinct(2 * circuit.numQubits, 2 * circuit.numQubits);
  const placement = {
    inputs: places.slice(0, circuit.numQubits),
    partners: places.slice(circuit.numQubits),
  };
  const amplitudes = await statevectorOf(engine, onBellPairs(circuit, placement));
  const expected = expectedAmplitudes(circuitUnitary(circuit), placement);
  return worstAmplitude(amplitudes, expected) * Math.sqrt(2 ** circuit.numQubits);
}

/** Unitary tests of an engine. */
export function describeUnitaries({ engine, tolerance, maxQubits }: EngineUnderTest): void {
  const mostQubits = Math.min(WIDEST, Math.floor(maxQubits / 2));

  describe('computes the unitary of', () => {
    test.each(GATES.map((definition, i) => ({ definition, name: definition.name, seed: 100 + i })))(
      '$name at random angles, on any qubits, under further controls',
      async ({ definition, seed }) => {
        const stream = new RandomStream(seed);
        const width = Math.max(1, definition.numControls + definition.numTargets);
        for (let i = 0; i < CASES_PER_GATE; i++) {
          const numQubits = Math.min(mostQubits, width + i);
          const operations = [randomUse(stream, definition, numQubits)];
          const circuit: Circuit = { numQubits, numBits: 0, operations };
          expect(await unitaryError(engine(), circuit, seed + i)).toBeLessThan(tolerance);
        }
      },
    );

    const widths = Array.from({ length: mostQubits }, (_, i) => i + 1);
    test.each(widths)('a dense block on %i targets in any order', async (numTargets) => {
      await expectUnitaryUse(randomUnitary, numTargets);
    });
    test.each(widths)('a diagonal on %i targets in any order', async (numTargets) => {
      await expectUnitaryUse(randomDiagonal, numTargets);
    });
    test.each(widths)(
      'a permutation with phases on %i targets in any order',
      async (numTargets) => {
        await expectUnitaryUse(randomMonomial, numTargets);
      },
    );

    /** On no more targets than the engine takes; wider blocks the compiler must refuse. */
    async function expectUnitaryUse(draw: typeof randomUnitary, numTargets: number): Promise<void> {
      const stream = new RandomStream(200 + numTargets);
      if (draw !== randomDiagonal && numTargets > engine().target.maxDenseQubits) {
        const operations = [randomUnitaryUse(stream, draw(stream, numTargets), numTargets)];
        const wide: Circuit = { numQubits: numTargets, numBits: 0, operations };
        const code = 'COMPILER_KERNEL_TOO_WIDE';
        await expect(statevectorOf(engine(), wide)).rejects.toMatchObject({ code });
        return;
      }
      for (
        let numQubits = numTargets;
        numQubits <= Math.min(mostQubits, numTargets + 2);
        numQubits++
      ) {
        const operations = [randomUnitaryUse(stream, draw(stream, numTargets), numQubits)];
        const circuit: Circuit = { numQubits, numBits: 0, operations };
        expect(await unitaryError(engine(), circuit, numQubits)).toBeLessThan(tolerance);
      }
    }

    test('pair rotations in any order, under any controls', async () => {
      const numQubits = Math.min(5, mostQubits);
      for (let i = 0; i < 6; i++) {
        const stream = new RandomStream(600 + i);
        const operations = Array.from({ length: 12 }, (_, k) => {
          const angles = [stream.angle(), stream.angle(), stream.angle()] as const;
          const matrix = k % 2 === 0 ? canonicalGate(angles) : randomPair(stream);
          return randomUnitaryUse(stream, matrix, numQubits);
        });
        const circuit: Circuit = { numQubits, numBits: 0, operations };
        expect(await unitaryError(engine(), circuit, i)).toBeLessThan(tolerance);
      }
    });

    test('so many blocks that a sweep of them takes more than 64 KiB', async () => {
      const numQubits = Math.min(6, mostQubits);
      const widest = Math.min(4, engine().target.maxDenseQubits);
      const stream = new RandomStream(700);
      // 34 times 16 by 16 complex numbers of single precision.
      const operations = Array.from({ length: 34 }, () =>
        randomUnitaryUse(stream, randomUnitary(stream, widest), numQubits),
      );
      const circuit: Circuit = { numQubits, numBits: 0, operations };
      expect(await unitaryError(engine(), circuit, 1)).toBeLessThan(tolerance);
    });

    test.each(widths)('20 random operations on %i qubits', async (numQubits) => {
      const widest = Math.min(4, engine().target.maxDenseQubits);
      for (let i = 0; i < 3; i++) {
        const stream = new RandomStream(300 + 10 * numQubits + i);
        const operations = randomGates(stream, numQubits, 20, widest);
        const circuit: Circuit = { numQubits, numBits: 0, operations };
        expect(await unitaryError(engine(), circuit, i)).toBeLessThan(tolerance);
      }
    });
  });
}

/** Tests of an engine on whole registers, wider than its tiles where those are small. */
export function describeRegisters({ engine, tolerance, maxQubits }: EngineUnderTest): void {
  test('acts on every qubit of a wide register, each with its own angle', async () => {
    const numQubits = Math.min(maxQubits, 16);
    const operations = Array.from({ length: numQubits }, (_, q) => [
      gate('U', [q], [], [0.1 + q, 0.2 * q, 0.3]),
      gate('CRX', [q], [(q + 5) % numQubits], [0.4 + q]),
      gate('CCX', [(q + 7) % numQubits], [q, (q + 3) % numQubits]),
    ]).flat();
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const amplitudes = await statevectorOf(engine(), circuit);
    expect(worstAmplitude(amplitudes, finalAmplitudes(circuit))).toBeLessThan(tolerance);
  });

  test('runs 60 random operations on a register wider than its oracle’s matrices', async () => {
    const numQubits = Math.min(maxQubits, 13);
    const widest = Math.min(4, engine().target.maxDenseQubits);
    const operations = randomGates(new RandomStream(400), numQubits, 60, widest);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const amplitudes = await statevectorOf(engine(), circuit);
    expect(worstAmplitude(amplitudes, finalAmplitudes(circuit))).toBeLessThan(tolerance);
  });

  test('keeps the norm over 400 gates', async () => {
    const numQubits = 10;
    const operations = randomGates(new RandomStream(500), numQubits, 400, 3);
    const amplitudes = await statevectorOf(engine(), { numQubits, numBits: 0, operations });
    const norm = probabilitiesOf(amplitudes).reduce((sum, part) => sum + part, 0);
    // Rounding adds up as a random walk at best and in proportion to the gates at worst; the
    // tolerance is for 20 gates, so 4 of it is a fifth of the worst.
    expect(Math.abs(norm - 1)).toBeLessThan(4 * tolerance);
  });

  test('leaves |0…0⟩ alone where a circuit does nothing', async () => {
    const amplitudes = await statevectorOf(engine(), { numQubits: 1, numBits: 0, operations: [] });
    expect([...amplitudes]).toEqual([1, 0, 0, 0]);
  });
}
