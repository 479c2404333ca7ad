/**
 * The 48 devices of a cluster: those of this node, those that other nodes report, and those that no node serves.
 *
 * A device is in maintenance if the store says so, wherever it is. Its node carries that out and reports it; until then
 * the device is shown as ordered.
 */
import {
  type DeviceDirectory,
  type DevicePlace,
  type DeviceSummary,
  devicePlaces,
  type FleetDevice,
} from '../fleet/fleet-device.ts';
import type { LiveNodes, ReportingNode } from './live-nodes.ts';
import type { Peers } from './node-status.ts';

/** Devices of this node, and reports on those of the others. */
export interface ClusterDevicesOptions {
  readonly own: DeviceDirectory;
  readonly peers: Peers;
  readonly nodes: LiveNodes;
}

/** Why a device is out of service. */
type Maintenance = NonNullable<FleetDevice['maintenance']>;

/** All devices of a cluster. */
export class ClusterDevices implements DeviceDirectory {
  readonly countedSince: number;
  readonly #options: ClusterDevicesOptions;
  readonly #places = devicePlaces();
  readonly #maintenance = new Map<string, Maintenance>();
  /** Times at which this node heard that maintenance of a device had ended, by the clock of the database. */
  readonly #endedAt = new Map<string, number>();

  constructor(options: ClusterDevicesOptions) {
    this.#options = options;
    this.countedSince = options.own.countedSince;
  }

  devices(): readonly FleetDevice[] {
    const own = new Map(this.#options.own.devices().map((device) => [device.id, device]));
    const reported = this.#reported();
    return this.#places.map((place) => this.#device(place, own.get(place.id), reported));
  }

  device(id: string): FleetDevice | undefined {
    const place = this.#places.find((each) => each.id === id);
    return place && this.#device(place, this.#options.own.device(id), this.#reported());
  }

  summary(): DeviceSummary {
    const devices = this.devices();
    const counted = (isSo: (device: FleetDevice) => boolean) => devices.filter(isSo).length;
    const available = counted(({ availability }) => availability.available);
    const inMaintenance = counted(({ maintenance }) => maintenance !== undefined);
    const unserved = counted(
      ({ backing, maintenance }) => backing.kind === 'none' && maintenance === undefined,
    );
    return {
      total: devices.length,
      available,
      inMaintenance,
      quarantined: devices.length - available - inMaintenance - unserved,
      unserved,
      busy: counted(({ isBusy }) => isBusy),
    };
  }

  /** Takes a device out of service, or back. If another node has it, the store tells that node. */
  setMaintenance(id: string, maintenance: Maintenance | undefined): void {
    if (this.#maintenance.get(id)?.reason === maintenance?.reason) return;
    if (maintenance === undefined) {
      this.#maintenance.delete(id);
      this.#endedAt.set(id, this.#options.peers.now());
    } else {
      this.#maintenance.set(id, maintenance);
    }
    const { own } = this.#options;
    if (own.device(id) !== undefined) own.setMaintenance(id, maintenance);
  }

  /** Devices of the other nodes by id. Of two nodes that report one, the live one counts, then the later one. */
  #reported(): ReadonlyMap<string, Reported> {
    const { runners, draining, gone } = this.#options.nodes.now();
    const found = new Map<string, Reported>();
    const add = (nodes: readonly ReportingNode[], state: Reported['state']) => {
      for (const node of nodes) {
        for (const device of node.report.devices) {
          if (!found.has(device.id)) found.set(device.id, { device, node, state });
        }
      }
    };
    add(runners, 'running');
    add(draining, 'draining');
    add(gone, 'gone');
    return found;
  }

  #device(
    place: DevicePlace,
    own: FleetDevice | undefined,
    reported: ReadonlyMap<string, Reported>,
  ): FleetDevice {
    const { name, isDraining } = this.#options.peers;
    if (own !== undefined) {
      const device = { ...own, servedBy: name };
      return isDraining ? unavailable(device, drainedReason(name)) : device;
    }
    const found = reported.get(place.id);
    const device = found === undefined ? this.#unserved(place) : this.#of(found);
    const maintenance = this.#maintenance.get(place.id);
    if (maintenance === undefined) return device;
    const reason = `In maintenance: ${maintenance.reason}`;
    const { checkedAt } = device.availability;
    return { ...device, maintenance, availability: { available: false, reason, checkedAt } };
  }

  #of({ device: given, node, state }: Reported): FleetDevice {
    const { name: servedBy, seenAt, report } = node;
    const device = {
      ...given,
      servedBy,
      countedSince: report.countedSince,
      // The work of a node that is away is unknown.
      ...(state === 'gone' && { queueDepth: 0, isBusy: false }),
    };
    const endedAt = this.#endedAt.get(given.id) ?? Number.NEGATIVE_INFINITY;
    const hasEnded = given.maintenance !== undefined && seenAt <= endedAt;
    const { maintenance: _, ...inService } = device;
    const shown: FleetDevice = hasEnded ? inService : device;
    switch (state) {
      case 'gone': {
        const since = new Date(seenAt).toISOString();
        return unavailable(shown, `Node ${servedBy} was not heard of since ${since}.`);
      }
      case 'draining':
        return unavailable(shown, drainedReason(servedBy));
      case 'running': {
        const why = `Maintenance has ended; node ${servedBy} has not reported the device since.`;
        return hasEnded ? unavailable(shown, why) : shown;
      }
    }
  }

  #unserved(place: DevicePlace): FleetDevice {
    return {
      ...place,
      isModelled: true,
      backing: { kind: 'none', name: 'none', isSoftware: false, sharedBy: 0 },
      memoryBytes: 0,
      maxQubits: 0,
      availability: {
        available: false,
        reason: `No node of the cluster serves ${place.node}.`,
        checkedAt: this.#options.peers.now(),
      },
      queueDepth: 0,
      isBusy: false,
      expectedWaitMs: 0,
      counters: { completed: 0, failed: 0, lost: 0, busyMs: 0 },
      utilisation: 0,
    };
  }
}

/** A device as another node reports it. */
interface Reported {
  readonly device: FleetDevice;
  readonly node: ReportingNode;
  readonly state: 'running' | 'draining' | 'gone';
}

function drainedReason(node: string): string {
  return `Node ${node} is being drained.`;
}

/** A device with a reason not to use it; one that is in maintenance keeps that reason. */
function unavailable(device: FleetDevice, reason: string): FleetDevice {
  if (device.maintenance !== undefined) return device;
  const { checkedAt } = device.availability;
  return { ...device, availability: { available: false, reason, checkedAt } };
}
