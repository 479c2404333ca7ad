/** The live state, or why there is none, as rows and words. */

import type { LiveState, Refused, TooLarge } from '../live-state/messages.ts';
import { basisLabel, grouped, plain } from '../numbers.ts';

/** A basis state with its amplitude. */
export interface StateRow {
  readonly index: number;
  /** Qubit 0 rightmost. */
  readonly label: string;
  readonly probability: number;
  readonly re: number;
  readonly im: number;
  /** Phase in radians, -π to π. */
  readonly phase: number;
}

/**
 * Basis states to show: all of a small register, else the most likely ones.
 *
 * @param isByProbability - The most likely first; else in the order of their indices.
 */
export function stateRows(
  {
    numQubits,
    amplitudes,
    probabilities,
  }: Pick<LiveState, 'numQubits' | 'amplitudes' | 'probabilities'>,
  maxRows: number,
  isByProbability = false,
): readonly StateRow[] {
  const shown = largest(probabilities, maxRows);
  const ordered = isByProbability ? shown : shown.toSorted((a, b) => a - b);
  return ordered.map((index) => {
    const re = amplitudes[2 * index] ?? 0;
    const im = amplitudes[2 * index + 1] ?? 0;
    return {
      index,
      label: basisLabel(index, numQubits),
      probability: probabilities[index] ?? 0,
      re,
      im,
      phase: Math.atan2(im, re),
    };
  });
}

/** Indices of the largest values, the largest first, and of equal ones the first. */
function largest(values: Float64Array, count: number): readonly number[] {
  const kept: number[] = [];
  // Halves of one pair may differ in their last digit.
  const isLess = (a: number, b: number) => a < b - 1e-12;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    const smallest = kept.at(-1);
    if (kept.length === count && smallest !== undefined && !isLess(values[smallest] ?? 0, value))
      continue;
    let at = kept.length;
    while (at > 0 && isLess(values[kept[at - 1] ?? 0] ?? 0, value)) at--;
    kept.splice(at, 0, index);
    if (kept.length > count) kept.pop();
  }
  return kept;
}

/** Basis states that are named in the words of a state, if they have more than the least probability. */
const MAX_NAMED = 16;
const LEAST_NAMED = 0.0005;

/** Rows in words: "00 50%, 11 50%". */
export function wordsOfRows(rows: readonly StateRow[]): string {
  const named = rows.filter(({ probability }) => probability > LEAST_NAMED);
  const words = named
    .slice(0, MAX_NAMED)
    .map(({ label, probability }) => `${label} ${probabilityText(probability)}`);
  const more = named.length - words.length;
  return [...words, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** A probability to three significant digits, without needless ones: "50%", "12.5%", "0.391%"; only 1 is "100%". */
export function probabilityText(probability: number): string {
  const percents = 100 * probability;
  if (percents < 1e-7) return '0%';
  if (percents < 0.001) return '<0.001%';
  // 3.125 is rounded as such, also if it was computed as a little less.
  const rounded = Number(Number(percents.toPrecision(10)).toPrecision(3));
  return rounded === 100 && percents < 100 - 1e-7 ? '>99.9%' : `${rounded}%`;
}

/** A Bloch vector in words: where it points, and whether the qubit is entangled or mixed. */
export function blochWords(qubit: number, x: number, y: number, z: number): string {
  const length = Math.hypot(x, y, z);
  const parts = [x, y, z].map((each) => plain(each, 2));
  const what =
    length > 0.999
      ? 'by itself'
      : length < 0.001
        ? 'fully entangled or mixed'
        : 'entangled or mixed';
  return `q${qubit}: x ${parts[0]}, y ${parts[1]}, z ${parts[2]}, ${what}`;
}

/** Hue of the phase 0, degrees: violet, the colour of results. */
const FIRST_HUE = 255;

/** Hue of a phase, degrees; phases go once round the circle of colours. */
export function hueOf(phase: number): number {
  return Math.round((((phase * 180) / Math.PI + FIRST_HUE + 360) % 360) * 10) / 10;
}

/** A phase in words: "0", "π/2", "−0.81". */
export function phaseText(phase: number): string {
  const turns = phase / Math.PI;
  const simple: readonly (readonly [number, string])[] = [
    [0, '0'],
    [1, 'π'],
    [-1, 'π'],
    [0.5, 'π/2'],
    [-0.5, '−π/2'],
    [0.25, 'π/4'],
    [-0.25, '−π/4'],
    [0.75, '3π/4'],
    [-0.75, '−3π/4'],
  ];
  const found = simple.find(([value]) => Math.abs(turns - value) < 1e-6);
  return found?.[1] ?? plain(phase, 2);
}

/** Why there is no state. */
export function messageOfAnswer(answer: Refused | TooLarge): string {
  if (answer.kind === 'refused') {
    return answer.faults
      .map(({ path, message }) =>
        path === '' || message.startsWith(path) ? message : `${path}: ${message}`,
      )
      .join(' ');
  }
  const { numQubits, maxQubits, numSteps, maxSteps } = answer;
  if (numQubits > maxQubits) {
    return `The page computes states of up to ${maxQubits} qubits. This circuit has ${numQubits}; run it on the service.`;
  }
  return `The page computes circuits of up to ${grouped(maxSteps)} gates. This one has ${grouped(numSteps)}; run it on the service.`;
}
