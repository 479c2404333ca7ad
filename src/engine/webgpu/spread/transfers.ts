/**
 * Transfers parts of states between devices, in windows, and plans which parts. Several windows are in
 * flight at a time: while the host copies one, the devices read and write others.
 *
 * A part is a list of runs of memory in which some qubits have fixed values. It goes through staging buffers, which the
 * host maps: WebGPU transfers data between two devices only through the host.
 */

import type { Qubit } from '../../../circuit/circuit.ts';
import type { GpuContext } from '../gpu-context.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import type { ChunkShape } from '../sweep/index-bits.ts';
import type { DevicePairs } from './spread-program.ts';

/** A transfer between two devices; source and target have the same size. */
export interface Transfer {
  readonly from: StagingBuffers;
  readonly source: readonly Run[];
  readonly to: StagingBuffers;
  readonly target: readonly Run[];
}

/** Transfers done together: all are read before any is written, so that devices can swap. */
export type TransferWindow = readonly Transfer[];

/** Windows in flight between two devices: one is read, one copied, one written. */
const LANES = 3;

/**
 * Transfers windows that do not overlap.
 *
 * @param ways - Windows of each pair of devices, transferred independently.
 * @param pause - Called between windows; what it throws ends all transfers.
 * @throws {DeviceLostError} if a device is lost; no transfer is in progress by then.
 */
export async function runTransfers(
  ways: readonly Iterator<TransferWindow>[],
  pause: () => Promise<void>,
): Promise<void> {
  let hasFailed = false;
  const lane = async (way: Iterator<TransferWindow>) => {
    try {
      for (let next = way.next(); !next.done && !hasFailed; next = way.next()) {
        await carry(next.value);
        await pause();
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  await settledAll(ways.flatMap((way) => Array.from({ length: LANES }, () => lane(way))));
}

async function carry(window: TransferWindow): Promise<void> {
  const fetching = window.map(({ from, source }) => from.fetch(source));
  const opening = window.map(({ to, target }) => to.room(target));
  const landings = await settledAll([...fetching, ...opening]);
  for (const i of window.keys()) {
    const [fetched, room] = [landings[i]!, landings[window.length + i]!];
    try {
      room.bytes.set(fetched.bytes);
    } catch (error) {
      // The mapped bytes of a lost device vanish; the loss itself is reported soon after.
      const { from, to } = window[i]!;
      await settledAll([from.context.settle(), to.context.settle()]);
      throw error;
    }
    fetched.done();
    room.done();
  }
}

/** A device's staging buffers, and its share of a state. */
interface StagedState {
  readonly staging: StagingBuffers;
  readonly state: GpuState;
}

/**
 * Plans an exchange of device qubits with qubits inside the devices. Each device sends every other
 * device the amplitudes whose near qubits have the values of the other's far qubits. There are
 * rounds in which each device has one partner.
 *
 * @param states - By rank.
 * @param staging - By rank.
 * @param windowSize - Amplitudes; a power of two.
 */
export function swapParts(
  states: readonly GpuState[],
  staging: readonly StagingBuffers[],
  pairs: DevicePairs,
  windowSize: number,
): readonly (readonly Iterator<TransferWindow>[])[] {
  const { numQubits } = states[0]!;
  const at = (rank: number): StagedState => ({ staging: staging[rank]!, state: states[rank]! });
  const farBits = pairs.map(([far]) => 1 << (far - numQubits));
  const isFarOne = (rank: number) => farBits.map((bit) => (rank & bit) !== 0);
  const rounds: Iterator<TransferWindow>[][] = [];
  for (let flips = 1; flips < 2 ** pairs.length; flips++) {
    const flipped = farBits.reduce((mask, bit, i) => ((flips >> i) & 1 ? mask | bit : mask), 0);
    const ways: Iterator<TransferWindow>[] = [];
    for (const rank of states.keys()) {
      const partner = rank ^ flipped;
      if (partner < rank) continue;
      const fixedTo = (values: readonly boolean[]): readonly FixedQubit[] =>
        pairs.map(([, qubit], i) => ({ qubit, isOne: values[i]! }));
      const sent = fixedTo(isFarOne(partner));
      const taken = fixedTo(isFarOne(rank));
      ways.push(swapWindows(at(rank), sent, at(partner), taken, windowSize));
    }
    rounds.push(ways);
  }
  return rounds;
}

function* swapWindows(
  a: StagedState,
  partOfA: readonly FixedQubit[],
  b: StagedState,
  partOfB: readonly FixedQubit[],
  windowSize: number,
): Generator<TransferWindow> {
  const ofB = windowsWhere(b.state, partOfB, windowSize);
  for (const runs of windowsWhere(a.state, partOfA, windowSize)) {
    const next = ofB.next();
    if (next.done) throw new Error('unreachable: parts of different sizes');
    const [inA, inB] = [runsIn(a.state, runs), runsIn(b.state, next.value)];
    yield [
      { from: a.staging, source: inA, to: b.staging, target: inB },
      { from: b.staging, source: inB, to: a.staging, target: inA },
    ];
  }
}

/** Sends a device's whole share to another device with as many chunks. */
export function* moveStates(
  from: StagedState,
  to: StagedState,
  windowSize: number,
): Generator<TransferWindow> {
  for (const runs of windowsWhere(from.state, [], windowSize)) {
    const [source, target] = [runsIn(from.state, runs), runsIn(to.state, runs)];
    yield [{ from: from.staging, source, to: to.staging, target }];
  }
}

/** Bytes of a mapped staging buffer, until `done`. */
export interface MappedBytes {
  readonly bytes: Uint8Array;
  /** Unmaps the buffer; where bytes were written, enqueues their copy into device memory. */
  done(): void;
}

/** Lends staging buffers. Buffers lent to failed work are destroyed by `reset`. */
export class StagingBuffers {
  readonly context: GpuContext;
  readonly #idle: GPUBuffer[] = [];
  readonly #lent = new Set<GPUBuffer>();

  constructor(context: GpuContext) {
    this.context = context;
  }

  /**
   * Copies runs of device memory into a mapped buffer, after all work enqueued before.
   *
   * @throws {StateMemoryError} if there is no memory for a staging buffer.
   * @throws {DeviceLostError} if the device is lost.
   */
  async fetch(runs: readonly Run[]): Promise<MappedBytes> {
    const size = sizeOf(runs);
    const staging = await this.#take(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    this.context.enqueue((encoder) => {
      let at = 0;
      for (const run of runs) {
        encoder.copyBufferToBuffer(run.buffer, run.offset, staging, at, run.size);
        at += run.size;
      }
    });
    this.context.flush();
    const bytes = new Uint8Array(await this.context.map(staging, size));
    return {
      bytes,
      done: () => {
        staging.unmap();
        this.#give(staging);
      },
    };
  }

  /**
   * Maps a buffer for bytes that `done` copies to runs of device memory.
   *
   * @throws {StateMemoryError} if there is no memory for a staging buffer.
   * @throws {DeviceLostError} if the device is lost.
   */
  async room(runs: readonly Run[]): Promise<MappedBytes> {
    const size = sizeOf(runs);
    const staging = await this.#take(size, GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC);
    const bytes = new Uint8Array(await this.context.map(staging, size, GPUMapMode.WRITE));
    return {
      bytes,
      done: () => {
        staging.unmap();
        this.context.enqueue((encoder) => {
          let at = 0;
          for (const run of runs) {
            encoder.copyBufferToBuffer(staging, at, run.buffer, run.offset, run.size);
            at += run.size;
          }
        });
        this.context.flush();
        this.#give(staging);
      },
    };
  }

  /** Destroys the buffers lent to work that has failed. */
  reset(): void {
    for (const buffer of this.#lent) buffer.destroy();
    this.#lent.clear();
  }

  /** Destroys all buffers. */
  close(): void {
    this.reset();
    for (const buffer of this.#idle.splice(0)) buffer.destroy();
  }

  async #take(size: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    const at = this.#idle.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (known === undefined) this.#dropOthers(size);
    const buffer = known ?? (await this.context.allocate('staging between devices', size, usage));
    this.#lent.add(buffer);
    return buffer;
  }

  /** Destroys idle buffers of other sizes: they belonged to a state with another window size. */
  #dropOthers(size: number): void {
    const others = this.#idle.filter((buffer) => buffer.size !== size);
    for (const buffer of others) {
      buffer.destroy();
      this.#idle.splice(this.#idle.indexOf(buffer), 1);
    }
  }

  #give(buffer: GPUBuffer): void {
    // `reset` has destroyed the buffers of failed work.
    if (this.#lent.delete(buffer)) this.#idle.push(buffer);
  }
}

function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { size }) => sum + size, 0);
}

