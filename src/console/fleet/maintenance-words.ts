/** Effects of maintenance on running and waiting circuits, in words. */
import { numberOf } from './figures.ts';

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
