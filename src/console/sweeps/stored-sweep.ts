/** A sweep as its batches keep it: they have a tag in common, a name, and the entries that the sweep was made of. */
import type { Batch } from '../../client/api-types.ts';
import { batchResultOf } from '../../client/batch-result.ts';
import type { BatchSubmission, QcsClient } from '../../client/client.ts';
import {
  noValues,
  planSweep,
  provenanceOf,
  type SweepDraft,
  type SweepRun,
  withBatch,
} from './sweep.ts';

const TAG = /^sweep-[0-9a-f]{8}$/;

/** Whether a tag is that of a sweep. */
export function isSweepTag(tag: string): boolean {
  return TAG.test(tag);
}

/** Draws the tag of a sweep. */
export function newSweepTag(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `sweep-${number.toString(16).padStart(8, '0')}`;
}

/** Longest name of a job. */
const MAX_NAME = 100;
/** Field of a batch's metadata that has the sweep. */
const FIELD = 'sweep';

/** What each batch keeps of its sweep. */
interface Stored {
  readonly draft: SweepDraft;
  readonly seed: number;
  /** Point of the sweep that is the first one of the batch. */
  readonly first: number;
}

/** Fields of the batch that begins with a point, by which it is found and opened again. */
export function labelsOf(
  draft: SweepDraft,
  seed: number,
  tag: string,
): (first: number) => Pick<BatchSubmission, 'name' | 'tags' | 'metadata'> {
  const { labels, axes } = planSweep(draft, seed);
  const usual = `${labels.join(', ')} by ${axes.map(({ label }) => label).join(' and ')}`;
  const name = [...(draft.name?.trim() || usual)].slice(0, MAX_NAME).join('');
  return (first) => {
    const stored: Stored = { draft, seed, first };
    return { name, tags: [tag], metadata: { [FIELD]: JSON.stringify(stored) } };
  };
}

/**
 * Reads a sweep from the service: its entries, and the values of the batches that have ended.
 *
 * @throws {QcsError} of a request.
 * @throws {Error} if the key has no such sweep.
 */
export async function readSweep(
  client: QcsClient,
  tag: string,
): Promise<{ readonly draft: SweepDraft; readonly run: SweepRun }> {
  const batches: Batch[] = [];
  for await (const { batch_id: id } of client.batches.list({ tag, pageSize: 100 })) {
    batches.push(await client.batches.get(id, { include: 'request' }));
  }
  const sweep = sweepOf(batches);
  if (sweep === undefined) {
    throw new Error('This sweep is no longer there, or it was run with another key.');
  }
  return sweep;
}

/** Puts a sweep together from its batches, in any order; undefined if no batch has one in its request. */
export function sweepOf(
  batches: readonly Batch[],
): { readonly draft: SweepDraft; readonly run: SweepRun } | undefined {
  const read = batches.flatMap((batch) => {
    const text: unknown = Reflect.get(Object(batch.request?.['metadata']), FIELD);
    if (typeof text !== 'string') return [];
    // Whoever has the key wrote it.
    return [{ ...(JSON.parse(text) as Stored), batch }];
  });
  const [one] = read;
  if (one === undefined) return undefined;
  const { draft, seed } = one;
  let values = noValues(planSweep(draft, seed));
  let provenance: SweepRun['provenance'];
  for (const { first, batch } of read) {
    if (batch.status !== 'completed') continue;
    const result = batchResultOf(batch);
    const [program] = result.programs;
    if (program !== undefined) values = withBatch(values, first, program);
    provenance ??= provenanceOf(result);
  }
  const statuses = new Set(read.map(({ batch }) => batch.status));
  const isWhole = values.numDone === values.plan.numPoints;
  const ended = statuses.has('failed')
    ? 'failed'
    : statuses.has('cancelled')
      ? 'cancelled'
      : undefined;
  // Another page may still send the rest, or have been closed before.
  const state = isWhole ? 'completed' : (ended ?? 'incomplete');
  return { draft, run: { values, provenance, state } };
}
