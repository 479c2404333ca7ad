/**
 * Circuit jobs: reading, admission, running and records.
 *
 * Small bodies and results are handled in the main thread. Large bodies and programs with many steps are read
 * in other processes; large results are written in a thread.
 */
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { WaitingJob } from '../../cluster/shared-job.ts';
import type {
  CircuitResult,
  DeviceRun,
  FittedProgram,
  Processor,
  SavedRun,
} from '../../fleet/processor.ts';
import { arraysOf, countsOfRow } from '../../fleet/run-outputs.ts';
import { MAX_SMALL_QUBITS } from '../../fleet/schedule/lane.ts';
import { circuitWork, type RunWork, runWork } from '../../fleet/schedule/scheduled-run.ts';
import { placeOnScale } from '../../fleet/schedule/width-scale.ts';
import { JobCancelledError } from '../../jobs/errors.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { type Reading, readInProcess } from '../http/reading/reading.ts';
import {
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
import { FIT_CPU_FACTOR, fitted } from './fitted-circuit.ts';
import { type FurtherNumbers, furtherRunsOf, NO_NUMBERS, runFurther } from './further-runs.ts';
import { KEPT_STATE, stateBytes, stateParts } from './kept-state.ts';
import { numOutcomeBits } from './outcome-labels.ts';
import { type CircuitContext, ProgramJobs, unlessSpent } from './program-jobs.ts';
import {
  CIRCUIT_READING,
  type CircuitSubmission,
  circuitFactsOf,
  DRAWING_READING,
  readCircuit,
  STORED_CIRCUIT_READING,
  storedBody,
} from './read-circuit.ts';
import {
  circuitResultJson,
  type DeviceLayout,
  deviceResultJson,
  type ResultLayout,
} from './result-json.ts';
import { ResultThread } from './result-thread.ts';
import type { PlannedJob } from './run-estimate.ts';
import { liveTargetsOf, type Target, targetsOf } from './targets.ts';

/** Greatest length of a stored request that is read in the main thread, characters. */
const LARGE_TEXT_LENGTH = 65_536;
/** Limits of a program read in the main thread, in characters and steps: a few milliseconds. */
const SMALL_PROGRAM = { length: 49_152, steps: 10_000 };
/** Expected time of a circuit of which nothing is known, and of one on hardware, milliseconds. */
const DEFAULT_COST_MS = 1;
const DEVICE_COST_MS = 1000;
/** Greatest number of outcomes or amplitudes that are written in the main thread. */
const LARGE_RESULT_ENTRIES = 8192;

/** A circuit as its device executes it, and the layout of its result. */
interface DeviceProgram extends FittedProgram {
  readonly layout: DeviceLayout;
}

/** Reading that fits a stored request's circuit; it runs in a reader's process. */
const DEVICE_READING: Reading<CircuitContext, DeviceProgram> = {
  name: 'device circuit',
  cpuFactor: FIT_CPU_FACTOR,
  read: (text, { targets }) => {
    const stored = String(text);
    const checked = checkCircuit(storedBody(stored), targets);
    const target = targets.find(({ spec }) => spec.id === checked.target);
    if (target?.spec.device === undefined)
      throw new Error('unreachable: hardware without a device');
    const { measuredQubits, warnings, labelFormat, numBits, errorBound, recorded } = checked;
    const started = performance.now();
    const { circuit, fitting } = fitted(
      checked.circuit,
      target.spec.device,
      circuitFactsOf(stored).seed,
    );
    return {
      circuits: [{ qasm: printOpenQasm(circuit, '3', true), numBits }],
      fitting,
      fitMs: performance.now() - started,
      layout: {
        measuredQubits,
        warnings,
        labelFormat,
        ...(errorBound !== undefined && { errorBound }),
        ...(recorded !== undefined && { recorded }),
      },
    };
  },
};

/** Definition of circuit jobs. */
export const CIRCUIT_KIND = defineJobKind({
  resource: CIRCUITS,
  summary: circuitSummary,
  record: circuitRecord,
  headers: submissionHeaders,
  waitsForResult: 'always',
  readings: [
    CIRCUIT_READING,
    STORED_CIRCUIT_READING,
    DRAWING_READING,
    DEVICE_READING,
    COMPILE_READING,
  ],
  serve: (deps) => new CircuitJobs(deps),
});

/** Circuit jobs on the fleet's processors. */
export class CircuitJobs
  extends ProgramJobs<CircuitSubmission, CheckedCircuit>
  implements ServedJobs<CircuitSubmission>
{
  readonly #results: ResultThread;
  /** Jobs whose circuits are being read, in order of arrival, with the processor that they will wait for. */
  readonly #inReading = new Map<JobId, Processor>();
  /** The body of POST /quantum/circuits. */
  readonly body: JobBody<CircuitSubmission, CircuitContext>;
  protected readonly storedReading = STORED_CIRCUIT_READING;
  protected readonly kind = 'circuit';
  protected readonly hardwareCostMs = DEVICE_COST_MS;

  constructor(
    deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>,
    results: ResultThread = new ResultThread(),
  ) {
    super(deps);
    this.#results = results;
    this.body = {
      path: CIRCUITS.path,
      reading: CIRCUIT_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body) =>
        unlessLong(body, (maxSteps) => readCircuit(body, liveTargetsOf(deps.fleet), maxSteps)),
    };
  }

  protected checkedOf(submission: CircuitSubmission): CheckedCircuit {
    // The text of the body is stored with the job, so the waiting circuit does not keep a copy.
    const { bodyJson: _, ...checked } = submission;
    return checked;
  }

  protected comingRun(submission: CircuitSubmission, seed: number) {
    const { shots, methodReason } = submission;
    return { work: workOf(submission, { shots, seed }), methodReason };
  }

  protected planned(submission: CircuitSubmission, seed: number): PlannedJob {
    const { circuit, method, methodReason, shots } = submission;
    const { unitary, sampled, gradient } = furtherRunsOf(submission, { shots, seed });
    const further = [unitary, ...sampled, gradient].filter((run) => run !== undefined);
    const all = [{ circuit, request: runRequest(submission, shots, seed) }, ...further];
    const runs = all.map((run) => ({ ...run, circuit: circuitWork(run.circuit) }));
    return { parts: [{ method, methodReason, shots, runs }] };
  }

  protected readSmall(text: string, targets: readonly Target[]): CheckedCircuit | undefined {
    if (text.length >= LARGE_TEXT_LENGTH) return undefined;
    const body = storedBody(text);
    return unlessLong(body, (maxSteps) => checkCircuit(body, targets, maxSteps));
  }

  protected queueingOnEngines(
    { request }: WaitingJob,
    processor: Processor | undefined,
    submitted: CheckedCircuit | undefined,
  ) {
    const facts = circuitFactsOf(request);
    const { qubits } = facts;
    const work = submitted && workOf(submitted, facts);
    const maxQubits = processor?.spec.device?.emulation?.maxUsedQubits ?? qubits;
    const width = work?.numQubits ?? Math.min(qubits, maxQubits);
    return {
      line: width > MAX_SMALL_QUBITS ? 'wide' : 'small',
      costMs: (work && processor?.expectedRun(work)?.ms) ?? DEFAULT_COST_MS,
      width: placeOnScale([work ?? { numQubits: width }]),
    };
  }

  protected firstRunOf(id: JobId): string {
    return id;
  }

  expectedWaitMs({ target, circuit }: CircuitSubmission): number | undefined {
    const load = this.deps.fleet.get(target)?.load();
    return circuit.numQubits > MAX_SMALL_QUBITS ? load?.expectedWideWaitMs : load?.expectedWaitMs;
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<CircuitSubmission> {
    const { request, priority } = job;
    const { shots, seed, qubits } = circuitFactsOf(request);
    return {
      ...(await this.programsOf(job, signal)),
      shots,
      seed,
      priority,
      ...labelsOf(job),
      facts: { shots, qubits },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const { id, priority, keyId } = job;
    const processor = this.processorOf(job);
    try {
      if (processor.runOnDevice !== undefined) {
        return await this.#runOnDevice(processor, job, hooks, signal);
      }
      const { shots, seed, tier } = circuitFactsOf(job.request);
      this.#inReading.set(id, processor);
      const checked = await this.programsOf(job, signal);
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
      if (checked.keepsState !== true) {
        return await this.writeResult({ ...checked, seed }, result, further);
      }
      const { statevectors, ...outputs } = result.outputs;
      for (const part of stateParts(statevectors!)) await hooks.storeParts([part]);
      const { numQubits: qubits } = checked.circuit;
      const kept = { qubits, bytes: stateBytes(qubits, '<c16') };
      const rest = await this.writeResult({ ...checked, seed }, { ...result, outputs }, further);
      return `{"${KEPT_STATE}":${JSON.stringify(kept)},${rest.slice(1)}`;
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
    const { fleet, readers } = this.deps;
    this.forget(id);
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
    const [part] = await this.deps.jobs().parts(id);
    // The cast is safe: the only part of a circuit's result is one that `encodeSaved` made.
    return part && (JSON.parse(Buffer.from(part.bytes).toString()) as SavedDeviceRun);
  }

  /** A circuit that is being read comes after all that wait. */
  override queuePosition(id: JobId): number | undefined {
    const position = super.queuePosition(id);
    const processor = this.#inReading.get(id);
    if (position !== undefined || processor === undefined) return position;
    const alike = [...this.#inReading].filter(([, other]) => other === processor);
    return processor.load().queueDepth + alike.findIndex(([other]) => other === id);
  }

  summarize(job: Job): CircuitSummary {
    const { shots, seed, qubits } = circuitFactsOf(job.request);
    const fields = viewJob(job, this.deps.jobs());
    return { circuit_id: job.id, processor: job.target, shots, seed, qubits, ...fields };
  }

  /** Warnings of a newly submitted circuit. A completed job has them in its result. */
  details({ result }: Job, submission?: CircuitSubmission): object {
    const { warnings = [] } = submission ?? {};
    return warnings.length === 0 || result !== undefined ? {} : { warnings };
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
    const counts = countsOfRow(outputs, 0, numOutcomeBits(layout));
    const numSampled = further.samples.reduce((sum, { length }) => sum + length, 0);
    const isListed = layout.outputs.includes('memory') || layout.detection !== undefined;
    const numListed = isListed ? counts.occurrences.reduce((sum, count) => sum + count, 0) : 0;
    const numLabelled = layout.basisStates.reduce((sum, { label }) => sum + label.length, 0);
    const longest = Math.max(
      numSampled,
      numListed,
      numLabelled,
      further.unitary?.length ?? 0,
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

/** Work of a circuit's run. */
function workOf(
  checked: CheckedCircuit,
  { shots, seed }: { readonly shots: number; readonly seed: number },
): RunWork {
  return runWork(circuitWork(checked.circuit), runRequest(checked, shots, seed));
}

/** Reads a body in this thread; undefined if that would take too long. */
function unlessLong<T>(body: unknown, read: (maxSteps: number) => T): T | undefined {
  const program = programOf(body);
  if (program !== undefined && program.length > SMALL_PROGRAM.length) return undefined;
  return unlessSpent(() => read(SMALL_PROGRAM.steps));
}

function programOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const fields: Partial<Record<string, unknown>> = { ...body };
  const text = fields.qasm ?? fields.stim ?? fields.qir;
  return typeof text === 'string' ? text : undefined;
}
