/**
 * Stim's formats of shot data: a table of bits, a row for each shot.
 *
 * @see `doc/result_formats.md` of Stim.
 */

/** The formats, by name. */
export const SHOT_FORMATS = ['01', 'b8', 'r8', 'ptb64', 'hits', 'dets'] as const;
export type ShotFormat = (typeof SHOT_FORMATS)[number];

/** Formats that are lines of text. */
export const isTextFormat = (format: ShotFormat): boolean =>
  format === '01' || format === 'hits' || format === 'dets';

/** Columns of one kind: measurements, detectors or logical observables. */
export interface ShotColumns {
  readonly letter: 'M' | 'D' | 'L';
  /** Bit of a row that is the first of them. */
  readonly first: number;
  readonly count: number;
}

/** Shots as rows of bytes, each filled from its least significant bit on. */
export interface ShotTable {
  readonly numShots: number;
  readonly bytesPerShot: number;
  readonly rows: Uint8Array;
  /** The bits that are written, in their order. */
  readonly columns: readonly ShotColumns[];
}

/** Shots of a group of `ptb64`. */
export const GROUP_SHOTS = 64;

/** Bytes of a table in a format, where all bits are 1. `columns` is the number of bits of a shot. */
export function mostBytes(format: ShotFormat, numShots: number, columns: number): number {
  const digits = String(Math.max(0, columns - 1)).length;
  switch (format) {
    case '01':
    case 'r8':
      return numShots * (columns + 1);
    case 'b8':
      return numShots * Math.ceil(columns / 8);
    case 'ptb64':
      return (numShots * columns) / 8;
    case 'hits':
      return numShots * (columns * (digits + 1) + 1);
    case 'dets':
      return numShots * (columns * (digits + 2) + 'shot\n'.length);
  }
}

/**
 * The bytes of a file.
 *
 * @param table - For `ptb64` a multiple of 64 shots.
 */
export function encodeShots(table: ShotTable, format: ShotFormat): Uint8Array {
  switch (format) {
    case '01':
      return digitsOf(table);
    case 'b8':
      return isWhole(table) ? table.rows : packed(table);
    case 'r8':
      return runLengths(table);
    case 'ptb64':
      return grouped(table);
    case 'hits':
      return lines(table, (hits) => hits.map(({ index }) => index).join(','));
    case 'dets':
      return lines(table, (hits) =>
        ['shot', ...hits.map(({ letter, within }) => `${letter}${within}`)].join(' '),
      );
  }
}

/** Whether the columns are all bits of the rows, in their order. */
function isWhole({ bytesPerShot, columns }: ShotTable): boolean {
  let width = 0;
  for (const { first, count } of columns) {
    if (first !== width) return false;
    width += count;
  }
  return Math.ceil(width / 8) === bytesPerShot;
}

const widthOf = ({ columns }: ShotTable) => columns.reduce((sum, { count }) => sum + count, 0);

/** A bit that is 1. */
interface Hit {
  /** Among all columns, and among those of its letter. */
  readonly index: number;
  readonly within: number;
  readonly letter: ShotColumns['letter'];
}

function hitsOf({ rows, bytesPerShot, columns }: ShotTable, shot: number): readonly Hit[] {
  const hits: Hit[] = [];
  let before = 0;
  for (const { letter, first, count } of columns) {
    for (let within = 0; within < count; within++) {
      const bit = first + within;
      const byte = rows[shot * bytesPerShot + (bit >>> 3)]!;
      if (((byte >>> (bit & 7)) & 1) === 1) hits.push({ index: before + within, within, letter });
    }
    before += count;
  }
  return hits;
}

function lines(table: ShotTable, lineOf: (hits: readonly Hit[]) => string): Uint8Array {
  const all: Uint8Array[] = [];
  for (let shot = 0; shot < table.numShots; shot++) {
    all.push(Buffer.from(`${lineOf(hitsOf(table, shot))}\n`));
  }
  return Buffer.concat(all);
}

function digitsOf(table: ShotTable): Uint8Array {
  const width = widthOf(table);
  const bytes = new Uint8Array(table.numShots * (width + 1)).fill(0x30);
  for (let shot = 0; shot < table.numShots; shot++) {
    const at = shot * (width + 1);
    for (const { index } of hitsOf(table, shot)) bytes[at + index] = 0x31;
    bytes[at + width] = 0x0a;
  }
  return bytes;
}

function packed(table: ShotTable): Uint8Array {
  const length = Math.ceil(widthOf(table) / 8);
  const bytes = new Uint8Array(table.numShots * length);
  for (let shot = 0; shot < table.numShots; shot++) {
    for (const { index } of hitsOf(table, shot)) {
      bytes[shot * length + (index >>> 3)]! |= 1 << (index & 7);
    }
  }
  return bytes;
}

/** Zeros before each 1, and before the end, which counts as a 1; 255 stands for so many zeros and no 1. */
function runLengths(table: ShotTable): Uint8Array {
  const width = widthOf(table);
  const all: Uint8Array[] = [];
  for (let shot = 0; shot < table.numShots; shot++) {
    const bytes: number[] = [];
    let next = 0;
    for (const index of [...hitsOf(table, shot).map((hit) => hit.index), width]) {
      let zeros = index - next;
      for (; zeros >= 255; zeros -= 255) bytes.push(255);
      bytes.push(zeros);
      next = index + 1;
    }
    all.push(Uint8Array.from(bytes));
  }
  return Buffer.concat(all);
}

/** 64 shots of each bit at a time, from the least significant bit on. */
function grouped(table: ShotTable): Uint8Array {
  const width = widthOf(table);
  const bytes = new Uint8Array((table.numShots / 8) * width);
  for (let shot = 0; shot < table.numShots; shot++) {
    const group = Math.floor(shot / GROUP_SHOTS) * width * 8;
    const [byte, bit] = [(shot % GROUP_SHOTS) >>> 3, shot & 7];
    for (const { index } of hitsOf(table, shot)) bytes[group + 8 * index + byte]! |= 1 << bit;
  }
  return bytes;
}
