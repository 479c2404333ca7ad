/**
 * Results of batches: kept in parts while the job runs and afterwards, and written as JSON text piece by piece.
 *
 * A part holds one kind of result of consecutive points of a program, so that the parts in the order of the store are
 * the answer in order, and an answer of gigabytes never is in memory as a whole.
 */
import { setImmediate } from 'node:timers/promises';
import type { countsOfRow } from '../../fleet/workers/sent-batch.ts';
import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart, JobPartPlace } from '../../jobs/job.ts';
import { countsJson } from '../circuits/result-json.ts';
import { parseStored } from '../jobs/stored-request.ts';
import type {
  ArrayFormat,
  BatchResultFields,
  PackedArray,
  ProgramResultFields,
} from '../schemas/batches.ts';
import { type CheckedProgram, isEstimated, numbersOf } from './batch-program.ts';

/** Other work runs after this much writing. */
const WRITING_MS = 5;

/** Results of a program, in the order in which they are answered. */
const RESULTS = [
  'counts',
  'probabilities',
  'expectation',
  'standard_error',
  'variance',
  'gradient',
  'statevector',
] as const satisfies readonly (keyof ProgramResultFields)[];
export type ResultName = (typeof RESULTS)[number];

/** Number of the series of parts that holds a result of a program. */
export function seriesOf(program: number, result: ResultName): number {
  return program * RESULTS.length + RESULTS.indexOf(result);
}

/** The program that a series belongs to. */
export function programOfSeries(series: number): number {
  return Math.floor(series / RESULTS.length);
}

/** Results that a program has, in order. */
export function resultsOf(program: CheckedProgram): readonly ResultName[] {
  const { outputs } = program;
  return RESULTS.filter((name) =>
    name === 'standard_error'
      ? outputs.includes('expectation') && isEstimated(program)
      : outputs.includes(name),
  );
}

/** Fields of a program's result that are no results of points. */
type ProgramFacts = Omit<ProgramResultFields, ResultName>;

/** Layout of a program's result, in the stored text. */
interface StoredProgram {
  readonly facts: ProgramFacts;
  readonly format: ArrayFormat;
  /** Each result with the lengths of its dimensions, but for the points; counts have none. */
  readonly results: readonly (readonly [ResultName, ...number[]])[];
}

/** Stored text of a batch's result; the numbers are in parts. */
interface StoredResult {
  readonly facts: Omit<BatchResultFields, 'programs'>;
  readonly programs: readonly StoredProgram[];
}

/**
 * Text of a result as it is stored beside its parts.
 *
 * @param seedOf - Seed of the first point of a program.
 */
