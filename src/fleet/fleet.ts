/**
 * The processors of this machine and what backs them.
 *
 * In this version every circuit runs on the CPU engine in worker threads: `statevector-sim` in double
 * precision by design, `gpu-fleet` in single precision for want of a GPU engine. Both share the
 * machine's threads and one queue.
 * `superconducting-1` is offline until an operator configures a provider.
 */
import type { StateMemory } from '../circuit/circuit-limits.ts';
import { cpuTarget, MAX_CPU_QUBITS } from '../engine/cpu/cpu-engine.ts';
import { discoverAdapters } from './adapter-discovery.ts';
import type { AdapterDiscovery } from './adapter-report.ts';
import { CpuBackend } from './cpu-backend.ts';
import type { Machine } from './machine.ts';
import { AMPLITUDE_BYTES, type EngineShares, shareMemory } from './memory-shares.ts';
import { OfflineProcessor } from './offline-processor.ts';
import type { Backend, Processor, ProcessorSpec } from './processor.ts';
import { type SelfTestTimes, SimulatorProcessor } from './simulator-processor.ts';
import type { Precision } from './worker-messages.ts';

/** Waiting that raises a circuit by one priority level. */
const AGEING_MS = 30_000;

/** How a fleet is made. */
export interface FleetOptions {
  readonly machine: Machine;
  /** What `gpu-fleet` may run on: a GPU or else the CPU, a GPU or nothing, the CPU. */
  readonly engine: 'auto' | 'webgpu' | 'cpu';
  /** As many small circuits run at the same time, and so many threads work on a wide one. */
  readonly numThreads: number;
  /** For the state vectors of all engines together; it decides the processors' `maxQubits`. */
  readonly memoryBytes: number;
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
  /** The worker threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
}

/** All processors. */
export class Fleet {
  readonly processors: readonly Processor[];
  readonly #options: FleetOptions;
  readonly #shares: EngineShares;
  readonly #backend: CpuBackend;
  readonly #simulators: readonly SimulatorProcessor[];
  readonly #closing = new AbortController();
  #discovery: AdapterDiscovery | undefined;
  readonly #ready = Promise.withResolvers<void>();
  #isStarted = false;

  /** Opens nothing yet: `start` does. */
  constructor(options: FleetOptions) {
    this.#options = options;
    this.#shares = shareMemory(options.memoryBytes, options.numThreads);
    this.#backend = new CpuBackend({
      small: { numWorkers: options.numThreads, engine: this.#shares.small },
      wide: { numWorkers: 1, engine: this.#shares.wide },
      queueLimit: options.queueLimit,
      ageingMs: options.ageingMs ?? AGEING_MS,
      ...(options.workerEntry && { workerEntry: options.workerEntry }),
    });
    const statevector = this.#simulator({
      id: 'statevector-sim',
      name: 'Statevector simulator',
      family: 'statevector',
      precision: 'f64',
      execution: 'cpu',
    });
    const gpuFleet = this.#gpuFleet();
    this.#simulators = [statevector, gpuFleet].filter(
      (processor) => processor instanceof SimulatorProcessor,
    );
    this.processors = [statevector, gpuFleet, superconducting(options.now)];
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

  /** What runs circuits and why: a few lines for people, one for each processor and the adapters. */
  describe(): readonly string[] {
    const lines = this.processors.map((processor) => {
      const { available, reason } = processor.availability();
      const { id, maxQubits, precision } = processor.spec;
      if (!available) return `${id}: not available. ${reason}`;
      return `${id}: CPU engine (${precision}), up to ${maxQubits} qubits.${this.#whyCpu(processor)}`;
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
    const discover = this.#options.discover ?? ((signal) => discoverAdapters({ signal }));
    this.#backend.open();
    const [discovery] = await Promise.all([
      discover(this.#closing.signal),
      ...this.#simulators.map((simulator) => simulator.check()),
    ]);
    this.#discovery = discovery;
  }

  #gpuFleet(): Processor {
    const identity = { id: 'gpu-fleet', name: 'GPU simulator fleet', family: 'gpu-fleet' } as const;
    switch (this.#options.engine) {
      case 'webgpu':
        return new OfflineProcessor(
          {
            ...identity,
            ...this.#limits(),
            maxQubits: 0,
            precision: 'f32',
            target: null,
            execution: 'webgpu',
            physicalGpus: 0,
          },
          'It is set to run on WebGPU only, and this version has no WebGPU engine yet.',
          this.#options.now,
        );
      case 'auto':
      case 'cpu':
        return this.#simulator({
          ...identity,
          precision: 'f32',
          execution: 'cpu-fallback',
          physicalGpus: 0,
        });
    }
  }

  #simulator(
    identity: Pick<ProcessorSpec, 'id' | 'name' | 'family' | 'execution' | 'physicalGpus'> &
      Pick<Backend, 'precision'>,
  ): SimulatorProcessor {
    const { machine, now, selfTestTimes } = this.#options;
    const { precision, execution } = identity;
    const { wide } = this.#shares;
    const maxQubits = Math.min(wide.maxQubits[precision], this.#options.maxQubits ?? Infinity);
    return new SimulatorProcessor({
      spec: {
        ...identity,
        ...this.#limits(),
        maxQubits,
        stateMemory: stateMemory(precision, wide.memoryBytes),
        target: cpuTarget(precision, maxQubits),
      },
      runsOn: {
        engine: 'cpu',
        execution,
        precision,
        hardware: machine.cpuModel,
      },
      backend: this.#backend,
      now,
      ...(selfTestTimes && { selfTestTimes }),
    });
  }

  #limits(): Pick<ProcessorSpec, 'maxShots' | 'maxGates'> {
    return { maxShots: this.#options.maxShots, maxGates: this.#options.maxGates };
  }

  #whyCpu(processor: Processor): string {
    if (processor.spec.execution !== 'cpu-fallback') return '';
    if (this.#options.engine === 'cpu') return ' It is set to run on the CPU.';
    const gpus = this.#discovery?.adapters.filter((adapter) => !adapter.isSoftware) ?? [];
    if (gpus.length === 0) return ' No GPU adapter was found.';
    const names = gpus.map((adapter) => adapter.name).join(', ');
    return ` Found ${names}, but this version has no WebGPU engine yet.`;
  }
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
