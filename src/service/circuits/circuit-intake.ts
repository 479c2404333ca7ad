/**
 * Where circuits are read and results written: small ones at once, large ones in the offload thread.
 *
 * A circuit read for a submission is held until its job asks for it, moments later, so that it is not
 * read twice; a job that comes back after a restart has its circuit read from the store.
 */
import type { CircuitResult } from '../../fleet/processor.ts';
import type { JobId } from '../../jobs/job.ts';
import { OffloadThread } from '../offload/offload-thread.ts';
import type { ProcessorDirectory } from '../service-deps.ts';
import { type PreparedCircuit, prepareCircuit, targetsOf } from './circuit-submission.ts';
import { type ReadSubmission, readSubmission } from './read-submission.ts';
import { circuitResultJson, type ResultLayout } from './result-json.ts';
import { decodeRequest } from './stored-request.ts';

/** Longest stored request that is read in the main thread, characters. */
const LARGE_TEXT_LENGTH = 65_536;
/** Most outcomes, or amplitudes, that are written in the main thread. */
const LARGE_RESULT_ENTRIES = 8192;

/** Reads circuits and writes results. */
export class CircuitIntake {
  readonly #fleet: ProcessorDirectory;
  readonly #thread: OffloadThread;
  readonly #held = new Map<JobId, PreparedCircuit>();

  constructor(fleet: ProcessorDirectory, thread: OffloadThread = new OffloadThread()) {
    this.#fleet = fleet;
    this.#thread = thread;
  }

  /** @throws {RequestInvalidError} listing every fault. */
  read(body: unknown, needsHash: boolean): ReadSubmission {
    return readSubmission(body, targetsOf(this.#fleet), needsHash);
  }

  /**
   * Reads a body as it came over the wire; the bytes are gone afterwards.
   *
   * @throws {OffloadedError} with the code and faults of what is wrong with it.
   */
  readLarge(bytes: Uint8Array, needsHash: boolean): Promise<ReadSubmission> {
    const input = { bytes, targets: targetsOf(this.#fleet), needsHash };
    const { buffer } = bytes;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
    return this.#thread.run('readSubmission', input, isWhole ? [buffer] : []);
  }

  /** Keeps a circuit for the job that is about to be created. */
  hold(id: JobId, prepared: PreparedCircuit): void {
    this.#held.set(id, prepared);
  }

  /** Lets go of a circuit whose job was not created after all. */
  drop(id: JobId): void {
    this.#held.delete(id);
  }

  /**
   * The circuit of a job: the one held, once, or else read from the stored request.
   *
   * @throws {RequestInvalidError | OffloadedError} if its target no longer takes it.
   */
  async circuitOfJob(id: JobId, request: string): Promise<PreparedCircuit> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    if (held !== undefined) return held;
    const targets = targetsOf(this.#fleet);
    return request.length < LARGE_TEXT_LENGTH
      ? prepareCircuit(decodeRequest(request).body, targets)
      : this.#thread.run('readStored', { text: request, targets });
  }

  /** The result fields of the record as JSON text; the result's large arrays are gone afterwards. */
  async writeResult(layout: ResultLayout, result: CircuitResult): Promise<string> {
    const { counts, statevector, probabilities } = result.run;
    const arrays = [counts.outcomes, counts.occurrences, statevector, probabilities];
    const longest = Math.max(...arrays.map((array) => array?.length ?? 0));
    if (longest <= LARGE_RESULT_ENTRIES) return circuitResultJson(layout, result);
    const { numBits, measuredQubits, outputs } = layout;
    const buffers = new Set(arrays.map((array) => array?.buffer));
    return this.#thread.run(
      'writeResult',
      { layout: { numBits, measuredQubits, outputs }, result },
      [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
    );
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
