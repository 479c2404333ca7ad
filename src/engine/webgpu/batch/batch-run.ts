/**
 * Runs a batch: sends circuits to the device in pieces, and reads their results. The host
 * prepares the next piece while the device works on the last.
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
  type CircuitBytes,
  circuitBytes,
  enqueuePiece,
  maxCircuits,
  type PieceBuffers,
  readPiece,
  resultBytes,
} from './piece-work.ts';

/** Most pieces in flight. */
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
  readonly pieceSize: PieceSize;
  /** Program without and with the global phase. */
  readonly program: Uint32Array<ArrayBuffer>;
  readonly programWithPhase: Uint32Array<ArrayBuffer>;
  readonly patterns: MeasuredPatterns;
  /** As `stateErrorBound`. */
  readonly stateError: number;
  readonly sizes: BatchSizes;
}

/** A range of the circuits. */
export interface Piece {
  readonly first: number;
  readonly count: number;
}

interface PendingPiece extends Piece {
  readonly staging: GPUBuffer;
  readonly mapped: Promise<ArrayBuffer>;
  readonly startedMs: number;
}

/**
 * Runs a validated request.
 *
 * @throws {StateMemoryError} if the device has no memory for a piece.
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
    const { pieceSize, context } = this.#batch;
    const most = maxCircuits(this.#bytes, context.device.limits);
    const shared = await this.#sharedBuffers();
    const pending: PendingPiece[] = [];
    let pieces = 0;
    for (let first = 0; first < numCircuits; pieces++) {
      const wanted = Math.min(most, pieceSize.circuits(this.#unitsOfOne));
      const piece = { first, count: Math.min(wanted, numCircuits - first) };
      pending.push(await this.#begin(piece, shared, pieces % MAX_PENDING, signal));
      first += piece.count;
      if (pending.length === MAX_PENDING) await this.#finish(pending.shift());
      signal.throwIfAborted();
    }
    for (const piece of pending) await this.#finish(piece);
    signal.throwIfAborted();
    if (this.#bytes.counts > 0) {
      this.#results.undecided = Uint32Array.from(this.#undecided);
    }
  }

  /** Uploads the data that all pieces read. */
  async #sharedBuffers(): Promise<Pick<PieceBuffers, 'program' | 'observables'>> {
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
    piece: Piece,
    shared: Pick<PieceBuffers, 'program' | 'observables'>,
    slot: number,
    signal: AbortSignal,
  ): Promise<PendingPiece> {
    const { context, buffers } = this.#batch;
    const startedMs = performance.now();
    const own = await this.#pieceBuffers(piece.count);
    const length = piece.count * resultBytes(this.#bytes);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = await buffers.take(`results ${slot}`, length, usage);
    this.#writeAngles(piece, own.angles);
    await enqueuePiece(
      this.#batch,
      this.#request,
      piece,
      this.#bytes,
      { ...shared, ...own },
      staging,
      signal,
    );
    const mapped = context.map(staging, length);
    // A failure is reported when the piece is finished; an aborted run never awaits it.
    mapped.catch(() => undefined);
    return { ...piece, staging, mapped, startedMs };
  }

  async #pieceBuffers(count: number): Promise<Omit<PieceBuffers, 'program' | 'observables'>> {
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

  #writeAngles({ first, count }: Piece, buffer: GPUBuffer): void {
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

  async #finish(piece: PendingPiece | undefined): Promise<void> {
    if (piece === undefined) throw new Error('unreachable: no piece is pending');
    const mapped = await piece.mapped;
    const doneMs = performance.now();
    const ms = doneMs - Math.max(piece.startedMs, this.#doneMs);
    this.#batch.pieceSize.took(piece.count * this.#unitsOfOne, ms);
    this.#doneMs = doneMs;
    const undecided = readPiece(this.#batch, piece, this.#bytes, mapped, this.#results);
    for (const circuit of undecided) this.#undecided.push(circuit);
    piece.staging.unmap();
  }
}

/** Target duration of a piece. */
const TARGET_MS = 20;
const FIRST_UNITS = 2 ** 22;
const MIN_UNITS = 2 ** 16;

/**
 * Learns how many circuits to send to a device at a time: enough that the device does not wait for
 * the host, few enough that a cancelled run ends soon and no submit takes long. Devices differ a
 * thousandfold in speed. The size is in work units.
 */
export class PieceSize {
  #units: number;

  constructor(firstUnits: number = FIRST_UNITS) {
    this.#units = firstUnits;
  }

  /** Number of circuits of the next piece, at least one. */
  circuits(unitsOfOne: number): number {
    return Math.max(1, Math.floor(this.#units / unitsOfOne));
  }

  /** Records the duration of a piece. */
  took(units: number, ms: number): void {
    // A piece far below the size says nothing about larger ones.
    if (units > this.#units / 2 && ms < TARGET_MS / 2) this.#units *= 2;
    if (ms > 2 * TARGET_MS && this.#units > MIN_UNITS) this.#units /= 2;
  }
}
