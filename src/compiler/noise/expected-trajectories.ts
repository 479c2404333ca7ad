/**
 * Expected number of different trajectories of a run, from the odds of the errors in its circuit.
 *
 * A trajectory is a choice at every site, and shots that choose the same share a state. With N shots, a trajectory of
 * probability q is among them with probability 1 − (1 − q)^N; the sum of these is the number that is expected. Errors
 * are nearly always a few kinds in many places, so trajectories are counted by their probabilities: the generating
 * function of sites of one kind, (1 + J·x)^n, has a power of x for each number of errors. Powers of x are logarithms of
 * probabilities and fall between bins, two of which share a term so that its probability stays the same.
 */
import {
  allOperations,
  type DynamicCircuit,
  type MisreadOperation,
  type NoiseOperation,
  numOperationsOf,
} from '../../circuit/circuit.ts';
import type { Channel } from '../../circuit/noise/channel.ts';
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import { errorOfDepolarizing } from './density-circuit.ts';
import { lastReadings } from './last-readings.ts';
import { unravel } from './unravelling.ts';

/** Sites of noise with about as many errors that are about as likely. */
export interface AlikeSites {
  readonly numSites: number;
  /** Errors of a site, as many as equally likely ones would be; not always a whole number. */
  readonly numErrors: number;
  /** Probability of an error, divided by that of none. */
  readonly odds: number;
}

/** Bins of an octave of probabilities. */
const BINS = 4;
/** Trajectories that are expected in fewer shots than this differ from all others. */
const RARE = 0.01;
/** If a shot without errors is less likely than 2 to minus this, all shots count as different. */
const MOST_OCTAVES = 1000;

/** Errors of a circuit and their probabilities, from which the number of different trajectories is estimated. */
export interface NoiseOdds {
  readonly sites: readonly AlikeSites[];
  /** Whether the probabilities of some errors depend on the state, so that norms of states are computed. */
  readonly needsNorms: boolean;
  /** Errors of a shot, with the rounds of loops. */
  readonly numFaults: number;
  /** Qubits of the widest channel that is not depolarizing; density matrices take no wide ones. */
  readonly widestChannel: number;
}

/** The noise of a circuit, misread bits before the end included. A loop counts once. */
export function noiseOdds(circuit: DynamicCircuit): NoiseOdds {
  const known = new Map<Channel, Choices>();
  let needsNorms = false;
  let widestChannel = 0;
  const classes = new Map<string, Choices & { numSites: number }>();
  const add = ({ total, squares }: Choices) => {
    if (total === 0) return;
    const numErrors = total ** 2 / squares;
    const key = `${binOf(numErrors)} ${binOf(total / numErrors)}`;
    const { numSites, ...sum } = classes.get(key) ?? { numSites: 0, total: 0, squares: 0 };
    classes.set(key, {
      numSites: numSites + 1,
      total: sum.total + total,
      squares: sum.squares + squares,
    });
  };
  for (const operation of allOperations(lastReadings(circuit.operations).operations)) {
    if (operation.kind === 'misread')
      for (const _ of operation.bits) add(misreadChoices(operation));
    if (operation.kind !== 'noise') continue;
    const { numQubits } = operation.channel;
    if (numQubits > widestChannel && errorOfDepolarizing(operation.channel) === undefined) {
      widestChannel = numQubits;
    }
    const choices = choicesOf(operation, known);
    needsNorms ||= choices.dependOnState === true;
    add(choices);
  }
  const sites = [...classes.values()].map(({ numSites, total, squares }) => {
    const numErrors = total ** 2 / squares / numSites;
    return { numSites, numErrors, odds: total / numSites / numErrors };
  });
  const numWritten = allOperations(circuit.operations).length;
  const ofWritten = sites.reduce((sum, { numSites, numErrors, odds }) => {
    const total = numErrors * odds;
    return sum + (numSites * total) / (1 + total);
  }, 0);
  const numFaults = (ofWritten * numOperationsOf(circuit)) / Math.max(1, numWritten);
  return { sites, needsNorms, numFaults, widestChannel };
}

const binOf = (value: number): number => Math.round(BINS * Math.log2(value));

/** Odds of the errors of a site against the likeliest choice: their sum, and the sum of their squares. */
interface Choices {
  readonly total: number;
  readonly squares: number;
  readonly dependOnState?: boolean;
}

function choicesOf({ channel }: NoiseOperation, known: Map<Channel, Choices>): Choices {
  let choices = known.get(channel);
  if (choices === undefined) {
    choices = choicesOfChannel(channel);
    known.set(channel, choices);
  }
  return choices;
}

