/**
 * Backings of the simulators: which engines run their circuits, and what a simulator can do in the
 * present state of these engines.
 *
 * `gpu-fleet` is backed by the adapters of this machine and, unless it is set to run on WebGPU or not at
 * all, by the CPU. Small circuits then run on the CPU by design, wide ones while no adapter is healthy.
 * Its limits, its execution and its count of GPUs follow from the last self-test of each adapter, so a
 * lost adapter shows at once.
 */

import type { AdapterPlan } from './adapters/adapter-plan.ts';
import type { BackingAdapter } from './fleet-adapters.ts';
import type { FleetDevices } from './fleet-devices.ts';
import { AMPLITUDE_BYTES, qubitsWithin } from './memory-shares.ts';
import type { Availability, Backend, ProcessorSpec } from './processor.ts';
import { type LaneId, SIZE_CLASSES, type SizeClass } from './schedule/lane.ts';
import type { MayRunOn } from './schedule/scheduled-run.ts';
import type { AdapterPool } from './workers/engine-pool.ts';

/** The outcome of the last self-test of a lane's engines. */
type HealthOf = (lane: LaneId) => Availability;

/** Backing of a simulator. */
export interface Backing {
  /** Id of the simulator. */
  readonly id: string;
  /** Hardware that its runs may use. */
  readonly mayRunOn: MayRunOn;
  /** Whether its runs take devices of the fleet. */
  readonly hasDevices: boolean;
  readonly precision: 'f32' | 'f64';
  /** CPU lanes that it needs; adapters are added as they are found. */
  readonly sizeClasses: readonly SizeClass[];
  /** The simulator as it is now. */
  spec(healthOf: HealthOf): ProcessorSpec;
  /**
   * Qubits of the widest circuit that it may take again once all its engines are well.
   *
   * @param isNoisy - Whether circuits have noise, or run by another method than on one state.
   */
  widest(isNoisy: boolean): number;
  /** Whether circuits would run now. */
  availability(healthOf: HealthOf): Availability;
  /** Backend to name in results of that lane. */
  ranOn(lane: LaneId, healthOf: HealthOf): Backend;
}

/** Backing of a simulator on the CPU. */
export class CpuBacking implements Backing {
  readonly id: string;
  readonly mayRunOn = 'cpu';
  readonly hasDevices = false;
  readonly sizeClasses: readonly SizeClass[];
  readonly precision: 'f32' | 'f64';
  readonly #spec: ProcessorSpec;
  readonly #runsOn: Backend;

  /** @param sizeClasses - Without `wide` where only small circuits run. */
  constructor(
    spec: ProcessorSpec,
    runsOn: Backend,
    sizeClasses: readonly SizeClass[] = SIZE_CLASSES,
  ) {
    this.id = spec.id;
    this.sizeClasses = sizeClasses;
    this.#spec = spec;
    this.#runsOn = runsOn;
    this.precision = runsOn.precision;
  }

  spec(): ProcessorSpec {
    return this.#spec;
  }

  widest(): number {
    return this.#spec.maxQubits;
  }

  availability(healthOf: HealthOf): Availability {
    const small = healthOf('small');
    return this.sizeClasses.includes('wide') ? bothSizes(small, healthOf('wide')) : small;
  }

  ranOn(): Backend {
    return this.#runsOn;
  }
}

/** The outcomes of the CPU's engines as one: the older of two good ones, or the first bad one. */
export function bothSizes(small: Availability, wide: Availability): Availability {
  if (!small.available) return small;
  if (!wide.available) {
    return { ...wide, reason: `Circuits that need all threads: ${wide.reason}` };
  }
  return small.checkedAt <= wide.checkedAt ? small : wide;
}

/** Options of the backing of `gpu-fleet`. */
interface GpuBackingOptions {
  /** The processor as it is on the CPU, with `execution: 'cpu-fallback'`. */
  readonly onCpu: ProcessorSpec;
  /** Whether the CPU may run its circuits. */
  readonly mayUseCpu: boolean;
  /** No wider circuits, whatever the memory. */
  readonly maxQubits: number;
  /** Qubits of the widest circuit that runs on one thread of the CPU. */
  readonly maxSmallQubits: number;
  readonly cpuModel: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** The fleet's devices. */
  readonly devices: () => FleetDevices;
}

/** Retry-After until adapters have been looked for, seconds. */
const LOOK_S = 1;

/** Width limit of circuits, and its reason. */
type Limits = Pick<ProcessorSpec, 'maxQubits' | 'stateMemory' | 'target'>;

/** The fleet's adapters, with the CPU beside them or not. */
export class GpuBacking implements Backing {
  readonly id: string;
  readonly mayRunOn: 'adapter' | 'adapter-or-cpu';
  readonly hasDevices = true;
  readonly precision = 'f32';
  readonly sizeClasses: readonly SizeClass[];
  readonly #options: GpuBackingOptions;
  readonly #adapters: BackingAdapter[] = [];
  readonly #spread: AdapterPool[] = [];
  /** Undefined until adapters have been looked for. */
  #whyNoAdapter: string | undefined;

  constructor(options: GpuBackingOptions) {
    this.#options = options;
    this.id = options.onCpu.id;
    this.mayRunOn = options.mayUseCpu ? 'adapter-or-cpu' : 'adapter';
    this.sizeClasses = options.mayUseCpu ? ['small', 'wide'] : [];
  }

  add(adapter: BackingAdapter): void {
    this.#adapters.push(adapter);
  }

  /** Adds the lane of several adapters, which are added already. */
  addSpread(lane: AdapterPool): void {
    this.#spread.push(lane);
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

  spec(healthOf: HealthOf): ProcessorSpec {
    const { onCpu, mayUseCpu } = this.#options;
    const healthy = this.#healthy(healthOf);
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

  widest(isNoisy: boolean): number {
    const { onCpu, mayUseCpu, maxQubits } = this.#options;
    const onAdapters = this.#adapters.map((adapter) => Math.min(maxQubits, targetQubits(adapter)));
    const spread = isNoisy ? [] : this.#spread;
    const onAllOfThem = spread.map(({ report }) => report?.target.maxQubits ?? 0);
    return Math.max(mayUseCpu ? onCpu.maxQubits : 0, ...onAdapters, ...onAllOfThem);
  }

  availability(healthOf: HealthOf): Availability {
    const health = this.#enginesHealth(healthOf);
    const whyNoDevice = this.#options.devices().whyNone;
    if (!health.available || whyNoDevice === undefined) return health;
    return { available: false, reason: whyNoDevice, checkedAt: health.checkedAt };
  }

  #enginesHealth(healthOf: HealthOf): Availability {
    const { mayUseCpu, now } = this.#options;
    const outcomes = this.#adapters.map(({ lane }) => healthOf(lane.id));
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
    const small = healthOf('small');
    if (!small.available) return small;
    const [wide = healthOf('wide')] = well;
    if (!wide.available) return { ...wide, reason: `Wide circuits: ${wide.reason}` };
    return small.checkedAt <= wide.checkedAt ? small : wide;
  }

  ranOn(lane: LaneId, healthOf: HealthOf): Backend {
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
    const isByDesign = lane === 'small' && this.#healthy(healthOf).length > 0;
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
   * Limits of lanes of adapters: what their open devices hold. Where no device is open nothing runs, and the limits are
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

  #healthy(healthOf: HealthOf): readonly BackingAdapter[] {
    return this.#adapters.filter(({ lane }) => healthOf(lane.id).available && lane.report);
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
