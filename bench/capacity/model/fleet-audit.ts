/**
 * Audit of a simulated fleet: what must hold at every moment, checked apart from the scheduler: each job runs
 * once, a pool takes no more at once than it has slots, a device runs one thing at a time, and states fit
 * the memory of the devices that they lie on.
 */
import type { DeviceView, Lane, LaneId, PoolId } from '../../../src/fleet/schedule/lane.ts';
import type { Dispatch } from '../../../src/fleet/schedule/scheduler.ts';
import { type FleetModel, stateBytes } from './fleet-model.ts';
import type { SimulatedJob } from './workload.ts';

/** A broken promise of the scheduler's; a simulation that throws it says nothing else. */
export class BrokenPromiseError extends Error {}

/** Follows what starts and ends. */
export class FleetAudit<T extends SimulatedJob> {
  readonly #lanes: ReadonlyMap<LaneId, Lane>;
  readonly #devices: ReadonlyMap<string, DeviceView>;
  readonly #slots: ReadonlyMap<PoolId, number>;
  readonly #inUse = new Map<PoolId, number>();
  readonly #busy = new Set<string>();
  /** By the jobs' numbers: undefined before a job has started. */
  readonly #stages: ('running' | 'ended' | undefined)[] = [];
  #numEnded = 0;

  constructor({ lanes, slots, devices }: FleetModel) {
    this.#lanes = new Map(lanes.map((lane) => [lane.id, lane]));
    this.#devices = new Map(devices.map((device) => [device.id, device]));
    this.#slots = slots;
  }

  get numEnded(): number {
    return this.#numEnded;
  }

  /** @throws {BrokenPromiseError} */
  started(dispatch: Dispatch<T>): void {
    const lane = this.#lanes.get(dispatch.lane);
    if (lane === undefined) throw new BrokenPromiseError(`there is no lane ${dispatch.lane}`);
    for (const pool of lane.pools) {
      const inUse = (this.#inUse.get(pool) ?? 0) + 1;
      this.#inUse.set(pool, inUse);
      if (inUse > (this.#slots.get(pool) ?? 0)) {
        throw new BrokenPromiseError(`${inUse} at once on ${pool}`);
      }
    }
    const budget = this.#occupy(dispatch.devices);
    for (const run of dispatch.runs) this.#check(run, lane, dispatch.devices.length, budget);
  }

  /** @throws {BrokenPromiseError} */
  ended(run: T): void {
    if (this.#stages[run.index] !== 'running') {
      throw new BrokenPromiseError(`${run.id} ends and does not run`);
    }
    this.#stages[run.index] = 'ended';
    this.#numEnded++;
  }

  /** All of a dispatch is through. */
  freed({ lane, devices }: Dispatch<T>): void {
    for (const pool of this.#lanes.get(lane)?.pools ?? []) {
      this.#inUse.set(pool, (this.#inUse.get(pool) ?? 0) - 1);
    }
    for (const id of devices) this.#busy.delete(id);
  }

  #occupy(ids: readonly string[]): number {
    let budget = 0;
    for (const id of ids) {
      if (this.#busy.has(id)) throw new BrokenPromiseError(`${id} is given two things at once`);
      this.#busy.add(id);
      budget += this.#devices.get(id)?.budgetBytes ?? 0;
    }
    return budget;
  }

  #check(run: T, lane: Lane, numDevices: number, budget: number): void {
    if (this.#stages[run.index] !== undefined) {
      throw new BrokenPromiseError(`${run.id} started twice`);
    }
    this.#stages[run.index] = 'running';
    if (run.work.numQubits > lane.maxQubits[run.precision]) {
      throw new BrokenPromiseError(`${run.id} is too wide for ${lane.id}`);
    }
    if (run.needsDevice !== numDevices > 0) {
      throw new BrokenPromiseError(`${run.id} has ${numDevices} devices`);
    }
    // Threads of the CPU have memory of their own.
    const isOnDevices = lane.kind === 'adapter' || lane.kind === 'spread';
    if (isOnDevices && stateBytes(run) > budget) {
      throw new BrokenPromiseError(`${run.id} takes ${stateBytes(run)} of ${budget} bytes`);
    }
  }
}
