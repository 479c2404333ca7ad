/**
 * Registers of several tiles at their full size: gates on every qubit, across lanes, runs, tiles and
 * threads, against the reference engine. The conformance suite has the small ones, in small tiles.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { statevectorOf, worstAmplitude } from '../../../support/engine-runs.ts';
import { gate, randomGates } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const reference = openReferenceEngine({ maxQubits: 22 });
const engines = {
  f32: openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 22 }),
  f64: openCpuEngine({ precision: 'f64', numThreads: 2, maxQubits: 22 }),
};
afterAll(() => Promise.all(Object.values(engines).map((engine) => engine.close())));

/** A rotation of every qubit, an entangling gate from each to a far one, and some of anything. */
function circuitOn(numQubits: number): Circuit {
  const qubits = Array.from({ length: numQubits }, (_, q) => q);
  const far = (q: number) => (q + (numQubits >> 1)) % numQubits;
  return {
    numQubits,
    numBits: 0,
    operations: [
      ...qubits.map((q) => gate('RY', [q], [], [0.4 + q])),
      ...qubits.map((q) => gate('CX', [far(q)], [q])),
      ...qubits.map((q) => gate('CRX', [q], [far(q)], [0.3 * q])),
      ...randomGates(new RandomStream(numQubits), numQubits, 15, 3),
    ],
  };
}

describe.each([14, 15, 17, 20])('%i qubits', (numQubits) => {
  const circuit = circuitOn(numQubits);
  const expected = statevectorOf(reference, circuit);

  test.each(['f32', 'f64'] as const)(
    'have the reference engine’s amplitudes in %s',
    async (precision) => {
      const found = await statevectorOf(engines[precision], circuit);
      expect(worstAmplitude(found, await expected)).toBeLessThan(
        precision === 'f32' ? 1e-5 : 1e-12,
      );
    },
  );
});
