/** Table of the fleet's 48 devices. Devices with the same backing share a row. */
import type { FleetDevice } from '../fleet/fleet-device.ts';
import { table } from './command-io.ts';

const MIB = 2 ** 20;

const HEADING = ['DEVICES', 'BACKED BY', 'KIND', 'AVAILABLE', 'MEMORY', 'QUBITS'];

/** Formats a row per backing, and a line per reason why devices are not available. */
export function deviceTable(devices: readonly FleetDevice[]): string {
  const rows = groupsOf(devices, ({ backing }) => `${backing.kind} ${backing.name}`).map(rowOf);
  const away = devices.filter(({ availability }) => !availability.available);
  const reasons = groupsOf(away, ({ availability }) => availability.reason ?? '').map(
    (group) => `${rangesOf(group)}: ${group[0]?.availability.reason ?? ''}`,
  );
  return [table(HEADING, rows), ...reasons].join('\n');
}

function rowOf(group: readonly FleetDevice[]): readonly string[] {
  const numAvailable = group.filter(({ availability }) => availability.available).length;
  const [first] = group;
  return [
    rangesOf(group),
    first?.backing.name ?? '',
    kindOf(group),
    `${numAvailable} of ${group.length}`,
    `${spanOf(group.map(({ memoryBytes }) => Math.floor(memoryBytes / MIB)))} MiB each`,
    spanOf(group.map(({ maxQubits }) => maxQubits)),
  ];
}

function kindOf(group: readonly FleetDevice[]): string {
  const [first] = group;
  const { kind, isSoftware } = first?.backing ?? {};
  const what = kind === 'cpu' ? 'CPU' : isSoftware ? 'software' : 'GPU';
  return group.some(({ isModelled }) => isModelled) ? `${what}, modelled` : what;
}

/** Ranges of consecutive ids, in order: `gpu-00 to gpu-23, gpu-40`. */
function rangesOf(devices: readonly FleetDevice[]): string {
  const runs: { first: FleetDevice; last: FleetDevice }[] = [];
  for (const device of devices) {
    const run = runs.at(-1);
    if (run !== undefined && numberOf(device) === numberOf(run.last) + 1) run.last = device;
    else runs.push({ first: device, last: device });
  }
  return runs
    .map(({ first, last }) => (first === last ? first.id : `${first.id} to ${last.id}`))
    .join(', ');
}

/** Number at the end of a device's id. */
function numberOf({ id }: FleetDevice): number {
  return Number(/\d+$/.exec(id)?.[0]);
}

/** One figure if all are equal, otherwise the least and the greatest. */
function spanOf(figures: readonly number[]): string {
  const least = Math.min(...figures);
  const most = Math.max(...figures);
  return least === most ? `${least}` : `${least} to ${most}`;
}

function groupsOf<T>(items: readonly T[], nameOf: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
