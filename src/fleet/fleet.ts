/**
 * The processors of this machine and what backs them.
 *
 * `statevector-sim` runs on the CPU engine in double precision by design. `gpu-fleet` runs in single
 * precision on the adapters of the machine, each in a process of its own, and on the CPU engine where
 * there are none or they are not well. Both share the machine's threads and one queue.
 * `superconducting-1` is offline until an operator configures a provider.
 */
import { extname } from 'node:path';
import type { StateMemory } from '../circuit/circuit-limits.ts';
import { cpuTarget, MAX_CPU_QUBITS } from '../engine/cpu/cpu-engine.ts';
import { discoverAdapters } from './adapter-discovery.ts';
import type { AdapterLane } from './adapter-lane.ts';
import { type AdapterPlan, type AdapterPlans, planAdapters } from './adapter-plan.ts';
import type { AdapterDiscovery } from './adapter-report.ts';
import { type AdapterStatus, adapterStatuses } from './adapter-status.ts';
import { type Backing, CpuBacking } from './backing.ts';
import { CircuitBackend } from './circuit-backend.ts';
import { GpuBacking } from './gpu-backing.ts';
import { findGpuCards, type GpuCard } from './gpu-cards.ts';
import type { Machine } from './machine.ts';
import { AMPLITUDE_BYTES, type EngineShares, shareMemory } from './memory-shares.ts';
import { OfflineProcessor } from './offline-processor.ts';
import { processStarter } from './process-host.ts';
import type { Processor, ProcessorSpec } from './processor.ts';
import { type SelfTestTimes, SimulatorProcessor } from './simulator-processor.ts';
import type { GpuWorkerSetup, Precision } from './worker-messages.ts';

const GPU_WORKER = new URL(`./gpu-worker${extname(import.meta.url)}`, import.meta.url);

/** Waiting that raises a circuit by one priority level. */
const AGEING_MS = 30_000;

/** How a fleet is made. */
export interface FleetOptions {
  readonly machine: Machine;
  /** What `gpu-fleet` may run on: a GPU or else the CPU, a GPU or nothing, the CPU. */
  readonly engine: 'auto' | 'webgpu' | 'cpu';
  /** As many small circuits run at the same time, and so many threads work on a wide one. */
  readonly numThreads: number;
  /**
   * Of the machine, for the state vectors of all engines together; it decides `maxQubits` on the CPU.
   * Software adapters, where they are used, have half of it.
   */
  readonly memoryBytes: number;
  /** Of one adapter's memory, for state vectors; what is free on it unless told otherwise. */
  readonly gpuMemoryBytes?: number;
  /** Whether adapters that are software are used; they are never called GPUs. */
  readonly useSoftwareAdapters?: boolean;
  /** Of this process. Without it, adapters of one name cannot be told apart. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where tunings of adapters are kept; without it, none are made. */
  readonly tuningFolder?: string;
  /** No wider circuits, whatever the memory. */
  readonly maxQubits?: number;
  readonly maxShots: number;
  readonly maxGates: number;
  /** Circuits that may wait, over all processors. */
  readonly queueLimit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly ageingMs?: number;
  readonly selfTestTimes?: SelfTestTimes;
  /** Looks for GPU adapters; the machine's own unless told otherwise. */
  readonly discover?: (signal: AbortSignal) => Promise<AdapterDiscovery>;
  /** Looks for the system's graphics cards; the machine's own unless told otherwise. */
  readonly findCards?: () => Promise<readonly GpuCard[]>;
  /** The worker threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
  /** The same of the adapters' processes. */
  readonly gpuWorkerEntry?: URL;
  /** How long the process of an adapter may say nothing while it runs a circuit. */
  readonly silenceLimitMs?: number;
}

/** All processors. */
export class Fleet {
  readonly processors: readonly Processor[];
  readonly #options: FleetOptions;
  readonly #shares: EngineShares;
  readonly #softwareMemoryBytes: number;
  readonly #backend: CircuitBackend;
  readonly #simulators: readonly SimulatorProcessor[];
  readonly #gpuFleet: SimulatorProcessor;
  readonly #gpuBacking: GpuBacking;
  readonly #closing = new AbortController();
  #discovery: AdapterDiscovery | undefined;
  #plans: AdapterPlans = { used: [], unused: [] };
  readonly #lanes = new Map<AdapterPlan, AdapterLane>();
  readonly #ready = Promise.withResolvers<void>();
  #isStarted = false;