/**
 * The choices of a channel on the maximally mixed state. Kraus matrices on several qubits are the choices themselves:
 * to unravel hundreds of them would hold up other requests.
 */
function choicesOfChannel(channel: Channel): Choices {
  if (channel.kind === 'kraus' && channel.numQubits > 1) {
    return { ...oddsOf(channel.matrices.map(meanSquare)), dependOnState: true };
  }
  const { hazard, jumps, survival } = unravel(channel);
  const ofJumps = jumps.map(({ weight, operator }) =>
    operator.kind === 'matrix' ? weight * meanSquare(operator.matrix) : weight,
  );
  const odds = oddsOf([Math.max(0, 1 - hazard), ...ofJumps]);
  return { ...odds, dependOnState: survival === undefined };
}

/** tr K†K over the dimension. */
function meanSquare(matrix: ComplexMatrix): number {
  return matrix.reduce((sum, entry) => sum + entry * entry, 0) / dimension(matrix);
}

function misreadChoices({ p1Given0, p0Given1 }: MisreadOperation): Choices {
  const misread = (p1Given0 + p0Given1) / 2;
  return oddsOf([1 - misread, misread]);
}

function oddsOf(probabilities: readonly number[]): Choices {
  const likeliest = Math.max(...probabilities);
  const most = probabilities.indexOf(likeliest);
  const odds = probabilities.filter((_, i) => i !== most).map((each) => each / likeliest);
  return {
    total: odds.reduce((sum, each) => sum + each, 0),
    squares: odds.reduce((sum, each) => sum + each * each, 0),
  };
}

/** Different trajectories that shots are expected to take; at least 1. */
export function expectedTrajectories(sites: readonly AlikeSites[], shots: number): number {
  return expectedPrefixes(sites, shots, 1);
}

/**
 * Evolutions of whole circuits that the trajectories take together, if sites are spread evenly: those with a common
 * beginning share it.
 */
export function expectedEvolutions(sites: readonly AlikeSites[], shots: number): number {
  // Simpson's rule over the prefixes of the circuit.
  const [a, b, c, d] = [0.25, 0.5, 0.75, 1].map((part) => expectedPrefixes(sites, shots, part));
  return (1 + 4 * a! + 2 * b! + 4 * c! + d!) / 12;
}

/** Different trajectories through the first part of the sites. */
function expectedPrefixes(sites: readonly AlikeSites[], shots: number, part: number): number {
  let octaves = 0;
  for (const { numSites, numErrors, odds } of sites) {
    octaves += part * numSites * Math.log2(1 + numErrors * odds);
  }
  const numBins = Math.ceil(BINS * (Math.log2(Math.max(1, shots) / RARE) - octaves));
  if (numBins <= 0 || octaves > MOST_OCTAVES) return Math.max(1, shots);
  let paths = new Float64Array(numBins);
  paths[0] = 1;
  for (const alike of sites) paths = withSites(paths, alike, part);
  let [distinct, rest] = [0, 1];
  for (const [bin, numPaths] of paths.entries()) {
    const probability = 2 ** (-octaves - bin / BINS);
    distinct += numPaths * -Math.expm1(shots * Math.log1p(-Math.min(probability, 1 - 1e-15)));
    rest -= numPaths * probability;
  }
  return Math.min(Math.max(1, shots), Math.max(1, distinct + shots * Math.max(0, rest)));
}

/** Numbers of trajectories by their odds, after further sites. */
function withSites(
  before: Float64Array,
  { numSites, numErrors, odds }: AlikeSites,
  part: number,
): Float64Array<ArrayBuffer> {
  const after = new Float64Array(before.length);
  const step = -BINS * Math.log2(odds);
  const count = numSites * part;
  // Ways to have k errors.
  let ways = 1;
  for (let k = 0; ways > 0 && k * step < before.length; k++) {
    const bin = Math.floor(k * step);
    // Parts of the term in the bin and in the next, which is less likely.
    const next = (1 - 2 ** ((bin - k * step) / BINS)) / (1 - 2 ** (-1 / BINS));
    for (let i = 0; i + bin < after.length; i++) {
      const paths = before[i]! * ways;
      after[i + bin]! += paths * (1 - next);
      if (i + bin + 1 < after.length) after[i + bin + 1]! += paths * next;
    }
    ways *= (Math.max(0, count - k) / (k + 1)) * numErrors;
  }
  return after;
}
