/** Lists of drawn basis states as distinct ones with their occurrences. */
import type { BasisIndices, BasisSamples } from '../../state-operations.ts';
import type { DrawnBatch } from './block-sampling.ts';

/** The distinct basis states of an ascending list, and how often each is there. */
export function samplesOf({ words, upperStarts }: DrawnBatch): BasisSamples {
  const basisIndices = new Uint32Array(words.length);
  const occurrences = new Uint32Array(words.length);
  let numRuns = 0;
  /** Where among the runs the upper word becomes 1, 2, …. */
  const runStarts: number[] = [];
  let from = 0;
  for (const to of [...upperStarts, words.length]) {
    let start = from;
    for (let i = from + 1; i <= to; i++) {
      if (i < to && words[i] === words[start]) continue;
      basisIndices[numRuns] = words[start]!;
      occurrences[numRuns] = i - start;
      numRuns++;
      start = i;
    }
    runStarts.push(numRuns);
    from = to;
  }
  return {
    basisIndices: widened(basisIndices.slice(0, numRuns), runStarts.slice(0, -1)),
    occurrences: occurrences.slice(0, numRuns),
  };
}

/** With the upper words, where there are any. */
function widened(words: Uint32Array<ArrayBuffer>, upperStarts: readonly number[]): BasisIndices {
  if (upperStarts.length === 0) return words;
  const indices = Float64Array.from(words);
  for (const start of upperStarts) {
    for (let i = start; i < indices.length; i++) indices[i]! += 2 ** 32;
  }
  return indices;
}

/** Two lists of samples of the same state as one. */
export function mergedSamples(a: BasisSamples, b: BasisSamples): BasisSamples {
  const room = a.basisIndices.length + b.basisIndices.length;
  const isWide = a.basisIndices instanceof Float64Array;
  const basisIndices = isWide ? new Float64Array(room) : new Uint32Array(room);
  const occurrences = new Uint32Array(room);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < a.basisIndices.length || j < b.basisIndices.length) {
    const ofA = a.basisIndices[i] ?? Number.POSITIVE_INFINITY;
    const ofB = b.basisIndices[j] ?? Number.POSITIVE_INFINITY;
    basisIndices[length] = Math.min(ofA, ofB);
    if (ofA <= ofB) occurrences[length]! += a.occurrences[i++]!;
    if (ofB <= ofA) occurrences[length]! += b.occurrences[j++]!;
    length++;
  }
  return {
    basisIndices: basisIndices.slice(0, length),
    occurrences: occurrences.slice(0, length),
  };
}
