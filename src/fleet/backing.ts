/**
 * What backs a simulator: which engines its circuits may run on, and what the simulator is while
 * those engines are as they are.
 */
import type { Availability, Backend, ProcessorSpec } from './processor.ts';
import type { LaneId, SizeClass } from './schedule/lane.ts';
import type { MayRunOn } from './schedule/scheduled-run.ts';

/** The outcome of the last self-test of a lane's engines. */
export type HealthOf = (lane: LaneId) => Availability;

/** What backs a simulator. */
export interface Backing {
  /** Of the simulator. */
  readonly id: string;
  /** What its tasks may run on. */
  readonly mayRunOn: MayRunOn;
  /** Whether they take places on devices of the fleet. */
  readonly hasDevices: boolean;
  readonly precision: 'f32' | 'f64';
  /** Widths of the CPU's engines that it needs; adapters are added as they are found. */
  readonly sizeClasses: readonly SizeClass[];
  /** The simulator as it is now. */
  spec(healthOf: HealthOf): ProcessorSpec;
  /** Qubits of the widest circuit that it may take again once all its engines are well. */
  widest(): number;
  /** Whether circuits would run now. */
  availability(healthOf: HealthOf): Availability;
  /** What a result of that lane says ran it. */
  ranOn(lane: LaneId, healthOf: HealthOf): Backend;
}

/** A simulator on the CPU's engines of both widths. */
export class CpuBacking implements Backing {
  readonly id: string;
  readonly mayRunOn = 'cpu';
  readonly hasDevices = false;
  readonly sizeClasses = ['small', 'wide'] as const;
  readonly precision: 'f32' | 'f64';
  readonly #spec: ProcessorSpec;
  readonly #runsOn: Backend;

  constructor(spec: ProcessorSpec, runsOn: Backend) {
    this.id = spec.id;
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
    return bothSizes(healthOf('small'), healthOf('wide'));
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
