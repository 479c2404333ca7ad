/**
 * The fleet of a cluster, as an overlay over the fleet of this node: processors and devices of all nodes for callers,
 * and what this node may run for claims. Without a cluster it is not used.
 */
import type { DeviceDirectory } from '../fleet/fleet-device.ts';
import type { Processor } from '../fleet/processor.ts';
import { EVERY_PLACE } from '../fleet/schedule/width-scale.ts';
import type { Job } from '../jobs/job.ts';
import { ClusterDevices } from './cluster-devices.ts';
import type { ClusterRoom } from './cluster-jobs.ts';
import {
  ClusterProcessor,
  type ClusterProcessorOptions,
  whyNobodyRuns,
} from './cluster-processor.ts';
import { fitsWidths, type WidthRange } from './job-lines.ts';
import { LiveNodes } from './live-nodes.ts';
import { type WidthLimits, widestState, widthLimits } from './merge-specs.ts';
import type { Peers } from './node-status.ts';
import type { JobQueueing } from './shared-job.ts';

/** Options of a cluster's fleet. */
export interface ClusterFleetOptions
  extends Pick<
    ClusterProcessorOptions,
    'numThreads' | 'queueLimit' | 'maxRunMs' | 'waitingInDatabase'
  > {
  /** Processors of this node. */
  readonly processors: readonly Processor[];
  /** Devices of this node. */
  readonly devices: DeviceDirectory;
  readonly peers: Peers;
  /** A node that was not heard of for longer is taken to be away, milliseconds. */
  readonly silentAfterMs: number;
}

/** A processor or device that is in maintenance. */
export interface MaintenanceOrder {
  readonly kind: 'processor' | 'device';
  readonly id: string;
  readonly reason: string;
}

/** Lines whose jobs need a processor. The others' need any node that runs jobs. */
const NEEDS_PROCESSOR: ReadonlySet<string> = new Set(['small', 'wide', 'batch', 'hardware']);

/** Processors and devices of a cluster. */
export class ClusterFleet implements ClusterRoom {
  /** One per processor of this node. Processors that only other nodes have are not listed. */
  readonly processors: readonly ClusterProcessor[];
  /** The 48 devices. */
  readonly devices: DeviceDirectory;
  readonly #devices: ClusterDevices;
  readonly #peers: Peers;
  readonly #nodes: LiveNodes;
  readonly #byId: ReadonlyMap<string, ClusterProcessor>;

  constructor(options: ClusterFleetOptions) {
    const { processors, devices, peers, silentAfterMs, ...shared } = options;
    const nodes = new LiveNodes(peers, silentAfterMs);
    this.#peers = peers;
    this.#nodes = nodes;
    this.processors = processors.map(
      (own) => new ClusterProcessor({ ...shared, own, peers, nodes }),
    );
    this.#byId = new Map(this.processors.map((each) => [each.own.spec.id, each]));
    this.#devices = new ClusterDevices({ own: devices, peers, nodes });
    this.devices = this.#devices;
  }

  /** The processor of that id. */
  get(id: string): ClusterProcessor | undefined {
    return this.#byId.get(id);
  }

  /** The processor of that id on this node; the one to ask whether a run may start here. */
  own(id: string): Processor | undefined {
    return this.get(id)?.own;
  }

  /**
   * Widths of the runs that this node may take now, by processor. Empty for a node that runs no jobs or is being
   * drained; processors that are not available here are left out.
   */
  localLimits(): ReadonlyMap<string, WidthLimits> {
    const mayRun = this.processors.filter((processor) => this.#mayRun(processor));
    return new Map(mayRun.map((processor) => [processor.own.spec.id, limitsHere(processor)]));
  }

  widths(line: string): readonly WidthRange[] | undefined {
    return NEEDS_PROCESSOR.has(line)
      ? this.#targets().flatMap((target) => this.#widthsOf(target))
      : undefined;
  }

  whyNone({ target }: Pick<Job, 'target'>, { line, width }: JobQueueing): string | undefined {
    if (!NEEDS_PROCESSOR.has(line)) {
      const { runners, draining } = this.#nodes.now();
      const { role, isDraining } = this.#peers;
      if (runners.length > 0 || (role !== 'api' && !isDraining)) return undefined;
      return whyNobodyRuns(draining.length > 0 || role !== 'api');
    }
    if (fitsWidths(this.#widthsOf(target), target, width)) return undefined;
    const processor = this.get(target);
    return (
      processor?.whyNone(width) ?? `No node of the cluster that is up has ${target} available.`
    );
  }

  /** Processors that some node has. */
  #targets(): readonly string[] {
    const others = this.#nodes.now().runners.flatMap(({ report }) => report.processors);
    return [...new Set([...this.#byId.keys(), ...others.map(({ spec }) => spec.id)])];
  }

  /** Widths of the jobs of a processor that some node takes. Nodes do not know what others' processors hold. */
  #widthsOf(target: string): readonly WidthRange[] {
    const ranges = this.get(target)?.places();
    if (ranges !== undefined) return ranges.map((range) => ({ target, ...range }));
    const isOnNode = this.#nodes
      .now()
      .runners.flatMap(({ report }) => report.processors)
      .some(({ spec, availability }) => spec.id === target && availability.available);
    return isOnNode ? [{ target, ...EVERY_PLACE }] : [];
  }

  /** Begins the maintenance that the store lists, and ends all other. */
  applyMaintenance(orders: readonly MaintenanceOrder[]): void {
    const reasons = (kind: MaintenanceOrder['kind']) =>
      new Map(orders.filter((each) => each.kind === kind).map(({ id, reason }) => [id, reason]));
    const ofProcessors = reasons('processor');
    for (const processor of this.processors) {
      processor.setMaintenance(maintenanceOf(ofProcessors.get(processor.own.spec.id)));
    }
    const ofDevices = reasons('device');
    for (const { id } of this.#devices.devices()) {
      this.#devices.setMaintenance(id, maintenanceOf(ofDevices.get(id)));
    }
  }

  #mayRun({ own }: ClusterProcessor): boolean {
    const { role, isDraining } = this.#peers;
    return role !== 'api' && !isDraining && own.availability().available;
  }
}

function maintenanceOf(reason: string | undefined): { readonly reason: string } | undefined {
  return reason === undefined ? undefined : { reason };
}

function limitsHere({ own, spec }: ClusterProcessor): WidthLimits {
  return widthLimits(limitsOf(own.spec), widestState(limitsOf(spec)));
}

function limitsOf(spec: Processor['spec']) {
  const maxUsedQubits = spec.device?.emulation?.maxUsedQubits;
  return { spec, ...(maxUsedQubits !== undefined && { maxUsedQubits }) };
}
