/**
 * The fleet: the processors of this machine and the hardware behind them.
 *
 * `statevector-sim` runs on the CPU engine in double precision by design. `gpu-fleet` runs in single
 * precision on the fleet's 48 devices, or on those of some of its six nodes where this machine is one of
 * several. They are shares of the machine's adapters, each adapter in a process of its own, and of the CPU
 * engine where there are no adapters or none is well. Both share the machine's threads and one scheduler. `qvm` chooses
 * a method for each circuit, on the engines of `statevector-sim`. `superconducting-1` is offline until an operator
 * configures a provider.
 */
import type { DeviceId } from '../compiler/device/public-devices.ts';
import type { AdapterStatus } from './adapters/adapter-plan.ts';
import type { AdapterDiscovery } from './adapters/adapter-report.ts';
import { CircuitBackend } from './circuit-backend.ts';
import {
  type CpuProcessorOptions,
  cpuEngines,
  gpuFleetSpec,
  type Machine,
  softwareAdapterBytes,
  statevectorSpec,
} from './cpu-processors.ts';
import type { EngineTime } from './engine-lanes.ts';
import { ProcessorUnavailableError } from './errors.ts';
import { type AdapterSettings, FleetAdapters } from './fleet-adapters.ts';
import type { DeviceDirectory } from './fleet-device.ts';
import { type DeviceSources, FleetDevices } from './fleet-devices.ts';
import { GpuFleet } from './gpu-fleet.ts';
import type { EngineShares } from './memory-shares.ts';
import { methodsOf } from './method-limits.ts';
import type {
  Availability,
  CircuitResult,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
} from './processor.ts';
import { AGEING_MS } from './schedule/fair-queue.ts';
import { SIZE_CLASSES } from './schedule/lane.ts';
import { CallerDevices, EmulatedDevice, Qvm } from './simulated-processor.ts';
import {
  bothSizes,
  CpuSimulator,
  type SelfTestTimes,
  type SimulatorOptions,
} from './simulator-processor.ts';

/** Between looks for adapters while there is none. */
const LOOK_AGAIN_MS = 60_000;

/** Options of a fleet. */
export interface FleetOptions extends AdapterSettings, CpuProcessorOptions {
  readonly machine: Machine;
  /** A circuit that is expected to run for longer, milliseconds, is not admitted; no limit unless given. */
  readonly maxRunMs?: number;
  /** Circuits that may wait, over all processors. */
  readonly queueLimit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly ageingMs?: number;
  readonly selfTestTimes?: SelfTestTimes;
  /** Between looks for adapters while there is none. */
  readonly lookAgainMs?: number;
  /** Public devices that are emulated, each a processor. */
  readonly emulators?: readonly DeviceId[];
  /**
   * Numbers of the fleet's six nodes that this machine is: it serves their devices, eight each. All unless given; none
   * for a node of a cluster that runs no jobs.
   */
  readonly fleetNodes?: readonly number[];
  /** Name of this node in a cluster, for results. */
  readonly nodeName?: string;
  /**
   * True for a node of a cluster that runs no jobs. It has one thread, for small circuits of the service itself, and
   * opens no adapters. Its processors have the limits of the machine nevertheless.
   */
  readonly runsNoJobs?: boolean;
  /** Hardware in place of the offline `superconducting-1`. Its owner closes it. */
  readonly hardware?: Processor;
  /** JavaScript heap of an engine thread, MB; 2048 by default. */
  readonly heapLimitMb?: number;
  /** Whether threads with nothing to do run circuits of their own after their start; false by default. */
  readonly warmsUp?: boolean;
  /** The worker threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
}

/** All processors. */
export class Fleet {
  readonly processors: readonly Processor[];
  readonly #options: FleetOptions;
  readonly #shares: EngineShares;
  readonly #backend: CircuitBackend;
  readonly #statevector: CpuSimulator;
  readonly #gpuFleet: GpuFleet;
  readonly #adapters: FleetAdapters;
  readonly #devices: FleetDevices;
  readonly #closing = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  #statevectorTested: Promise<void> | undefined;
  #isStarted = false;
  #lookAgain: NodeJS.Timeout | undefined;

