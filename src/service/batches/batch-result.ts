/**
 * Results of batches: kept in parts while the job runs and afterwards, and written as JSON text chunk by chunk.
 *
 * A part holds one kind of result of consecutive points of a program, so that the parts in the order of the store are
 * the answer in order, and an answer of gigabytes never is in memory as a whole.
 */
import { setImmediate } from 'node:timers/promises';
import { nameOfMethod } from '../../fleet/method-limits.ts';
import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart, JobPartPlace } from '../../jobs/job.ts';
import { labelFormatOf } from '../circuits/outcome-labels.ts';
import { countsJson } from '../circuits/result-json.ts';
import { type SavedForm, savedJson } from '../circuits/saved-outputs.ts';
import { parseStored } from '../jobs/stored-request.ts';
import {
  type CheckedProgram,
  hasPackedCounts,
  hasStandardErrors,
  numbersOf,
  type ResultName,
} from './batch-program.ts';
import type {
  ArrayFormat,
  BatchResultFields,
  PackedArray,
  PackedIntegers,
  ProgramResultFields,
} from './batch-schema.ts';
import {
  type Counts,
  type CountsLayout,
  countsLayout,
  occurrenceType,
  type PackedCountsPart,
  packedCountsBytes,
  packedCountsPart,
} from './packed-counts.ts';

/** Other work runs after this much writing. */
const WRITING_MS = 5;

/** Place of each result among the series of its program, which is that in the answer. */
const PLACES = {
  counts: 0,
  probabilities: 1,
  expectation: 2,
  standard_error: 3,
  variance: 4,
  gradient: 5,
  statevector: 6,
  truncation_error: 7,
  largest_bond: 8,
  saved: 9,
} as const satisfies Readonly<Record<ResultName, number>>;
// The cast is safe: these are the keys.
const RESULTS = Object.keys(PLACES) as ResultName[];

/** Results whose series come one after the other from 0 on, those of a program together. */
const NUM_FIRST = 7;
/** The series of the other results come after all of these, so that parts of earlier versions keep their numbers. */
const OTHERS = 2 ** 40;
const OTHERS_PER_PROGRAM = 16;

/** Number of the series of parts that holds a result of a program. */
export function seriesOf(program: number, result: ResultName): number {
  const place = PLACES[result];
  return place < NUM_FIRST
    ? program * NUM_FIRST + place
    : OTHERS + program * OTHERS_PER_PROGRAM + place - NUM_FIRST;
}

/** The program that a series belongs to. */
export function programOfSeries(series: number): number {
  return series < OTHERS
    ? Math.floor(series / NUM_FIRST)
    : Math.floor((series - OTHERS) / OTHERS_PER_PROGRAM);
}

/** Results that a program has, in order. */
export function resultsOf(program: CheckedProgram): readonly ResultName[] {
  const { outputs, method, saves } = program;
  return RESULTS.filter((name) => {
    if (name === 'saved') return saves !== undefined;
    if (name === 'standard_error') return hasStandardErrors(program);
    const named = nameOfMethod(method);
    if (name === 'largest_bond') return named === 'matrix_product_state';
    if (name === 'truncation_error') {
      return named === 'matrix_product_state' || named === 'pauli_propagation';
    }
    return outputs.includes(name);
  });
}

/** Fields of a program's result that are no results of points. */
type ProgramFacts = Omit<ProgramResultFields, ResultName>;

/** Layout of a program's result, in the stored text. */
interface StoredProgram {
  readonly facts: ProgramFacts;
  readonly format: ArrayFormat;
  /**
   * Each result with the lengths of its dimensions, but for the points. Counts in base64 have the number of their bits,
   * those in JSON nothing.
   */
  readonly results: readonly (readonly [ResultName, ...number[]])[];
  /** Present if there are snapshots. */
  readonly saves?: readonly SavedForm[];
}

/** Stored text of a batch's result; the numbers are in parts. */
interface StoredResult {
  readonly facts: Omit<BatchResultFields, 'programs'>;
  readonly programs: readonly StoredProgram[];
}

/**
 * Text of a result that is stored beside its parts.
 *
 * @param seedOf - Seed of the first point of a program.
 * @param isSimulated - Whether engines of this service ran the circuits.
 */
