/**
 * Runs a batch: sends circuits to the device in chunks, and reads their results. The host
 * prepares the next chunk while the device works on the last.
 */
import {
  type BatchRequest,
  type BatchResult,
  type BatchResults,
  type BatchSizes,
  emptyResults,
} from '../../batch-request.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { BatchBuffers } from '../scratch-buffers.ts';
import { type BatchKernels, evolveThreads, roomQubits } from './batch-kernels.ts';
import { type MeasuredPatterns, observableWords, writeAngleWords } from './batch-words.ts';
import {
  type ChunkBuffers,
  type CircuitBytes,
  circuitBytes,
  enqueueChunk,
  maxCircuits,
  readChunk,
  resultBytes,
} from './chunk-work.ts';

/** Most chunks in flight. */
const MAX_PENDING = 2;
/** Work of one shot, in amplitudes times instructions. */
const UNITS_PER_SHOT = 64;
/** Fixed work of the kernels, in instructions. */
const FIXED_WORDS = 32;

/** A compiled shape with its kernels and buffers. */
export interface GpuBatch {
  readonly context: GpuContext;
  readonly kernels: BatchKernels;
  readonly buffers: BatchBuffers;
  readonly chunkSize: ChunkSize;
  /** Program without and with the global phase. */
  readonly program: Uint32Array<ArrayBuffer>;
  readonly programWithPhase: Uint32Array<ArrayBuffer>;
  readonly patterns: MeasuredPatterns;
  /** As `stateErrorBound`. */
  readonly stateError: number;
  readonly sizes: BatchSizes;
}

/** A range of the circuits. */
export interface Chunk {
  readonly first: number;
  readonly count: number;
}

interface PendingChunk extends Chunk {
  readonly staging: GPUBuffer;
  readonly mapped: Promise<ArrayBuffer>;
  readonly startedMs: number;
}

/**
 * Runs a validated request.
 *
 * @throws {StateMemoryError} if the device has no memory for a chunk.
 * @throws {GpuFaultError} if the device refuses any of the work.
 * @throws {DeviceLostError} if the device is lost.
 * @throws the signal's reason, soon after it aborts.
 */
export async function runGpuBatch(
  batch: GpuBatch,
  request: BatchRequest,
  signal: AbortSignal,
): Promise<BatchResult> {
  const results = emptyResults(batch.sizes, request);
  const numRoomQubits = roomQubits(batch.sizes.numQubits);
  const bytes = circuitBytes(
    { ...batch.sizes, ...batch.patterns, roomQubits: numRoomQubits },
    request,
  );
  if (request.numCircuits === 0 || resultBytes(bytes) === 0) return results;
  const run = new BatchRun(batch, request, bytes, results);
  try {
    await run.all(signal);
    // Results count only once the device confirms that all work was done.
    await batch.context.settle();
    batch.buffers.trim();
    return results;
  } catch (error) {
    await batch.context.abandon();
    // A buffer may still be mapped.
    batch.buffers.destroy();
    throw error;
  }
}

class BatchRun {
  readonly #batch: GpuBatch;
  readonly #request: BatchRequest;
  readonly #bytes: CircuitBytes;
  readonly #results: BatchResults;
  readonly #observables: Uint32Array<ArrayBuffer>;
  readonly #unitsOfOne: number;
  readonly #undecided: number[] = [];
  #doneMs = 0;

  constructor(batch: GpuBatch, request: BatchRequest, bytes: CircuitBytes, results: BatchResults) {
    this.#batch = batch;
    this.#request = request;
    this.#bytes = bytes;
    this.#results = results;
    this.#observables = observableWords(request.observables ?? []);
    const passes = request.variances === true ? 3 : 1;
    const perAmplitude = batch.program.length + FIXED_WORDS + passes * this.#observables.length;
    const numAmplitudes = 2 ** roomQubits(batch.sizes.numQubits);
    this.#unitsOfOne = perAmplitude * numAmplitudes + UNITS_PER_SHOT * (request.shots ?? 0);
  }

