/** The devices of a fleet as a test wants them. */
import {
  DEVICES_OF_A_NODE,
  type DeviceDirectory,
  type DeviceSummary,
  devicePlaces,
  type FleetDevice,
  NUM_NODES,
} from '../../../src/fleet/fleet-device.ts';

const GIB = 2 ** 30;
/** Half of the devices share an adapter, the other half the CPU. */
const SHARED_BY = (NUM_NODES * DEVICES_OF_A_NODE) / 2;

/** Well and idle devices, unless a test changes them. */
export class FakeDevices implements DeviceDirectory {
  readonly countedSince = Date.UTC(2026, 0, 1);
  readonly #devices = new Map<string, FleetDevice>();

  /** @param nodes - Numbers of the fleet's nodes whose devices there are; all unless given. */
  constructor(nodes?: readonly number[]) {
    for (const { id } of devicePlaces(nodes)) {
      this.#devices.set(id, idleDevice(Number(id.slice('gpu-'.length))));
    }
  }

  /** Has a device stand otherwise. */
  change(id: string, changes: Partial<FleetDevice>): void {
    this.#devices.set(id, { ...this.#known(id), ...changes });
  }

  devices(): readonly FleetDevice[] {
    return [...this.#devices.values()];
  }

  device(id: string): FleetDevice | undefined {
    return this.#devices.get(id);
  }

  summary(): DeviceSummary {
    const devices = this.devices();
    const counted = (isSo: (device: FleetDevice) => boolean) => devices.filter(isSo).length;
    return {
      total: devices.length,
      available: counted(({ availability }) => availability.available),
      inMaintenance: counted(({ maintenance }) => maintenance !== undefined),
      quarantined: counted(
        ({ availability, maintenance }) => !availability.available && maintenance === undefined,
      ),
      busy: counted(({ isBusy }) => isBusy),
    };
  }

  setMaintenance(id: string, maintenance: { readonly reason: string } | undefined): void {
    const { maintenance: _, ...device } = this.#known(id);
    const { checkedAt } = device.availability;
    this.#devices.set(id, {
      ...device,
      ...(maintenance && { maintenance }),
      availability:
        maintenance === undefined
          ? { available: true, checkedAt }
          : { available: false, reason: maintenance.reason, checkedAt },
    });
  }

  #known(id: string): FleetDevice {
    const device = this.device(id);
    if (device === undefined) throw new Error(`There is no device ${id}.`);
    return device;
  }
}

function idleDevice(index: number): FleetDevice {
  const isOnAdapter = index < SHARED_BY;
  return {
    id: `gpu-${index.toString().padStart(2, '0')}`,
    node: `node-${Math.floor(index / DEVICES_OF_A_NODE)}`,
    slot: index % DEVICES_OF_A_NODE,
    isModelled: true,
    backing: {
      kind: isOnAdapter ? 'adapter' : 'cpu',
      name: isOnAdapter ? 'Card' : 'Cores',
      isSoftware: !isOnAdapter,
      sharedBy: SHARED_BY,
    },
    memoryBytes: GIB + 1 / 3,
    maxQubits: 27,
    availability: { available: true, checkedAt: Date.UTC(2026, 0, 2) },
    queueDepth: 0,
    isBusy: false,
    expectedWaitMs: 0,
    counters: { completed: 0, failed: 0, lost: 0, busyMs: 0 },
    utilisation: 0,
  };
}
