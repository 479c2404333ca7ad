/**
 * Detecting regions: those of Stim. The tables are what `Circuit.detecting_regions(ignore_anticommutation_errors=True)`
 * of Stim 1.16 gives, by TICK.
 */
import { expect, test } from 'vitest';
import { generateStim } from '../../../src/circuit/stim/generate/generate-stim.ts';
import { NO_NOISE } from '../../../src/circuit/stim/generate/memory-text.ts';
import { detectingRegions } from '../../../src/compiler/clifford/detecting-regions.ts';

/** By TICK: `D0: Z0 Z1`, in the order of their names. */
function regionsOf(text: string, ticks?: ReadonlySet<number>): readonly (readonly string[])[] {
  const found = [...detectingRegions(text, ticks)].toSorted(([a], [b]) => a - b);
  return found.map(([, regions]) =>
    regions.map(({ name, paulis }) => `${name}: ${paulis.map(([q, p]) => `${p}${q}`).join(' ')}`),
  );
}

/** Random and certain detectors over gates, products, feedback, heralds, Pauli observables and nested blocks. */
const ALL_KINDS = `RX 0
RY 1
R 2 3
TICK
H_XY 0
C_XYZ 1
C_ZNYX 2
CY 0 1
XCY 2 3
TICK
SQRT_X 0
S 1
ISWAP 0 2
CZSWAP 1 3
SQRT_XX 0 1
TICK
SPP X0*Y1 !Z2*Z3
MPP X0*Z1 Y2
HERALDED_ERASE(0.1) 3
MPAD 1
TICK
CX rec[-4] 1
CZ rec[-3] 2
YCX 1 2
MYY 0 3
OBSERVABLE_INCLUDE(1) X0 Z3
TICK
REPEAT 2 {
  MRX 0
  REPEAT 2 {
    CX 1 2
    TICK
    MZZ 1 2
    DETECTOR rec[-1] rec[-2]
  }
  MRY 3
}
M 0 1 2 3
DETECTOR rec[-1] rec[-5]
DETECTOR rec[-4] rec[-3] rec[-15]
OBSERVABLE_INCLUDE(0) rec[-2] rec[-3]
`;
const OF_ALL_KINDS = [
  'D0: Y0 Z1 Y3; D1: Z2 Y3; D2: Z0 Y1 Z2; D3: Z2 Y3; D5: Z2 Y3; L0: Z0 Y1 Y3; L1: Y0 Z1 Z2 Y3',
  'D0: Y0 Z1 Y3; D1: Y2; D2: Z1 Y2 Y3; D3: Y2; D5: Y2; L0: Z1 Y3; L1: Y0 Z1 Y2',
  'D0: X0 Z1 Z2; D1: X0 Z2; D2: Z1 Z2; D3: X0 Z2; D5: X0 Z2; L0: X0 Z1; L1: X0 Z3',
  'D0: X0 Y1 Z2; D1: Z1 X2; D2: Y1 Z2; D3: Z1 X2; D5: Z1 X2; L0: X1 Y2; L1: X0 Z3',
  'D0: X0 Z2; D1: Z1; D2: Z2; D3: Z1; D5: Z1; L0: Z1 Z2',
  'D0: Z1 Z2; D1: Z1; D2: X0 Z1 Z2; D3: Z1; D5: Z1; L0: Z2',
  'D1: Z1 Z2; D2: X0 Z2; D3: Z1; D5: Z1; L0: Z1 Z2',
  'D2: Z1 Z2; D3: Z1; D4: Y3; D5: Z0 Z1; L0: Z2',
  'D3: Z1 Z2; D4: Y3; D5: Z0 Z1; L0: Z1 Z2',
];
const OF_REPETITION_CODE = [
  'D0: Z0 Z1 Z2; D1: Z2 Z3 Z4; D2: Z1; D3: Z3; L0: Z4',
  'D0: Z1 Z2; D1: Z3 Z4; D2: Z0 Z1; D3: Z2 Z3; L0: Z4',
  'D0: Z1; D1: Z3; D2: Z0 Z1 Z2; D3: Z2 Z3 Z4; L0: Z4',
  'D2: Z0 Z1 Z2; D3: Z2 Z3 Z4; D4: Z1; D5: Z3; L0: Z4',
  'D2: Z1 Z2; D3: Z3 Z4; D4: Z0 Z1; D5: Z2 Z3; L0: Z4',
  'D2: Z1; D3: Z3; D4: Z0 Z1 Z2; D5: Z2 Z3 Z4; L0: Z4',
  'D4: Z0 Z1 Z2; D5: Z2 Z3 Z4; D6: Z1; D7: Z3; L0: Z4',
  'D4: Z1 Z2; D5: Z3 Z4; D6: Z0 Z1; D7: Z2 Z3; L0: Z4',
  'D4: Z1; D5: Z3; D6: Z0 Z1 Z2; D7: Z2 Z3 Z4; L0: Z4',
];
test.each([
  ['instructions of all kinds', ALL_KINDS, OF_ALL_KINDS],
  [
    'a repetition code',
    String(
      Reflect.get(
        generateStim({
          code: 'repetition_code',
          task: 'memory',
          distance: 3,
          rounds: 3,
          noise: NO_NOISE,
        }),
        'text',
      ),
    ),
    OF_REPETITION_CODE,
  ],
])('of %s are those of Stim', (_, text, expected) => {
  expect(regionsOf(text)).toEqual(expected.map((tick) => tick.split('; ')));
});

test('can be asked for at some TICKs alone', () => {
  expect(regionsOf(ALL_KINDS, new Set([2, 7]))).toEqual(
    [OF_ALL_KINDS[2], OF_ALL_KINDS[7]].map((tick) => tick?.split('; ')),
  );
});

test.each([
  ['TICK\nT 0\nM 0', 'Stim line 2, column 1: T is not Clifford.'],
  ['TICK\nR_X(0.3) 0', 'Stim line 2, column 1: R_X is not Clifford.'],
  [
    'TICK\nM 0\nDETECTOR rec[-2]',
    'Stim line 3, column 10: rec[-2] is before the first measurement.',
  ],
  ['REPEAT 1000000000 {\nTICK\nM 0\n}', 'the limit of 20,000,000 for detecting regions'],
])('%j has none, and says where it is wrong', (text, message) => {
  expect(() => detectingRegions(text)).toThrow(message);
});
