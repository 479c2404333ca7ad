/** Enqueues the work of one chunk of a batch: evolution, readout, and the copy of the results. */
import type { BatchRequest, BatchResults, BatchSizes } from '../../batch-request.ts';
import { drawMargin } from '../../exact-counts.ts';
import type { GpuContext } from '../gpu-context.ts';
import { encodeKernel, type Grid, gridOf } from '../readout/dispatch.ts';
import type { BatchBuffers } from '../scratch-buffers.ts';
import { type BatchKernels, evolveThreads, readThreads, roomQubits } from './batch-kernels.ts';
import { type MeasuredPatterns, scatterPatterns } from './batch-words.ts';

/** Shots that one invocation draws in one submit. */
const DRAWS_PER_SUBMIT = 2 ** 14;
/** Bytes of the largest struct `Params`. */
const PARAMS_BYTES = 48;

/** Buffers that kernels bind. */
export interface ChunkBuffers {
  readonly program: GPUBuffer;
  readonly observables: GPUBuffer;
  readonly angles: GPUBuffer;
  readonly seeds: GPUBuffer;
  readonly states: GPUBuffer;
  readonly expectations: GPUBuffer;
  readonly variances: GPUBuffer;
  readonly probabilities: GPUBuffer;
  readonly counts: GPUBuffer;
  readonly undecided: GPUBuffer;
}

/** The parts of a compiled shape that the work needs. */
interface Batch {
  readonly context: GpuContext;
  readonly kernels: BatchKernels;
  readonly buffers: BatchBuffers;
  readonly patterns: MeasuredPatterns;
  readonly sizes: BatchSizes;
  readonly stateError: number;
}

/** Enqueues a chunk, up to the copy of its results into `staging`. */
export async function enqueueChunk(
  batch: Batch,
  request: BatchRequest,
  chunk: { readonly first: number; readonly count: number },
  bytes: CircuitBytes,
  buffers: ChunkBuffers,
  staging: GPUBuffer,
  signal: AbortSignal,
): Promise<void> {
  const { context } = batch;
  const work = new ChunkWork(batch, request, chunk.count, buffers);
  const steps = [await work.evolution()];
  if (bytes.expectations > 0) steps.push(await work.expectations());
  if (bytes.variances > 0) steps.push(await work.variances());
  if (bytes.probabilities > 0) steps.push(await work.probabilities());
  context.enqueue((encoder) => {
    for (const step of steps) step(encoder);
    if (bytes.counts === 0) return;
    encoder.clearBuffer(buffers.counts);
    encoder.clearBuffer(buffers.undecided);
  });
  if (bytes.counts > 0) await work.count(chunk.first, signal);
  context.enqueue((encoder) => {
    let to = 0;
    const copy = (from: GPUBuffer, bytesOfOne: number) => {
      const length = chunk.count * bytesOfOne;
      if (length > 0) encoder.copyBufferToBuffer(from, 0, staging, to, length);
      to += length;
    };
    copy(buffers.expectations, bytes.expectations);
    copy(buffers.variances, bytes.variances);
    copy(buffers.probabilities, bytes.probabilities);
    copy(buffers.counts, bytes.counts);
    copy(buffers.undecided, bytes.undecided);
    copy(buffers.states, bytes.statevector);
  });
  // The next chunk overwrites the buffers after this chunk, in the order of submits.
  context.flush();
}

type Encode = (encoder: GPUCommandEncoder) => void;

class ChunkWork {
  readonly #batch: Batch;
  readonly #request: BatchRequest;
  readonly #count: number;
  readonly #buffers: ChunkBuffers;
  readonly #numRoomQubits: number;

  constructor(batch: Batch, request: BatchRequest, count: number, buffers: ChunkBuffers) {
    this.#batch = batch;
    this.#request = request;
    this.#count = count;
    this.#buffers = buffers;
    this.#numRoomQubits = roomQubits(batch.sizes.numQubits);
  }

