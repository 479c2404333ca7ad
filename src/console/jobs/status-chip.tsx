/** The status of a job as a word with a sign and a colour. */
import { percent } from '../numbers.ts';
import { STATUS_WORDS } from '../run/circuit-words.ts';
import type { Status } from './job-row.ts';

const LOOKS = {
  queued: { sign: '…', tone: '' },
  running: { sign: '▶', tone: 'run' },
  completed: { sign: '✓', tone: 'good' },
  failed: { sign: '✗', tone: 'bad' },
  cancelled: { sign: '–', tone: 'warn' },
} as const;

/** Shows a status, and how far a running job has come. */
export function StatusChip({
  status,
  progress,
}: {
  readonly status: Status;
  readonly progress?: number | undefined;
}) {
  const { sign, tone } = LOOKS[status];
  const part = status === 'running' && progress !== undefined ? ` ${percent(progress, 0)}` : '';
  return (
    <span class={`chip status ${tone}`}>
      <span aria-hidden="true">{sign}</span> {STATUS_WORDS[status]}
      {part}
    </span>
  );
}
