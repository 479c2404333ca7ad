/**
 * What backs `gpu-fleet`: the adapters of this machine and, unless it is to run on WebGPU or not at
 * all, the CPU. Small circuits then run on the CPU by design, wide ones while no adapter is well.
 *
 * What the fleet says of itself follows from the last self-test of each adapter, so a lost adapter
 * shows at once in its limits, its execution and its count of GPUs.
 */
import type { AdapterLane } from './adapter-lane.ts';
import type { AdapterPlan } from './adapter-plan.ts';
import type { Backing, HealthOf } from './backing.ts';
import { AMPLITUDE_BYTES } from './memory-shares.ts';
import type { Availability, Backend, ProcessorSpec } from './processor.ts';
import type { LaneId, Width } from './width.ts';

/** An adapter in use. */
export interface BackingAdapter {
  readonly plan: AdapterPlan;
  readonly lane: AdapterLane;
}

/** What the fleet is without any adapter. */
export interface GpuBackingOptions {
  /** As it is on the CPU, with `execution: 'cpu-fallback'`. */
  readonly onCpu: ProcessorSpec;
  /** Whether the CPU may run its circuits. */
  readonly mayUseCpu: boolean;
  /** No wider circuits, whatever the memory. */
  readonly maxQubits: number;
  readonly cpuModel: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** The fleet's adapters, with the CPU beside them or not. */
export class GpuBacking implements Backing {
  readonly id: string;
  readonly kind: 'adapter' | 'adapter-or-cpu';
  readonly precision = 'f32';
  readonly widths: readonly Width[];
  readonly #options: GpuBackingOptions;
  readonly #adapters: BackingAdapter[] = [];
  #whyNoAdapter = 'Adapters have not been looked for yet.';

  constructor(options: GpuBackingOptions) {
    this.#options = options;
    this.id = options.onCpu.id;
    this.kind = options.mayUseCpu ? 'adapter-or-cpu' : 'adapter';
    this.widths = options.mayUseCpu ? ['small', 'wide'] : [];
  }

  add(adapter: BackingAdapter): void {
    this.#adapters.push(adapter);
  }

  /** @param reason - A sentence; said where no adapter was added. */
  setWhyNoAdapter(reason: string): void {
    this.#whyNoAdapter = reason;
  }

  get whyNoAdapter(): string {
    return this.#whyNoAdapter;
  }

  spec(healthOf: HealthOf): ProcessorSpec {
    const { onCpu, mayUseCpu, maxQubits } = this.#options;
    const healthy = this.#healthy(healthOf);
    const [widest] = healthy.toSorted((a, b) => targetQubits(b) - targetQubits(a));
    const isCpuWider =
      mayUseCpu && (widest === undefined || targetQubits(widest) < onCpu.maxQubits);
    const limits =
      widest === undefined || isCpuWider
        ? { maxQubits: mayUseCpu ? onCpu.maxQubits : 0 }
        : limitsOf(widest, maxQubits);
    const { target, stateMemory, ...rest } = onCpu;
    return {
      ...rest,
      ...(isCpuWider && { ...(stateMemory && { stateMemory }) }),
      target: isCpuWider ? target : (widest?.lane.report?.target ?? null),
      ...limits,
      execution: healthy.length > 0 || !mayUseCpu ? 'webgpu' : 'cpu-fallback',
      physicalGpus: healthy.filter(({ plan }) => !plan.adapter.isSoftware).length,
      adapters: healthy.map(({ plan }) => ({
        name: plan.adapter.name,
        isSoftware: plan.adapter.isSoftware,
      })),
    };
  }

  widest(): number {
    const { onCpu, mayUseCpu, maxQubits } = this.#options;
    const onAdapters = this.#adapters.map((adapter) => Math.min(maxQubits, targetQubits(adapter)));
    return Math.max(mayUseCpu ? onCpu.maxQubits : 0, ...onAdapters);
  }

  availability(healthOf: HealthOf): Availability {
    const { mayUseCpu, now } = this.#options;
    const outcomes = this.#adapters.map(({ lane }) => healthOf(lane.id));
    const well = outcomes.filter(({ available }) => available);
    if (!mayUseCpu) {
      const [first] = well.length > 0 ? well : outcomes;
      return first ?? { available: false, reason: this.#whyNoAdapter, checkedAt: now() };
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
      const { name, isSoftware } = adapter.plan.adapter;
      const hardware = isSoftware ? `${name} (software)` : name;
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

  #healthy(healthOf: HealthOf): readonly BackingAdapter[] {
    return this.#adapters.filter(({ lane }) => healthOf(lane.id).available && lane.report);
  }
}

/** 0 while its process has never been open. */
function targetQubits({ lane }: BackingAdapter): number {
  return lane.report?.target.maxQubits ?? 0;
}

function limitsOf(
  adapter: BackingAdapter,
  cap: number,
): Pick<ProcessorSpec, 'maxQubits' | 'stateMemory'> {
  const widest = targetQubits(adapter);
  const bytesPerAmplitude = AMPLITUDE_BYTES.f32;
  const addressable = bytesPerAmplitude * 2 ** widest;
  const { bytes } = adapter.plan.memory;
  // What a kernel can address may be less than what is there, and never decides alone below it.
  const isMemory = bytes < 2 * addressable;
  return {
    maxQubits: Math.min(cap, widest),
    stateMemory: { bytes: isMemory ? bytes : addressable, bytesPerAmplitude },
  };
}