  async evolution(): Promise<Encode> {
    const { context, kernels, sizes } = this.#batch;
    const { program, angles, states } = this.#buffers;
    const { threadQubits, circuitsPerGroup } = evolveThreads(this.#numRoomQubits);
    const grid = gridOf(Math.ceil(this.#count / circuitsPerGroup));
    // Keep the field order of `Params` in batch_evolve.wgsl.
    const words = [this.#count, grid.rowLength, threadQubits, sizes.numAngles];
    const params = await this.#params('evolve params', words);
    const pipeline = await kernels.evolve();
    return (encoder) =>
      encodeKernel(context, encoder, pipeline, [states, program, params, angles], grid);
  }

  async expectations(): Promise<Encode> {
    const { states, observables, expectations } = this.#buffers;
    const params = await this.#observableParams('expectations params');
    const pipeline = await this.#batch.kernels.expectations();
    return this.#onCircuits(pipeline, [states, observables, params, expectations]);
  }

  /** Work after that of the expectation values, which it reads. */
  async variances(): Promise<Encode> {
    const { states, observables, expectations, variances } = this.#buffers;
    const params = await this.#observableParams('variances params');
    const pipeline = await this.#batch.kernels.variances();
    return this.#onCircuits(pipeline, [states, observables, params, variances, expectations]);
  }

  #observableParams(label: string): Promise<GPUBuffer> {
    const { threadQubits } = readThreads(this.#numRoomQubits);
    const numObservables = this.#request.observables?.length ?? 0;
    // Keep the field order of `Params` in lib/batch_observables.wgsl.
    const { rowLength } = this.#circuitGrid();
    const words = [this.#count, rowLength, threadQubits, this.#numRoomQubits, numObservables];
    return this.#params(label, words);
  }

  #circuitGrid(): Grid {
    return gridOf(Math.ceil(this.#count / readThreads(this.#numRoomQubits).circuitsPerGroup));
  }

  #onCircuits(pipeline: GPUComputePipeline, buffers: readonly GPUBuffer[]): Encode {
    const { context } = this.#batch;
    return (encoder) => encodeKernel(context, encoder, pipeline, buffers, this.#circuitGrid());
  }

  async probabilities(): Promise<Encode> {
    const { context, kernels, patterns } = this.#batch;
    const { states, probabilities } = this.#buffers;
    const { numMeasured, measured } = patterns;
    const numValues = this.#count * 2 ** numMeasured;
    const grid = gridOf(Math.ceil(numValues / readThreads(this.#numRoomQubits).workgroupSize));
    // Keep the field order of `Params` in batch_probabilities.wgsl.
    const words = [numValues, grid.rowLength, this.#numRoomQubits, numMeasured, measured];
    const params = await this.#params('probabilities params', words);
    const pipeline = await kernels.probabilities();
    return (encoder) =>
      encodeKernel(context, encoder, pipeline, [states, undefined, params, probabilities], grid);
  }

  /** Draws all shots; many are several submits, between which the run may be cancelled. */
  async count(first: number, signal: AbortSignal): Promise<void> {
    const { context, kernels, patterns, stateError } = this.#batch;
    const { states, seeds, counts, undecided } = this.#buffers;
    const { shots = 0 } = this.#request;
    this.#writeSeeds(first);
    const { threadQubits, circuitsPerGroup } = readThreads(this.#numRoomQubits);
    const grid = gridOf(Math.ceil(this.#count / circuitsPerGroup));
    const pipeline = await kernels.counts();
    const margin = drawMargin(stateError, this.#numRoomQubits);
    const perSubmit = DRAWS_PER_SUBMIT << threadQubits;
    for (let from = 0; from < shots; from += perSubmit) {
      const to = Math.min(from + perSubmit, shots);
      // Keep the field order of `Params` in batch_counts.wgsl.
      const words = [this.#count, grid.rowLength, threadQubits, this.#numRoomQubits];
      words.push(patterns.numMeasured, patterns.measured, from, to, margin);
      const params = await this.#params('counts params', words);
      const buffers = [states, seeds, params, counts, undecided];
      context.enqueue((encoder) => encodeKernel(context, encoder, pipeline, buffers, grid));
      if (to === shots) return;
      await context.settle();
      signal.throwIfAborted();
    }
  }

  #writeSeeds(first: number): void {
    const { seed = 0, seeds } = this.#request;
    const words = new Uint32Array(2 * this.#count);
    for (let i = 0; i < this.#count; i++) {
      const own = seeds?.[first + i] ?? seed + first + i;
      words[2 * i] = own;
      words[2 * i + 1] = own / 2 ** 32;
    }
    this.#batch.context.device.queue.writeBuffer(this.#buffers.seeds, 0, words);
  }

  /** Uploads parameters. The queue orders the write before the kernels that read it. */
  async #params(label: string, words: readonly number[]): Promise<GPUBuffer> {
    const { buffers, context } = this.#batch;
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = await buffers.take(label, PARAMS_BYTES, usage);
    context.device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
    return buffer;
  }
}

/** Largest buffer, unless a single circuit needs more. */
const MAX_BUFFER_BYTES = 2 ** 26;
const WORD_BYTES = 4;
const AMPLITUDE_BYTES = 8;

/** Bytes of one circuit; 0 for outputs that are not requested. */
export interface CircuitBytes {
  readonly angles: number;
  readonly state: number;
  readonly expectations: number;
  readonly variances: number;
  readonly probabilities: number;
  readonly counts: number;
  /** Number of undecided draws; with counts. */
  readonly undecided: number;
  /** Bytes of the state that is read back. */
  readonly statevector: number;
}

/** Computes the bytes of one circuit of a request. */
export function circuitBytes(
  sizes: { readonly numAngles: number; readonly roomQubits: number; readonly numMeasured: number },
  request: BatchRequest,
): CircuitBytes {
  const state = AMPLITUDE_BYTES * 2 ** sizes.roomQubits;
  const patterns = WORD_BYTES * 2 ** sizes.numMeasured;
  const { shots = 0, observables = [] } = request;
  return {
    angles: WORD_BYTES * sizes.numAngles,
    state,
    expectations: WORD_BYTES * observables.length,
    variances: request.variances === true ? WORD_BYTES * observables.length : 0,
    probabilities: request.probabilities === true ? patterns : 0,
    counts: shots > 0 ? patterns : 0,
    undecided: shots > 0 ? WORD_BYTES : 0,
    statevector: request.statevector === true ? state : 0,
  };
}

/** Bytes of the results of one circuit. */
export function resultBytes(bytes: CircuitBytes): number {
  const { expectations, variances, probabilities, counts, undecided, statevector } = bytes;
  return expectations + variances + probabilities + counts + undecided + statevector;
}

/** Largest number of circuits in a chunk. */
export function maxCircuits(
  bytes: CircuitBytes,
  { maxBufferSize, maxStorageBufferBindingSize }: GPUSupportedLimits,
): number {
  const most = Math.min(MAX_BUFFER_BYTES, maxBufferSize, maxStorageBufferBindingSize);
  const largest = Math.max(bytes.angles, bytes.state, resultBytes(bytes));
  return Math.max(1, Math.floor(most / largest));
}

/**
 * Copies a chunk's results into the result arrays of the batch.
 *
 * @returns The circuits that have undecided draws.
 */
export function readChunk(
  batch: { readonly sizes: BatchSizes; readonly patterns: MeasuredPatterns },
  { first, count }: { readonly first: number; readonly count: number },
  bytes: CircuitBytes,
  mapped: ArrayBuffer,
  results: BatchResults,
): readonly number[] {
  const { numQubits, numBits } = batch.sizes;
  const { expectations, variances, probabilities, counts, statevectors } = results;
  let at = 0;
  const next = (bytesOfOne: number) => {
    const from = at;
    at += count * bytesOfOne;
    return from;
  };
  const reals = (bytesOfOne: number) =>
    new Float32Array(mapped, next(bytesOfOne), (count * bytesOfOne) / 4);
  const values = reals(bytes.expectations);
  expectations?.set(values, (first * bytes.expectations) / 4);
  variances?.set(reals(bytes.variances), (first * bytes.variances) / 4);
  const masses = reals(bytes.probabilities);
  if (probabilities !== undefined) {
    scatterPatterns(batch.patterns, masses, probabilities, first, 2 ** numBits);
  }
  const words = (bytesOfOne: number) =>
    new Uint32Array(mapped, next(bytesOfOne), (count * bytesOfOne) / 4);
  const found = words(bytes.counts);
  if (counts !== undefined) {
    scatterPatterns(batch.patterns, found, counts, first, 2 ** numBits);
  }
  const undecided: number[] = [];
  for (const [k, draws] of words(bytes.undecided).entries()) {
    if (draws > 0) undecided.push(first + k);
  }
  if (statevectors === undefined) return undecided;
  const amplitudes = reals(bytes.statevector);
  const length = 2 * 2 ** numQubits;
  const room = bytes.statevector / 4;
  for (let k = 0; k < count; k++) {
    statevectors.set(amplitudes.subarray(k * room, k * room + length), (first + k) * length);
  }
  return undecided;
}
