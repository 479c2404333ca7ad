/**
 * Where circuits are read and results written: small lists of gates and small results at once, large
 * ones in the offload thread, and OpenQASM always there, for a short text may loop for long.
 *
 * A circuit read for a submission is held until its job asks for it, moments later, so that it is not
 * read twice; a job that comes back after a restart has its circuit read from the store.
 */
import type { CircuitResult } from '../../fleet/processor.ts';
import type { JobId } from '../../jobs/job.ts';
import { type BodySource, buffersOf } from '../offload/offload-messages.ts';
import { OffloadThread } from '../offload/offload-thread.ts';
import type { ProcessorDirectory } from '../service-deps.ts';
import {
  liveTargetsOf,
  type PreparedCircuit,
  prepareCircuit,
  targetsOf,
} from './circuit-submission.ts';
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
  /** Where large bodies are read; others use it too. */
  readonly thread: OffloadThread;
  readonly #held = new Map<JobId, PreparedCircuit>();

  constructor(fleet: ProcessorDirectory, thread: OffloadThread = new OffloadThread()) {
    this.#fleet = fleet;
    this.thread = thread;
  }

  /**
   * Reads a body; bytes are gone afterwards.
   *
   * @throws {RequestInvalidError} listing every fault; as OffloadedError where a thread found them.
   */
  async read(source: BodySource, needsHash: boolean): Promise<ReadSubmission> {
    if ('value' in source && !holdsProgram(source.value)) {
      return readSubmission(source.value, liveTargetsOf(this.#fleet), needsHash);
    }
    const input = { ...source, targets: targetsOf(this.#fleet), needsHash };
    return this.thread.run('readSubmission', input, buffersOf(source));
  }

  /**
   * Compiles the circuit of a body without running it; bytes are gone afterwards.
   *
   * @returns The text of the answer's data.
   * @throws {OffloadedError} with the code and faults of what is wrong with it.
   */
  compile(source: BodySource): Promise<string> {
    const input = { ...source, targets: targetsOf(this.#fleet) };
    return this.thread.run('compileCircuit', input, buffersOf(source));
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
    if (request.length < LARGE_TEXT_LENGTH) {
      const { body } = decodeRequest(request);
      if (!holdsProgram(body)) return prepareCircuit(body, targets);
    }
    return this.thread.run('readStored', { text: request, targets });
  }

  /** The result fields of the record as JSON text; the result's large arrays are gone afterwards. */
  async writeResult(layout: ResultLayout, result: CircuitResult): Promise<string> {
    const { counts, statevector, probabilities } = result.run;
    const arrays = [counts.outcomes, counts.occurrences, statevector, probabilities];
    const longest = Math.max(...arrays.map((array) => array?.length ?? 0));
    if (longest <= LARGE_RESULT_ENTRIES) return circuitResultJson(layout, result);
    const { numBits, measuredQubits, outputs } = layout;
    const buffers = new Set(arrays.map((array) => array?.buffer));
    return this.thread.run(
      'writeResult',
      { layout: { numBits, measuredQubits, outputs }, result },
      [...buffers].filter((buffer) => buffer instanceof ArrayBuffer),
    );
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.thread.close();
  }
}

function holdsProgram(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'qasm' in body;
}
