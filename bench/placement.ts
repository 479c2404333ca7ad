/**
 * `npm run bench -- placement`: durations of the committed traces under the scheduler, round-robin
 * and least-loaded, relative to a lower bound of any schedule. In virtual time: the figures depend
 * on the traces, not on this machine.
 */
import { store } from './harness.ts';
import { type Comparison, compare } from './placement/compare.ts';
import { readTraces } from './placement/trace.ts';

/** Spread of run times around the model: none, and a factor of about 1.35 either way. */
const SIGMAS = [0, 0.3] as const;

/** Prints and stores the ratios. */
export async function benchPlacement(): Promise<void> {
  const results = SIGMAS.flatMap((sigma) => readTraces().map((trace) => compare(trace, sigma)));
  process.stdout.write(`placement: makespan by the lower bound\n${placementTable(results)}\n`);
  store('placement', results, { basis: 'modelled: virtual time, run times of bench/placement' });
}

/** A line a trace. */
function placementTable(results: readonly Comparison[]): string {
  const heading = [
    'trace',
    'jobs',
    'σ',
    'bound, ms',
    'ours',
    'learning',
    'least-loaded',
    'round-robin',
  ];
  const rows = results.map((result) => {
    const ratio = (ms: number) => (ms / result.lowerBoundMs).toFixed(3);
    return [
      result.trace,
      `${result.numJobs}`,
      `${result.sigma}`,
      result.lowerBoundMs.toFixed(1),
      ratio(result.earliestFinishMs),
      ratio(result.learningMs),
      ratio(result.leastLoadedMs),
      ratio(result.roundRobinMs),
    ];
  });
  const widths = heading.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  return [heading, ...rows]
    .map(
      (row) =>
        `  ${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}`,
    )
    .join('\n');
}
