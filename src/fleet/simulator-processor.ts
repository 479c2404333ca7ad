/**
 * A simulator as a processor: availability, maintenance, and submission to the backend that runs its circuits. Its
 * subclasses, `CpuSimulator` and `GpuFleet` (gpu-fleet.ts), choose the engines and derive its current limits from them.
 *
 * Nothing starts unless the last self-tests passed and no maintenance is on: waiting runs then keep
 * their places, and start when all is well again. Started runs are finished.
 *
 * Small and wide circuits have engines of their own, and so has each adapter; each has a self-test of
 * its own: one that has to wait behind a long wide circuit does not keep the others from being
 * repeated.
 */
import type { CircuitBackend } from './circuit-backend.ts';
import { CircuitTooLargeError, CircuitTooLongError, ProcessorUnavailableError } from './errors.ts';
import { isSignOfTrouble, type PlacedRun, type Ran } from './fleet-run.ts';
import { HealthMonitor } from './health-monitor.ts';
import { precisionOfRun } from './method-limits.ts';
import type {
  Availability,
  Backend,
  CircuitResult,
  CircuitRun,
  ComingRun,
  ExpectedRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from './processor.ts';
import { runResultOf } from './run-outputs.ts';
import { isNarrow, runsTogether } from './run-together.ts';
import type { LaneNeed } from './schedule/eligible-lanes.ts';
import { type LaneId, type Precision, SIZE_CLASSES, type SizeClass } from './schedule/lane.ts';
import {
  circuitWork,
  isBatch,
  type MayRunOn,
  type RunWork,
  runWork,
} from './schedule/scheduled-run.ts';
import { faultOfSelfTest, SELF_TEST_CIRCUITS, SELF_TEST_REQUEST } from './self-test.ts';
import { runShotRanges, shotRangesOf } from './shot-ranges.ts';
import type { AdapterPool } from './workers/engine-pool.ts';
import { checkRun, factsOfShape } from './workers/sent-batch.ts';

/**
 * A batch run of which an adapter is expected to leave a larger part of the circuits undecided goes to threads. The
 * adapter would run most of it again, on a thread that the scheduler does not count.
 */
const MAX_UNDECIDED = 0.5;

/** Times of a processor's self-tests, milliseconds; see HealthMonitor. */
export interface SelfTestTimes {
  readonly intervalMs?: number;
  readonly limitMs?: number;
  readonly stallMs?: number;
}

/** Options of all simulators. */
export interface SimulatorOptions {
  readonly backend: CircuitBackend;
  /** A circuit that is expected to run for longer, milliseconds, is not admitted; no limit unless given. */
  readonly maxRunMs?: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly selfTestTimes?: SelfTestTimes;
  /** Name of this node in a cluster. */
  readonly nodeName?: string;
  /** Called after each self-test. */
  readonly onHealthChange?: () => void;
}

/** Fixed facts of a simulator. */
interface SimulatorKind {
  readonly id: string;
  /** Hardware that its runs may use. */
  readonly mayRunOn: MayRunOn;
  /** Whether its runs take devices of the fleet. */
  readonly hasDevices: boolean;
  readonly precision: Precision;
  /** CPU lanes that it needs; adapters are added as they are found. */
  readonly sizeClasses: readonly SizeClass[];
}

/** A simulator. */
export abstract class SimulatorProcessor implements Processor {
  readonly #kind: SimulatorKind;
  readonly #backend: CircuitBackend;
  readonly #options: SimulatorOptions;
  readonly #monitors = new Map<LaneId, HealthMonitor>();
  #maintenance: { readonly reason: string } | undefined;
  #numSelfTests = 0;
  /** Cached until a self-test, an adapter or maintenance changes it: every request reads it. */
  #spec: ProcessorSpec | undefined;

  constructor(kind: SimulatorKind, options: SimulatorOptions) {
    this.#kind = kind;
    this.#backend = options.backend;
    this.#options = options;
    for (const width of kind.sizeClasses) this.#addMonitor(width, () => this.#healthChanged());
    // Nothing is tested yet.
    this.#backend.setPaused(kind.id, true);
  }

  /** The simulator as its engines are now. */
  protected abstract specNow(): ProcessorSpec;

  /**
   * Qubits of the widest circuit that it may take again once all its engines are well.
   *
   * @param isNoisy - Whether circuits have noise, or run by another method than on one state.
   */
  protected abstract widest(isNoisy: boolean): number;

  /** Whether circuits would run now, without maintenance. */
  protected abstract health(): Availability;

  /** Backend to name in results of that lane. */
  protected abstract ranOn(lane: LaneId): Backend;

  get spec(): ProcessorSpec {
    this.#spec ??= this.specNow();
    return this.#spec;
  }

  /** Tests an adapter's engine, too, from now on; circuits go to it while its self-test is passed. */
  protected addLane(pool: AdapterPool): void {
    this.#addMonitor(pool.id, ({ available }) => {
      this.#backend.setHealthy(pool, available);
      this.#healthChanged();
    });
    this.#spec = undefined;
  }

  /** Notes that the engine of an adapter was lost. Its replacement is tested as soon as it is open. */
  adapterLost({ id }: AdapterPool, how: string): void {
    this.#monitor(id).fail(`Its process ended: ${how}.`);
  }

  /** The outcome of the last self-test of those engines. */
  healthOf(lane: LaneId): Availability {
    return this.#monitor(lane).availability;
  }

  /** Runs the self-tests now, or joins those under way; afterwards they repeat by themselves. */
  async check(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map((monitor) => monitor.check()));
  }

  /** Ends the repeated self-tests. */
  close(): void {
    for (const monitor of this.#monitors.values()) monitor.close();
  }

  availability(): Availability {
    const health = this.health();
    if (this.#maintenance === undefined) return health;
    return {
      available: false,
      reason: `In maintenance: ${this.#maintenance.reason}`,
      checkedAt: health.checkedAt,
    };
  }

  load(): ProcessorLoad {
    return this.#backend.load(this.#kind.id, this.#kind.mayRunOn);
  }

  expectedRun(work: RunWork): ExpectedRun | undefined {
    const need = this.#needOf(work);
    const ms = this.#backend.expectedRunMs(need, work);
    return ms === undefined ? undefined : { ms, numEngines: this.#backend.numEnginesFor(need) };
  }

  queuePosition(runId: string): number | undefined {
    return this.#backend.position(runId);
  }

  expectedStart(runId: string): number | undefined {
    const startAt = this.#backend.expectedStart(runId);
    if (startAt === undefined) return undefined;
    return this.#options.now() + Math.max(0, startAt - performance.now());
  }

  admit(run?: ComingRun): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.#kind.id, reason, retryAfterS);
    if (run === undefined) {
      this.#backend.admission.check(this.#kind.id);
      return;
    }
    this.#checkDuration(run);
    this.#backend.admission.admit(this.#kind.id, run);
  }

  #checkDuration({ work, methodReason }: ComingRun): void {
    const { maxRunMs = Number.POSITIVE_INFINITY } = this.#options;
    const expectedMs = this.expectedRun(work)?.ms ?? 0;
    if (expectedMs <= maxRunMs) return;
    throw new CircuitTooLongError(this.#kind.id, expectedMs, maxRunMs, methodReason);
  }

  withdraw(runId: string): void {
    this.#backend.admission.withdraw(runId);
  }

  async run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    checkRun(run);
    const work = circuitWork(run.circuit);
    const isJoint = isBatch(run.request) && runsTogether(factsOfShape(run.circuit), run.request);
    const need = this.#needOf(runWork(work, run.request), isJoint);
    const ranges = shotRangesOf(work, run.request, this.#backend.numEnginesFor(need));
    if (ranges.length < 2) return await this.#runWhole(run, need, hooks, signal);
    return await runShotRanges(run, ranges, hooks, signal, (part, partHooks, partSignal) =>
      this.#runWhole(part, need, partHooks, partSignal),
    );
  }

  /** Runs circuits, or a range of the shots of one, on one engine. */
  async #runWhole(
    run: CircuitRun,
    need: LaneNeed,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    const ran = await this.#whenTaken(run, need, hooks, signal);
    const { outputs, compilation, reused, queueMs, compileMs, executionMs, samplingMs } = ran;
    return {
      outputs,
      ...(compilation && { compilation }),
      ...(reused && { reused }),
      backend: this.#ranOn(ran),
      timing: {
        queueMs,
        compileMs,
        executionMs,
        ...(samplingMs !== undefined && { samplingMs }),
      },
    };
  }

  /**
   * Hardware for a run.
   *
   * A narrow circuit by itself takes microseconds on a thread, which draws its shots in double precision, so that a
   * seed gives the counts that the circuit has in a batch. Counts of narrow circuits of a batch are those of double
   * precision, too: an adapter gives them only where the circuits run together, and it pays only where it decides most
   * of them. With noise, a GPU pays for wide states only: each trajectory waits for the device several times.
   *
   * @param isJoint - Whether the circuits of a batch run together.
   */
  #mayRunOn({ numQubits, method, numCircuits, undecided }: RunWork, isJoint: boolean): MayRunOn {
    const { mayRunOn } = this.#kind;
    if (mayRunOn !== 'adapter-or-cpu') return mayRunOn;
    if (method !== undefined) {
      return numQubits <= this.#backend.maxSmallQubits ? 'cpu' : mayRunOn;
    }
    if (numCircuits === undefined) return isNarrow(numQubits) ? 'cpu' : mayRunOn;
    if (undecided === undefined) return mayRunOn;
    return isJoint && undecided <= MAX_UNDECIDED ? mayRunOn : 'cpu';
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
    this.#pauseOrGo();
  }

  #placed(run: CircuitRun, { precision, mayRunOn }: LaneNeed): PlacedRun {
    const { id: processor, hasDevices } = this.#kind;
    return { ...run, processor, precision, mayRunOn, needsDevice: hasDevices };
  }

  /** @param isJoint - As for `#mayRunOn`; likely unless measurements in mid-circuit prevent it. */
  #needOf(work: RunWork, isJoint = !work.isBranching): LaneNeed {
    const { numQubits, method } = work;
    const { maxQubits } = this.spec;
    const limits = { maxQubits, precision: this.#kind.precision };
    const precision = precisionOfRun(limits, method ?? 'statevector', numQubits);
    const need = { mayRunOn: this.#mayRunOn(work, isJoint), precision, numQubits };
    return method === undefined ? need : { ...need, method };
  }

  /** Submits a run if it may be taken now. If it fails because of its engine, the engine is tested. */
  async #whenTaken(
    run: CircuitRun,
    need: LaneNeed,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<Ran> {
    const isPart = run.partOf !== undefined;
    const isAccepted =
      isPart || hooks.readmitted === true || this.#backend.admission.isAdmitted(run.id);
    this.#checkWidth(need, isAccepted);
    if (!isAccepted) this.admit();
    try {
      return await this.#backend.submit(this.#placed(run, need), hooks, signal);
    } catch (error) {
      if (!signal.aborted && isSignOfTrouble(error)) this.#checkEnginesOf(need);
      throw error;
    }
  }

  /**
   * Checks a run's width. A run that was accepted before may wait for engines that are lost just now.
   *
   * @throws {CircuitTooLargeError | ProcessorUnavailableError}
   */
  #checkWidth({ numQubits, precision, method }: LaneNeed, isAccepted: boolean): void {
    const { spec } = this;
    if (precision !== this.#kind.precision && numQubits <= (spec.maxSingleQubits ?? 0)) return;
    const { available, reason = '', retryAfterS } = this.availability();
    const isNoisy = method !== undefined;
    const ofSpec = isNoisy ? (spec.maxNoisyQubits ?? spec.maxQubits) : spec.maxQubits;
    const maxQubits = isAccepted ? this.widest(isNoisy) : ofSpec;
    if (numQubits <= maxQubits) return;
    // Without any engine there is no limit to tell.
    if (maxQubits === 0 && !available) {
      throw new ProcessorUnavailableError(this.#kind.id, reason, retryAfterS);
    }
    throw new CircuitTooLargeError(numQubits, { ...spec, maxQubits });
  }

  /** Decides again whether circuits may run, after a change that is no self-test's outcome. */
  reconsider(): void {
    this.#pauseOrGo();
  }

  #healthChanged(): void {
    this.#options.onHealthChange?.();
    this.#pauseOrGo();
  }

  #pauseOrGo(): void {
    this.#spec = undefined;
    this.#backend.setPaused(this.#kind.id, !this.availability().available);
  }

  /** Runs the self-tests of the engines that may have run a circuit. */
  #checkEnginesOf(need: LaneNeed): void {
    for (const lane of this.#backend.lanesFor(need)) {
      void this.#monitors.get(lane)?.check();
    }
  }

  #addMonitor(lane: LaneId, onChange: (availability: Availability) => void): void {
    const { now, selfTestTimes } = this.#options;
    const monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#runSelfTest(lane, onStarted, signal),
      lastSignOfLife: () => this.#backend.lastSignOfLife(lane),
      onChange,
      now,
      ...selfTestTimes,
    });
    this.#monitors.set(lane, monitor);
  }

  #monitor(lane: LaneId): HealthMonitor {
    const monitor = this.#monitors.get(lane);
    if (monitor === undefined) throw new Error(`unreachable: ${lane} is not tested`);
    return monitor;
  }

  async #runSelfTest(
    lane: LaneId,
    onStarted: () => void,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { id: processor, precision } = this.#kind;
    const sizeClass: SizeClass = lane === 'small' ? 'small' : 'wide';
    const test = {
      id: `self-test:${processor}:${this.#numSelfTests++}`,
      keyId: 'self-test',
      tier: 'standard',
      priority: 'high',
      processor,
      precision,
      circuit: SELF_TEST_CIRCUITS[sizeClass],
      request: SELF_TEST_REQUEST,
    } as const;
    const ran = await this.#backend.test(lane, test, { onStarted }, signal);
    const { numBits } = test.circuit;
    const run = runResultOf({ outputs: ran.outputs, timing: ran }, { numBits, numCircuits: 1 });
    return faultOfSelfTest(run, precision, sizeClass);
  }

  #ranOn({ ranOn, precision, devices }: Ran): Backend {
    const { nodeName } = this.#options;
    return {
      ...this.ranOn(ranOn),
      precision,
      ...(this.#kind.hasDevices && { devices }),
      ...(nodeName !== undefined && { servedBy: nodeName }),
    };
  }
}

