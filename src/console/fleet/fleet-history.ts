/**
 * What the devices did while the page is open. The API counts since the start of each device; the page takes the
 * differences between answers.
 */
import type { Device } from '../../client/api-types.ts';
import { type DeviceState, stateOf } from './device-words.ts';

/** The fleet between two answers. */
export interface FleetSample {
  /** When the second answer arrived, milliseconds since 1970 UTC. */
  readonly at: number;
  /** Part of the time during which each device ran a circuit, 0 to 1. A device that was started anew has none. */
  readonly loads: ReadonlyMap<string, number>;
  /** Circuits that the devices completed, a second. */
  readonly completedPerSecond: number;
}

/** A device that came to another state. */
export interface StateChange {
  readonly at: number;
  readonly id: string;
  readonly from: DeviceState;
  readonly to: DeviceState;
}

/** A value at a time, milliseconds since 1970 UTC. */
export interface Point {
  readonly at: number;
  readonly value: number;
}

const KEEP_MS = 10 * 60_000;
const MAX_CHANGES = 200;

interface Answer {
  readonly at: number;
  readonly devices: ReadonlyMap<string, Device>;
}

/** Samples of the last ten minutes, oldest first. */
export class FleetHistory {
  #last: Answer | undefined;
  #samples: readonly FleetSample[] = [];
  #changes: readonly StateChange[] = [];

  get samples(): readonly FleetSample[] {
    return this.#samples;
  }

  /** Adds an answer that arrived at a time. The same time again changes nothing. */
  add(devices: readonly Device[], at: number): void {
    const last = this.#last;
    if (last !== undefined && at <= last.at) return;
    this.#last = { at, devices: new Map(devices.map((device) => [device.id, device])) };
    if (last === undefined) return;
    const kept = this.#samples.filter((sample) => sample.at > at - KEEP_MS);
    this.#samples = [...kept, sampleBetween(last, devices, at)];
    const changes = devices.flatMap((device) => changeOf(last.devices.get(device.id), device, at));
    if (changes.length > 0) this.#changes = [...this.#changes, ...changes].slice(-MAX_CHANGES);
  }

  /** Load of a device between the last two answers. */
  recentLoad(id: string): number | undefined {
    return this.#samples.at(-1)?.loads.get(id);
  }

  /** Load of a device over time. */
  loadOf(id: string): readonly Point[] {
    return this.#samples.flatMap(({ at, loads }) => {
      const value = loads.get(id);
      return value === undefined ? [] : [{ at, value }];
    });
  }

  /** Mean load of some devices over time. */
  meanLoad(ids: readonly string[]): readonly Point[] {
    return this.#samples.flatMap(({ at, loads }) => {
      const values = ids.flatMap((id) => loads.get(id) ?? []);
      const sum = values.reduce((total, value) => total + value, 0);
      return values.length === 0 ? [] : [{ at, value: sum / values.length }];
    });
  }

  /** Circuits that all devices completed, a second, over time. */
  throughput(): readonly Point[] {
    return this.#samples.map(({ at, completedPerSecond }) => ({ at, value: completedPerSecond }));
  }

  /** Changes of a device between states in and out of service, newest first. */
  changesOf(id: string): readonly StateChange[] {
    return this.#changes.filter((change) => change.id === id).toReversed();
  }
}

function sampleBetween(last: Answer, devices: readonly Device[], at: number): FleetSample {
  const loads = new Map<string, number>();
  let completed = 0;
  for (const { id, counters } of devices) {
    const before = last.devices.get(id)?.counters;
    // Counts begin at 0 when the node of a device is started.
    if (before === undefined || counters.busy_ms < before.busy_ms) continue;
    loads.set(id, Math.min(1, (counters.busy_ms - before.busy_ms) / (at - last.at)));
    completed += Math.max(0, counters.completed - before.completed);
  }
  return { at, loads, completedPerSecond: completed / ((at - last.at) / 1000) };
}

/** Idle and busy alternate too fast for a list; they count as one state. */
function changeOf(before: Device | undefined, device: Device, at: number): readonly StateChange[] {
  if (before === undefined) return [];
  const [from, to] = [stateOf(before), stateOf(device)];
  if (from === to || (before.available && device.available)) return [];
  return [{ at, id: device.id, from, to }];
}

/**
 * Milliseconds between requests for the devices: at most a quarter of what the key may ask, and one a second.
 *
 * @param limits - Requests that the key may send within a window of seconds; undefined before they are known.
 */
export function pollMs(
  limits: { readonly requests: number; readonly window_s: number } | undefined,
): number {
  if (limits === undefined) return 2400;
  return Math.max(1000, Math.ceil((4 * limits.window_s * 1000) / limits.requests));
}
