/** Drawings of texts in Stim's format: columns, TICKs, and numbers of measurements and detectors in REPEAT blocks. */
import { expect, test } from 'vitest';
import { stimTimeline } from '../../../../src/circuit/stim/stim-timeline.ts';

const TEXT = `QUBIT_COORDS(0, 1) 5
R 2 5
TICK
H 2
DEPOLARIZE2(0.001) 2 5
M(0.1) !2
SHIFT_COORDS(0, 3)
REPEAT 3 {
  CX 2 5
  TICK
  MR 5
  REPEAT 2 {
    TICK
    MX 2
    SHIFT_COORDS(1)
    DETECTOR(0, 2) rec[-1] rec[-2]
  }
  SHIFT_COORDS(0, 1)
}
CX rec[-1] 5
TICK
MPP X2*!Y5
DETECTOR(0, 1) rec[-1] rec[-4] rec[-11]
OBSERVABLE_INCLUDE(2) Z5 rec[-2]
`;

test('signs are as far left as their wires allow, and behind each TICK', () => {
  const { qubits, signs, numColumns, ticks, blocks } = stimTimeline(TEXT);
  expect(qubits).toEqual([2, 5]);
  const rows = signs.map(({ column, kind, name, names, controls, targets, detail, caption }) =>
    [column, kind, names?.join(' ') ?? name, [...controls, ...targets], detail, caption]
      .filter((each) => each !== undefined)
      .join(' '),
  );
  expect(rows).toEqual([
    '0 gate R 0',
    '0 gate R 1',
    '1 gate H 0',
    '2 noise D2 0,1 0.001',
    '3 measurement MZ 0 0.1 !rec[0]',
    '4 gate X 0,1',
    '5 measurement MR 1 rec[1+3i]',
    '6 measurement MX 0 rec[2+3i+j]',
    '7 detector D0+2i+j 0 1+2i+j,5+i rec[1+3i+j]⊕rec[2+3i+j]',
    '8 gate X 1',
    '9 measurement MX MY 0,1 !rec[10]',
    // The last of its measurements is on qubit 5.
    '10 detector D6 1 6,7 rec[0]⊕rec[7]⊕…',
    '11 observable L2 Z 1',
    '10 observable L2 0 rec[9]',
  ]);
  expect(numColumns).toBe(12);
  expect(ticks.map(({ column, first }) => [column, first])).toEqual([
    [1, 0],
    [5, 1],
    [6, 2],
    [9, 10],
  ]);
  expect(ticks[2]?.steps).toEqual([
    { by: 3, count: 3 },
    { by: 1, count: 2 },
  ]);
  // The inner block ends first.
  expect(blocks).toEqual([
    { first: 6, end: 8, count: 2, letter: 'j' },
    { first: 4, end: 8, count: 3, letter: 'i' },
  ]);
});

test('counts are those of the whole text, and titles say all of a sign', () => {
  const { numTicks, numDetectors, numObservables, places, signs } = stimTimeline(TEXT);
  expect({ numTicks, numDetectors, numObservables }).toEqual({
    numTicks: 11,
    numDetectors: 7,
    numObservables: 3,
  });
  expect(places).toEqual([[5, [0, 1]]]);
  expect(signs.map(({ title }) => title)).toContain('D6 at (6, 7) = rec[0] ⊕ rec[7] ⊕ rec[10]');
  expect(signs[3]?.title).toBe('DEPOLARIZE2(0.001) 2 5');
  expect(signs.find(({ condition }) => condition !== undefined)?.condition).toBe('rec[9]');
});

test('a text with too much to draw says so at its place', () => {
  const line = `H ${Array.from({ length: 2000 }, (_, qubit) => qubit).join(' ')}\n`;
  expect(() => stimTimeline(line.repeat(3))).toThrow('Stim line 3, column 1: The text has more');
});