export async function storedResultJson(
  facts: StoredResult['facts'],
  programs: readonly CheckedProgram[],
  seedOf: (program: number) => number,
): Promise<string> {
  const texts: string[] = [];
  let since = performance.now();
  for (const [i, program] of programs.entries()) {
    texts.push(JSON.stringify(storedProgram(program, seedOf(i))));
    if (performance.now() - since < WRITING_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  // As `StoredResult`.
  return `{"facts":${JSON.stringify(facts)},"programs":[${texts.join(',')}]}`;
}

function storedProgram(program: CheckedProgram, seed: number): StoredProgram {
  const { name, inputs, numQubits, outputs, shots, warnings, arrayFormat } = program;
  const hasBits = outputs.includes('counts') || outputs.includes('probabilities');
  return {
    facts: {
      ...(name !== undefined && { name }),
      points: inputs.numPoints,
      qubits: numQubits,
      method: 'statevector',
      ...(shots !== undefined && { shots }),
      seed,
      ...(hasBits && { measured_qubits: [...program.measuredQubits] }),
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    },
    format: arrayFormat,
    results: resultsOf(program).map((result) => [result, ...dimensionsOf(program, result)]),
  };
}

function dimensionsOf(program: CheckedProgram, result: ResultName): readonly number[] {
  const { observables, gradientInputs, numQubits } = program;
  if (result === 'counts') return [];
  if (result === 'gradient') return [observables.length, gradientInputs.length];
  if (result === 'statevector') return [2 ** numQubits, 2];
  return [numbersOf(program, result)];
}

/** Counts of consecutive points as the bytes of a part: JSON objects, separated by commas. */
export function countsBytes(counts: Iterable<ReturnType<typeof countsOfRow>>): Uint8Array {
  return Buffer.from(Array.from(counts, countsJson).join(','), 'latin1');
}

/** Numbers of consecutive points as the bytes of a part. */
export function numberBytes(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Reads the next page of a job's parts. */
export type ReadParts = (after: JobPartPlace | undefined) => Promise<readonly JobPart[]>;

/** Characters of a piece of the text, about. */
const PIECE_LENGTH = 65_536;

/**
 * The result fields of a record as pieces of JSON text: `"programs":[…],"executed_on":…`.
 *
 * @param text - As `storedResultJson` gives it.
 * @throws {JobDamagedError} if it is no such text, or parts are missing.
 */
export async function* batchResultText(
  text: string,
  readParts: ReadParts,
): AsyncGenerator<string, void, undefined> {
  // The cast is safe: the text was stored with the job.
  const { facts, programs } = parseStored(text, 'its result') as StoredResult;
  const parts = new PartCursor(readParts);
  yield '"programs":[';
  let piece = '';
  let since = performance.now();
  for (const [i, program] of programs.entries()) {
    piece += i === 0 ? '' : ',';
    for await (const next of programText(program, i, parts)) {
      piece += next;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
      if (performance.now() - since < WRITING_MS) continue;
      await setImmediate();
      since = performance.now();
    }
  }
  yield `${piece}],${JSON.stringify(facts).slice(1, -1)}`;
}

async function* programText(
  { facts, format, results }: StoredProgram,
  program: number,
  parts: PartCursor,
): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(facts).slice(0, -1);
  const { points } = facts;
  for (const [result, ...dimensions] of results) {
    yield `,"${result}":`;
    const inOrder = parts.series(seriesOf(program, result), points);
    if (result === 'counts') yield* countsText(inOrder);
    else if (format === 'base64') yield* packedText(inOrder, [points, ...dimensions]);
    else yield* nestedText(inOrder, dimensions);
  }
  yield '}';
}

/** Walks through the parts of a job in the order of the store. */
class PartCursor {
  readonly #read: ReadParts;
  #page: readonly JobPart[] = [];
  #next = 0;
  #last: JobPart | undefined;

  constructor(read: ReadParts) {
    this.#read = read;
  }

  /** The parts of the next series, from the first item to the last. */
  async *series(series: number, numItems: number): AsyncGenerator<JobPart, void, undefined> {
    for (let from = 0; from < numItems; ) {
      const part = await this.#take();
      if (part?.series !== series || part.from !== from) {
        throw new JobDamagedError('a part of its result is missing');
      }
      from = part.to;
      yield part;
    }
  }

  async #take(): Promise<JobPart | undefined> {
    if (this.#next === this.#page.length) {
      this.#page = await this.#read(this.#last);
      this.#next = 0;
    }
    this.#last = this.#page[this.#next++];
    return this.#last;
  }
}

async function* countsText(parts: AsyncIterable<JobPart>): AsyncGenerator<string, void, undefined> {
  let before = '[';
  for await (const { bytes } of parts) {
    yield before + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    before = ',';
  }
  yield ']';
}

/** Base64 of three bytes each ends nowhere but at the end. */
const BASE64_BYTES = 3;
/** Bytes of a piece of base64. */
const PACKED_BYTES = 3 * 2 ** 16;

async function* packedText(
  parts: AsyncIterable<JobPart>,
  shape: number[],
): AsyncGenerator<string, void, undefined> {
  const head: Omit<PackedArray, 'data'> = { dtype: '<f8', shape };
  yield `${JSON.stringify(head).slice(0, -1)},"data":"`;
  let left: Buffer = Buffer.alloc(0);
  for await (const { bytes } of parts) {
    const all =
      left.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([left, bytes]);
    const end = all.length - (all.length % BASE64_BYTES);
    for (let at = 0; at < end; at += PACKED_BYTES) {
      yield all.toString('base64', at, Math.min(at + PACKED_BYTES, end));
    }
    left = all.subarray(end);
  }
  yield `${left.toString('base64')}"}`;
}

async function* nestedText(
  parts: AsyncIterable<JobPart>,
  dimensions: readonly number[],
): AsyncGenerator<string, void, undefined> {
  /** Numbers in an array of each depth, the outermost first. */
  const sizes = dimensions.map((_, depth) =>
    dimensions.slice(depth).reduce((product, length) => product * length, 1),
  );
  const fromInside = sizes.toReversed();
  let text = '[';
  let separator = '';
  for await (const { bytes, from, to } of parts) {
    // A copy, for numbers must be aligned.
    const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
    if (numbers.length !== (to - from) * (sizes[0] ?? 1)) {
      throw new JobDamagedError('a part of its result has another length');
    }
    for (let i = 0; i < numbers.length; i++) {
      text += separator;
      for (const size of sizes) if (i % size === 0) text += '[';
      text += jsonNumber(numbers[i]!);
      for (const size of fromInside) if ((i + 1) % size === 0) text += ']';
      separator = ',';
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
}

/** A derivative may not exist, and JSON has no such number. Adding 0 turns −0 into 0, as JSON would. */
function jsonNumber(number: number): number | null {
  return Number.isFinite(number) ? number + 0 : null;
}
