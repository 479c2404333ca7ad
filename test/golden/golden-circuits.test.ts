import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { basisLabel } from '../../src/math/basis-index.ts';
import { statevectorOf, worstAmplitude } from '../support/engine-runs.ts';
import { profile } from '../support/profiles.ts';
import { GOLDEN_CIRCUITS } from './golden-circuits.ts';
import hashes from './program-hashes.json' with { type: 'json' };

const engine = openReferenceEngine({ maxQubits: 4 });
const r2 = Math.SQRT1_2;
const r3 = 1 / Math.sqrt(3);
const r8 = 1 / Math.sqrt(8);

/** Re and im of the amplitudes that are not zero, by basis label. */
const AMPLITUDES: Readonly<
  Record<keyof typeof GOLDEN_CIRCUITS, Readonly<Record<string, readonly [number, number]>>>
> = {
  'x-on-qubit-0-of-3': { '001': [1, 0] },
  bell: { '00': [r2, 0], '11': [r2, 0] },
  'ghz-3': { '000': [r2, 0], '111': [r2, 0] },
  'w-3': { '001': [r3, 0], '010': [r3, 0], '100': [r3, 0] },
  // e^{2πi·k/8}/√8 for k = 0 … 7.
  'qft-3': {
    '000': [r8, 0],
    '001': [0.25, 0.25],
    '010': [0, r8],
    '011': [-0.25, 0.25],
    '100': [-r8, 0],
    '101': [-0.25, -0.25],
    '110': [0, -r8],
    '111': [0.25, -0.25],
  },
  'toffoli-on-110': { '111': [1, 0] },
};

const names = ['x-on-qubit-0-of-3', 'bell', 'ghz-3', 'w-3', 'qft-3', 'toffoli-on-110'] as const;

describe('golden circuits', () => {
  test.each(names)('%s has the amplitudes of the textbook', async (name) => {
    const circuit = GOLDEN_CIRCUITS[name];
    const amplitudes = await statevectorOf(engine, circuit);
    const expected = new Float64Array(amplitudes.length);
    for (let index = 0; index < amplitudes.length / 2; index++) {
      expected.set(AMPLITUDES[name][basisLabel(index, circuit.numQubits)] ?? [0, 0], 2 * index);
    }
    expect(worstAmplitude(amplitudes, expected)).toBeLessThan(1e-15);
  });

  // A refactor leaves these alone; a change of the compiler's output updates them on purpose.
  test.each(names)('%s compiles to the same program as before', (name) => {
    expect(compile(GOLDEN_CIRCUITS[name], profile(), { optimize: false }).program.hash).toBe(
      hashes[name],
    );
  });

  test('are all listed', () => {
    expect(Object.keys(GOLDEN_CIRCUITS).sort()).toEqual([...names].sort());
  });
});
