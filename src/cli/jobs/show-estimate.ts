/** Prints the estimate of a job in place of submitting it (`--estimate`). */
import type { Estimate } from '../../client/client.ts';
import { roundedSize } from '../../fleet/method-limits.ts';
import { type CommandIo, printable, writeEither } from '../command-io.ts';
import { durationText } from './job-record.ts';

/** Prints an estimate, as one JSON object if that is asked for. */
export function showEstimate(
  estimate: Estimate,
  options: { readonly json?: boolean },
  io: Pick<CommandIo, 'out' | 'now'>,
): void {
  writeEither(io, options, estimate, estimateText(estimate, io.now()));
}

/** @param now - Milliseconds since 1970 UTC. */
function estimateText(estimate: Estimate, now: number): string {
  const { processor, shots, method, method_reason: reason, expected_start_at: start } = estimate;
  const { run_ms: runMs, memory_bytes: bytes, runs_together: together = 1 } = estimate;
  const waiting = `${estimate.queue_depth} runs in the queue`;
  const rows = [
    ['processor', processor],
    ['shots', shots.toLocaleString('en')],
    ['method', method === undefined ? 'that of the device' : `${method}. ${reason ?? ''}`],
    ['time', runMs === undefined ? 'not known' : runTime(runMs)],
    ['memory', bytes === undefined ? 'not known' : roundedSize(bytes)],
    ...(together > 1 ? [['together', `${together} runs at the same time`]] : []),
    [
      'start',
      start === undefined ? `not known; ${waiting}` : `${startText(start, now)}; ${waiting}`,
    ],
  ] as const;
  return rows.map(([name = '', text = '']) => `${name.padEnd(10)} ${printable(text)}`).join('\n');
}

/** Times below ten milliseconds have a digit after the point. */
const runTime = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms));

function startText(start: string, now: number): string {
  const waitMs = Date.parse(start) - now;
  return waitMs < 1000 ? 'at once' : `in ${durationText(waitMs)}`;
}
