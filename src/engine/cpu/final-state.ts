/** Writes an initial state, and reads a final one: its amplitudes in logical order, and the distribution of the outcomes. */
import type { Qubit } from '../../circuit/circuit.ts';
import { sumOfBits } from '../../math/basis-index.ts';
import { BitImages } from '../../math/bit-images.ts';
import { ENTRIES_PER_CHUNK, type InitialEntries } from '../initial-entries.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  itemsPerClaim,
  ScratchPlan,
  type StoredState,
  stateBytes,
  WORD_BYTES,
  wordImage,
  writeCommand,
} from './command.ts';
import { type MassesPlan, placeMasses, planMasses } from './masses-plan.ts';
import type { CommandRunner } from './thread-pool.ts';

/** Distance between the real and the imaginary part of an amplitude. */
const IMAG_BYTES = 16;
/** With fewer qubits summed out, the list of masses is about as long as the state. */
const MIN_SUMMED = 4;
const MAX_PER_CLAIM = 4;

/** The reals of a state, as typed-array elements. */
function realsOf(runner: CommandRunner, state: StoredState): Float32Array | Float64Array {
  const { realBytes } = state.precision;
  const length = stateBytes(state) / realBytes;
  if (realBytes === 4) return new Float32Array(runner.memory, state.at, length);
  return new Float64Array(runner.memory, state.at, length);
}

/** Maps a value of the qubits to the index of its real part in the array of reals. */
function positionsOf(qubits: readonly Qubit[], state: StoredState): BitImages {
  return new BitImages(bitPositions(qubits, state));
}

/** Position of the value in which one qubit alone is 1, for each qubit. */
function bitPositions(qubits: readonly Qubit[], { precision }: StoredState): readonly number[] {
  return qubits.map((qubit) => (WORD_BYTES * wordImage(qubit, precision)) / precision.realBytes);
}

/**
 * The amplitudes in logical order.
 *
 * @param layout - Logical qubit → physical qubit.
 * @returns Interleaved re, im.
 */
export function logicalAmplitudes(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  return gathered(runner, state, positionsOf(layout, state), 0, slicer);
}

/**
 * The amplitudes at logical basis indices, for all numbers that `indexOf` maps.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param indexOf - Number → logical basis index, but for the bits of `flips`, which are the other way round.
 * @returns Interleaved re, im.
 */
export function amplitudesAt(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  indexOf: BitImages,
  flips: number,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  // Tables of all qubits of a density matrix would take longer than a line of it.
  const ofBits = bitPositions(layout, state);
  const positionOf = (index: number) =>
    ofBits.reduce((all, position, q) => all | (((index >>> q) & 1) * position), 0);
  const positions = new BitImages(indexOf.images.map(positionOf));
  return gathered(runner, state, positions, positionOf(flips), slicer);
}

/**
 * The amplitudes at a list of logical basis indices, in its order.
 *
 * @param layout - Logical qubit → physical qubit.
 * @returns Interleaved re, im.
 */
export function chosenAmplitudes(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  basisIndices: readonly number[],
): Float64Array {
  const out = new Float64Array(2 * basisIndices.length);
  const reals = realsOf(runner, state);
  const imag = IMAG_BYTES / state.precision.realBytes;
  const ofBits = bitPositions(layout, state);
  for (const [i, index] of basisIndices.entries()) {
    const position = sumOfBits(index, ofBits);
    out[2 * i] = reals[position]!;
    out[2 * i + 1] = reals[position + imag]!;
  }
  return out;
}

/**
 * The amplitudes at some positions, for all numbers that `positions` maps.
 *
 * @param flips - Bits of the positions that are the other way round.
 */
