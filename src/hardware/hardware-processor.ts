/**
 * A vendor's device as a processor. Its circuits are fitted to the device and become jobs of the vendor; a few at a
 * time, the others wait here.
 *
 * Availability, limits, queue and calibration are the vendor's, fetched on a schedule. While the vendor cannot be
 * reached nothing is submitted, waiting jobs keep waiting, and submitted jobs are asked for again later.
 */
import { CouplingMap } from '../compiler/routing/coupling-map.ts';
import { CodedError } from '../errors/coded-error.ts';
import { Admission } from '../fleet/admission.ts';
import { ProcessorUnavailableError } from '../fleet/errors.ts';
import { HealthMonitor } from '../fleet/health-monitor.ts';
import type {
  Availability,
  CircuitResult,
  ComingRun,
  DeviceReport,
  DeviceResult,
  DeviceRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from '../fleet/processor.ts';
import { AGEING_MS, FairQueue, type QueuedItem } from '../fleet/schedule/fair-queue.ts';
import { levelOf } from '../fleet/schedule/scheduled-run.ts';
import type { DeviceDescription, HardwareProvider } from './provider.ts';
import { DEFAULT_TIMES, type RequestTimes, VendorJobs } from './vendor-jobs.ts';

/** Fitting larger circuits would take minutes. */
const MAX_GATES = 10_000;
const ROOM_EXPECTED_MS = 60_000;
/** Requests of one self-test. */
const REQUESTS_PER_TEST = 6;

/** Options of a processor of hardware. */
export interface HardwareProcessorOptions {
  readonly provider: HardwareProvider;
  /** Most jobs of the vendor in flight at once. */
  readonly maxJobs: number;
  /** Most circuits that wait for one of these. */
  readonly queueLimit: number;
  readonly maxGates: number;
  readonly maxShots: number;
  /** Between two looks at the device, milliseconds. */
  readonly refreshMs: number;
  /** Time limit of one request, milliseconds. */
  readonly timeoutMs: number;
  readonly times?: RequestTimes;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Called for each fault that no caller hears of. */
  readonly onFault?: (error: unknown, vendorJobId: string) => void;
}

/** Hardware. */
export class HardwareProcessor implements Processor {
  readonly #id = 'superconducting-1';
  readonly #options: HardwareProcessorOptions;
  readonly #jobs: VendorJobs;
  readonly #provider: HardwareProvider;
  readonly #monitor: HealthMonitor;
  readonly #slots: VendorSlots;
  readonly #admission: Admission;
  /** Waiting runs for which another run was accepted. */
  #numPartsWaiting = 0;
  #maintenance: { readonly reason: string } | undefined;
  #description: { readonly facts: DeviceDescription; readonly fetchedAt: number } | undefined;
  #spec: ProcessorSpec;

  /** Asks for nothing yet: `check` does. */
  constructor(options: HardwareProcessorOptions) {
    const { provider, now, refreshMs, timeoutMs, maxJobs, queueLimit, onFault } = options;
    const { times = DEFAULT_TIMES } = options;
    this.#options = options;
    this.#provider = provider;
    this.#spec = this.#specOf(undefined);
    this.#jobs = new VendorJobs({
      provider,
      times,
      basis: () => this.#spec.device?.basis ?? 'measured',
      onTrouble: () => void this.#monitor.check(),
      ...(onFault && { onFault }),
    });
    this.#slots = new VendorSlots(maxJobs, () => this.availability().available);
    this.#admission = new Admission({
      queueLimit,
      numWaiting: () => this.#slots.numWaiting - this.#numPartsWaiting,
      untilRoomMs: () => ROOM_EXPECTED_MS,
    });
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#refresh(onStarted, signal),
      // All requests end by their own time-outs.
      lastSignOfLife: () => performance.now(),
      onChange: () => this.#slots.pump(),
      now,
      intervalMs: refreshMs,
      longestRetryMs: Math.min(refreshMs, times.longestRetryMs),
      limitMs: REQUESTS_PER_TEST * timeoutMs,
    });
  }

  get spec(): ProcessorSpec {
    return this.#spec;
  }

  /** Asks the vendor for the state of the device now; afterwards this repeats by itself. */
  check(): Promise<void> {
    return this.#monitor.check();
  }

  /** Stops asking. The vendor's jobs go on. */
  async close(): Promise<void> {
    this.#monitor.close();
    await this.#jobs.close(this.#options.timeoutMs);
    this.#provider.close();
  }

  availability(): Availability {
    const health = this.#monitor.availability;
    if (this.#maintenance === undefined) return health;
    const reason = `In maintenance: ${this.#maintenance.reason}`;
    return { available: false, reason, checkedAt: health.checkedAt };
  }

  report(): DeviceReport | undefined {
    if (this.#description === undefined) return undefined;
    const { facts, fetchedAt } = this.#description;
    return {
      vendor: this.#provider.vendor,
      device: this.#provider.device,
      ...(facts.queueDepth !== undefined && { queueDepth: facts.queueDepth }),
      fetchedAt,
      ...(facts.calibration && { calibration: facts.calibration }),
    };
  }

  load(): ProcessorLoad {
    const atVendor = this.#description?.facts.queueDepth ?? 0;
    return { queueDepth: this.#slots.numWaiting + atVendor, running: this.#slots.numTaken };
  }

  expectedRun(): undefined {
    return undefined;
  }

  queuePosition(runId: string): number | undefined {
    return this.#slots.position(runId) ?? this.#jobs.positionOf(runId);
  }

  expectedStart(): undefined {
    return undefined;
  }

  admit(run?: ComingRun): void {
    this.#checkAvailable();
    if (run === undefined) this.#admission.check(this.#id);
    else this.#admission.admit(this.#id, run);
  }

  withdraw(runId: string): void {
    this.#admission.withdraw(runId);
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
    this.#slots.pump();
  }

  async run(): Promise<CircuitResult> {
    throw new Error('unreachable: a run for an engine came to hardware');
  }

  async runOnDevice(run: DeviceRun, hooks: RunHooks, signal: AbortSignal): Promise<DeviceResult> {
    const arrivedAt = performance.now();
    const saved = await run.memory.load();
    const isPart = run.partOf !== undefined;
    const isAccepted = isPart || hooks.readmitted === true || this.#admission.withdraw(run.id);
    if (saved === undefined && !isAccepted) this.admit();
    using _slot =
      saved?.vendorJobId === undefined
        ? await this.#takeSlot(run, isPart, signal)
        : this.#slots.takeAnyway();
    return await this.#jobs.run(run, saved, performance.now() - arrivedAt, hooks, signal);
  }

  async #takeSlot(run: DeviceRun, isPart: boolean, signal: AbortSignal): Promise<Disposable> {
    const item = { id: run.id, key: run.keyId, level: levelOf(run.priority, run.tier) };
    if (isPart) this.#numPartsWaiting++;
    try {
      return await this.#slots.take(item, signal);
    } finally {
      if (isPart) this.#numPartsWaiting--;
    }
  }

  #checkAvailable(): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.#id, reason, retryAfterS);
  }

  /** Fetches the state of the device. Resolves to why it takes no jobs. */
  async #refresh(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    onStarted();
    try {
      const facts = await this.#provider.describe(signal);
      this.#description = { facts, fetchedAt: this.#options.now() };
      this.#spec = this.#specOf(facts);
      return facts.reason;
    } catch (error) {
      if (error instanceof CodedError) return error.message;
      throw error;
    }
  }

  #specOf(facts: DeviceDescription | undefined): ProcessorSpec {
    const { maxGates, maxShots } = this.#options;
    const common = {
      id: this.#id,
      family: 'superconducting',
      precision: null,
      execution: 'hardware',
      target: null,
    } as const;
    if (facts === undefined) {
      const name = `${this.#provider.vendor}, ${this.#provider.device}`;
      return { ...common, name, maxQubits: 0, maxShots: 0, maxGates: 0 };
    }
    const { device, basis, source } = facts;
    return {
      ...common,
      name: `${this.#provider.vendor}, ${facts.name}`,
      maxQubits: new CouplingMap(device.numQubits, device.couplers).largestPart().length,
      maxShots: Math.min(maxShots, facts.maxShots),
      maxGates: Math.min(maxGates, MAX_GATES),
      device: {
        ...device,
        basis,
        source,
        maxCircuits: this.#provider.maxCircuits,
      },
    };
  }
}

