/**
 * Arrays of numbers and counts of batches, as the service sends and takes them in base64: little-endian, row-major.
 * Typed arrays have the byte order of the machine, which is little-endian wherever JavaScript runs today.
 */
import type { PackedArray, PackedCounts, PackedIntegers } from './api-types.ts';

/** An array of numbers: `data` has all of them row by row, `shape` the lengths from the outermost index. */
export interface NumericArray {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** Nested arrays of equal lengths; null stands for NaN. */
export type NestedNumbers = readonly (number | null | NestedNumbers)[];

/** Bytes that one call of String.fromCharCode takes. */
const CHUNK = 2 ** 15;

/** Reads an array of an answer, in either of its forms. */
export function numericArray(array: PackedArray | NestedNumbers): NumericArray {
  return 'dtype' in array ? unpackArray(array) : flatArray(array);
}

/**
 * Reads an array in base64.
 *
 * @throws {RangeError} if its data does not match its shape.
 */
export function unpackArray({ shape, data }: PackedArray): NumericArray {
  return { shape, data: new Float64Array(bytesOfArray(data, shape, 8)) };
}

/**
 * Reads an array of whole numbers in base64.
 *
 * @throws {RangeError} if its data does not match its shape.
 */
function unpackIntegers({
  dtype,
  shape,
  data,
}: PackedIntegers): Uint8Array | Uint16Array | Uint32Array {
  const Numbers = INTEGERS[dtype];
  return new Numbers(bytesOfArray(data, shape, Numbers.BYTES_PER_ELEMENT));
}

const INTEGERS = { '|u1': Uint8Array, '<u2': Uint16Array, '<u4': Uint32Array } as const;

function bytesOfArray(text: string, shape: readonly number[], numBytes: number): ArrayBuffer {
  const binary = atob(text);
  const length = shape.reduce((product, each) => product * each, 1);
  if (binary.length !== numBytes * length) {
    throw new RangeError(`${binary.length} bytes are no array of the shape [${shape.join(', ')}].`);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

/** Writes an array in base64. */
export function packArray({ shape, data }: NumericArray): PackedArray {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return { dtype: '<f8', shape, data: btoa(binary) };
}

function flatArray(nested: NestedNumbers): NumericArray {
  const shape: number[] = [];
  for (let row: NestedNumbers[number] = nested; Array.isArray(row); row = row[0] ?? 0) {
    shape.push(row.length);
  }
  const flat = (nested as readonly unknown[]).flat(shape.length - 1) as readonly (number | null)[];
  return { shape, data: Float64Array.from(flat, (value) => value ?? Number.NaN) };
}

/** Labels of more bits are hexadecimal numbers, as in JSON. */
const MAX_BINARY_BITS = 64;

/** Counts of one point: number of shots of each bit string, classical bit 0 rightmost. */
export type PointCounts = Readonly<Record<string, number>>;

/** Reads counts of an answer in either of their forms: one object for each point. */
export function countsByPoint(
  counts: PackedCounts | readonly PointCounts[],
): readonly PointCounts[] {
  return 'bits' in counts ? unpackCounts(counts) : counts;
}

/**
 * Reads counts in base64.
 *
 * @throws {RangeError} if the data of an array does not match its shape.
 */
function unpackCounts(counts: PackedCounts): readonly PointCounts[] {
  const { bits, outcomes_per_point, outcomes: rows } = counts;
  const outcomes = unpackIntegers(rows);
  const occurrences = unpackIntegers(counts.occurrences);
  const numBytes = rows.shape[1] ?? 0;
  let at = 0;
  return Array.from(unpackIntegers(outcomes_per_point), (numOutcomes) => {
    const point: Record<string, number> = {};
    for (const end = at + numOutcomes; at < end; at++) {
      const label = labelOf(outcomes.subarray(at * numBytes, (at + 1) * numBytes), bits);
      point[label] = occurrences[at]!;
    }
    return point;
  });
}

function labelOf(bytes: Uint8Array | Uint16Array | Uint32Array, numBits: number): string {
  const isBinary = numBits <= MAX_BINARY_BITS;
  let label = '';
  for (let byte = bytes.length - 1; byte >= 0; byte--) {
    label += isBinary
      ? bytes[byte]!.toString(2).padStart(8, '0')
      : bytes[byte]!.toString(16).padStart(2, '0');
  }
  if (isBinary) return label.slice(label.length - numBits);
  return `0x${label.slice(label.length - Math.ceil(numBits / 4))}`;
}