async function gathered(
  runner: CommandRunner,
  state: StoredState,
  positions: BitImages,
  flips: number,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const count = 2 ** positions.images.length;
  const out = new Float64Array(2 * count);
  const reals = realsOf(runner, state);
  const imag = IMAG_BYTES / state.precision.realBytes;
  for (let from = 0; from < count; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, count);
    for (let i = from; i < to; i++) {
      const position = positions.at(i) ^ flips;
      out[2 * i] = reals[position]!;
      out[2 * i + 1] = reals[position + imag]!;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
  return out;
}

/** Writes the amplitudes of a cleared state. */
export async function writeAmplitudes(
  runner: CommandRunner,
  state: StoredState,
  entries: InitialEntries,
  slicer: TimeSlicer,
): Promise<void> {
  const reals = realsOf(runner, state);
  const imag = IMAG_BYTES / state.precision.realBytes;
  const positions = positionsOf([...Array(entries.numQubits).keys()], state);
  const count = 2 ** entries.numQubits;
  const chunk = new Float64Array(2 * Math.min(count, ENTRIES_PER_CHUNK));
  for (let from = 0; from < count; from += chunk.length / 2) {
    entries.fill(from, chunk);
    for (let i = 0; i < chunk.length; i += 2) {
      const position = positions.at(from + i / 2);
      reals[position] = chunk[i]!;
      reals[position + imag] = chunk[i + 1]!;
    }
    if (slicer.spend(chunk.length)) await slicer.pause();
  }
}

/** Makes a state (1 − share)·state + share·other. */
export async function mixStates(
  runner: CommandRunner,
  state: StoredState,
  other: StoredState,
  share: number,
  slicer: TimeSlicer,
): Promise<void> {
  const own = realsOf(runner, state);
  const added = realsOf(runner, other);
  for (let from = 0; from < own.length; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, own.length);
    for (let i = from; i < to; i++) own[i] = (1 - share) * own[i]! + share * added[i]!;
    if (slicer.spend(to - from)) await slicer.pause();
  }
}

/**
 * The distribution of the classical register.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param outcomeOf - Physical basis index → value of the register.
 * @returns Length 2^numBits.
 */
export async function outcomeProbabilities(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  outcomeOf: BitImages,
  numBits: number,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const measured = layout.filter((physical) => outcomeOf.images[physical]! !== 0);
  const images = measured.map((physical) => outcomeOf.images[physical]!);
  const out = new Float64Array(2 ** numBits);
  const outcomes = new BitImages(images);
  if (layout.length - measured.length < MIN_SUMMED) {
    // In physical order, so that memory is read in order.
    const qubits = [...layout].sort((a, b) => a - b);
    const reals = realsOf(runner, state);
    const registers = new BitImages(qubits.map((physical) => outcomeOf.images[physical]!));
    await addAmplitudes(reals, positionsOf(qubits, state), registers, state, out, slicer);
    return out;
  }
  const summed = layout.filter((physical) => !measured.includes(physical));
  const masses = await massesOf(runner, state, planMasses(state, measured, summed));
  for (let bin = 0; bin < masses.length; bin++) out[outcomes.at(bin) >>> 0]! += masses[bin]!;
  return out;
}

async function addAmplitudes(
  reals: Float32Array | Float64Array,
  positions: BitImages,
  registers: BitImages,
  { precision }: StoredState,
  out: Float64Array,
  slicer: TimeSlicer,
): Promise<void> {
  const numAmplitudes = 2 ** positions.images.length;
  const imag = IMAG_BYTES / precision.realBytes;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const position = positions.at(i);
      out[registers.at(i)]! += reals[position]! ** 2 + reals[position + imag]! ** 2;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
}

/** The masses of a plan, by bin. */
async function massesOf(
  runner: CommandRunner,
  state: StoredState,
  plan: MassesPlan,
): Promise<Float64Array> {
  const scratch = new ScratchPlan();
  const command = scratch.reserve(4 * (COMMAND_HEADER_WORDS + 16));
  const placed = placeMasses(plan, scratch);
  const { numItems, numBins, numParts } = plan;
  return await runner.withScratch(scratch.bytes, async (block) => {
    const perClaim = itemsPerClaim(numItems, MAX_PER_CLAIM);
    const header = { kind: COMMAND_KINDS.masses, numItems, perClaim };
    writeCommand(
      runner.memory,
      block + command,
      header,
      placed.write(runner.memory, block, state.at),
    );
    await runner.runCommand(block + command, numItems);
    const parts = new Float64Array(runner.memory, block + placed.bins, numBins * numParts);
    const masses = parts.slice(0, numBins);
    for (let i = numBins; i < parts.length; i++) masses[i % numBins]! += parts[i]!;
    return masses;
  });
}
