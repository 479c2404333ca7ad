/**
 * State vectors that are kept for download: too long for JSON, so stored as parts of the job's result, which are deleted
 * with the job, count towards the storage of its key, and are there for all nodes of a cluster.
 */

import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart, JobPartPlace } from '../../jobs/job.ts';

/** Number of the series of parts; that of jobs at a vendor is 0. */
const SERIES = 1;
/** log2 of the amplitudes of a part: 1 MiB. */
const PART_QUBITS = 16;

/** Forms of amplitudes: complex numbers of two little-endian floats of 64 or 32 bits, as numpy names them. */
export const STATE_TYPES = ['<c16', '<c8'] as const;
export type StateType = (typeof STATE_TYPES)[number];

const BYTES: Readonly<Record<StateType, number>> = { '<c16': 16, '<c8': 8 };

/** Bytes of a state of so many qubits. */
export const stateBytes = (numQubits: number, type: StateType): number =>
  BYTES[type] * 2 ** numQubits;

/** A state as parts. */
export function* stateParts(amplitudes: Float64Array): Generator<JobPart, void, undefined> {
  const each = 2 ** PART_QUBITS;
  const count = amplitudes.length / 2;
  for (let from = 0; from < count; from += each) {
    const to = Math.min(from + each, count);
    const numbers = amplitudes.subarray(2 * from, 2 * to);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    yield { series: SERIES, from, to, bytes };
  }
}

/**
 * Bytes of a state, some of them.
 *
 * @param first - The first byte, and the last one.
 * @throws {JobDamagedError} if parts are missing.
 */
export async function* stateSlice(
  read: (after: JobPartPlace) => Promise<readonly JobPart[]>,
  type: StateType,
  [first, last]: readonly [number, number],
): AsyncGenerator<Uint8Array, void, undefined> {
  const perAmplitude = BYTES[type];
  const each = 2 ** PART_QUBITS;
  let next = each * Math.floor(first / perAmplitude / each);
  for (;;) {
    const page = await read({ series: SERIES, from: next - each, to: next });
    for (const part of page) {
      if (part.series !== SERIES || part.from !== next) {
        throw new JobDamagedError('a part of its state is missing');
      }
      const start = perAmplitude * part.from;
      const bytes = asType(part.bytes, type);
      yield bytes.subarray(Math.max(0, first - start), last + 1 - start);
      next = part.to;
      if (perAmplitude * next > last) return;
    }
    if (page.length === 0) throw new JobDamagedError('a part of its state is missing');
  }
}

function asType(bytes: Uint8Array, type: StateType): Uint8Array {
  if (type === '<c16') return bytes;
  // A copy, for numbers must be aligned.
  const numbers = Float32Array.from(new Float64Array(Uint8Array.from(bytes).buffer));
  return new Uint8Array(numbers.buffer);
}

/** Field of a circuit's result that says that its state is kept. */
export const KEPT_STATE = 'statevector_download';

/** Qubits of the state that a circuit's result keeps; undefined if it keeps none. */
export function keptQubits(result: string): number | undefined {
  // Quotes within strings of the text are escaped, so that no label looks like the field.
  const found = new RegExp(`"${KEPT_STATE}":\\{"qubits":(\\d+)`).exec(result);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/**
 * The bytes that a header Range asks for; undefined for all of them, and where it asks for several ranges, which may be
 * answered with all. 'outside' if there are none of them.
 *
 * @see RFC 9110, section 14.
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): readonly [number, number] | 'outside' | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (found === null) return undefined;
  const [, from = '', to = ''] = found;
  if (from === '') {
    if (to === '') return undefined;
    return Number(to) === 0 ? 'outside' : [Math.max(0, size - Number(to)), size - 1];
  }
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return 'outside';
  return [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
}
