/**
 * Stim's formats of shots. The expected files are those that `stim.write_shot_data_file` of Stim 1.16 writes of the same
 * table; files of whole circuits are read by Stim in test/clients/stim.
 */
import { expect, test } from 'vitest';
import { encodeShots, type ShotTable } from '../../../../src/circuit/stim/shot-formats.ts';

/** Shots of 300 bits, by the bits that are 1. */
function tableOf(shots: readonly (readonly number[])[], columns: ShotTable['columns']): ShotTable {
  const bytesPerShot = 38;
  const rows = new Uint8Array(shots.length * bytesPerShot);
  for (const [shot, hits] of shots.entries()) {
    for (const bit of hits) rows[shot * bytesPerShot + (bit >> 3)]! |= 1 << (bit & 7);
  }
  return { numShots: shots.length, bytesPerShot, rows, columns };
}

const SHOTS = [[5], [0, 260, 299], []];
const COLUMNS = [
  { letter: 'D', first: 0, count: 200 },
  { letter: 'L', first: 200, count: 100 },
] as const;

test.each([
  ['hits', '5\n0,260,299\n\n'],
  ['dets', 'shot D5\nshot D0 L60 L99\nshot\n'],
] as const)('%s', (format, text) => {
  expect(Buffer.from(encodeShots(tableOf(SHOTS, COLUMNS), format)).toString()).toBe(text);
});

test('01 has a digit for each bit, and b8 eight bits a byte', () => {
  const digits = Buffer.from(encodeShots(tableOf(SHOTS, COLUMNS), '01'))
    .toString()
    .split('\n');
  expect(digits.map(({ length }) => length)).toEqual([300, 300, 300, 0]);
  const hits = digits
    .slice(0, 3)
    .map((line) => [...line].flatMap((bit, i) => (bit === '1' ? [i] : [])));
  expect(hits).toEqual(SHOTS);
  const table = tableOf(SHOTS, COLUMNS);
  expect(Buffer.from(encodeShots(table, 'b8'))).toEqual(Buffer.from(table.rows));
});

test('r8 has the zeros before each 1, in parts of 255', () => {
  const bytes = encodeShots(tableOf(SHOTS, COLUMNS), 'r8');
  expect([...bytes]).toEqual([5, 255, 39, 0, 255, 4, 38, 0, 255, 45]);
  // Exactly 255 zeros before a 1, and before the end.
  const edge = tableOf([[255], []], [{ letter: 'M', first: 0, count: 256 }]);
  expect([...encodeShots(edge, 'r8')]).toEqual([255, 0, 0, 255, 1]);
});

test('ptb64 has the bits of 64 shots together', () => {
  const shots = Array.from({ length: 128 }, (_, shot) =>
    shot === 9 ? [0] : shot === 127 ? [1] : [],
  );
  const bytes = encodeShots(tableOf(shots, [{ letter: 'M', first: 0, count: 2 }]), 'ptb64');
  const expected = new Uint8Array(32);
  expected[1] = 0b10;
  expected[31] = 0b1000_0000;
  expect(Buffer.from(bytes)).toEqual(Buffer.from(expected));
});

test('columns that are left out are in no file', () => {
  const alone = tableOf(SHOTS, [COLUMNS[1]]);
  expect(Buffer.from(encodeShots(alone, 'dets')).toString()).toBe('shot\nshot L60 L99\nshot\n');
  expect(Buffer.from(encodeShots(alone, 'hits')).toString()).toBe('\n60,99\n\n');
});
