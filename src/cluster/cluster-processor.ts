/**
 * A processor of a cluster: one id over the processors of that id on all nodes.
 *
 * Limits, availability and load are those of the cluster, so that a node with a small machine, or one that runs no
 * jobs, takes what another node can run. `run` and `runOnDevice` are this node's: a node runs what it started or
 * claimed. `admit` reserves nothing, because the admitted job waits in the database.
 *
 * Hardware that is not configured on this node stays offline here: without its device, circuits cannot be checked.
 */
import {
  CircuitTooLargeError,
  CircuitTooLongError,
  ProcessorUnavailableError,
  QueueFullError,
} from '../fleet/errors.ts';
import type {
  Availability,
  CircuitResult,
  CircuitRun,
  ComingRun,
  ExpectedRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from '../fleet/processor.ts';
import { MAX_SMALL_QUBITS } from '../fleet/schedule/lane.ts';
import { modelMs } from '../fleet/schedule/run-estimates.ts';
import type { RunMethod, RunWork } from '../fleet/schedule/scheduled-run.ts';
import {
  EVERY_PLACE,
  type RunState,
  rangesOfJobs,
  type ScaleRange,
  widestOnScale,
} from '../fleet/schedule/width-scale.ts';
import type { LiveNodes, NodesNow, ReportingNode } from './live-nodes.ts';
import {
  mergeSpecs,
  type NodeLimits,
  type WidthLimits,
  widestState,
  widthFor,
  widthLimits,
} from './merge-specs.ts';
import { reportLoad } from './node-report.ts';
import type { Peers, ReportedProcessor } from './node-status.ts';

/** Jobs that wait in the database. */
export interface WaitingJobs {
  readonly count: number;
  /** Expected run times of all of them together, milliseconds. */
  readonly costMs: number;
}

/** Dependencies of a processor of a cluster. */
export interface ClusterProcessorOptions {
  /** The processor on this node. */
  readonly own: Processor;
  readonly peers: Peers;
  readonly nodes: LiveNodes;
  /** Small circuits that this node runs at the same time. */
  readonly numThreads: number;
  /** Jobs that may wait in the database, for each node that runs jobs. */
  readonly queueLimit: number;
  /** A circuit that is expected to run for longer, milliseconds, is not admitted; no limit unless given. */
  readonly maxRunMs?: number;
  /** Jobs in the database that a new one of the processor would wait for. */
  readonly waitingInDatabase: (processorId: string) => WaitingJobs;
}

/** The processor on one node. */
interface Part extends NodeLimits {
  readonly node: string;
  readonly isOwn: boolean;
  readonly availability: Availability;
  readonly timeFactor?: number | undefined;
  readonly numThreads: number;
  readonly load: () => ProcessorLoad;
}

/** The parts of a processor. */
interface Parts {
  /** On nodes that take jobs. */
  readonly running: readonly Part[];
  /** On draining nodes. */
  readonly draining: readonly Part[];
  /** On nodes that are away. */
  readonly gone: readonly Part[];
}

/** A processor of a cluster. */
export class ClusterProcessor implements Processor {
  /** The processor on this node, which may also be asked to take a run itself. */
  readonly own: Processor;
  readonly runOnDevice?: NonNullable<Processor['runOnDevice']>;
  readonly report?: NonNullable<Processor['report']>;
  readonly #options: ClusterProcessorOptions;
  readonly #id: string;
  #maintenance: { readonly reason: string } | undefined;
  #others: { readonly nodes: NodesNow; readonly parts: Parts } | undefined;
  /** Kept until something changes: every request reads it. */
  #spec:
    | {
        readonly nodes: NodesNow;
        readonly own: ProcessorSpec;
        readonly state: string;
        readonly spec: ProcessorSpec;
      }
    | undefined;

  constructor(options: ClusterProcessorOptions) {
    const { own } = options;
    this.#options = options;
    this.own = own;
    this.#id = own.spec.id;
    if (own.runOnDevice !== undefined) this.runOnDevice = own.runOnDevice.bind(own);
    if (own.report !== undefined) this.report = own.report.bind(own);
  }

  /** The processor as the cluster has it; the same object until something has changed. */
  get spec(): ProcessorSpec {
    const own = this.own.spec;
    if (own.family === 'superconducting') return own;
    const nodes = this.#options.nodes.now();
    const { isDraining } = this.#options.peers;
    const state = `${isDraining} ${this.own.availability().available}`;
    const known = this.#spec;
    if (known?.nodes === nodes && known.own === own && known.state === state) return known.spec;
    const spec = this.#merged(own);
    this.#spec = { nodes, own, state, spec };
    return spec;
  }

  availability(): Availability {
    const own = this.own.availability();
    if (this.#maintenance !== undefined) {
      const reason = `In maintenance: ${this.#maintenance.reason}`;
      return { available: false, reason, checkedAt: own.checkedAt };
    }
    if (this.#isLocal) return own;
    const { running, draining } = this.#parts();
    const states = running.map(({ availability }) => availability);
    const checkedAt = Math.max(...states.map((state) => state.checkedAt));
    if (states.some(({ available }) => available)) return { available: true, checkedAt };
    const informed =
      running.find(({ isOwn }) => isOwn) ??
      running.find(({ availability }) => availability.checkedAt === checkedAt);
    if (informed !== undefined) {
      const { reason = '' } = informed.availability;
      return { ...informed.availability, reason: `Node ${informed.node}: ${reason}` };
    }
    const reason = whyNobodyRuns(draining.length > 0);
    return { available: false, reason, checkedAt: this.#options.peers.now() };
  }

  /**
   * Places on the scale of widths of the jobs that some node takes that is up; undefined if this node does not know,
   * as for hardware that is not configured here.
   */
  places(): readonly ScaleRange[] | undefined {
    if (this.#isLocal && !this.own.availability().available) return undefined;
    if (!this.availability().available) return [];
    if (this.own.spec.family === 'superconducting') return [EVERY_PLACE];
    // Ranges that begin at the same place: the longest one counts.
    const longest = new Map<number, ScaleRange>();
    for (const limits of this.#limitsOfWell()) {
      for (const range of rangesOfJobs((method) => widthFor(limits, method))) {
        if (range.most > (longest.get(range.least)?.most ?? -1)) longest.set(range.least, range);
      }
    }
    return [...longest.values()];
  }

  /** Why no node that is up takes a job of a place that is not among `places`. */
  whyNone(place: number): string | undefined {
    const { available, reason } = this.availability();
    if (!available) return this.#isLocal ? undefined : reason;
    const { numQubits, method = 'statevector' } = widestOnScale(place);
    const most = Math.max(0, ...this.#limitsOfWell().map((limits) => widthFor(limits, method)));
    if (numQubits <= most) {
      return `No node of the cluster that is up holds all programs of the batch on ${this.#id}.`;
    }
    return `No node of the cluster that is up holds its state of ${numQubits} qubits; ${this.#id} holds ${most} now.`;
  }

  load(): ProcessorLoad {
    const { count, costMs } = this.#options.waitingInDatabase(this.#id);
    const { running, draining } = this.#parts();
    const loads = [...running, ...draining].map((part) => part.load());
    const atVendor = this.report?.()?.queueDepth ?? 0;
    const queueDepth = loads.reduce((sum, load) => sum + load.queueDepth, atVendor + count);
    return {
      queueDepth,
      running: loads.reduce((sum, load) => sum + load.running, 0),
      ...expectedWaits(running.filter(isWell), costMs),
    };
  }

  /** On the node that is expected to be done first. */
  expectedRun(work: RunWork): ExpectedRun | undefined {
    const { numQubits } = work;
    const method: RunMethod = work.method ?? 'statevector';
    const parts = this.#parts().running.filter(isWell);
    const widestOfAll = Math.max(0, ...parts.map(widestState));
    const runs = parts.map((part): ExpectedRun | undefined => {
      const { isOwn, timeFactor, numThreads } = part;
      if (numQubits > widthFor(widthLimits(part, widestOfAll), method)) return undefined;
      if (isOwn) return this.own.expectedRun(work);
      if (timeFactor === undefined) return undefined;
      const numEngines = numQubits > MAX_SMALL_QUBITS ? 1 : numThreads;
      return { ms: timeFactor * modelMs(work), numEngines };
    });
    const known = runs.filter((run) => run !== undefined);
    return known.toSorted((a, b) => a.ms - b.ms)[0];
  }

  /** Position of a run on this node. */
  queuePosition(runId: string): number | undefined {
    return this.own.queuePosition(runId);
  }

  /** Expected start of a run on this node. */
  expectedStart(runId: string): number | undefined {
    return this.own.expectedStart(runId);
  }

  /**
   * Checks that the cluster would take a run now, and reserves nothing.
   *
   * @throws {ProcessorUnavailableError} if no live node has the processor available.
   * @throws {CircuitTooLargeError} if the run fits none of these nodes.
   * @throws {CircuitTooLongError} if it is expected to take longer than any may.
   * @throws {QueueFullError} if as many jobs wait in the database as may.
   */
  admit(run?: ComingRun): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.#id, reason, retryAfterS);
    if (run !== undefined) {
      this.#checkWidths(run.together ?? [run.work]);
      this.#checkDuration(run);
    }
    this.#checkQueue();
  }

  /** Gives up a place that a run has in the queue of this node. */
  withdraw(runId: string): void {
    this.own.withdraw(runId);
  }

  async run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    return await this.own.run(run, hooks, signal);
  }

  /** Takes the processor out of service on this node, or back. The store tells the others. */
  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    if (this.#maintenance?.reason === maintenance?.reason) return;
    this.#maintenance = maintenance;
    this.own.setMaintenance(maintenance);
  }

  /** Whether only this node counts. */
  get #isLocal(): boolean {
    return this.own.spec.family === 'superconducting' && this.own.runOnDevice === undefined;
  }

  #merged(own: ProcessorSpec): ProcessorSpec {
    const { running, draining, gone } = this.#parts();
    // An offline processor keeps the limits that it had, so that its callers learn that it is offline.
    const sized =
      [running.filter(isWell), running, draining, gone].find(({ length }) => length > 0) ?? [];
    return mergeSpecs(own, sized.length === 0 ? [this.#ownPart()] : sized, running);
  }

  #parts(): Parts {
    const { peers, nodes } = this.#options;
    const others = this.#othersAt(nodes.now());
    if (peers.role === 'api' && !this.#isLocal) return others;
    const { running, draining } = others;
    return peers.isDraining
      ? { ...others, draining: [this.#ownPart(), ...draining] }
      : { ...others, running: [this.#ownPart(), ...running] };
  }

  #othersAt(nodes: NodesNow): Parts {
    if (this.#others?.nodes === nodes) return this.#others.parts;
    const partsOf = (list: readonly ReportingNode[]) => list.flatMap((node) => this.#partOf(node));
    const parts = {
      running: partsOf(nodes.runners),
      draining: partsOf(nodes.draining),
      gone: partsOf(nodes.gone),
    };
    this.#others = { nodes, parts };
    return parts;
  }

  #partOf({ name, report }: ReportingNode): Part | [] {
    const found = report.processors.find(({ spec }) => spec.id === this.#id);
    if (found === undefined || this.#isLocal) return [];
    const { numThreads } = report;
    return { node: name, isOwn: false, numThreads, ...found, load: () => found.load };
  }

  #ownPart(): Part {
    const { own } = this;
    const { spec } = own;
    const maxUsedQubits = spec.device?.emulation?.maxUsedQubits;
    return {
      node: this.#options.peers.name,
      isOwn: true,
      spec,
      ...(maxUsedQubits !== undefined && { maxUsedQubits }),
      availability: own.availability(),
      numThreads: this.#options.numThreads,
      load: () => reportLoad(own),
    };
  }

  /** Some node must hold all of them. If none does, the limit is that of the nodes that hold those before. */
  #checkWidths(runs: readonly RunState[]): void {
    if (this.own.runOnDevice !== undefined) return;
    let parts = this.#limitsOfWell();
    for (const { numQubits, method = 'statevector' } of runs) {
      const maxQubits = Math.max(0, ...parts.map((limits) => widthFor(limits, method)));
      if (numQubits > maxQubits)
        throw new CircuitTooLargeError(numQubits, { ...this.spec, maxQubits });
      parts = parts.filter((limits) => numQubits <= widthFor(limits, method));
    }
  }

  /** Widths of the states that each node holds; only of nodes that run jobs and have the processor available. */
  #limitsOfWell(): readonly WidthLimits[] {
    const parts = this.#parts().running.filter(isWell);
    const widestOfAll = Math.max(0, ...parts.map(widestState));
    return parts.map((part) => widthLimits(part, widestOfAll));
  }

  #checkDuration({ work, methodReason }: ComingRun): void {
    const { maxRunMs = Number.POSITIVE_INFINITY } = this.#options;
    const expectedMs = this.expectedRun(work)?.ms ?? 0;
    if (expectedMs <= maxRunMs) return;
    throw new CircuitTooLongError(this.#id, expectedMs, maxRunMs, methodReason);
  }

  #checkQueue(): void {
    const { queueLimit, waitingInDatabase } = this.#options;
    const { count, costMs } = waitingInDatabase(this.#id);
    const numNodes = Math.max(1, this.#parts().running.length);
    const limit = queueLimit * numNodes;
    if (count < limit) return;
    const untilRoomMs = costMs / count / numNodes;
    const retryAfterS = Math.max(1, Math.ceil(untilRoomMs / 1000));
    throw new QueueFullError(this.#id, `${limit} circuits`, retryAfterS);
  }
}

/** Why no node runs jobs. */
export function whyNobodyRuns(areDrained: boolean): string {
  return areDrained
    ? 'All nodes of the cluster that run jobs are being drained.'
    : 'No node of the cluster that runs jobs is up.';
}

function isWell({ availability }: Pick<ReportedProcessor, 'availability'>): boolean {
  return availability.available;
}

/**
 * Waits until a new circuit would start: on the node that is free first, after the jobs that wait in the database.
 * Small circuits run one a thread, wide ones one a node.
 */
function expectedWaits(
  parts: readonly Part[],
  costMs: number,
): Pick<ProcessorLoad, 'expectedWaitMs' | 'expectedWideWaitMs'> {
  const loads = parts.map((part) => part.load());
  const small = leastOf(loads.map(({ expectedWaitMs }) => expectedWaitMs));
  const wide = leastOf(loads.map(({ expectedWideWaitMs }) => expectedWideWaitMs));
  const numThreads = parts.reduce((sum, part) => sum + part.numThreads, 0);
  return {
    ...(small !== undefined && { expectedWaitMs: small + costMs / numThreads }),
    ...(wide !== undefined && { expectedWideWaitMs: wide + costMs / parts.length }),
  };
}

/** The least of those that are known. */
function leastOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