  /** Opens nothing yet: `start` does. */
  constructor(options: FleetOptions) {
    this.#options = options;
    const mayUseSoftware = options.useSoftwareAdapters === true && options.engine !== 'cpu';
    this.#softwareMemoryBytes = mayUseSoftware ? options.memoryBytes / 2 : 0;
    this.#shares = shareMemory(options.memoryBytes - this.#softwareMemoryBytes, options.numThreads);
    this.#backend = new CircuitBackend({
      small: { numWorkers: options.numThreads, engine: this.#shares.small },
      wide: { numWorkers: 1, engine: this.#shares.wide },
      queueLimit: options.queueLimit,
      ageingMs: options.ageingMs ?? AGEING_MS,
      ...(options.workerEntry && { workerEntry: options.workerEntry }),
    });
    const { cpuModel } = options.machine;
    const runsOn = {
      engine: 'cpu',
      execution: 'cpu',
      precision: 'f64',
      hardware: cpuModel,
    } as const;
    const statevector = this.#simulator(new CpuBacking(this.#statevectorSpec(), runsOn));
    this.#gpuBacking = new GpuBacking({
      onCpu: this.#gpuFleetSpec(),
      mayUseCpu: options.engine !== 'webgpu',
      maxQubits: options.maxQubits ?? Number.POSITIVE_INFINITY,
      cpuModel,
      now: options.now,
    });
    this.#gpuFleet = this.#simulator(this.#gpuBacking);
    this.#simulators = [statevector, this.#gpuFleet];
    this.processors = [statevector, this.#gpuFleet, superconducting(options.now)];
  }

  /** The processor of that id. */
  get(id: string): Processor | undefined {
    return this.processors.find((processor) => processor.spec.id === id);
  }

  /**
   * Starts the threads, looks for adapters and runs the first self-tests.
   *
   * @returns When each simulator has its first outcome, good or bad, and adapters are known. Called
   *   again, the same promise.
   */
  start(): Promise<void> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#start().then(this.#ready.resolve, this.#ready.reject);
    }
    return this.#ready.promise;
  }

  /** What `start` returns; pending until it was called. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The adapters found on this machine; undefined before the search is through. */
  get adapters(): AdapterDiscovery | undefined {
    return this.#discovery;
  }

  /** What is made of each adapter, and what its process says of itself. */
  adapterStatuses(): readonly AdapterStatus[] {
    return adapterStatuses(this.#plans, (plan) => {
      const lane = this.#lanes.get(plan);
      return lane && { lane, health: this.#gpuFleet.health(lane.id) };
    });
  }

  /** What runs circuits and why: a few lines for people, one for each processor and the adapters. */
  describe(): readonly string[] {
    const lines = this.processors.map((processor) => {
      const { available, reason } = processor.availability();
      const { id, maxQubits, precision, adapters = [] } = processor.spec;
      if (!available) return `${id}: not available. ${reason}`;
      const names = adapters.map(({ name }) => name).join(', ');
      const runsOn = names === '' ? 'CPU engine' : `WebGPU on ${names}`;
      return `${id}: ${runsOn} (${precision}), up to ${maxQubits} qubits.${this.#whyCpu(processor)}`;
    });
    return [...lines, `GPU adapters: ${describeAdapters(this.#discovery)}`];
  }

  /** Ends everything; what waits or runs is rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const simulator of this.#simulators) simulator.close();
    await this.#backend.close();
    if (this.#isStarted) await this.#ready.promise;
  }

  async #start(): Promise<void> {
    this.#backend.open();
    await Promise.all([
      this.#openAdapters(),
      ...this.#simulators.map((simulator) => simulator.check()),
    ]);
  }

  /** Starts the adapters' processes; resolves when each has its first self-test behind it. */
  async #openAdapters(): Promise<void> {
    const { signal } = this.#closing;
    const discover = this.#options.discover ?? (() => discoverAdapters({ signal }));
    const discovery = await discover(signal);
    this.#discovery = discovery;
    if (signal.aborted) return;
    if (this.#options.engine === 'cpu') {
      const reason = 'QCS_ENGINE is cpu.';
      this.#plans = {
        used: [],
        unused: discovery.adapters.map((adapter) => ({ adapter, reason })),
      };
      return;
    }
    const plans = await this.#plan(discovery);
    if (signal.aborted) return;
    this.#plans = plans;
    this.#gpuBacking.setWhyNoAdapter(whyNoAdapter(discovery, plans));
    for (const plan of plans.used) this.#addAdapter(plan);
    await this.#gpuFleet.check();
  }

  async #plan(discovery: AdapterDiscovery): Promise<AdapterPlans> {
    const { environment, gpuMemoryBytes, findCards = findGpuCards } = this.#options;
    const { signal } = this.#closing;
    const hasHardware = discovery.adapters.some(({ isSoftware }) => !isSoftware);
    return await planAdapters(discovery, {
      useSoftware: this.#softwareMemoryBytes > 0,
      softwareMemoryBytes: this.#softwareMemoryBytes,
      ...(gpuMemoryBytes !== undefined && { memoryBytes: gpuMemoryBytes }),
      cards: hasHardware ? await findCards() : [],
      probe: (pin) =>
        environment === undefined
          ? Promise.resolve({ adapters: [] })
          : discoverAdapters({ environment: { ...environment, ...pin }, signal }),
    });
  }

  #addAdapter(plan: AdapterPlan): void {
    const {
      environment,
      gpuWorkerEntry = GPU_WORKER,
      silenceLimitMs,
      tuningFolder,
    } = this.#options;
    const { backend, name } = plan.adapter;
    const setup: GpuWorkerSetup = {
      adapter: { backend, name },
      memoryBytes: plan.memory.bytes,
      ...(tuningFolder !== undefined && { tuningFolder }),
    };
    const start = processStarter({
      entry: gpuWorkerEntry,
      setup,
      ...(plan.pin && { environment: { ...environment, ...plan.pin } }),
    });
    const lane = this.#backend.addAdapter(
      { start, ...(silenceLimitMs !== undefined && { silenceLimitMs }) },
      (how) => this.#gpuFleet.adapterLost(lane, how),
    );
    this.#lanes.set(plan, lane);
    this.#gpuBacking.add({ plan, lane });
    this.#gpuFleet.addAdapter(lane);
  }

  #statevectorSpec(): ProcessorSpec {
    return {
      id: 'statevector-sim',
      name: 'Statevector simulator',
      family: 'statevector',
      execution: 'cpu',
      ...this.#onCpu('f64'),
    };
  }

  /** As it is without an adapter. */
  #gpuFleetSpec(): ProcessorSpec {
    return {
      id: 'gpu-fleet',
      name: 'GPU simulator fleet',
      family: 'gpu-fleet',
      execution: 'cpu-fallback',
      physicalGpus: 0,
      ...this.#onCpu('f32'),
    };
  }

  #onCpu(precision: Precision) {
    const { maxShots, maxGates } = this.#options;
    const { wide } = this.#shares;
    const cap = this.#options.maxQubits ?? Number.POSITIVE_INFINITY;
    const maxQubits = Math.min(wide.maxQubits[precision], cap);
    return {
      precision,
      maxShots,
      maxGates,
      maxQubits,
      stateMemory: stateMemory(precision, wide.memoryBytes),
      target: cpuTarget(precision, maxQubits),
    };
  }

  #simulator(backing: Backing): SimulatorProcessor {
    const { now, selfTestTimes } = this.#options;
    return new SimulatorProcessor({
      backing,
      backend: this.#backend,
      now,
      ...(selfTestTimes && { selfTestTimes }),
    });
  }

  #whyCpu(processor: Processor): string {
    if (processor.spec.execution !== 'cpu-fallback') return '';
    if (this.#options.engine === 'cpu') return ' It is set to run on the CPU.';
    const reasons = this.adapterStatuses().flatMap(({ adapter, reason }) =>
      adapter.isSoftware && this.#softwareMemoryBytes === 0 ? [] : `${adapter.name}: ${reason}`,
    );
    return ` ${reasons.length === 0 ? this.#gpuBacking.whyNoAdapter : reasons.join(' ')}`;
  }
}

