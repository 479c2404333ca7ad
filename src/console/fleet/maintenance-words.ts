/** What maintenance does to work that runs or waits. */
import { numberOf } from './figures.ts';

/** What is taken out of service or put back. */
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

/** What the switch would do, a sentence each. */
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
  const lasting =
    'It stays out of service until an administrator puts it back, over restarts, too.';
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