/** A range of a buffer, in bytes. */
export interface Run {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A range of a chunk, in amplitudes. */
export interface ChunkRun {
  readonly chunk: number;
  readonly first: number;
  readonly length: number;
}

/** A qubit with its value in a part of the state. */
export interface FixedQubit {
  readonly qubit: Qubit;
  readonly isOne: boolean;
}

/**
 * Splits the part of a state in which some qubits have fixed values into windows of `windowSize`
 * amplitudes, or one smaller window. Parts that fix the same qubits have corresponding windows, run
 * by run, whatever the values.
 *
 * @param windowSize - A power of two.
 */
export function* windowsWhere(
  { numQubits, chunkQubits }: ChunkShape,
  fixed: readonly FixedQubit[],
  windowSize: number,
): Generator<readonly ChunkRun[]> {
  const inside = fixed.filter(({ qubit }) => qubit < chunkQubits);
  const ofChunks = fixed.filter(({ qubit }) => qubit >= chunkQubits);
  const lowest = Math.min(chunkQubits, Math.log2(windowSize), ...inside.map(({ qubit }) => qubit));
  const length = 2 ** lowest;
  const numRuns = windowSize / length;
  let window: ChunkRun[] = [];
  for (let chunk = 0; chunk < 2 ** (numQubits - chunkQubits); chunk++) {
    if (!agrees(chunk, ofChunks, chunkQubits)) continue;
    for (let run = 0; run < 2 ** (chunkQubits - lowest); run++) {
      if (!agrees(run, inside, lowest)) continue;
      window.push({ chunk, first: run * length, length });
      if (window.length < numRuns) continue;
      yield window;
      window = [];
    }
  }
  if (window.length > 0) yield window;
}

/** @param lowest - Qubit of the number's lowest bit. */
function agrees(number: number, fixed: readonly FixedQubit[], lowest: number): boolean {
  return fixed.every(({ qubit, isOne }) => (((number >> (qubit - lowest)) & 1) === 1) === isOne);
}

/** Locates runs of a state in its buffers. */
function runsIn({ chunks }: GpuState, runs: readonly ChunkRun[]): readonly Run[] {
  return runs.map(({ chunk, first, length }) => ({
    buffer: chunks[chunk]!,
    offset: AMPLITUDE_BYTES * first,
    size: AMPLITUDE_BYTES * length,
  }));
}

/**
 * Waits until all work has ended, whether it failed or not, so that a failure on one device leaves
 * no work in progress on another.
 *
 * @throws the error of the first rejected promise in the list.
 */
export async function settledAll<T>(work: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
