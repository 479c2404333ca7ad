/**
 * The devices of the fleet on the hardware of this machine: all 48, or those of some of its six nodes.
 * Devices are laid out over the adapters in blocks of the same size, each a share of its adapter and of the
 * adapter's memory; while no adapter is well and the CPU may stand in, all of them are shares of the CPU engine.
 *
 * A device whose adapter has failed is out of service while another adapter is well: its circuits go to
 * the devices of that one. It comes back when its adapter does.
 */

import type { CircuitBackend } from './circuit-backend.ts';
import type { BackingAdapter } from './fleet-adapters.ts';
import {
  type DeviceBacking,
  type DeviceDirectory,
  type DevicePlace,
  type DeviceSummary,
  devicePlaces,
  type FleetDevice,
} from './fleet-device.ts';
import { qubitsWithin } from './memory-shares.ts';
import type { Availability } from './processor.ts';
import type { DeviceView, LaneId } from './schedule/lane.ts';
import type { AdapterPool } from './workers/engine-pool.ts';

/** Current hardware that may back devices. */
export interface DeviceSources {
  /** Adapters in use, healthy or not. */
  readonly adapters: readonly BackingAdapter[];
  /** Pools over several of them. */
  readonly spread: readonly AdapterPool[];
  readonly mayUseCpu: boolean;
  readonly cpu: {
    readonly name: string;
    /** Bytes for the states of wide circuits. */
    readonly memoryBytes: number;
    /** Qubits of the widest small circuit. */
    readonly maxSmallQubits: number;
    /** Qubits of the widest circuit. */
    readonly maxQubits: number;
    readonly availability: Availability;
  };
  readonly healthOf: (lane: LaneId) => Availability;
  /** Reason to give where there is neither an adapter nor the CPU. */
  readonly whyNothing: string;
}

/** Options of the fleet's devices. */
interface FleetDevicesOptions {
  readonly backend: CircuitBackend;
  readonly sources: () => DeviceSources;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Numbers of the fleet's nodes that this machine is; all unless given. */
  readonly nodes?: readonly number[] | undefined;
}

/** Current backing of a device. */
interface Backed {
  readonly adapter: BackingAdapter | undefined;
  readonly backing: DeviceBacking;
  readonly memoryBytes: number;
  readonly maxQubits: number;
  readonly health: Availability;
}

/** The devices of this machine's fleet. */
export class FleetDevices implements DeviceDirectory {
  readonly countedSince: number;
  readonly #options: FleetDevicesOptions;
  #places: readonly DevicePlace[];
  #ids: readonly string[];
  readonly #maintenance = new Map<string, { readonly reason: string }>();
  readonly #startedAt = performance.now();
  #backed: readonly Backed[] = [];
  /** Bytes of the open devices by adapter; no entry where none is open. */
  #openBytes: ReadonlyMap<LaneId | undefined, number> = new Map();

  constructor(options: FleetDevicesOptions) {
    this.#options = options;
    this.countedSince = options.now();
    this.#places = devicePlaces(options.nodes);
    this.#ids = this.#places.map(({ id }) => id);
  }

  /** Assigns hardware to the devices anew; called whenever the hardware has changed. */
  refresh(): void {
    const sources = this.#options.sources();
    const isOnCpu =
      sources.mayUseCpu &&
      !sources.adapters.some(({ lane }) => sources.healthOf(lane.id).available);
    const { length } = this.#ids;
    const homes = homesOf(isOnCpu ? [] : sources.adapters, length);
    this.#backed = this.#ids.map((_, i) => backedBy(homes[i], sources, isOnCpu, length));
    this.#tell([...this.#ids.keys()]);
  }

