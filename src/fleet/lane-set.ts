/**
 * All lanes of a machine, and which of them may run a circuit: the CPU's of both widths, and the
 * adapters'. What waits in line for adapters is run by the CPU's wide engine where the circuit's
 * processor allows that and no adapter that is well takes the circuit. Of idle adapters the fastest
 * comes first.
 */
import { AdapterLane, type AdapterLaneOptions } from './adapter-lane.ts';
import type { EngineLane, SubmittedTask } from './engine-lane.ts';
import type { LaneId, Line, Width } from './width.ts';
import type { WorkQueue } from './work-queue.ts';
import type { Precision } from './worker-messages.ts';

/** The lanes of a machine. */
export class LaneSet {
  readonly cpu: Readonly<Record<Width, EngineLane>>;
  readonly #adapters: AdapterLane[] = [];
  readonly #maxCpuQubits: Readonly<Record<Precision, number>>;
  #all: readonly EngineLane[];

  /** @param maxCpuQubits - Of the wide engine. */
  constructor(
    cpu: Readonly<Record<Width, EngineLane>>,
    maxCpuQubits: Readonly<Record<Precision, number>>,
  ) {
    this.cpu = cpu;
    this.#maxCpuQubits = maxCpuQubits;
    this.#all = [cpu.small, cpu.wide];
  }

  /** Adds a lane that is not open yet. */
  addAdapter(options: AdapterLaneOptions): AdapterLane {
    const lane = new AdapterLane(`adapter-${this.#adapters.length}`, options);
    this.#adapters.push(lane);
    this.#all = [this.cpu.small, this.cpu.wide, ...this.#adapters];
    return lane;
  }

  get all(): readonly EngineLane[] {
    return this.#all;
  }

  /** All lanes in the order in which they take what waits: of the adapters, the fastest first. */
  get inTurn(): readonly EngineLane[] {
    return [this.cpu.small, this.cpu.wide, ...fastestFirst(this.#adapters)];
  }

  get hasAdapters(): boolean {
    return this.#adapters.length > 0;
  }

  lane(id: LaneId): EngineLane {
    const found = this.#all.find((lane) => lane.id === id);
    if (found === undefined) throw new Error(`unreachable: there is no lane ${id}`);
    return found;
  }

  /** What takes from a line now; where no adapter is well, what may stand in for one. */
  of(line: Line): readonly EngineLane[] {
    if (line !== 'adapter') return [this.cpu[line]];
    const healthy = this.#adapters.filter(({ isHealthy }) => isHealthy);
    return healthy.length > 0 ? healthy : [this.cpu.wide];
  }

  /** Until a circuit that comes behind others of a line would start, milliseconds. */
  expectedWaitMs(line: Line, numWaiting: number): number {
    const lanes = this.of(line);
    const each = Math.ceil(numWaiting / lanes.length);
    return Math.min(...lanes.map((lane) => lane.expectedWaitMs(each)));
  }

  /** Takes out what a lane runs next. */
  next(lane: EngineLane, queue: WorkQueue<SubmittedTask>): SubmittedTask | undefined {
    const now = performance.now();
    if (lane instanceof AdapterLane) {
      return queue.take(['adapter'], now, ({ circuit }) => lane.takes(circuit.numQubits));
    }
    if (lane === this.cpu.small) return queue.take(['small'], now);
    if (!this.hasAdapters) return queue.take(['wide'], now);
    return queue.take(
      ['wide', 'adapter'],
      now,
      (task) =>
        task.line === 'wide' || (this.#adapterFor(task) === undefined && this.#fitsCpu(task)),
    );
  }

  /** Another lane than those that have failed a circuit; undefined where nothing else takes it. */
  elsewhere(task: SubmittedTask): EngineLane | undefined {
    return this.#adapterFor(task) ?? (this.#fitsCpu(task) ? this.cpu.wide : undefined);
  }

  /** The fastest adapter that takes the circuit and has not failed it yet, an idle one first. */
  #adapterFor({ circuit, failedOn }: SubmittedTask): AdapterLane | undefined {
    const able = fastestFirst(this.#adapters).filter(
      (lane) => lane.takes(circuit.numQubits) && !failedOn.has(lane.id),
    );
    return able.find(({ hasIdle }) => hasIdle) ?? able[0];
  }

  #fitsCpu({ backing, circuit, precision }: SubmittedTask): boolean {
    return backing === 'adapter-or-cpu' && circuit.numQubits <= this.#maxCpuQubits[precision];
  }
}

/** Adapters of one speed, and those that were not measured, stay as they are listed. */
function fastestFirst(adapters: readonly AdapterLane[]): readonly AdapterLane[] {
  return adapters.toSorted((a, b) => b.sweepBytesPerSecond - a.sweepBytesPerSecond);
}
