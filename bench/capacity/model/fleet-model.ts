/** A fleet on paper: what runs circuits in it, as the scheduler sees it. */
import { AMPLITUDE_BYTES, maxQubitsWithin } from '../../../src/fleet/memory-shares.ts';
import type { DeviceView, Lane, LaneId, PoolId } from '../../../src/fleet/schedule/lane.ts';
import type { ScheduledRun } from '../../../src/fleet/schedule/scheduled-run.ts';
import type { Scheduler } from '../../../src/fleet/schedule/scheduler.ts';

/** Lanes, how many runs each pool takes at once, and the devices. */
export interface FleetModel {
  readonly lanes: readonly Lane[];
  readonly slots: ReadonlyMap<PoolId, number>;
  readonly devices: readonly DeviceView[];
}

/** A GPU on paper. */
interface ModelledAdapter {
  /** For the states of all its devices together. */
  readonly memoryBytes: number;
  /** Devices that share it. */
  readonly numDevices: number;
}

/** The CPU's part of a fleet on paper. */
interface ModelledCpu {
  /** Small circuits at once; 0 where none are given to the CPU. */
  readonly numThreads: number;
  readonly maxSmallQubits: number;
  /** For the state of a wide circuit; 0 where none are given to the CPU. */
  readonly wideBytes: number;
}

/** Parts of a modelled fleet. */
interface FleetParts {
  readonly adapters: readonly ModelledAdapter[];
  readonly cpu: ModelledCpu;
  /** Adapters, by their numbers, that hold one state together. */
  readonly spreads?: readonly (readonly number[])[];
  /** Devices that the CPU backs where there is no adapter, and the memory of each. */
  readonly cpuDevices?: { readonly count: number; readonly budgetBytes: number };
}

/** The widest circuit that any adapter takes (engine/webgpu). */
const MAX_ADAPTER_QUBITS = 34;
const MAX_SPREAD_QUBITS = 40;

/** Puts a fleet together: lanes as the live fleet has them. */
export function modelFleet({ adapters, cpu, spreads = [], cpuDevices }: FleetParts): FleetModel {
  const lanes: Lane[] = [];
  const slots = new Map<PoolId, number>();
  const devices: DeviceView[] = [];
  if (cpu.numThreads > 0) {
    const maxQubits = { f32: cpu.maxSmallQubits, f64: cpu.maxSmallQubits };
    lanes.push(laneOf('small', 'small', ['small'], maxQubits, true));
    slots.set('small', cpu.numThreads);
  }
  if (cpu.wideBytes > 0) {
    const f32 = maxQubitsWithin(cpu.wideBytes, 'f32', MAX_ADAPTER_QUBITS);
    lanes.push(laneOf('wide', 'wide', ['wide'], { f32, f64: f32 - 1 }, true));
    slots.set('wide', 1);
  }
  for (const [number, { memoryBytes, numDevices }] of adapters.entries()) {
    const id: LaneId = `adapter-${number}`;
    const f32 = maxQubitsWithin(memoryBytes, 'f32', MAX_ADAPTER_QUBITS);
    lanes.push(laneOf(id, 'adapter', [id], { f32, f64: 0 }, false));
    slots.set(id, 1);
    for (let share = 0; share < numDevices; share++) {
      const budgetBytes = memoryBytes / numDevices;
      devices.push({ id: deviceId(devices.length), adapter: id, budgetBytes, isOpen: true });
    }
  }
  for (const [number, members] of spreads.entries()) {
    const parts = members.map((member) => adapters[member]?.memoryBytes ?? 0);
    // Each holds an equal part, so the smallest decides.
    const f32 = maxQubitsWithin(members.length * Math.min(...parts), 'f32', MAX_SPREAD_QUBITS);
    const pools = members.map((member) => `adapter-${member}`);
    lanes.push(laneOf(`spread-${number}`, 'spread', pools, { f32, f64: 0 }, false));
  }
  for (let i = 0; i < (cpuDevices?.count ?? 0); i++) {
    const budgetBytes = cpuDevices?.budgetBytes ?? 0;
    devices.push({ id: deviceId(devices.length), adapter: undefined, budgetBytes, isOpen: true });
  }
  return { lanes, slots, devices };
}

/** Adds the lanes and devices of the fleet to a scheduler. */
export function setFleet<T extends ScheduledRun>(
  scheduler: Scheduler<T>,
  { lanes, slots, devices }: FleetModel,
): void {
  for (const lane of lanes) scheduler.setLane(lane);
  for (const [pool, count] of slots) scheduler.setFreeSlots(pool, count);
  for (const device of devices) scheduler.setDevice(device);
}

/** Bytes of a run's state. */
export function stateBytes({ precision, work }: ScheduledRun): number {
  return AMPLITUDE_BYTES[precision] * 2 ** work.numQubits;
}

function laneOf(
  id: LaneId,
  kind: Lane['kind'],
  pools: readonly PoolId[],
  maxQubits: Lane['maxQubits'],
  isSoftware: boolean,
): Lane {
  return { id, kind, pools, maxQubits, isOpen: true, isSoftware };
}

function deviceId(number: number): string {
  return `gpu-${String(number).padStart(2, '0')}`;
}
