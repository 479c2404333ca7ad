/**
 * Circuit jobs: reading, admission, running and records.
 *
 * Small bodies and results are handled in the main thread. Large bodies and programs with many steps are read
 * in other processes; large results are written in a thread. A submitted circuit is kept until its job runs,
 * so that it is not read twice; after a restart it is read from the store.
 */
import { StepsSpentError } from '../../circuit/openqasm/circuit-builder.ts';
import type { CircuitResult, DeviceRun, Processor, SavedRun } from '../../fleet/processor.ts';
import { arraysOf, countsOfRow } from '../../fleet/run-outputs.ts';
import { MAX_SMALL_QUBITS } from '../../fleet/schedule/lane.ts';
import { circuitWork, levelOf, runWork } from '../../fleet/schedule/scheduled-run.ts';
import { placeOnScale } from '../../fleet/schedule/width-scale.ts';
import { JobCancelledError } from '../../jobs/errors.ts';
import { type Job, type JobId, type JobQueueing, labelsOf } from '../../jobs/job.ts';
import type { JobHooks, WaitingJob } from '../../jobs/job-handler.ts';
import { readInProcess } from '../http/reading/reading.ts';
import {
  type ComingJob,
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { CIRCUITS } from '../jobs/job-resources.ts';
import { viewJob } from '../jobs/job-view.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import { type CheckedCircuit, checkCircuit, runRequest } from './check-circuit.ts';
import {
  type CircuitSummary,
  circuitRecord,
  circuitSummary,
  submissionHeaders,
} from './circuit-schema.ts';
import { COMPILE_READING } from './compile-circuit.ts';
import { DEVICE_READING, type DeviceLayout } from './device-program.ts';
import { type FurtherNumbers, NO_NUMBERS, runFurther } from './further-runs.ts';
import {
  CIRCUIT_READING,
  type CircuitContext,
  type CircuitSubmission,
  circuitFactsOf,
  readCircuit,
  STORED_CIRCUIT_READING,
  storedBody,
} from './read-circuit.ts';
import { circuitResultJson, deviceResultJson, type ResultLayout } from './result-json.ts';
import { ResultThread } from './result-thread.ts';
import { liveTargetsOf, targetsOf } from './targets.ts';

/** Greatest length of a stored request that is read in the main thread, characters. */
const LARGE_TEXT_LENGTH = 65_536;
/** Limits of a program read in the main thread, in characters and steps: a few milliseconds. */
const SMALL_PROGRAM = { length: 49_152, steps: 10_000 };
/** Expected time of a circuit of which nothing is known, and of one on hardware, milliseconds. */
const DEFAULT_COST_MS = 1;
const DEVICE_COST_MS = 1000;
/** Greatest number of outcomes or amplitudes that are written in the main thread. */
const LARGE_RESULT_ENTRIES = 8192;

/** Definition of circuit jobs. */
export const CIRCUIT_KIND = defineJobKind({
  resource: CIRCUITS,
  summary: circuitSummary,
  record: circuitRecord,
  headers: submissionHeaders,
  waitsForResult: true,
  readings: [CIRCUIT_READING, STORED_CIRCUIT_READING, DEVICE_READING, COMPILE_READING],
  serve: (deps) => new CircuitJobs(deps),
});

/** Circuit jobs on the fleet's processors. */
export class CircuitJobs implements ServedJobs<CircuitSubmission> {
  readonly #deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs'>;
  readonly #results: ResultThread;
  /** Circuits of jobs that are about to run. */
  readonly #submitted = new Map<JobId, CheckedCircuit>();
  /** Jobs whose circuits are being read, in order of arrival, with the processor that they will wait for. */
  readonly #inReading = new Map<JobId, Processor>();
  /** The body of POST /quantum/circuits. */
  readonly body: JobBody<CircuitSubmission, CircuitContext>;

  constructor(
    deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs'>,
    results: ResultThread = new ResultThread(),
  ) {
    this.#deps = deps;
    this.#results = results;
    this.body = {
      path: CIRCUITS.path,
      reading: CIRCUIT_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body) =>
        unlessLong(body, (maxSteps) => readCircuit(body, liveTargetsOf(deps.fleet), maxSteps)),
    };
  }

  /**
   * Reserves a place at the circuit's processor and keeps the circuit for its run.
   *
   * @throws {ProcessorUnavailableError | CircuitTooLongError | QueueFullError}
   */
  admit(submission: CircuitSubmission, { id, key, seed }: ComingJob): Disposable {
    const { target, circuit, shots, methodReason } = submission;
    const processor = this.#deps.fleet.get(target);
    const work = runWork(circuitWork(circuit), runRequest(submission, shots, seed));
    processor?.admit({ id, keyId: key.id, work, methodReason });
    // The text of the body is stored with the job, so the waiting circuit does not keep a copy.
    const { bodyJson: _, ...checked } = submission;
    this.#submitted.set(id, checked);
    return {
      [Symbol.dispose]: () => {
        this.#submitted.delete(id);
        processor?.withdraw(id);
      },
    };
  }

  queueing({ id, priority, target, request }: WaitingJob): JobQueueing {
    const { shots, seed, tier, qubits } = circuitFactsOf(request);
    const level = levelOf(priority, tier);
    const processor = this.#deps.fleet.get(target);
    if (processor?.runOnDevice !== undefined) {
      return { line: 'hardware', level, costMs: DEVICE_COST_MS, width: 0 };
    }
    const submitted = this.#submitted.get(id);
    const work =
      submitted && runWork(circuitWork(submitted.circuit), runRequest(submitted, shots, seed));
    const maxQubits = processor?.spec.device?.emulation?.maxUsedQubits ?? qubits;
    const width = work?.numQubits ?? Math.min(qubits, maxQubits);
    return {
      line: width > MAX_SMALL_QUBITS ? 'wide' : 'small',
      level,
      costMs: (work && processor?.expectedRunMs(work)) ?? DEFAULT_COST_MS,
      width: placeOnScale([work ?? { numQubits: width }]),
    };
  }

  expectedWaitMs({ target, circuit }: CircuitSubmission): number | undefined {
    const load = this.#deps.fleet.get(target)?.load();
    return circuit.numQubits > MAX_SMALL_QUBITS ? load?.expectedWideWaitMs : load?.expectedWaitMs;
  }

  storedBody({ bodyJson }: CircuitSubmission): string {
    return bodyJson;
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<CircuitSubmission> {
    const { request, priority } = job;
    const { shots, seed, qubits } = circuitFactsOf(request);
    return {
      ...(await this.circuitOf(job, signal)),
      shots,
      seed,
      priority,
      ...labelsOf(job),
      facts: { shots, qubits },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const { id, target, priority, keyId } = job;
    const processor = this.#deps.fleet.get(target);
    if (processor === undefined) throw new Error('unreachable: a circuit without its target');
    try {
      if (processor.runOnDevice !== undefined) {
        return await this.#runOnDevice(processor, job, hooks, signal);
      }
      const { shots, seed, tier } = circuitFactsOf(job.request);
      this.#inReading.set(id, processor);
      const checked = await this.circuitOf(job, signal);
      this.#inReading.delete(id);
      const request = runRequest(checked, shots, seed);
      const onStarted = () => hooks.started();
      const whose = { priority, keyId, tier };
      // First, while the job's place in the queue is kept.
      const further = await runFurther(checked, { shots, seed }, (asked, name) =>
        processor.run(
          { id: `${id}/${name}`, partOf: id, ...whose, ...asked },
          { onStarted },
          signal,
        ),
      );
      const result = await processor.run(
        { id, circuit: checked.circuit, request, ...whose },
        {
          onStarted,
          onProgress: (fraction) => hooks.progress(fraction),
          onStartedOver: () => hooks.startedOver(),
          readmitted: hooks.readmitted,
        },
        signal,
      );
      return await this.writeResult({ ...checked, seed }, result, further);
    } finally {
      this.#inReading.delete(id);
      // Gives up the job's place in the queue if it was never used.
      processor.withdraw(id);
    }
  }

  /** Runs a circuit on hardware. Its process reads it again when its turn comes, to fit it to the device. */
  async #runOnDevice(
    processor: Processor,
    { id, keyId, priority, request }: Job,
    hooks: JobHooks,
    signal: AbortSignal,
  ): Promise<string> {
    const { fleet, readers } = this.#deps;
    this.#submitted.delete(id);
    const { shots, tier } = circuitFactsOf(request);
    let layout: DeviceLayout | undefined;
    const fit = async () => {
      const targets = targetsOf(fleet);
      const caller = { keyId, numBytes: request.length, signal };
      const source = { text: request };
      const read = await readInProcess(readers, DEVICE_READING, source, { targets }, caller);
      const { layout: own, ...program } = read;
      layout = own;
      return program;
    };
    const memory: DeviceRun['memory'] = {
      load: async () => {
        const saved = await this.#savedRun(id);
        layout = saved?.layout;
        return saved?.run;
      },
      save: (run) =>
        hooks.storeParts([{ series: 0, from: 0, to: 1, bytes: encodeSaved({ run, layout }) }]),
    };
    const isCancelled = (reason: unknown) => reason instanceof JobCancelledError;
    const run = { id, tag: id, shots, priority, keyId, tier, fit, memory, isCancelled };
    const onHardware = { onStarted: () => hooks.started(), readmitted: hooks.readmitted };
    const result = await processor.runOnDevice?.(run, onHardware, signal);
    if (result === undefined || layout === undefined) throw new Error('unreachable: no result');
    return deviceResultJson(layout, result);
  }

  /** The state of a run on hardware that an earlier process saved. */
  async #savedRun(id: JobId): Promise<SavedDeviceRun | undefined> {
    const [part] = await this.#deps.jobs().parts(id);
    // The cast is safe: the only part of a circuit's result is one that `encodeSaved` made.
    return part && (JSON.parse(Buffer.from(part.bytes).toString()) as SavedDeviceRun);
  }

  queuePosition(id: JobId): number | undefined {
    for (const processor of this.#deps.fleet.processors) {
      const position = processor.queuePosition(id);
      if (position !== undefined) return position;
    }
    const processor = this.#inReading.get(id);
    if (processor === undefined) return undefined;
    const alike = [...this.#inReading].filter(([, other]) => other === processor);
    return processor.load().queueDepth + alike.findIndex(([other]) => other === id);
  }

  expectedStart(id: JobId): number | undefined {
    for (const processor of this.#deps.fleet.processors) {
      const expected = processor.expectedStart(id);
      if (expected !== undefined) return expected;
    }
    return undefined;
  }

  summarize(job: Job): CircuitSummary {
    const { shots, seed, qubits } = circuitFactsOf(job.request);
    const fields = viewJob(job, this.#deps.jobs());
    return { circuit_id: job.id, processor: job.target, shots, seed, qubits, ...fields };
  }

  /** Warnings of a newly submitted circuit. A completed job has them in its result. */
  details({ result }: Job, submission?: CircuitSubmission): object {
    const { warnings = [] } = submission ?? {};
    return warnings.length === 0 || result !== undefined ? {} : { warnings };
  }

  requestJson({ request }: Job): string {
    return storedBodyJson(request);
  }

  /**
   * Returns the circuit of a job: the submitted one the first time, later one read from the stored request.
   *
   * @throws {RequestInvalidError | ReadingRefusedError} if its target no longer accepts it.
   * @throws what `Readers.run` throws.
   */
  async circuitOf(
    { id, keyId, request }: Pick<Job, 'id' | 'keyId' | 'request'>,
    signal: AbortSignal,
  ): Promise<CheckedCircuit> {
    const submitted = this.#submitted.get(id);
    this.#submitted.delete(id);
    if (submitted !== undefined) return submitted;
    const { fleet, readers } = this.#deps;
    const targets = targetsOf(fleet);
    if (request.length < LARGE_TEXT_LENGTH) {
      const body = storedBody(request);
      const read = unlessLong(body, (maxSteps) => checkCircuit(body, targets, maxSteps));
      if (read !== undefined) return read;
    }
    const caller = { keyId, numBytes: request.length, signal };
    return readInProcess(readers, STORED_CIRCUIT_READING, { text: request }, { targets }, caller);
  }

  /**
   * Writes the result fields of the record as JSON text. The result's large arrays are unusable afterwards.
   */
  async writeResult(
    layout: ResultLayout,
    result: CircuitResult,
    further: FurtherNumbers = NO_NUMBERS,
  ): Promise<string> {
    const { outputs } = result;
    const counts = countsOfRow(outputs, 0, layout.numBits);
    const numSampled = further.samples.reduce((sum, { length }) => sum + length, 0);
    const isListed = layout.outputs.includes('memory') || layout.detection !== undefined;
    const numListed = isListed ? counts.occurrences.reduce((sum, count) => sum + count, 0) : 0;
    const numLabelled = layout.basisStates.reduce((sum, { label }) => sum + label.length, 0);
    const longest = Math.max(
      numSampled,
      numListed,
      numLabelled,
      ...arraysOf(outputs).map(({ length }) => length),
    );
    if (longest <= LARGE_RESULT_ENTRIES) return circuitResultJson(layout, result, further);
    return this.#results.write(layout, result, further);
  }

  /** Stops the thread that writes large results. */
  close(): Promise<void> {
    return this.#results.close();
  }
}

/** State of a run on hardware, with the layout of its result. */
interface SavedDeviceRun {
  readonly run: SavedRun;
  readonly layout: DeviceLayout | undefined;
}

function encodeSaved(saved: SavedDeviceRun): Uint8Array {
  return Buffer.from(JSON.stringify(saved));
}

/** Reads a body in this thread; undefined if that would take too long. */
function unlessLong<T>(body: unknown, read: (maxSteps: number) => T): T | undefined {
  const program = programOf(body);
  if (program !== undefined && program.length > SMALL_PROGRAM.length) return undefined;
  try {
    return read(SMALL_PROGRAM.steps);
  } catch (error) {
    if (error instanceof StepsSpentError) return undefined;
    throw error;
  }
}

function programOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('qasm' in body)) return undefined;
  return typeof body.qasm === 'string' ? body.qasm : undefined;
}
