/** Texts of the first page: a Bell pair gate by gate, and the state of the service. */
import type { Routes } from '../../client/api-types.ts';
import { grouped, listed, numberOf } from '../numbers.ts';

type Status = Routes['GET /status']['data'];

const HEALTH = {
  operational: 'All is well.',
  degraded: 'Something is not available.',
  down: 'No simulator is available, so nothing runs.',
} as const satisfies Record<Status['status'], string>;

/** Health, devices and queues: "All is well. 48 of 48 devices are in service, 3 of them busy. 2 circuits wait." */
export function statusInWords({ status, processors }: Status): string {
  const devices = processors.find((each) => each.devices !== undefined)?.devices;
  const waiting = processors.reduce((sum, { queue_depth: depth }) => sum + depth, 0);
  const busy = devices === undefined || devices.busy === 0 ? 'none' : grouped(devices.busy);
  return [
    HEALTH[status],
    ...(devices === undefined
      ? []
      : [`${devices.available} of ${devices.total} devices are in service, ${busy} of them busy.`]),
    waiting === 0 ? 'No circuit waits.' : `${numberOf(waiting, 'circuit waits', 'circuits wait')}.`,
  ].join(' ');
}

/** Names of parts that are not available; undefined if the service is operational. Hardware does not count. */
export function troubles({ status, processors, agents, models }: Status): string | undefined {
  if (status === 'operational') return undefined;
  const counted = processors.filter(({ execution }) => execution !== 'hardware');
  const names = [...counted, ...agents, ...models]
    .filter(({ available }) => !available)
    .map(({ id }) => id);
  return names.length === 0 ? undefined : `Not available: ${listed(names)}.`;
}

/** Labels of the outcomes in the order of the probabilities; qubit 0 is the right one. */
export const OUTCOMES = ['00', '01', '10', '11'] as const;

/** The Bell pair before its gates and after each of them. */
export const BELL_STEPS = [
  {
    name: 'At the start',
    probabilities: [1, 0, 0, 0],
    words: 'Both qubits are 0.',
  },
  {
    name: 'After H',
    probabilities: [0.5, 0.5, 0, 0],
    words: 'H puts qubit 0 in a superposition: measured, it is 0 or 1, each half of the time.',
  },
  {
    name: 'After CX',
    probabilities: [0.5, 0, 0, 0.5],
    words: 'CX ties qubit 1 to it: measured, both are 0 or both are 1. Neither had a value before.',
  },
] as const;
