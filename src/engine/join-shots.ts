/**
 * Joins the results of ranges of shots to the result of the whole run.
 *
 * Draws are numbered by shot, so the counts are those of one run whatever the ranges are. Means are those of one run but
 * for rounding.
 */
import { CountsBuilder } from './counts-builder.ts';
import type { Counts, RunResult } from './engine.ts';
import { misreadCounts } from './final-misreads.ts';
import { TimeSlicer } from './time-slicer.ts';
import { joinedMeans, type RangeResult } from './trajectory-means.ts';

/**
 * The result of a run with noise, or on stabilizers.
 *
 * @param ranges - At least one; each shot is in one of them. A range without shots is left out.
 * @param seed - Of the run.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function joinedShots(
  ranges: readonly RangeResult[],
  seed: number,
  signal: AbortSignal,
): Promise<RunResult> {
  const [first] = ranges;
  if (first === undefined) throw new Error('unreachable: a run without shots in ranges');
  const results = ranges.map(({ result }) => result);
  const sumOf = (each: (result: RunResult) => number) =>
    results.reduce((sum, result) => sum + each(result), 0);
  const slicer = new TimeSlicer(signal, () => {});
  const started = performance.now();
  const joined = await joinedCounts(results, slicer);
  const { countsFinish } = first.result;
  const counts =
    countsFinish === undefined ? joined : await misreadCounts(joined, countsFinish, seed, slicer);
  const joiningMs = performance.now() - started;
  return {
    counts,
    ...joinedMeans(ranges),
    ...joinedDetections(results),
    ...(first.result.trajectories !== undefined && {
      trajectories: sumOf(({ trajectories = 0 }) => trajectories),
    }),
    statePasses: sumOf(({ statePasses }) => statePasses),
    timing: {
      evolutionMs: sumOf(({ timing }) => timing.evolutionMs),
      samplingMs: joiningMs + sumOf(({ timing }) => timing.samplingMs),
    },
  };
}

/** Detection events of ranges in their order, and the error model, which is the same in all. */
function joinedDetections(
  results: readonly RunResult[],
): Pick<RunResult, 'detections' | 'errorModel'> {
  const [{ detections, errorModel } = {}] = results;
  if (detections === undefined) return errorModel === undefined ? {} : { errorModel };
  const parts = results.map((result) => result.detections?.shots ?? new Uint32Array(0));
  const shots = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    shots.set(part, at);
    at += part.length;
  }
  return { detections: { ...detections, shots }, ...(errorModel !== undefined && { errorModel }) };
}

async function joinedCounts(results: readonly RunResult[], slicer: TimeSlicer): Promise<Counts> {
  const { numBits } = results[0]!.counts;
  const builder = new CountsBuilder(numBits);
  for (const { counts } of results) {
    const { outcomes, occurrences, wordsPerOutcome } = counts;
    builder.reserve(occurrences.length);
    for (let i = 0; i < occurrences.length; i++) {
      const words = outcomes.subarray(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
      builder.add(words, occurrences[i]!);
    }
    if (slicer.spend(occurrences.length)) await slicer.pause();
  }
  return await builder.finish(slicer);
}
