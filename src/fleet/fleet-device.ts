/** A device of the fleet as callers see it: one of 48 slots, its backing and its state. */
import type { Availability } from './processor.ts';
import type { DeviceCounters } from './schedule/devices.ts';

/** Nodes of the fleet. */
export const NUM_NODES = 6;
/** Devices of a node. */
export const DEVICES_OF_A_NODE = 8;

/** Place of a device in the fleet. */
export interface DevicePlace {
  /** `gpu-00` … `gpu-47`. */
  readonly id: string;
  /** `node-0` … `node-5`. */
  readonly node: string;
  /** Place in its node, from 0. */
  readonly slot: number;
}

/** Numbers of all nodes, from 0. */
export const FLEET_NODES: readonly number[] = Array.from({ length: NUM_NODES }, (_, i) => i);

/**
 * Places of the devices of some nodes, in the order of their ids.
 *
 * @param nodes - Numbers of nodes in any order; one that is given twice counts once.
 */
export function devicePlaces(nodes: readonly number[] = FLEET_NODES): readonly DevicePlace[] {
  return FLEET_NODES.filter((node) => nodes.includes(node)).flatMap((node) =>
    Array.from({ length: DEVICES_OF_A_NODE }, (_, slot) => ({
      id: `gpu-${String(node * DEVICES_OF_A_NODE + slot).padStart(2, '0')}`,
      node: `node-${node}`,
      slot,
    })),
  );
}

/** Hardware that really runs a device's circuits. */
export interface DeviceBacking {
  /** `none` for a device that no node of a cluster serves. */
  readonly kind: 'adapter' | 'cpu' | 'none';
  /** The adapter's name, or the CPU's. */
  readonly name: string;
  /** A driver that computes on the CPU, or the CPU itself; no GPU. */
  readonly isSoftware: boolean;
  /** Devices that share it, this one among them; 0 for `none`. */
  readonly sharedBy: number;
}

/** A device as it stands now. */
export interface FleetDevice extends DevicePlace {
  /** A model of a device rather than a GPU of its own. */
  readonly isModelled: boolean;
  readonly backing: DeviceBacking;
  /** Bytes for the amplitudes of its circuits: its share of the backing's memory. */
  readonly memoryBytes: number;
  /** Qubits of the widest circuit that it runs without another device. */
  readonly maxQubits: number;
  readonly availability: Availability;
  /** Why it is out of service, where an operator has put it so. */
  readonly maintenance?: { readonly reason: string };
  /** Waiting circuits that are planned for it. */
  readonly queueDepth: number;
  /** Whether it runs circuits now. */
  readonly isBusy: boolean;
  /** Planned time until a circuit sent to it now would start, milliseconds. */
  readonly expectedWaitMs: number;
  readonly counters: DeviceCounters;
  /** Part of the time since the start that it had a circuit, 0 to 1. */
  readonly utilisation: number;
  /** In a cluster, name of the node that serves it, or did so last. */
  readonly servedBy?: string;
  /** In a cluster, the time since when its node counts, milliseconds since 1970 UTC. */
  readonly countedSince?: number;
}

/** The devices of a fleet in a few figures. */
export interface DeviceSummary {
  readonly total: number;
  readonly available: number;
  readonly inMaintenance: number;
  /** Out of service because their backing failed, or their node is not there. */
  readonly quarantined: number;
  /** Set in a cluster: devices that no node serves. */
  readonly unserved?: number;
  readonly busy: number;
}

/** Directory of a fleet's devices, for the service. */
export interface DeviceDirectory {
  /** Since when devices are counted and their utilisation is measured, milliseconds since 1970 UTC. */
  readonly countedSince: number;
  /** In the order of their ids. */
  devices(): readonly FleetDevice[];
  device(id: string): FleetDevice | undefined;
  summary(): DeviceSummary;
  /** Takes a device out of service, or back: its current run is finished, no new one is placed on it. */
  setMaintenance(id: string, maintenance: { readonly reason: string } | undefined): void;
}
