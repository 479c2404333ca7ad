/**
 * Where circuits are read and results written: small bodies and small results at once, large ones
 * elsewhere, and so are small programs that loop for long.
 *
 * A circuit read for a submission is held until its job asks for it, moments later, so that it is not
 * read twice; a job that comes back after a restart has its circuit read from the store.
 */
import { StepsSpentError } from '../../circuit/openqasm/circuit-builder.ts';
import type { CircuitResult } from '../../fleet/processor.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import type { Readers, ReadingCaller } from '../reading/readers.ts';
import type { BodySource } from '../reading/reading-messages.ts';
import {
  liveTargetsOf,
  type PreparedCircuit,
  prepareCircuit,
  targetsOf,
} from './circuit-submission.ts';
import { type ReadSubmission, readSubmission } from './read-submission.ts';
import { circuitResultJson, type ResultLayout } from './result-json.ts';
import { ResultThread } from './result-thread.ts';
import { decodeFacts, decodeRequest } from './stored-request.ts';

/** Longest stored request that is read in the main thread, characters. */
const LARGE_TEXT_LENGTH = 65_536;
/** Longest program that is read in the main thread, and the most steps that it may take there: a few ms. */
const QUICK_PROGRAM = { length: 16_384, steps: 10_000 };
/** Most outcomes, or amplitudes, that are written in the main thread. */
const LARGE_RESULT_ENTRIES = 8192;

/** Reads circuits and writes results. */
export class CircuitIntake {
  readonly #fleet: ProcessorDirectory;
  readonly #results: ResultThread;
  /** Where large bodies are read; others use them, too. */
  readonly readers: Readers;
  readonly #held = new Map<JobId, PreparedCircuit>();

  constructor(fleet: ProcessorDirectory, readers: Readers, results = new ResultThread()) {
    this.#fleet = fleet;
    this.#results = results;
    this.readers = readers;
  }

  /**
   * Reads a body.
   *
   * @throws {RequestInvalidError} listing every fault; as ReadingRefusedError where a reader found them.
   * @throws what `Readers.run` throws.
   */
  async read(
    source: BodySource,
    caller: ReadingCaller,
    needsHash: boolean,
  ): Promise<ReadSubmission> {
    if ('value' in source) {
      const targets = liveTargetsOf(this.#fleet);
      const read = quickly(source.value, (maxSteps) =>
        readSubmission(source.value, targets, needsHash, maxSteps),
      );
      if (read !== undefined) return read;
    }
    const input = { ...source, targets: targetsOf(this.#fleet), needsHash };
    return this.readers.run('readSubmission', input, caller);
  }

  /**
   * Compiles the circuit of a body without running it.
   *
   * @returns The text of the answer's data.
   * @throws {ReadingRefusedError} with the code and faults of what is wrong with it.
   * @throws what `Readers.run` throws.
   */
  compile(source: BodySource, caller: ReadingCaller): Promise<string> {
    const input = { ...source, targets: targetsOf(this.#fleet) };
    return this.readers.run('compileCircuit', input, caller);
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
   * @throws {RequestInvalidError | ReadingRefusedError} if its target no longer takes it.
   * @throws what `Readers.run` throws.
   */
  async circuitOfJob(
    { id, keyId, request }: Pick<Job, 'id' | 'keyId' | 'request'>,
    signal: AbortSignal,
  ): Promise<PreparedCircuit> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    if (held !== undefined) return held;
    const targets = targetsOf(this.#fleet);
    if (request.length < LARGE_TEXT_LENGTH) {
      const { body } = decodeRequest(request);
      const read = quickly(body, (maxSteps) => prepareCircuit(body, targets, maxSteps));
      if (read !== undefined) return read;
    }
    const caller = { keyId, numBytes: request.length, signal };
    return this.readers.run('readStored', { text: request, targets }, caller);
  }

  /**
   * The submission of a stored job, to be made again: with its seed, so that it comes out as it would have.
   *
   * @throws as `circuitOfJob`.
   */
  async readAgain(job: Job, signal: AbortSignal): Promise<ReadSubmission> {
    const { request, priority } = job;
    const { shots, seed } = decodeFacts(request);
    const prepared = await this.circuitOfJob(job, signal);
    const bodyJson = storedBodyJson(request);
    return { prepared, shots, seed, priority, labels: labelsOf(job), bodyJson };
  }

  /** The result fields of the record as JSON text; the result's large arrays are gone afterwards. */
  async writeResult(layout: ResultLayout, result: CircuitResult): Promise<string> {
    const { counts, statevector, probabilities } = result.run;
    const arrays = [counts.outcomes, counts.occurrences, statevector, probabilities];
    const longest = Math.max(...arrays.map((array) => array?.length ?? 0));
    if (longest <= LARGE_RESULT_ENTRIES) return circuitResultJson(layout, result);
    return this.#results.write(layout, result);
  }

  /** Ends the processes and the thread. */
  async close(): Promise<void> {
    await Promise.all([this.readers.close(), this.#results.close()]);
  }
}

/** What is read of the body in this thread; undefined where that would take long. */
function quickly<T>(body: unknown, read: (maxSteps: number) => T): T | undefined {
  const program = programOf(body);
  if (program !== undefined && program.length > QUICK_PROGRAM.length) return undefined;
  try {
    return read(QUICK_PROGRAM.steps);
  } catch (error) {
    if (error instanceof StepsSpentError) return undefined;
    throw error;
  }
}

function programOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('qasm' in body)) return undefined;
  return typeof body.qasm === 'string' ? body.qasm : undefined;
}