export async function storedResultJson(
  facts: StoredResult['facts'],
  programs: readonly CheckedProgram[],
  seedOf: (program: number) => number,
  isSimulated: boolean,
): Promise<string> {
  const texts: string[] = [];
  let since = performance.now();
  for (const [i, program] of programs.entries()) {
    texts.push(JSON.stringify(storedProgram(program, seedOf(i), isSimulated)));
    if (performance.now() - since < WRITING_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  // As `StoredResult`.
  return `{"facts":${JSON.stringify(facts)},"programs":[${texts.join(',')}]}`;
}

function storedProgram(program: CheckedProgram, seed: number, isSimulated: boolean): StoredProgram {
  const { name, inputs, numQubits, numBits, lossMarks, outputs, shots, warnings } = program;
  const { arrayFormat, labelFormat, errorBounds } = program;
  const hasBits = outputs.includes('counts') || outputs.includes('probabilities');
  return {
    facts: {
      ...(name !== undefined && { name }),
      points: inputs.numPoints,
      qubits: numQubits,
      ...(isSimulated && {
        method: nameOfMethod(program.method),
        method_reason: program.methodReason,
      }),
      ...(shots !== undefined && { shots }),
      seed,
      ...(outputs.includes('counts') && {
        label_format: labelFormatOf(numBits, labelFormat, lossMarks),
      }),
      ...(hasBits && { measured_qubits: [...program.measuredQubits] }),
      ...(errorBounds !== undefined && { error_bound: arrayOf(errorBounds, arrayFormat) }),
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    },
    format: arrayFormat,
    results: resultsOf(program).map((result) => [result, ...dimensionsOf(program, result)]),
    ...(program.saves && { saves: program.saves }),
  };
}

/** Numbers in the form of the answer. */
function arrayOf(numbers: Float64Array, format: ArrayFormat): number[] | PackedArray {
  if (format === 'json') return [...numbers];
  const data = Buffer.from(numberBytes(numbers)).toString('base64');
  return { dtype: '<f8', shape: [numbers.length], data };
}

function dimensionsOf(program: CheckedProgram, result: ResultName): readonly number[] {
  const { observables, gradientInputs, numQubits, numBits } = program;
  if (result === 'counts') return hasPackedCounts(program) ? [numBits] : [];
  if (result === 'gradient') return [observables.length, gradientInputs.length];
  if (result === 'statevector') return [2 ** numQubits, 2];
  if (result === 'truncation_error' || result === 'largest_bond') return [];
  return [numbersOf(program, result)];
}

/** Counts of consecutive points as bytes: in base64 arrays, otherwise JSON objects separated by commas. */
export function countsBytes(
  program: Pick<CheckedProgram, 'arrayFormat' | 'labelFormat' | 'numBits' | 'lossMarks' | 'shots'>,
  counts: readonly Counts[],
): Uint8Array {
  const { labelFormat, numBits, lossMarks, shots = 0 } = program;
  if (hasPackedCounts(program)) return packedCountsBytes(counts, countsLayout(numBits, shots));
  const texts = counts.map((own) => countsJson(own, labelFormat, lossMarks));
  return Buffer.from(texts.join(','), 'latin1');
}

/** Numbers of consecutive points as the bytes of a part. */
export function numberBytes(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/**
 * The result fields of a record as chunks of JSON text: `"programs":[…],"executed_on":…`.
 *
 * @param text - From `storedResultJson`.
 * @throws {JobDamagedError} if it is no such text, or parts are missing.
 */
export async function* batchResultText(
  text: string,
  readParts: ReadParts,
): AsyncGenerator<string, void, undefined> {
  // The cast is safe: the text was stored with the job.
  const { facts, programs } = parseStored(text, 'its result') as StoredResult;
  const parts = new PartCursor(readParts);
  const others = new PartCursor(readParts, { series: OTHERS, from: -1, to: 0 });
  yield '"programs":[';
  let chunk = '';
  let since = performance.now();
  for (const [i, program] of programs.entries()) {
    chunk += i === 0 ? '' : ',';
    for await (const next of programText(program, i, [parts, others])) {
      chunk += next;
      if (chunk.length < CHUNK_LENGTH) continue;
      yield chunk;
      chunk = '';
      if (performance.now() - since < WRITING_MS) continue;
      await setImmediate();
      since = performance.now();
    }
  }
  yield `${chunk}],${JSON.stringify(facts).slice(1, -1)}`;
}

async function* programText(
  { facts, format, results, saves = [] }: StoredProgram,
  program: number,
  [first, others]: readonly [PartCursor, PartCursor],
): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(facts).slice(0, -1);
  const { points } = facts;
  for (const [result, ...dimensions] of results) {
    yield `,"${result}":`;
    const series = seriesOf(program, result);
    const parts = series < OTHERS ? first : others;
    const inOrder = () => parts.series(series, points);
    const [numBits] = dimensions;
    if (result === 'counts' && numBits !== undefined) {
      yield* packedCountsText(parts, inOrder, { points, numBits, shots: facts.shots ?? 0 });
    } else if (result === 'counts') yield* countsText(inOrder());
    else if (result === 'saved') yield* savedText(inOrder(), saves, dimensions[0]!);
    else if (format === 'base64') {
      yield* packedText(bytesOf(inOrder()), { dtype: '<f8', shape: [points, ...dimensions] });
    } else yield* nestedText(inOrder(), dimensions);
  }
  yield '}';
}

async function* countsText(parts: AsyncIterable<JobPart>): AsyncGenerator<string, void, undefined> {
  let before = '[';
  for await (const { bytes } of parts) {
    yield before + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    before = ',';
  }
  yield ']';
}

/** Writes the snapshots of each point as those of a circuit. */
async function* savedText(
  parts: AsyncIterable<JobPart>,
  saves: readonly SavedForm[],
  numEach: number,
): AsyncGenerator<string, void, undefined> {
  let before = '[';
  for await (const { bytes, from, to } of parts) {
    // A copy, for numbers must be aligned.
    const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
    if (numbers.length !== (to - from) * numEach) {
      throw new JobDamagedError('a part of its result has another length');
    }
    for (let at = 0; at < numbers.length; at += numEach) {
      yield before + savedJson(saves, numbers.subarray(at, at + numEach));
      before = ',';
    }
  }
  yield ']';
}

/** Writes counts in base64. Each array has a block of every part, so the parts are read once for each. */
async function* packedCountsText(
  parts: PartCursor,
  inOrder: () => AsyncIterable<JobPart>,
  { points, numBits, shots }: { points: number; numBits: number; shots: number },
): AsyncGenerator<string, void, undefined> {
  const layout = countsLayout(numBits, shots);
  const back = parts.bookmark();
  let numOutcomes = 0;
  async function* blocks(
    name: Exclude<keyof PackedCountsPart, 'numOutcomes'>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    back();
    for await (const part of inOrder()) {
      const found = countsOfPart(part, layout);
      if (name === 'lengths') numOutcomes += found.numOutcomes;
      yield found[name];
    }
  }
  yield `{"bits":${numBits},"outcomes_per_point":`;
  yield* packedText(blocks('lengths'), { dtype: '<u4', shape: [points] });
  yield ',"outcomes":';
  const shape = [numOutcomes, layout.outcomeBytes];
  yield* packedText(blocks('outcomes'), { dtype: '|u1', shape });
  yield ',"occurrences":';
  const dtype = occurrenceType(layout);
  yield* packedText(blocks('occurrences'), { dtype, shape: [numOutcomes] });
  yield '}';
}

function countsOfPart(part: JobPart, layout: CountsLayout): PackedCountsPart {
  const found = packedCountsPart(part, layout);
  if (found === undefined) throw new JobDamagedError('a part of its result has another length');
  return found;
}

async function* bytesOf(parts: AsyncIterable<JobPart>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes;
}

/** Characters of a chunk of the text, about. */
const CHUNK_LENGTH = 65_536;

/** Base64 of three bytes each ends nowhere but at the end. */
const BASE64_BYTES = 3;
/** Bytes of a chunk of base64. */
const PACKED_BYTES = 3 * 2 ** 16;

/** Writes blocks of bytes as one array in base64. */
async function* packedText(
  blocks: AsyncIterable<Uint8Array>,
  head: Omit<PackedArray | PackedIntegers, 'data'>,
): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":"`;
  let left: Buffer = Buffer.alloc(0);
  for await (const bytes of blocks) {
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

/** Writes parts with numbers as nested arrays. */
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
      if (text.length < CHUNK_LENGTH) continue;
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

/** Reads the next page of a job's parts. */
export type ReadParts = (after: JobPartPlace | undefined) => Promise<readonly JobPart[]>;

/** Walks through the parts of a job in the order of the store. */
export class PartCursor {
  readonly #read: ReadParts;
  #page: readonly JobPart[] = [];
  #next = 0;
  #last: JobPartPlace | undefined;

  /** @param after - Reads the parts after this one; all unless given. */
  constructor(read: ReadParts, after?: JobPartPlace) {
    this.#read = read;
    this.#last = after;
  }

  /** Remembers this place. The function that it returns goes back there. */
  bookmark(): () => void {
    const [page, next, last] = [this.#page, this.#next, this.#last];
    return () => {
      this.#page = page;
      this.#next = next;
      this.#last = last;
    };
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
    const part = this.#page[this.#next++];
    this.#last = part;
    return part;
  }
}
