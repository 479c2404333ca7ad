/** The adapters of this machine: finds them, plans their use, and starts a process for each. */
import { extname } from 'node:path';
import { childProcess, withOwnBuffers } from '../processes/child-process.ts';
import { discoverAdapters, findGpuCards, type GpuCard } from './adapters/adapter-discovery.ts';
import {
  type AdapterPlan,
  type AdapterPlans,
  type AdapterStatus,
  adapterStatuses,
  planAdapters,
} from './adapters/adapter-plan.ts';
import type { AdapterDiscovery } from './adapters/adapter-report.ts';
import type { CircuitBackend } from './circuit-backend.ts';
import { qubitsWithin } from './memory-shares.ts';
import type { Availability } from './processor.ts';
import type { LaneId } from './schedule/lane.ts';
import type { AdapterPool } from './workers/engine-pool.ts';
import type {
  GpuWorkerSetup,
  SpreadMember,
  SpreadWorkerSetup,
  StartWorker,
} from './workers/worker-messages.ts';

const GPU_WORKER = new URL(`./adapters/gpu-worker${extname(import.meta.url)}`, import.meta.url);

/** Milliseconds for which the only card of a machine keeps memory of states for the next run. */
const CARD_IDLE_MS = 60_000;

/** An adapter in use. */
export interface BackingAdapter {
  readonly plan: AdapterPlan;
  readonly lane: AdapterPool;
}

/** Options of the search for adapters and of their use. */
export interface AdapterSettings {
  /** Bytes of one adapter's memory for state vectors; by default its free memory. */
  readonly gpuMemoryBytes?: number;
  /** Environment of this process. Without it, adapters of one name cannot be distinguished. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Folder for tunings of adapters; without it, none are made. */
  readonly tuningFolder?: string;
  /** Looks for GPU adapters; by default on this machine. */
  readonly discover?: (signal: AbortSignal) => Promise<AdapterDiscovery>;
  /** Looks for the system's graphics cards; by default on this machine. */
  readonly findCards?: () => Promise<readonly GpuCard[]>;
  /** The module of the adapters' processes; the product's own unless a test brings another. */
  readonly gpuWorkerEntry?: URL;
  /** The module of the process of several adapters; the product's own unless a test brings another. */
  readonly spreadWorkerEntry?: URL;
  /** Milliseconds for which the process of an adapter may send nothing while it runs a circuit. */
  readonly silenceLimitMs?: number;
}

/** Options of a fleet's adapters. */
export interface FleetAdaptersOptions {
  readonly settings: AdapterSettings;
  readonly backend: CircuitBackend;
  /** For the states of software adapters; 0 where they are not used. */
  readonly softwareMemoryBytes: number;
  /** An adapter's process ended. */
  readonly onLost: (lane: AdapterPool, how: string) => void;
}

/** The adapters of this machine. */
export class FleetAdapters {
  readonly #options: FleetAdaptersOptions;
  readonly #lanes = new Map<AdapterPlan, AdapterPool>();
  #discovery: AdapterDiscovery | undefined;
  #plans: AdapterPlans = { used: [], unused: [] };

  constructor(options: FleetAdaptersOptions) {
    this.#options = options;
  }

  /** Adapters found; undefined until the search has ended. */
  get discovery(): AdapterDiscovery | undefined {
    return this.#discovery;
  }

  /** Looks for adapters. */
  async find(signal: AbortSignal): Promise<AdapterDiscovery> {
    const { discover = () => discoverAdapters({ signal }) } = this.#options.settings;
    const discovery = await discover(signal);
    this.#discovery = discovery;
    return discovery;
  }

  /** Uses none of the adapters found, for that reason. */
  leaveAll(reason: string): void {
    const { adapters = [] } = this.#discovery ?? {};
    this.#plans = { used: [], unused: adapters.map((adapter) => ({ adapter, reason })) };
  }