  /** Serves the devices of other nodes of the fleet from now on. Running circuits are finished. */
  serve(nodes: readonly number[]): void {
    const served = devicePlaces(nodes);
    const left = [...this.#ids.entries()].filter(([, id]) => !served.some((at) => at.id === id));
    const closed = left.map(([i]) => ({ ...this.#view(i), isOpen: false }));
    this.#options.backend.setDevices(closed, []);
    for (const [, id] of left) this.#maintenance.delete(id);
    this.#places = served;
    this.#ids = served.map(({ id }) => id);
    this.refresh();
  }

  devices(): readonly FleetDevice[] {
    return this.#ids.map((_, i) => this.#device(i));
  }

  device(id: string): FleetDevice | undefined {
    const i = this.#ids.indexOf(id);
    return i < 0 ? undefined : this.#device(i);
  }

  summary(): DeviceSummary {
    const { devices: book } = this.#options.backend;
    let available = 0;
    let quarantined = 0;
    let busy = 0;
    for (const [i, id] of this.#ids.entries()) {
      if (this.#isOpen(i)) available++;
      else if (!this.#maintenance.has(id)) quarantined++;
      if (book.get(id)?.busySince !== undefined) busy++;
    }
    const inMaintenance = this.#maintenance.size;
    return { total: this.#ids.length, available, inMaintenance, quarantined, busy };
  }

  setMaintenance(id: string, maintenance: { readonly reason: string } | undefined): void {
    const i = this.#ids.indexOf(id);
    if (i < 0) throw new Error(`unreachable: there is no device ${id}`);
    if (maintenance === undefined) this.#maintenance.delete(id);
    else this.#maintenance.set(id, maintenance);
    this.#tell([i]);
  }

  /**
   * Bytes for states on the open devices of one adapter, of several that hold a state together, or of the
   * CPU; 0 where a part of a state would have no open device.
   */
  openBytes(lane: LaneId | undefined): number {
    return Math.round(this.#openBytes.get(lane) ?? 0);
  }

  /** Reason why no circuit would run on any device; undefined where one would. */
  get whyNone(): string | undefined {
    if (this.#openBytes.size > 0) return undefined;
    if (this.#ids.length === 0) return 'This node serves no devices.';
    if (this.#maintenance.size === this.#ids.length) return 'All devices are in maintenance.';
    const broken = this.#ids.findIndex((id) => !this.#maintenance.has(id));
    return this.#backed[broken]?.health.reason ?? 'No device is available.';
  }

  /** Tells the backend which devices changed and how much memory is open; limits and placement follow. */
  #tell(changed: readonly number[]): void {
    const openBytes = new Map<LaneId | undefined, number>();
    for (const [i, { adapter, memoryBytes }] of this.#backed.entries()) {
      if (!this.#isOpen(i)) continue;
      const lane = adapter?.lane.id;
      openBytes.set(lane, (openBytes.get(lane) ?? 0) + memoryBytes);
    }
    const { adapters, spread } = this.#options.sources();
    for (const { id, members = [] } of spread) {
      const parts = members.map((member) => openBytes.get(member) ?? 0);
      const bytes = parts.length * Math.min(...parts);
      if (bytes > 0) openBytes.set(id, bytes);
    }
    this.#openBytes = openBytes;
    const lanes = [...adapters.map(({ lane }) => lane), ...spread];
    this.#options.backend.setDevices(
      changed.map((i) => this.#view(i)),
      lanes.map((lane) => [lane, this.openBytes(lane.id)] as const),
    );
  }

  #view(i: number): DeviceView {
    const { adapter, memoryBytes } = this.#backedAt(i);
    return {
      id: this.#idAt(i),
      adapter: adapter?.lane.id,
      budgetBytes: memoryBytes,
      isOpen: this.#isOpen(i),
    };
  }

  #isOpen(i: number): boolean {
    return this.#backed[i]?.health.available === true && !this.#maintenance.has(this.#idAt(i));
  }

  #device(i: number): FleetDevice {
    const { backend } = this.#options;
    const place = this.#places[i];
    if (place === undefined) throw new Error(`unreachable: there is no device ${i}`);
    const { id } = place;
    const { adapter, backing, memoryBytes, maxQubits, health } = this.#backedAt(i);
    const maintenance = this.#maintenance.get(id);
    const { plan } = backend;
    const now = performance.now();
    const freeAt = Math.max(plan.deviceFreeAt(id), plan.freeAt(adapter?.lane.id ?? 'small'));
    const counters = backend.devices.counters(id, now);
    return {
      ...place,
      isModelled: backing.isSoftware || backing.sharedBy > 1,
      backing,
      memoryBytes,
      maxQubits,
      availability: maintenance === undefined ? health : inMaintenance(health, maintenance.reason),
      ...(maintenance && { maintenance }),
      queueDepth: plan.queueOfDevice.get(id) ?? 0,
      isBusy: backend.devices.get(id)?.busySince !== undefined,
      expectedWaitMs: Math.max(0, freeAt - now),
      counters,
      utilisation: Math.min(1, counters.busyMs / Math.max(1, now - this.#startedAt)),
    };
  }

  #idAt(i: number): string {
    return this.#ids[i] ?? '';
  }

  #backedAt(i: number): Backed {
    const backed = this.#backed[i];
    if (backed === undefined) throw new Error('unreachable: devices are looked at before they are');
    return backed;
  }
}

/** The adapter of each device and how many share it, in blocks of the same size. */
function homesOf(adapters: readonly BackingAdapter[], numDevices: number) {
  if (adapters.length === 0) return [];
  const used = adapters.slice(0, numDevices);
  const numbers = Array.from({ length: numDevices }, (_, i) =>
    Math.floor((i * used.length) / numDevices),
  );
  return numbers.map((number) => ({
    adapter: used[number]!,
    sharedBy: numbers.filter((other) => other === number).length,
  }));
}

function backedBy(
  home: { readonly adapter: BackingAdapter; readonly sharedBy: number } | undefined,
  { cpu, healthOf, whyNothing }: DeviceSources,
  isOnCpu: boolean,
  numDevices: number,
): Backed {
  if (home !== undefined) {
    const { adapter, sharedBy } = home;
    const { name, isSoftware } = adapter.plan.adapter;
    const memoryBytes = adapter.plan.memory.bytes / sharedBy;
    return {
      adapter,
      backing: { kind: 'adapter', name, isSoftware, sharedBy },
      memoryBytes,
      maxQubits: Math.min(adapter.lane.report?.target.maxQubits ?? 0, qubitsWithin(memoryBytes)),
      health: healthOf(adapter.lane.id),
    };
  }
  const memoryBytes = cpu.memoryBytes / numDevices;
  return {
    adapter: undefined,
    backing: { kind: 'cpu', name: cpu.name, isSoftware: true, sharedBy: numDevices },
    memoryBytes,
    maxQubits: Math.min(cpu.maxQubits, Math.max(cpu.maxSmallQubits, qubitsWithin(memoryBytes))),
    health: isOnCpu
      ? cpu.availability
      : { available: false, reason: whyNothing, checkedAt: cpu.availability.checkedAt },
  };
}

function inMaintenance({ checkedAt }: Availability, reason: string): Availability {
  return { available: false, reason: `In maintenance: ${reason}`, checkedAt };
}
