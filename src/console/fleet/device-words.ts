/** State of a device as a word, a sign and sentences, and the effects of maintenance. Colours only repeat them. */
import type { Device, DeviceSummary } from '../../client/api-types.ts';
import { duration, listed, load, numberOf, sentence, startsIn } from '../numbers.ts';

/** Processor that the devices belong to. */
export const FLEET = 'gpu-fleet';

/**
 * State of a device. `quarantine`: its adapter or CPU engine failed; `silent`: its node of the cluster was not heard
 * of; `draining`: its node takes no more work; `unserved`: no node of the cluster serves it.
 */
export type DeviceState =
  | 'idle'
  | 'busy'
  | 'maintenance'
  | 'quarantine'
  | 'silent'
  | 'draining'
  | 'unserved';

/** All states, those in service first. */
export const DEVICE_STATES: readonly DeviceState[] = [
  'busy',
  'idle',
  'maintenance',
  'quarantine',
  'silent',
  'draining',
  'unserved',
];

interface StateWords {
  readonly word: string;
  /** The word on a tile of the map. */
  readonly short: string;
  /** Sign of the state on the map. */
  readonly sign: string;
  /** Meaning of the state, for the legend. */
  readonly meaning: string;
}

/** Words of each state. */
export const STATE_WORDS: Readonly<Record<DeviceState, StateWords>> = {
  busy: { word: 'Busy', short: 'Busy', sign: '▶', meaning: 'runs a circuit now' },
  idle: { word: 'Idle', short: 'Idle', sign: '○', meaning: 'takes circuits, runs none now' },
  maintenance: {
    word: 'Maintenance',
    short: 'Maint.',
    sign: 'M',
    meaning: 'an operator has taken it out of service',
  },
  quarantine: {
    word: 'Quarantine',
    short: 'Quar.',
    sign: '!',
    meaning: 'its adapter or CPU engine failed',
  },
  silent: { word: 'Silent', short: 'Silent', sign: '?', meaning: 'its node was not heard of' },
  draining: {
    word: 'Draining',
    short: 'Draining',
    sign: '↓',
    meaning: 'its node takes no more work',
  },
  unserved: { word: 'Unserved', short: 'Unserved', sign: '–', meaning: 'no node serves it' },
};

/** The state of a device. The API gives the reason of some states as text alone. */
export function stateOf(device: Device): DeviceState {
  if (device.maintenance !== undefined) return 'maintenance';
  if (device.available) return device.busy ? 'busy' : 'idle';
  if (device.backing.kind === 'none') return 'unserved';
  if (silentSince(device) !== undefined) return 'silent';
  return device.reason?.includes('is being drained') === true ? 'draining' : 'quarantine';
}

/** Time of the last report of a device's node, as the API writes it; undefined unless the device is silent. */
export function silentSince({ reason }: Device): string | undefined {
  return /not heard of since (\S+?)\.?$/.exec(reason ?? '')?.[1];
}

/** Work of a device now and the wait for it, in a sentence or two. */
export function deviceInWords(device: Device): string {
  const waiting =
    device.queue_depth === 0
      ? ''
      : ` ${numberOf(device.queue_depth, 'circuit waits', 'circuits wait')} for it.`;
  const working = device.busy ? 'It runs a circuit now.' : 'It runs nothing now.';
  if (!device.available) {
    const running = device.busy ? ' It still runs a circuit.' : '';
    return `${sentence(device.reason ?? 'It is out of service')}${running}${waiting}`;
  }
  const { expected_wait_ms: waitMs } = device;
  const next = waitMs === undefined ? '' : ` A circuit sent now would start ${startsIn(waitMs)}.`;
  return `${working}${waiting}${next}`;
}

/** Hardware that runs the circuits of a device: "the CPU engine on AMD EPYC, shared by 48 devices". */
export function backingInWords({ backing }: Device): string {
  const { kind, software, name, shared_by: sharedBy } = backing;
  if (kind === 'none') return 'nothing';
  const what = { cpu: 'the CPU engine on', adapter: software ? 'a software adapter,' : 'the GPU' }[
    kind
  ];
  return `${what} ${name}${sharedBy > 1 ? `, shared by ${sharedBy} devices` : ''}`;
}

/** Hardware of a device in one word, for the map. */
export function backingWord({ backing }: Device): string {
  if (backing.kind === 'none') return 'none';
  if (backing.kind === 'cpu') return 'CPU';
  return backing.software ? 'software' : 'GPU';
}