function whyNoAdapter(
  { adapters, reason = '' }: AdapterDiscovery,
  { unused }: AdapterPlans,
): string {
  const names = unused.map(({ adapter }) => adapter.name).join(', ');
  const software =
    adapters.length > 0 ? ` ${names}: software, and QCS_SOFTWARE_ADAPTERS is not 1.` : '';
  return `No GPU adapter was found.${software} ${reason}`.trim();
}

/** What one state may take: of the memory, or of what the engine can address. */
function stateMemory(precision: Precision, memoryBytes: number): StateMemory {
  const bytesPerAmplitude = AMPLITUDE_BYTES[precision];
  const addressable = bytesPerAmplitude * 2 ** MAX_CPU_QUBITS[precision];
  return { bytes: Math.min(memoryBytes, addressable), bytesPerAmplitude };
}

function superconducting(now: () => number): Processor {
  return new OfflineProcessor(
    {
      id: 'superconducting-1',
      name: 'Superconducting processor 1',
      family: 'superconducting',
      maxQubits: 0,
      maxShots: 0,
      maxGates: 0,
      precision: null,
      target: null,
      execution: 'hardware',
    },
    'No hardware provider is configured.',
    now,
  );
}

function describeAdapters(discovery: AdapterDiscovery | undefined): string {
  if (discovery === undefined) return 'not looked for yet.';
  const { adapters, reason = '' } = discovery;
  if (adapters.length === 0) return `none. ${reason}`;
  const names = adapters.map(({ name, isSoftware }) =>
    isSoftware ? `${name} (software, not counted as a GPU)` : name,
  );
  return `${names.join(', ')}. ${reason}`.trim();
}
