/** State of the service in words, for the first page. */
import type { Routes } from '../../client/api-types.ts';
import { grouped, listed } from '../numbers.ts';

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
    waiting === 0
      ? 'No circuit waits.'
      : `${grouped(waiting)} ${waiting === 1 ? 'circuit waits' : 'circuits wait'}.`,
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
