/** Runs a sweep as batches, one after the other, so that its points arrive while it runs. */
import type { BatchResult, QcsClient } from '../../client/client.ts';
import { noValues, type SweepPlan, type SweepValues, withBatch } from './sweep.ts';

/** Where the points ran, in the words of the service. */
export interface Provenance {
  readonly processor: string;
  readonly method: string | undefined;
  /** What computed, and whether the values are measured, modelled, emulated or simulated. */
  readonly basis: readonly string[];
}

/** A batch costs three requests of the key, so batches grow while they are this fast, */
const FAST_MS = 500;
/** and shrink when they are this slow, so that points arrive. */
const SLOW_MS = 3000;
/** The first batch has this part of the points. */
const FIRST_PART = 1 / 16;

/**
 * Runs all batches of a sweep.
 *
 * @param signal - Cancels the batch that runs, and begins no other.
 * @param now - Milliseconds of a clock.
 * @param onValues - Receives the values so far, first without any point.
 * @throws {QcsError} of the first batch that fails, and the reason of the signal.
 */
export async function runSweep(
  plan: SweepPlan,
  batches: QcsClient['batches'],
  signal: AbortSignal,
  now: () => number,
  onValues: (values: SweepValues, provenance: Provenance | undefined) => void,
): Promise<void> {
  let values = noValues(plan);
  onValues(values, undefined);
  let size = Math.ceil(plan.numPoints * FIRST_PART);
  for (let first = 0; first < plan.numPoints; ) {
    const count = Math.min(size, plan.numPoints - first);
    const startedAt = now();
    const result = await batches.run(plan.batchOf(first, count), { signal, cancelOnAbort: true });
    const tookMs = now() - startedAt;
    const [program] = result.programs;
    if (program === undefined)
      throw new Error('unreachable: a batch of one program has one result');
    values = withBatch(values, first, program);
    first += count;
    if (tookMs < FAST_MS) size *= 2;
    if (tookMs > SLOW_MS) size = Math.ceil(size / 2);
    onValues(values, {
      processor: result.processor,
      method: program.method,
      basis: [...new Set((result.executed_on ?? []).map(basisOf))],
    });
  }
}

type ExecutedOn = NonNullable<BatchResult['executed_on']>[number];

function basisOf({ backend }: ExecutedOn): string {
  if ('vendor' in backend) return `${backend.basis} on ${backend.device} of ${backend.vendor}`;
  const { emulates, hardware } = backend;
  const what = emulates === undefined ? 'simulated' : `emulated (${emulates})`;
  return `${what} on ${hardware}`;
}