/** A simulator on the CPU. */
export class CpuSimulator extends SimulatorProcessor {
  readonly #spec: ProcessorSpec;
  readonly #runsOn: Backend;
  readonly #hasWide: boolean;

  /** @param sizeClasses - Without `wide` where only small circuits run. */
  constructor(
    spec: ProcessorSpec,
    runsOn: Backend,
    options: SimulatorOptions,
    sizeClasses: readonly SizeClass[] = SIZE_CLASSES,
  ) {
    const { id } = spec;
    const { precision } = runsOn;
    super({ id, mayRunOn: 'cpu', hasDevices: false, precision, sizeClasses }, options);
    this.#spec = spec;
    this.#runsOn = runsOn;
    this.#hasWide = sizeClasses.includes('wide');
  }

  protected specNow(): ProcessorSpec {
    return this.#spec;
  }

  protected widest(): number {
    return this.#spec.maxQubits;
  }

  protected health(): Availability {
    const small = this.healthOf('small');
    return this.#hasWide ? bothSizes(small, this.healthOf('wide')) : small;
  }

  protected ranOn(): Backend {
    return this.#runsOn;
  }
}

/**
 * The outcomes of engines of both size classes as one: the older of two good ones, or the first bad one.
 *
 * @param wideName - Name of the engines for wide circuits in a reason.
 */
export function bothSizes(
  small: Availability,
  wide: Availability,
  wideName = 'Circuits that need all threads',
): Availability {
  if (!small.available) return small;
  if (!wide.available) return { ...wide, reason: `${wideName}: ${wide.reason}` };
  return small.checkedAt <= wide.checkedAt ? small : wide;
}
