/**
 * `gpu-fleet`: the adapters of this machine and, unless it is set to run on WebGPU or not at all, the CPU. Small
 * circuits then run on the CPU by design, wide ones while no adapter is healthy. Its limits, its execution and its
 * count of GPUs follow from the last self-test of each adapter, so a lost adapter shows at once.
 */
import type { AdapterPlan } from './adapters/adapter-plan.ts';
import type { BackingAdapter } from './fleet-adapters.ts';
import type { FleetDevices } from './fleet-devices.ts';
import { AMPLITUDE_BYTES, qubitsWithin } from './memory-shares.ts';
import type { Availability, Backend, ProcessorSpec } from './processor.ts';
import { type LaneId, SIZE_CLASSES } from './schedule/lane.ts';
import { bothSizes, type SimulatorOptions, SimulatorProcessor } from './simulator-processor.ts';
import type { AdapterPool } from './workers/engine-pool.ts';

/** Options of the fleet. */
interface GpuFleetOptions extends SimulatorOptions {
  /** The processor on the CPU, with `execution: 'cpu-fallback'`. */
  readonly onCpu: ProcessorSpec;
  /** Whether the CPU may run its circuits. */
  readonly mayUseCpu: boolean;
  /** No wider circuits, whatever the memory. */
  readonly maxQubits: number;
  /** Qubits of the widest circuit that runs on one thread of the CPU. */
  readonly maxSmallQubits: number;
  readonly cpuModel: string;
  /** The fleet's devices. */
  readonly devices: () => FleetDevices;
}

/** Retry-After until adapters have been looked for, seconds. */
const LOOK_S = 1;

/** Width limit of circuits, and its reason. */
type Limits = Pick<ProcessorSpec, 'maxQubits' | 'stateMemory' | 'target'>;

/** The fleet's adapters, with the CPU beside them or not. */
export class GpuFleet extends SimulatorProcessor {
  readonly #options: GpuFleetOptions;
  readonly #adapters: BackingAdapter[] = [];
  readonly #spread: AdapterPool[] = [];
  /** Undefined until adapters have been looked for. */
  #whyNoAdapter: string | undefined;

  constructor(options: GpuFleetOptions) {
    const { onCpu, mayUseCpu } = options;
    const mayRunOn = mayUseCpu ? 'adapter-or-cpu' : 'adapter';
    const sizeClasses = mayUseCpu ? SIZE_CLASSES : [];
    super({ id: onCpu.id, mayRunOn, hasDevices: true, precision: 'f32', sizeClasses }, options);
    this.#options = options;
  }

  add(adapter: BackingAdapter): void {
    this.#adapters.push(adapter);
    this.addLane(adapter.lane);
  }

  /** Adds the lane of several adapters, which are added already. */
  addSpread(lane: AdapterPool): void {
    this.#spread.push(lane);
    this.addLane(lane);
  }

  /** All adapters in use, healthy or not. */
  get adapters(): readonly BackingAdapter[] {
    return this.#adapters;
  }

  /** Pools over several of them. */
  get spread(): readonly AdapterPool[] {
    return this.#spread;
  }

  get mayUseCpu(): boolean {
    return this.#options.mayUseCpu;
  }

  /** @param reason - A sentence; said where no adapter was added. */
  setWhyNoAdapter(reason: string): void {
    this.#whyNoAdapter = reason;
  }

  get whyNoAdapter(): string {
    return this.#whyNoAdapter ?? 'Adapters have not been looked for yet.';
  }

  protected specNow(): ProcessorSpec {
    const { onCpu, mayUseCpu } = this.#options;
    const healthy = this.#healthy();
    const spread = this.#spread.filter((lane) => lane.isHealthy && lane.report !== undefined);
    const alone = this.#limits(healthy);
    const limits = [...alone, ...this.#limitsOn(spread)];
    const [widest] = limits.toSorted((a, b) => b.maxQubits - a.maxQubits);
    const { stateMemory: _, ...rest } = onCpu;
    return {
      ...rest,
      ...(widest ?? { maxQubits: 0, target: null }),
      maxNoisyQubits: Math.max(0, ...alone.map((each) => each.maxQubits)),
      execution: healthy.length > 0 || !mayUseCpu ? 'webgpu' : 'cpu-fallback',
      physicalGpus: healthy.filter(({ plan }) => !plan.adapter.isSoftware).length,
      adapters: healthy.map(({ plan }) => ({
        name: plan.adapter.name,
        isSoftware: plan.adapter.isSoftware,
      })),
    };
  }

  protected widest(isNoisy: boolean): number {
    const { onCpu, mayUseCpu, maxQubits } = this.#options;
    const onAdapters = this.#adapters.map((adapter) => Math.min(maxQubits, targetQubits(adapter)));
    const spread = isNoisy ? [] : this.#spread;
    const onAllOfThem = spread.map(({ report }) => report?.target.maxQubits ?? 0);
    return Math.max(mayUseCpu ? onCpu.maxQubits : 0, ...onAdapters, ...onAllOfThem);
  }

  protected health(): Availability {
    const health = this.#enginesHealth();
    const whyNoDevice = this.#options.devices().whyNone;
    if (!health.available || whyNoDevice === undefined) return health;
    return { available: false, reason: whyNoDevice, checkedAt: health.checkedAt };
  }

  #enginesHealth(): Availability {
    const { mayUseCpu, now } = this.#options;
    const outcomes = this.#adapters.map(({ lane }) => this.healthOf(lane.id));
    const well = outcomes.filter(({ available }) => available);
    if (!mayUseCpu) {
      const [first] = well.length > 0 ? well : outcomes;
      if (first !== undefined) return first;
      const isKnown = this.#whyNoAdapter !== undefined;
      return {
        available: false,
        reason: this.whyNoAdapter,
        checkedAt: now(),
        ...(!isKnown && { retryAfterS: LOOK_S }),
      };
    }
    const [wide = this.healthOf('wide')] = well;
    return bothSizes(this.healthOf('small'), wide, 'Wide circuits');
  }

