/** Current state of the fleet's devices, in the form that callers see. */
import type { DeviceDirectory, FleetDevice } from '../../fleet/fleet-device.ts';
import type { Processor } from '../../fleet/processor.ts';
import { isoTime } from '../http/envelope.ts';
import type { DeviceSummaryView, DeviceView } from './fleet-device-schema.ts';

/** Digits of a fraction; more would suggest a precision that the figure lacks. */
const FRACTION_DIGITS = 4;

/** True if the fleet's devices belong to this processor. */
export function hasDevices({ spec }: Processor): boolean {
  return spec.family === 'gpu-fleet';
}

/**
 * Entry of a device in a listing.
 *
 * @param countedSince - Start of counting unless the device has its own, milliseconds since 1970 UTC.
 */
export function viewDevice(device: FleetDevice, countedSince: number): DeviceView {
  const { backing, availability, maintenance, counters } = device;
  const { available, reason, checkedAt } = availability;
  return {
    id: device.id,
    node: device.node,
    slot: device.slot,
    ...(device.servedBy !== undefined && { served_by: device.servedBy }),
    modelled: device.isModelled,
    backing: {
      kind: backing.kind,
      name: backing.name,
      software: backing.isSoftware,
      shared_by: backing.sharedBy,
    },
    memory_bytes: Math.floor(device.memoryBytes),
    max_qubits: device.maxQubits,
    available,
    ...(reason === undefined ? {} : { reason }),
    checked_at: isoTime(checkedAt),
    ...(maintenance && { maintenance: { reason: maintenance.reason } }),
    queue_depth: device.queueDepth,
    busy: device.isBusy,
    ...(available && { expected_wait_ms: Math.round(device.expectedWaitMs) }),
    counters: {
      completed: counters.completed,
      failed: counters.failed,
      lost: counters.lost,
      busy_ms: Math.round(counters.busyMs),
    },
    utilisation: {
      fraction: Number(device.utilisation.toFixed(FRACTION_DIGITS)),
      basis: 'measured',
      since: isoTime(device.countedSince ?? countedSince),
    },
  };
}

/** Summary of all devices. */
export function viewSummary(directory: DeviceDirectory): DeviceSummaryView {
  const { total, available, inMaintenance, quarantined, unserved, busy } = directory.summary();
  return {
    total,
    available,
    in_maintenance: inMaintenance,
    quarantined,
    ...(unserved !== undefined && { unserved }),
    busy,
    backings: viewBackings(directory.devices()),
  };
}

/** Distinct backings of the devices that have one, in the order of the devices. */
function viewBackings(devices: readonly FleetDevice[]): DeviceSummaryView['backings'] {
  const backings = new Map<string, DeviceSummaryView['backings'][number]>();
  for (const { backing, availability } of devices) {
    const { kind, name, isSoftware } = backing;
    if (kind === 'none') continue;
    const id = `${kind} ${name}`;
    const found = backings.get(id) ?? {
      kind,
      name,
      software: isSoftware,
      devices: 0,
      available: 0,
    };
    found.devices++;
    if (availability.available) found.available++;
    backings.set(id, found);
  }
  return [...backings.values()];
}
