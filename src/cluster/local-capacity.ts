/** Room of this node in the lines of a cluster, by its processors, processes and holdings. */
import type { Processor } from '../fleet/processor.ts';
import { rangesOfJobs, rangesOfRuns } from '../fleet/schedule/width-scale.ts';
import type { HeldJobs, NodeCapacity } from './cluster-jobs.ts';
import type { Room, WidthRange } from './job-lines.ts';
import { type WidthLimits, widthFor } from './merge-specs.ts';

/** A circuit starts here at once, or is claimed, if it would begin within this time, milliseconds. */
const SOON_MS = 10;
/** Circuits claimed at once, at most. */
const MAX_SMALL = 64;
const MAX_WIDE = 4;
/** Batches that a node works on at a time. Their runs take turns in its own queue. */
const MAX_BATCHES = 32;
/** Plans wait for their tasks, which are jobs of their own. */
const MAX_PLANS = 256;
/** TPU jobs that wait for chips of a zone in its node. */
const MAX_WAITING_FOR_CHIPS = 64;
/** Time that a node waits before it claims long work, for each long job that it has already, milliseconds. */
const PATIENCE_MS = 20;
const MAX_PATIENCE_MS = 1000;

const ANY_TIME = Number.POSITIVE_INFINITY;

/** Options of a LocalCapacity. */
export interface LocalCapacityOptions {
  /** Processors of this machine. */
  readonly processors: readonly Processor[];
  /** Qubits that the simulators of this machine hold that are available. */
  readonly limits: () => ReadonlyMap<string, WidthLimits>;
  readonly numThreads: number;
  /** Processes that run tasks. */
  readonly numTaskProcesses: number;
  /** Jobs at the vendor of hardware. */
  readonly numHardwareJobs: number;
  /** TPU zones that this node holds. */
  readonly zones: () => readonly string[];
}

export class LocalCapacity implements NodeCapacity {
  readonly #options: LocalCapacityOptions;

  constructor(options: LocalCapacityOptions) {
    this.#options = options;
  }

  lines(): readonly string[] {
    const zones = this.#options.zones().map((zone) => `tpu/${zone}`);
    return ['small', 'wide', 'batch', 'hardware', 'task', 'plan', ...zones];
  }

  room(line: string, held: HeldJobs): Room | undefined {
    const { numThreads, numTaskProcesses, numHardwareJobs, zones } = this.#options;
    switch (line) {
      case 'small':
        return this.#roomForCircuits(line, held, MAX_SMALL, numThreads);
      case 'wide':
        return this.#roomForCircuits(line, held, MAX_WIDE, 1);
      case 'batch':
        return this.#roomFor(line, MAX_BATCHES - held.count, this.#simulators(rangesOfJobs));
      case 'hardware':
        return this.#roomFor(line, numHardwareJobs - held.count, this.#hardware());
      case 'task':
        return this.#roomFor(line, numTaskProcesses - held.count);
      case 'plan':
        return this.#roomFor(line, MAX_PLANS - held.count);
      default: {
        const isHeld = zones().some((zone) => line === `tpu/${zone}`);
        return isHeld ? this.#roomFor(line, MAX_WAITING_FOR_CHIPS - held.waiting) : undefined;
      }
    }
  }

  patienceMs(line: string, { count }: HeldJobs): number {
    if (line !== 'batch' && line !== 'task' && line !== 'plan') return 0;
    return Math.min(MAX_PATIENCE_MS, PATIENCE_MS * count);
  }

  /** Room for circuits that would begin soon on one of `width` engines. */
  #roomForCircuits(
    line: 'small' | 'wide',
    held: HeldJobs,
    most: number,
    width: number,
  ): Room | undefined {
    const waits = this.#options.processors.flatMap((processor) => {
      const load = processor.load();
      return (line === 'small' ? load.expectedWaitMs : load.expectedWideWaitMs) ?? [];
    });
    const waitMs = Math.max(Math.min(...waits), held.waitingMs / width);
    if (waitMs > SOON_MS) return undefined;
    const room = this.#roomFor(line, most - held.waiting, this.#simulators(rangesOfRuns));
    return room && { ...room, maxCostMs: (SOON_MS - waitMs) * width };
  }

  #roomFor(line: string, maxJobs: number, widths?: readonly WidthRange[]): Room | undefined {
    if (maxJobs < 1 || widths?.length === 0) return undefined;
    return { line, maxJobs, maxCostMs: ANY_TIME, widths };
  }

  /** Widths of the simulators that are available. */
  #simulators(rangesOf: typeof rangesOfJobs): readonly WidthRange[] {
    return [...this.#options.limits()].flatMap(([target, limits]) =>
      rangesOf((method) => widthFor(limits, method)).map((range) => ({ target, ...range })),
    );
  }

  #hardware(): readonly WidthRange[] {
    const hardware = this.#options.processors.filter(
      (processor) => processor.runOnDevice !== undefined && processor.availability().available,
    );
    return hardware.map(({ spec }) => ({ target: spec.id, least: 0, most: 0 }));
  }
}