/** Label of a device for those who do not see the map. */
export function deviceLabel(device: Device, recentLoad: number | undefined): string {
  const { word } = STATE_WORDS[stateOf(device)];
  const waiting = device.queue_depth === 0 ? [] : [`${device.queue_depth} waiting`];
  const busy = recentLoad === undefined ? [] : [`load ${load(recentLoad)}`];
  const modelled = device.modelled ? ['modelled'] : [];
  return [`${device.id}: ${word}`, ...busy, ...waiting, backingWord(device), ...modelled].join(
    ', ',
  );
}

/** Hardware of all devices, and whether they are models, in sentences. */
export function fleetInWords(devices: readonly Device[], { backings }: DeviceSummary): string {
  const parts = backings.map(({ kind, software, name, devices: count }) => {
    const what = {
      cpu: 'the CPU engine on',
      adapter: software ? 'the software adapter' : 'the GPU',
    }[kind];
    return `${count} of ${what} ${name}`;
  });
  const shares = parts.length === 0 ? '' : `Shares of real hardware: ${listed(parts)}. `;
  const modelled = devices.filter((device) => device.modelled).length;
  if (modelled === devices.length)
    return `${shares}Each device is a model of a GPU, not a GPU of its own.`;
  if (modelled === 0) return `${shares}Each device is a GPU of its own.`;
  return `${shares}${modelled} of the ${devices.length} devices are models of a GPU, the others are GPUs of their own.`;
}

/** Number of devices in each state that occurs. */
export function countStates(
  devices: readonly Device[],
): readonly (readonly [DeviceState, number])[] {
  const states = devices.map(stateOf);
  return DEVICE_STATES.map(
    (state) => [state, states.filter((each) => each === state).length] as const,
  ).filter(([, count]) => count > 0);
}

/** Devices out of service, for a live region. The text stays the same while devices become idle or busy. */
export function outOfServiceInWords(devices: readonly Device[]): string {
  const out = devices.filter((device) => !device.available);
  if (out.length === 0) return 'All devices are in service.';
  const named = out
    .slice(0, 4)
    .map((device) => `${device.id} (${STATE_WORDS[stateOf(device)].word})`);
  const more = out.length > named.length ? [`${out.length - named.length} more`] : [];
  return `Out of service: ${listed([...named, ...more])}.`;
}

/** Time that circuits ran on a device: "12 ms", "3.4 min". */
export function busyTime(ms: number): string {
  if (ms === 0) return '0 ms';
  return ms < 60_000 ? duration(ms) : `${(ms / 60_000).toFixed(1)} min`;
}

/** Device or processor whose maintenance is switched. */
export interface MaintenanceTarget {
  readonly kind: 'device' | 'processor';
  readonly id: string;
  /** Whether it is in maintenance now. */
  readonly isOut: boolean;
  /** Whether it runs a circuit now; undefined if that is not known. */
  readonly isBusy?: boolean;
  /** Number of circuits that wait for it. */
  readonly queueDepth: number;
}

/** Effects of switching the maintenance, one sentence each. */
export function maintenanceEffects({
  kind,
  id,
  isOut,
  isBusy,
  queueDepth,
}: MaintenanceTarget): readonly string[] {
  if (isOut) {
    const waiting =
      queueDepth === 0
        ? ''
        : ` ${numberOf(queueDepth, 'circuit that waits', 'circuits that wait')} for it can run.`;
    return [`${id} takes circuits again if its last self-test passed.${waiting}`];
  }
  const lasting = 'Maintenance lasts until an administrator ends it, also over restarts.';
  const running = {
    true: `The circuit that runs on ${id} now finishes there.`,
    false: `${id} runs nothing now.`,
    undefined: `Circuits that run on ${id} now finish there.`,
  }[`${isBusy}`];
  if (kind === 'device') {
    const waiting =
      queueDepth === 0
        ? ''
        : ` ${numberOf(queueDepth, 'circuit that waits for it runs on another device', 'circuits that wait for it run on other devices')}.`;
    return [
      `${running}${waiting} No new circuit is placed on it.`,
      'The fleet has less memory for one state, so its largest circuit may have fewer qubits.',
      lasting,
    ];
  }
  const waiting =
    queueDepth === 0
      ? ''
      : ` ${numberOf(queueDepth, 'circuit waits and keeps its place', 'circuits wait and keep their places')}.`;
  return [
    `${running}${waiting}`,
    `New circuits for ${id} are refused with the status 503 and your reason.`,
    lasting,
  ];
}
