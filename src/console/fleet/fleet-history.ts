/**
 * Loads and state changes of the devices while the page is open, and the shape of a curve of them. The API counts since
 * the start of a device, so loads are differences between two answers.
 */
import type { Device } from '../../client/api-types.ts';
import { type DeviceState, stateOf } from './device-words.ts';

/** The fleet between two answers. */
export interface FleetSample {
  /** When the second answer arrived, milliseconds since 1970 UTC. */
  readonly at: number;
  /** Busy time of each device, 0 to 1. Devices that were started anew or that no node reports are missing. */
  readonly loads: ReadonlyMap<string, number>;
  /** Circuits that the devices completed, a second. */
  readonly completedPerSecond: number;
}

/** A change of the state of a device. */
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

  /** Mean load of some devices between the last two answers. */
  recentMean(ids: readonly string[]): number | undefined {
    const sample = this.#samples.at(-1);
    return sample && meanOf(sample, ids);
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
    return this.#samples.flatMap((sample) => {
      const value = meanOf(sample, ids);
      return value === undefined ? [] : [{ at: sample.at, value }];
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

function meanOf({ loads }: FleetSample, ids: readonly string[]): number | undefined {
  const values = ids.flatMap((id) => loads.get(id) ?? []);
  return values.length === 0
    ? undefined
    : values.reduce((total, value) => total + value, 0) / values.length;
}

function sampleBetween(last: Answer, devices: readonly Device[], at: number): FleetSample {
  const loads = new Map<string, number>();
  let completed = 0;
  for (const device of devices) {
    const { id, counters } = device;
    const state = stateOf(device);
    // The work of such a device is unknown.
    if (state === 'silent' || state === 'unserved') continue;
    const before = last.devices.get(id)?.counters;
    // Counts begin at 0 when the node of a device is started.
    if (before === undefined || counters.busy_ms < before.busy_ms) continue;
    loads.set(id, Math.min(1, (counters.busy_ms - before.busy_ms) / (at - last.at)));
    completed += Math.max(0, counters.completed - before.completed);
  }
  return { at, loads, completedPerSecond: completed / ((at - last.at) / 1000) };
}

/** Changes between idle and busy are left out: there are too many for a list. */
function changeOf(before: Device | undefined, device: Device, at: number): readonly StateChange[] {
  if (before === undefined) return [];
  const [from, to] = [stateOf(before), stateOf(device)];
  if (from === to || (before.available && device.available)) return [];
  return [{ at, id: device.id, from, to }];
}

/**
 * Milliseconds between requests for the devices: at least 1000, and enough to use a quarter of the key's limit at most.
 *
 * @param limits - Requests that the key may send within a window of seconds; undefined before they are known.
 */
export function pollMs(
  limits: { readonly requests: number; readonly window_s: number } | undefined,
): number {
  if (limits === undefined) return 2400;
  return Math.max(1000, Math.ceil((4 * limits.window_s * 1000) / limits.requests));
}

/** Width and height of the drawing, in its own units. */
export const SPARK = { width: 600, height: 100 } as const;

/** Least time that the width stands for. */
const MIN_SPAN_MS = 60_000;

/** A curve and its figures. */
export interface SparkShape {
  /** SVG path of the line. */
  readonly line: string;
  /** SVG path of the area below the line. */
  readonly area: string;
  /** Time from the first to the last point, milliseconds. */
  readonly spanMs: number;
  readonly last: number;
  readonly greatest: number;
}

/**
 * Lays out a curve; time ends at the right edge. Undefined without two points.
 *
 * @param top - Value at the upper edge; the greatest value if that is larger.
 */
export function sparkShape(points: readonly Point[], top: number): SparkShape | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return undefined;
  const spanMs = last.at - first.at;
  const greatest = Math.max(...points.map(({ value }) => value));
  const scale = Math.max(top, greatest);
  const shownMs = Math.max(spanMs, MIN_SPAN_MS);
  const xOf = (at: number) => rounded(SPARK.width * (1 - (last.at - at) / shownMs));
  const yOf = (value: number) => rounded(SPARK.height * (1 - value / scale));
  const line = points
    .map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${xOf(at)} ${yOf(value)}`)
    .join('');
  const area = `${line}L${SPARK.width} ${SPARK.height}L${xOf(first.at)} ${SPARK.height}Z`;
  return { line, area, spanMs, last: last.value, greatest };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