  protected ranOn(lane: LaneId): Backend {
    const adapter = this.#adapters.find((one) => one.lane.id === lane);
    if (adapter !== undefined) {
      const hardware = hardwareOf(adapter.plan);
      return { engine: 'webgpu', execution: 'webgpu', precision: 'f32', hardware };
    }
    const spread = this.#spread.find((one) => one.id === lane);
    if (spread !== undefined) {
      const names = this.#membersOf(spread).map(({ plan }) => hardwareOf(plan));
      const hardware = names.join(' + ');
      return { engine: 'webgpu', execution: 'webgpu', precision: 'f32', hardware };
    }
    // Small circuits go to the CPU by design where there is an adapter, and for want of one elsewhere.
    const isByDesign = lane === 'small' && this.#healthy().length > 0;
    return {
      engine: 'cpu',
      execution: isByDesign ? 'cpu' : 'cpu-fallback',
      precision: 'f32',
      hardware: this.#options.cpuModel,
    };
  }

  /** Limits of each kind of engine that takes circuits now and holds their states alone. */
  #limits(healthy: readonly BackingAdapter[]): readonly Limits[] {
    const { onCpu, mayUseCpu } = this.#options;
    const onAdapters = this.#limitsOn(healthy.map(({ lane }) => lane));
    if (!mayUseCpu) return onAdapters;
    return [...onAdapters, healthy.length > 0 ? onCpu : this.#cpuLimits()];
  }

  /**
   * Limits of lanes of adapters: those of their open devices. If no device is open nothing runs, and the limits are
   * those of all devices.
   */
  #limitsOn(lanes: readonly AdapterPool[]): readonly Limits[] {
    const devices = this.#options.devices();
    const isAnyOpen = devices.whyNone === undefined;
    return lanes.flatMap((lane) => {
      const bytes = isAnyOpen ? devices.openBytes(lane.id) : Number.POSITIVE_INFINITY;
      return bytes === 0 ? [] : limitsOf(lane, bytes, this.#options.maxQubits);
    });
  }

  /** Limits of the CPU while it backs the devices: the open ones hold the state. */
  #cpuLimits(): Limits {
    const { onCpu, maxSmallQubits } = this.#options;
    const bytes = this.#options.devices().openBytes(undefined);
    const isWhole = bytes === 0 || qubitsWithin(bytes) >= onCpu.maxQubits;
    if (isWhole) return onCpu;
    return {
      target: onCpu.target,
      maxQubits: Math.min(onCpu.maxQubits, Math.max(maxSmallQubits, qubitsWithin(bytes))),
      stateMemory: { bytes, bytesPerAmplitude: AMPLITUDE_BYTES.f32 },
    };
  }

  #membersOf({ members = [] }: AdapterPool): readonly BackingAdapter[] {
    return this.#adapters.filter(({ lane }) => members.includes(lane.id));
  }

  #healthy(): readonly BackingAdapter[] {
    return this.#adapters.filter(({ lane }) => this.healthOf(lane.id).available && lane.report);
  }
}

/** 0 while its process has never been open. */
function targetQubits({ lane }: BackingAdapter): number {
  return lane.report?.target.maxQubits ?? 0;
}

/** @param openBytes - For states, on the devices that are open. */
function limitsOf({ report }: AdapterPool, openBytes: number, cap: number): Limits {
  const addressable = report?.target.maxQubits ?? 0;
  const bytesPerAmplitude = AMPLITUDE_BYTES.f32;
  const maxBytes = bytesPerAmplitude * 2 ** addressable;
  // A kernel may address less than the memory holds; then the kernel's limit decides.
  const isMemory = openBytes < 2 * maxBytes;
  return {
    target: report?.target ?? null,
    maxQubits: Math.min(cap, addressable, qubitsWithin(openBytes)),
    stateMemory: isMemory
      ? { bytes: openBytes, bytesPerAmplitude, setting: 'QCS_GPU_MEMORY_MIB' }
      : { bytes: maxBytes, bytesPerAmplitude },
  };
}

function hardwareOf({ adapter: { name, isSoftware } }: AdapterPlan): string {
  return isSoftware ? `${name} (software)` : name;
}