  /** Opens nothing yet: `start` does. */
  constructor(options: FleetOptions) {
    this.#options = options;
    const { now, workerEntry, heapLimitMb, warmsUp } = options;
    const softwareMemoryBytes = softwareAdapterBytes(options);
    this.#shares = cpuEngines(options);
    this.#backend = new CircuitBackend({
      small: { numWorkers: this.numThreads, engine: this.#shares.small },
      wide: { numWorkers: options.runsNoJobs ? 0 : 1, engine: this.#shares.wide },
      queueLimit: options.queueLimit,
      ageingMs: options.ageingMs ?? AGEING_MS,
      ...(workerEntry && { workerEntry }),
      ...(heapLimitMb !== undefined && { heapLimitMb }),
      ...(warmsUp !== undefined && { warmsUp }),
    });
    this.#gpuFleet = new GpuFleet({
      ...this.#simulatorOptions,
      onHealthChange: () => this.#devices.refresh(),
      onCpu: gpuFleetSpec(options),
      mayUseCpu: options.engine !== 'webgpu',
      maxQubits: options.maxQubits ?? Number.POSITIVE_INFINITY,
      maxSmallQubits: this.#shares.small.maxQubits.f32,
      cpuModel: options.machine.cpuModel,
      devices: () => this.#devices,
    });
    this.#devices = new FleetDevices({
      backend: this.#backend,
      sources: () => this.#deviceSources(),
      now,
      nodes: options.fleetNodes,
    });
    this.#statevector = new CpuSimulator(
      statevectorSpec(options),
      { engine: 'cpu', execution: 'cpu', precision: 'f64', hardware: options.machine.cpuModel },
      this.#simulatorOptions,
      options.runsNoJobs ? ['small'] : SIZE_CLASSES,
    );
    const emulators = (options.emulators ?? []).map(
      (id) => new EmulatedDevice(id, this.#statevector),
    );
    const hardware = options.hardware ?? superconducting(now);
    const qvm = new Qvm(this.#statevector);
    const callers = new CallerDevices(this.#statevector);
    this.processors = [this.#statevector, this.#gpuFleet, qvm, callers, ...emulators, hardware];
    this.#adapters = new FleetAdapters({
      settings: options,
      backend: this.#backend,
      softwareMemoryBytes,
      onLost: (lane, how) => this.#gpuFleet.adapterLost(lane, how),
    });
    this.#devices.refresh();
  }

  /** The processor of that id. */
  get(id: string): Processor | undefined {
    return this.processors.find((processor) => processor.spec.id === id);
  }

  /** Small circuits that run at the same time. */
  get numThreads(): number {
    return this.#options.runsNoJobs ? 1 : this.#options.numThreads;
  }

  /** The devices of `gpu-fleet`. */
  get deviceDirectory(): DeviceDirectory {
    const devices = this.#devices;
    return {
      countedSince: devices.countedSince,
      devices: () => devices.devices(),
      device: (id) => devices.device(id),
      summary: () => devices.summary(),
      setMaintenance: (id, maintenance) => {
        devices.setMaintenance(id, maintenance);
        this.#gpuFleet.reconsider();
      },
    };
  }

  /** Serves the devices of other nodes of the fleet from now on, by their numbers. */
  serveNodes(nodes: readonly number[]): void {
    this.#devices.serve(nodes);
    this.#gpuFleet.reconsider();
  }

  /**
   * Starts the threads and runs the first self-test of `statevector-sim`, which needs no adapter: the
   * first part of `start`.
   *
   * @returns When it has an outcome, good or bad. Called again, the same promise.
   */
  startStatevector(): Promise<void> {
    this.#statevectorTested ??= this.#testStatevector();
    return this.#statevectorTested;
  }

  /**
   * Starts the threads and runs the first self-tests, that of `statevector-sim` before all others, and
   * looks for adapters.
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

  /** The promise that `start` returns; pending until `start` is called. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The adapters found on this machine; undefined before the search is through. */
  get adapters(): AdapterDiscovery | undefined {
    return this.#adapters.discovery;
  }

  /** Time that the engines had runs, by their lanes. */
  get engineTimes(): readonly EngineTime[] {
    return this.#backend.engineTimes;
  }

  /** Status of each adapter: how it is used, its health, and its engine's report. */
  adapterStatuses(): readonly AdapterStatus[] {
    return this.#adapters.statuses((lane) => this.#gpuFleet.healthOf(lane));
  }

  /** Description of the processors and their hardware: a line for each processor and one for the adapters. */
  describe(): readonly string[] {
    const lines = this.processors.map((processor) => {
      const { available, reason } = processor.availability();
      const { id, maxQubits, precision, adapters = [] } = processor.spec;
      if (!available) return `${id}: not available. ${reason}`;
      if (processor.report !== undefined) {
        return `${id}: ${processor.spec.name}, up to ${maxQubits} qubits.`;
      }
      const names = adapters.map(({ name }) => name).join(', ');
      const runsOn = names === '' ? 'CPU engine' : `WebGPU on ${names}`;
      const widest =
        processor.spec.family === 'qvm' ? widestByMethod(processor.spec) : `${maxQubits} qubits`;
      return `${id}: ${runsOn} (${precision}), up to ${widest}.${this.#whyCpu(processor)}`;
    });
    const adapters = this.#options.runsNoJobs
      ? 'not looked for: this node runs no jobs.'
      : this.#adapters.describe();
    return [...lines, `GPU adapters: ${adapters}`];
  }

  /** Ends everything; waiting and running circuits are rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#lookAgain);
    this.#statevector.close();
    this.#gpuFleet.close();
    await this.#backend.close();
    if (this.#isStarted) await this.#ready.promise;
  }

  async #start(): Promise<void> {
    await this.startStatevector();
    if (this.#options.runsNoJobs) this.#gpuFleet.setWhyNoAdapter('This node runs no jobs.');
    else await Promise.all([this.#openAdapters(), this.#gpuFleet.check()]);
  }

  async #testStatevector(): Promise<void> {
    this.#backend.open();
    await this.#statevector.check();
  }

  /** Starts the adapters' processes; resolves when each has its first self-test behind it. */
  async #openAdapters(): Promise<void> {
    const { signal } = this.#closing;
    await this.#adapters.find(signal);
    if (signal.aborted) return;
    if (this.#options.engine === 'cpu') {
      this.#adapters.leaveAll('QCS_ENGINE is cpu.');
      return;
    }
    await this.#adapters.plan(signal);
    if (signal.aborted) return;
    this.#gpuFleet.setWhyNoAdapter(this.#adapters.whyNone);
    const adapters = this.#adapters.open();
    if (adapters.length === 0) {
      this.#lookAgainLater();
      return;
    }
    for (const adapter of adapters) {
      this.#gpuFleet.add(adapter);
    }
    this.#devices.refresh();
    await this.#gpuFleet.check();
    if (signal.aborted) return;
    // Now that each was measured by itself.
    const spread = this.#adapters.openSpread(adapters);
    if (spread === undefined) return;
    this.#gpuFleet.addSpread(spread);
    this.#devices.refresh();
    await this.#gpuFleet.check();
  }

  /** A driver may come up after the service: without an adapter it is looked for again and again. */
  #lookAgainLater(): void {
    const { lookAgainMs = LOOK_AGAIN_MS } = this.#options;
    this.#lookAgain = setTimeout(() => void this.#openAdapters(), lookAgainMs).unref();
  }

  #deviceSources(): DeviceSources {
    const { adapters, spread, mayUseCpu, whyNoAdapter } = this.#gpuFleet;
    const { small, wide } = this.#shares;
    const healthOf: DeviceSources['healthOf'] = (lane) => this.#gpuFleet.healthOf(lane);
    return {
      adapters,
      spread,
      mayUseCpu,
      cpu: {
        name: this.#options.machine.cpuModel,
        memoryBytes: wide.memoryBytes,
        maxSmallQubits: small.maxQubits.f32,
        maxQubits: gpuFleetSpec(this.#options).maxQubits,
        availability: mayUseCpu
          ? bothSizes(healthOf('small'), healthOf('wide'))
          : { available: false, reason: whyNoAdapter, checkedAt: this.#options.now() },
      },
      healthOf,
      whyNothing: whyNoAdapter,
    };
  }

  get #simulatorOptions(): SimulatorOptions {
    const { now, selfTestTimes, maxRunMs, nodeName } = this.#options;
    return {
      backend: this.#backend,
      ...(nodeName !== undefined && { nodeName }),
      ...(maxRunMs !== undefined && { maxRunMs }),
      now,
      ...(selfTestTimes && { selfTestTimes }),
    };
  }

  #whyCpu(processor: Processor): string {
    if (processor.spec.execution !== 'cpu-fallback') return '';
    if (this.#options.engine === 'cpu') return ' It is set to run on the CPU.';
    const mayUseSoftware = softwareAdapterBytes(this.#options) > 0;
    const reasons = this.adapterStatuses().flatMap(({ adapter, reason }) =>
      adapter.isSoftware && !mayUseSoftware ? [] : `${adapter.name}: ${reason}`,
    );
    return ` ${reasons.length === 0 ? this.#gpuFleet.whyNoAdapter : reasons.join(' ')}`;
  }
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

/** A processor that nothing backs: it says why, and takes no work. */
class OfflineProcessor implements Processor {
  readonly spec: ProcessorSpec;
  readonly #reason: string;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970 UTC: the reason is true whenever it is asked for. */
  constructor(spec: ProcessorSpec, reason: string, now: () => number) {
    this.spec = spec;
    this.#reason = reason;
    this.#now = now;
  }

  availability(): Availability {
    return { available: false, reason: this.#reason, checkedAt: this.#now() };
  }

  load(): ProcessorLoad {
    return { queueDepth: 0, running: 0, expectedWaitMs: 0, expectedWideWaitMs: 0 };
  }

  expectedRun(): undefined {
    return undefined;
  }

  queuePosition(): undefined {
    return undefined;
  }

  expectedStart(): undefined {
    return undefined;
  }

  admit(): void {
    throw new ProcessorUnavailableError(this.spec.id, this.#reason);
  }

  withdraw(): void {}

  async run(): Promise<CircuitResult> {
    throw new ProcessorUnavailableError(this.spec.id, this.#reason);
  }

  /** Changes nothing: there is no service to take it out of. */
  setMaintenance(): void {}
}

/** `27 qubits by statevector, 14 by density_matrix, 20000 by stabilizer`, and so on. */
function widestByMethod(spec: ProcessorSpec): string {
  const [first, ...others] = methodsOf(spec);
  const more = others.map(({ method, maxQubits }) => `, ${maxQubits} by ${method}`);
  return `${first!.maxQubits} qubits by ${first!.method}${more.join('')}`;
}