// The vendor's jobs that may be in flight at once, and the circuits that wait for one: in fair turns of keys, by
// priority.

interface Waiting extends QueuedItem {
  readonly enter: () => void;
}

/** Every job costs its key the same. */
const COST_MS = 1000;

/** Slots at a vendor. */
export class VendorSlots {
  readonly #numSlots: number;
  readonly #isOpen: () => boolean;
  readonly #queue = new FairQueue<Waiting>(AGEING_MS);
  #numTaken = 0;

  /** @param isOpen - Whether the vendor takes jobs now; call `pump` when that changes. */
  constructor(numSlots: number, isOpen: () => boolean) {
    this.#numSlots = numSlots;
    this.#isOpen = isOpen;
  }

  get numWaiting(): number {
    return this.#queue.length;
  }

  get numTaken(): number {
    return this.#numTaken;
  }

  /** Takes a slot for a job that the vendor has already, even if there is none left. */
  takeAnyway(): Disposable {
    this.#numTaken++;
    return this.#slot();
  }

  /**
   * Waits for a slot; the caller disposes of it when its job has ended.
   *
   * @throws the signal's reason, if it aborts first.
   */
  async take(item: QueuedItem, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      // A job that has just got its slot sees the abort by itself.
      if (this.#queue.remove(item.id) !== undefined) reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#queue.add({ ...item, enter: resolve }, COST_MS, performance.now());
    this.pump();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return this.#slot();
  }

  /** Jobs that get a slot before this one; undefined if it does not wait. */
  position(id: string): number | undefined {
    if (!this.#queue.has(id)) return undefined;
    let ahead = 0;
    for (const { item } of this.#queue.walk(performance.now())) {
      if (item.id === id) break;
      ahead++;
    }
    return ahead;
  }

  /** Gives free slots to those who wait. */
  pump(): void {
    while (this.#numTaken < this.#numSlots && this.#isOpen()) {
      const now = performance.now();
      const next = this.#queue.walk(now).next().value?.item;
      if (next === undefined) return;
      this.#queue.start(next.id, now);
      this.#numTaken++;
      next.enter();
    }
  }

  #slot(): Disposable {
    return {
      [Symbol.dispose]: () => {
        this.#numTaken--;
        this.pump();
      },
    };
  }
}