  /** Plans how the adapters found are used. */
  async plan(signal: AbortSignal): Promise<void> {
    if (this.#discovery === undefined) throw new Error('unreachable: no adapter was looked for');
    const { settings, softwareMemoryBytes } = this.#options;
    const { environment, gpuMemoryBytes, findCards = findGpuCards } = settings;
    const hasHardware = this.#discovery.adapters.some(({ isSoftware }) => !isSoftware);
    this.#plans = await planAdapters(this.#discovery, {
      useSoftware: softwareMemoryBytes > 0,
      softwareMemoryBytes,
      ...(gpuMemoryBytes !== undefined && { memoryBytes: gpuMemoryBytes }),
      cards: hasHardware ? await findCards() : [],
      probe: (pin) =>
        environment === undefined
          ? Promise.resolve({ adapters: [] })
          : discoverAdapters({ environment: { ...environment, ...pin }, signal }),
    });
  }

  /** Starts a process for each adapter that the plan uses. */
  open(): readonly BackingAdapter[] {
    return this.#plans.used.map((plan) => ({ plan, lane: this.#open(plan) }));
  }

  /**
   * Starts the process in which several of the adapters hold states together that none holds alone;
   * undefined where no two of them hold more than one does.
   */
  openSpread(adapters: readonly BackingAdapter[]): AdapterPool | undefined {
    const members = membersOfSpread(adapters);
    if (members.length === 0) return undefined;
    const { settings, backend, onLost } = this.#options;
    const { environment, spreadWorkerEntry, silenceLimitMs } = settings;
    const start = spreadStarter({
      members: members.map(({ plan }) => ({
        ...this.#setupOf(plan),
        ...(plan.pin && { pin: plan.pin }),
      })),
      ...(environment && { environment }),
      ...(spreadWorkerEntry && { entry: spreadWorkerEntry }),
    });
    const lane: AdapterPool = backend.addAdapter(
      {
        start,
        isSoftware: members.some(({ lane: member }) => member.isSoftware),
        members: members.map(({ lane: member }) => member.id),
        ...(silenceLimitMs !== undefined && { silenceLimitMs }),
      },
      (how) => onLost(lane, how),
    );
    return lane;
  }

  /** Why no adapter is used, a sentence or two. */
  get whyNone(): string {
    const { adapters = [], reason = '' } = this.#discovery ?? {};
    if (adapters.length === 0) return reason;
    const names = this.#plans.unused.map(({ adapter }) => adapter.name).join(', ');
    const software = `${names}: software, and QCS_SOFTWARE_ADAPTERS is not 1.`;
    return `No GPU adapter was found. ${software} ${reason}`.trim();
  }

  /** Status of each adapter: how it is used, its health, and its engine's report. */
  statuses(healthOf: (lane: LaneId) => Availability): readonly AdapterStatus[] {
    return adapterStatuses(this.#plans, (plan) => {
      const lane = this.#lanes.get(plan);
      return lane && { lane, health: healthOf(lane.id) };
    });
  }

  /** The adapters in a line, for people. */
  describe(): string {
    if (this.#discovery === undefined) return 'not looked for yet.';
    const { adapters, reason = '' } = this.#discovery;
    if (adapters.length === 0) return 'none.';
    const names = adapters.map(({ name, isSoftware }) =>
      isSoftware ? `${name} (software, not counted as a GPU)` : name,
    );
    return `${names.join(', ')}. ${reason}`.trim();
  }

  #open(plan: AdapterPlan): AdapterPool {
    const { settings, backend, onLost } = this.#options;
    const { environment, gpuWorkerEntry = GPU_WORKER, silenceLimitMs } = settings;
    const { name, backend: driver, isSoftware } = plan.adapter;
    const start: StartWorker = childProcess({
      entry: gpuWorkerEntry,
      setup: this.#setupOf(plan),
      receive: withOwnBuffers,
      ...(plan.pin && { environment: { ...environment, ...plan.pin } }),
    });
    const lane: AdapterPool = backend.addAdapter(
      {
        start,
        isSoftware,
        model: `${driver}:${name}`,
        ...(silenceLimitMs !== undefined && { silenceLimitMs }),
      },
      (how) => onLost(lane, how),
    );
    this.#lanes.set(plan, lane);
    return lane;
  }

  #setupOf({ adapter: { backend, name, isSoftware }, memory }: AdapterPlan): GpuWorkerSetup {
    const { tuningFolder } = this.#options.settings;
    return {
      adapter: { backend, name },
      memoryBytes: memory.bytes,
      // Several adapters may be needed by an engine over all of them.
      ...(this.#plans.used.length === 1 && !isSoftware && { idleMemoryMs: CARD_IDLE_MS }),
      ...(tuningFolder !== undefined && { tuningFolder }),
    };
  }
}

/** The 2, 4, 8 … adapters that hold the largest state together, each with a part of the same size. */
function membersOfSpread(adapters: readonly BackingAdapter[]): readonly BackingAdapter[] {
  const largestFirst = adapters.toSorted((a, b) => b.plan.memory.bytes - a.plan.memory.bytes);
  let members: readonly BackingAdapter[] = [];
  let widest = qubitsWithin(largestFirst[0]?.plan.memory.bytes ?? 0);
  for (let count = 2; count <= largestFirst.length; count *= 2) {
    const numQubits = qubitsWithin(count * (largestFirst[count - 1]?.plan.memory.bytes ?? 0));
    if (numQubits <= widest) continue;
    widest = numQubits;
    members = largestFirst.slice(0, count);
  }
  return members;
}

const SPREAD_WORKER = new URL(
  `./adapters/spread-worker${extname(import.meta.url)}`,
  import.meta.url,
);

/** Options of the process. */
export interface SpreadStarterOptions {
  /** 2, 4, 8 … adapters; nothing else should run on them while it does. */
  readonly members: readonly SpreadMember[];
  /** The whole environment of the process; this one's own when absent. Pins are added in turn. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The process's module; the product's own unless a test brings another. */
  readonly entry?: URL;
}

/** Starts such processes. */
export function spreadStarter({
  members,
  environment,
  entry = SPREAD_WORKER,
}: SpreadStarterOptions): StartWorker {
  const setup: SpreadWorkerSetup = { members };
  return childProcess({
    entry,
    setup,
    ...(environment && { environment }),
    receive: withOwnBuffers,
  });
}
