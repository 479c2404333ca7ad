/**
 * Computes ⟨ψ|O|ψ⟩ without copying the state: evaluates many Pauli strings on one block after
 * another.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { type PauliSum, type PauliTerm, pauliMasks } from '../../circuit/observable.ts';
import { highestBit, pauliPhase } from '../pauli-phase.ts';
import type { MaybePromise } from '../state-operations.ts';
import {
  byteImage,
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  itemsPerClaim,
  type StoredState,
  stateBytes,
  writeCommand,
  writeWords,
} from './command.ts';
import type { CommandRunner } from './command-runner.ts';

/** Bytes of a block, which stays in cache while all strings are evaluated on it. */
const BLOCK_BYTES = 2 ** 15;
const MAX_PER_CLAIM = 64;
/** Strings of one command: they bound the room for their values, a double for each of every block. */
const MAX_TERMS = 128;
const WORDS_PER_TERM = 8;
const COMMAND_BYTES = 4 * (COMMAND_HEADER_WORDS + 8);

/** A Pauli string in the format of assembly/expectation.ts. */
interface PlacedTerm {
  /** Masks of byte offsets; bits of the lane number are kept apart. */
  readonly flips: number;
  readonly signs: number;
  readonly flippedLanes: number;
  readonly signedLanes: number;
  readonly isImaginary: boolean;
  readonly pairBit: number;
  /** Factor of the kernel's sum. */
  readonly factor: number;
}

/**
 * The expectation value of an observable.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function expectation(
  runner: CommandRunner,
  state: StoredState,
  observable: PauliSum,
  layout: readonly Qubit[],
): MaybePromise<number> {
  const terms = observable.map((term) => placeTerm(term, state, layout));
  if (terms.length <= MAX_TERMS) return sumOfTerms(runner, state, terms);
  return inParts(runner, state, terms);
}

async function inParts(
  runner: CommandRunner,
  state: StoredState,
  terms: readonly PlacedTerm[],
): Promise<number> {
  let sum = 0;
  for (let from = 0; from < terms.length; from += MAX_TERMS) {
    sum += await sumOfTerms(runner, state, terms.slice(from, from + MAX_TERMS));
  }
  return sum;
}

function placeTerm(
  { coefficient, factors }: PauliTerm,
  { precision }: StoredState,
  layout: readonly Qubit[],
): PlacedTerm {
  const { laneQubits } = precision;
  const { flips, signs, numY } = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < laneQubits ? 0 : byteImage(physical, precision);
  });
  const lanes = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < laneQubits ? 2 ** physical : 0;
  });
  const { isImaginary, sign } = pauliPhase(numY);
  // The kernel visits one group of each pair, by the highest flipped qubit.
  const pairBit = highestBit(flips);
  const factor = coefficient * sign * (pairBit === 0 ? 1 : 2);
  const ofLanes = { flippedLanes: lanes.flips, signedLanes: lanes.signs };
  return { flips, signs, ...ofLanes, isImaginary, pairBit, factor };
}

function sumOfTerms(
  runner: CommandRunner,
  state: StoredState,
  terms: readonly PlacedTerm[],
): MaybePromise<number> {
  const bytes = stateBytes(state);
  const blockBytes = Math.min(bytes, BLOCK_BYTES);
  const numItems = bytes / blockBytes;
  const termBytes = 4 * WORDS_PER_TERM * terms.length;
  return runner.withScratch(COMMAND_BYTES + termBytes + 8 * numItems * terms.length, (command) => {
    const list = command + COMMAND_BYTES;
    const out = list + termBytes;
    // Equal work for each claim, however many terms there are.
    const most = Math.ceil(MAX_PER_CLAIM / Math.max(1, terms.length));
    const perClaim = itemsPerClaim(numItems, most);
    const header = { kind: COMMAND_KINDS.expectation, numItems, perClaim };
    const fields = [state.at, blockBytes, terms.length, list, out];
    writeCommand(runner.memory, command, header, fields);
    writeWords(runner.memory, list, terms.flatMap(wordsOf));
    const read = () =>
      weightedSum(new Float64Array(runner.memory, out, numItems * terms.length), terms);
    const done = runner.runCommand(command, numItems);
    return done instanceof Promise ? done.then(read) : read();
  });
}

function wordsOf(term: PlacedTerm): readonly number[] {
  const { flips, signs, flippedLanes, signedLanes, isImaginary, pairBit } = term;
  return [flips, signs, flippedLanes, signedLanes, isImaginary ? 1 : 0, pairBit, 0, 0];
}

/** @param values - A double for each term, block after block. */
function weightedSum(values: Float64Array, terms: readonly PlacedTerm[]): number {
  const sums = new Float64Array(terms.length);
  for (let i = 0; i < values.length; i += terms.length) {
    for (let term = 0; term < terms.length; term++) sums[term]! += values[i + term]!;
  }
  return terms.reduce((sum, { factor }, term) => sum + factor * sums[term]!, 0);
}