  async all(signal: AbortSignal): Promise<void> {
    const { numCircuits } = this.#request;
    const { chunkSize, context } = this.#batch;
    const most = maxCircuits(this.#bytes, context.device.limits);
    const shared = await this.#sharedBuffers();
    const pending: PendingChunk[] = [];
    let chunks = 0;
    for (let first = 0; first < numCircuits; chunks++) {
      const wanted = Math.min(most, chunkSize.circuits(this.#unitsOfOne));
      const chunk = { first, count: Math.min(wanted, numCircuits - first) };
      pending.push(await this.#begin(chunk, shared, chunks % MAX_PENDING, signal));
      first += chunk.count;
      if (pending.length === MAX_PENDING) await this.#finish(pending.shift());
      signal.throwIfAborted();
    }
    for (const chunk of pending) await this.#finish(chunk);
    signal.throwIfAborted();
    if (this.#bytes.counts > 0) {
      this.#results.undecided = Uint32Array.from(this.#undecided);
    }
  }

  /** Uploads the data that all chunks read. */
  async #sharedBuffers(): Promise<Pick<ChunkBuffers, 'program' | 'observables'>> {
    const { context, buffers, program, programWithPhase } = this.#batch;
    const { statevector = false } = this.#request;
    const upload = async (label: string, words: Uint32Array<ArrayBuffer>) => {
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
      const buffer = await buffers.take(label, words.byteLength, usage);
      context.device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    };
    return {
      program: await upload('program', statevector ? programWithPhase : program),
      observables: await upload('observables', this.#observables),
    };
  }

  async #begin(
    chunk: Chunk,
    shared: Pick<ChunkBuffers, 'program' | 'observables'>,
    slot: number,
    signal: AbortSignal,
  ): Promise<PendingChunk> {
    const { context, buffers } = this.#batch;
    const startedMs = performance.now();
    const own = await this.#chunkBuffers(chunk.count);
    const length = chunk.count * resultBytes(this.#bytes);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = await buffers.take(`results ${slot}`, length, usage);
    this.#writeAngles(chunk, own.angles);
    await enqueueChunk(
      this.#batch,
      this.#request,
      chunk,
      this.#bytes,
      { ...shared, ...own },
      staging,
      signal,
    );
    const mapped = context.map(staging, length);
    // A failure is reported when the chunk is finished; an aborted run never awaits it.
    mapped.catch(() => undefined);
    return { ...chunk, staging, mapped, startedMs };
  }

  async #chunkBuffers(count: number): Promise<Omit<ChunkBuffers, 'program' | 'observables'>> {
    const { buffers, sizes } = this.#batch;
    const bytes = this.#bytes;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const { circuitsPerGroup } = evolveThreads(roomQubits(sizes.numQubits));
    const padded = Math.ceil(count / circuitsPerGroup) * circuitsPerGroup;
    const room = (label: string, size: number) =>
      buffers.take(label, size, STORAGE | COPY_SRC | COPY_DST);
    return {
      angles: await room('angles', padded * bytes.angles),
      seeds: await room('seeds', bytes.counts > 0 ? 8 * count : 0),
      states: await room('states', count * bytes.state),
      expectations: await room('expectations', count * bytes.expectations),
      variances: await room('variances', count * bytes.variances),
      probabilities: await room('probabilities', count * bytes.probabilities),
      counts: await room('counts', count * bytes.counts),
      undecided: await room('undecided', count * bytes.undecided),
    };
  }

  #writeAngles({ first, count }: Chunk, buffer: GPUBuffer): void {
    const { sizes, context } = this.#batch;
    const { numAngles, numQubits } = sizes;
    if (numAngles === 0) return;
    const { circuitsPerGroup } = evolveThreads(roomQubits(numQubits));
    const numGroups = Math.ceil(count / circuitsPerGroup);
    const words = new Int32Array(numGroups * circuitsPerGroup * numAngles);
    const own = this.#request.angles.subarray(first * numAngles, (first + count) * numAngles);
    writeAngleWords(own, numAngles, circuitsPerGroup, words);
    context.device.queue.writeBuffer(buffer, 0, words);
  }

  async #finish(chunk: PendingChunk | undefined): Promise<void> {
    if (chunk === undefined) throw new Error('unreachable: no chunk is pending');
    const mapped = await chunk.mapped;
    const doneMs = performance.now();
    const ms = doneMs - Math.max(chunk.startedMs, this.#doneMs);
    this.#batch.chunkSize.took(chunk.count * this.#unitsOfOne, ms);
    this.#doneMs = doneMs;
    const undecided = readChunk(this.#batch, chunk, this.#bytes, mapped, this.#results);
    for (const circuit of undecided) this.#undecided.push(circuit);
    chunk.staging.unmap();
  }
}

/** Target duration of a chunk. */
const TARGET_MS = 20;
const FIRST_UNITS = 2 ** 22;
const MIN_UNITS = 2 ** 16;

/**
 * Learns how many circuits to send to a device at a time: enough that the device does not wait for
 * the host, few enough that a cancelled run ends soon and no submit takes long. Devices differ a
 * thousandfold in speed. The size is in work units.
 */
export class ChunkSize {
  #units: number;

  constructor(firstUnits: number = FIRST_UNITS) {
    this.#units = firstUnits;
  }

  /** Number of circuits of the next chunk, at least one. */
  circuits(unitsOfOne: number): number {
    return Math.max(1, Math.floor(this.#units / unitsOfOne));
  }

  /** Records the duration of a chunk. */
  took(units: number, ms: number): void {
    // A chunk far below the size says nothing about larger ones.
    if (units > this.#units / 2 && ms < TARGET_MS / 2) this.#units *= 2;
    if (ms > 2 * TARGET_MS && this.#units > MIN_UNITS) this.#units /= 2;
  }
}
