/**
 * Draws basis states from a state: from a small one by a table of cumulative sums, on the calling thread unless there
 * are many shots; from a large one by blocks, which agree in all but their lowest logical bits.
 *
 * The masses of blocks are summed first, and draws are sorted into ranges of cumulative mass. Then each block that has
 * draws is read again and picks its basis states. Because draws are sorted first, no draw has to search for its block.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import {
  andThen,
  type BasisSamples,
  type MaybePromise,
  type SampleRequest,
  type ShotGroup,
} from '../state-operations.ts';
import { mergedSamples } from '../terminal-measurement.ts';
import {
  assertNorm,
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  doubleWords,
  itemsPerClaim,
  ScratchPlan,
  type StoredState,
  samplesAt,
  seedWords,
  subsetSums,
  WORD_BYTES,
  wordImage,
  writeCommand,
  writeWords,
} from './command.ts';
import { placeMasses, planMasses, regionQubits } from './masses-plan.ts';
import { GROUP_BYTES } from './precision.ts';
import type { CommandRunner } from './thread-pool.ts';

/** Wider states are sampled by blocks. */
const MAX_TABLE_QUBITS = 12;
/** More shots than this are shared among threads. */
const MAX_DIRECT_SHOTS = 65_536;
const DIRECT_SHOTS_PER_ITEM = 8192;

/**
 * Draws a basis state for each shot, as engine.ts defines it; at once from a small state.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function sampleBasisStates(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  request: SampleRequest,
): MaybePromise<BasisSamples> {
  if (layout.length > MAX_TABLE_QUBITS) return sampleLargeState(runner, state, layout, request);
  const { shots, seed, event } = request;
  const { count, numbers } = shots;
  const numQubits = layout.length;
  const size = 2 ** numQubits;
  const scratch = new ScratchPlan();
  const command = scratch.reserve(4 * (COMMAND_HEADER_WORDS + 12));
  const sums = scratch.reserve(8 * size);
  const images = scratch.reserve(4 * numQubits);
  const offsets = scratch.reserve(4 * size);
  const histogram = scratch.reserve(4 * size);
  const indices = scratch.reserve(4 * size);
  const occurrences = scratch.reserve(4 * size);
  // The kernels read four numbers at a time.
  const listed = scratch.reserve(numbers === undefined ? 0 : 4 * count + 12);
  const fourDraws = scratch.reserve(32);
  return runner.withScratch(scratch.bytes, (block) => {
    const { kernels, memory } = runner;
    const imagesOfQubits = layout.map((physical) => wordImage(physical, state.precision));
    writeWords(memory, block + images, imagesOfQubits);
    if (numbers !== undefined) writeWords(memory, block + listed, numbers);
    new Uint32Array(memory, block + histogram, size).fill(0);
    const norm = kernels.stateSums(
      state.at / WORD_BYTES,
      numQubits,
      block + images,
      block + offsets,
      block + sums,
    );
    assertNorm(norm);
    const [low, high] = seedWords(seed);
    const numbersAt = numbers === undefined ? 0 : block + listed;
    const read = () => {
      const to = [block + indices, block + occurrences] as const;
      const numDrawn = kernels.listHistogram(block + histogram, size, ...to);
      return samplesAt(runner.memory, ...to, numDrawn);
    };
    if (count <= MAX_DIRECT_SHOTS) {
      const from = block + sums;
      const to = block + histogram;
      const four = block + fourDraws;
      kernels.drawShots(from, numQubits, norm, low, high, event, 0, count, numbersAt, to, four);
      return read();
    }
    const numItems = Math.ceil(count / DIRECT_SHOTS_PER_ITEM);
    const header = { kind: COMMAND_KINDS.drawShots, numItems, perClaim: 1 };
    writeCommand(memory, block + command, header, [
      ...[low, high, event, count, DIRECT_SHOTS_PER_ITEM, numbersAt],
      ...doubleWords(norm),
      ...[numQubits, block + sums, block + histogram],
    ]);
    return andThen(runner.runCommand(block + command, numItems), read);
  });
}

/** log2 of the basis states of a block; must equal the constant in assembly/blocks.ts. */
const BLOCK_BITS = 8;
/** Shots drawn together: 16 bytes of scratch memory each. */
const SHOTS_PER_ROUND = 2 ** 22;
const SHOTS_PER_ITEM = 4096;
const DRAWS_PER_RANGE = 4;
const MIN_RANGES = 1024;
const MAX_PER_CLAIM = 4;
/** Fields of a command; the largest here has 26. */
const COMMAND_BYTES = 4 * (COMMAND_HEADER_WORDS + 28);

/** Draws by blocks; the state has at least BLOCK_BITS and the lane qubits. */
async function sampleLargeState(
  runner: CommandRunner,
  state: StoredState,
  layout: readonly Qubit[],
  request: SampleRequest,
): Promise<BasisSamples> {
  const scratch = new ScratchPlan();
  const commandOffset = scratch.reserve(COMMAND_BYTES);
  const plan = planMasses(state, layout.slice(BLOCK_BITS), layout.slice(0, BLOCK_BITS));
  const masses = placeMasses(plan, scratch);
  const blocks = placeBlocks(state, layout, scratch);
  return await runner.withScratch(scratch.bytes, async (block) => {
    const command = block + commandOffset;
    const { numItems, numBins } = plan;
    const perClaim = itemsPerClaim(numItems, MAX_PER_CLAIM);
    const massFields = masses.write(runner.memory, block, state.at);
    const header = { kind: COMMAND_KINDS.masses, numItems, perClaim };
    writeCommand(runner.memory, command, header, massFields);
    await runner.runCommand(command, numItems);
    const norm = runner.kernels.startsOfMasses(block + masses.bins, numBins);
    assertNorm(norm);

    const blockFields = blocks(runner.memory, block);
    const pick = async (draws: SortedDraws, indices: number, occurrences: number) => {
      const fields = [draws.numRanges, draws.starts, draws.sorted, indices, occurrences];
      writeCommand(runner.memory, command, { ...header, kind: COMMAND_KINDS.pick }, [
        ...massFields,
        ...fields,
        ...blockFields,
        ...doubleWords(norm),
      ]);
      await runner.runCommand(command, numItems);
    };
    let samples: BasisSamples | undefined;
    for (const round of roundsOf(request.shots)) {
      const more = await sampleRound(runner, { ...request, ...round }, norm, pick);
      samples = samples === undefined ? more : mergedSamples(samples, more);
    }
    if (samples === undefined) throw new Error('unreachable: a request without shots');
    return samples;
  });
}

/** Addresses of sorted draws in shared memory. */
interface SortedDraws {
  readonly numRanges: number;
  /** Positions of the ranges among the sorted draws. */
  readonly starts: number;
  readonly sorted: number;
}

/** Shots that are drawn together. */
interface Round {
  readonly shots: ShotGroup;
  /** The first shot's number, where they are not listed. */
  readonly firstShot: number;
}

function* roundsOf({ count, numbers }: ShotGroup): Generator<Round> {
  for (let firstShot = 0; firstShot < count; firstShot += SHOTS_PER_ROUND) {
    const size = Math.min(SHOTS_PER_ROUND, count - firstShot);
    const listed = numbers?.subarray(firstShot, firstShot + size);
    const shots = listed === undefined ? { count: size } : { count: size, numbers: listed };
    yield { shots, firstShot };
  }
}

/** Reserves room for the common part of blocks; returns a function that writes it and returns its fields. */
function placeBlocks(
  state: StoredState,
  layout: readonly Qubit[],
  scratch: ScratchPlan,
): (memory: SharedArrayBuffer, block: number) => readonly number[] {
  const { precision } = state;
  const nearQubits = regionQubits(state);
  const regionBytes = GROUP_BYTES * 2 ** (nearQubits - precision.laneQubits);
  const qubits = layout.slice(0, BLOCK_BITS);
  const far = qubits.filter((qubit) => qubit >= nearQubits);
  const offsets = subsetSums(qubits.map((qubit) => wordImage(qubit, precision)));
  const regions = subsetSums(far.map((qubit) => wordImage(qubit, precision)));
  const copied = subsetSums(
    qubits.map((qubit) =>
      qubit < nearQubits
        ? wordImage(qubit, precision)
        : (regionBytes / WORD_BYTES) * 2 ** far.indexOf(qubit),
    ),
  );
  // If no other block shares a block's regions, copying them saves nothing.
  const numRegions = layout.slice(BLOCK_BITS).some((qubit) => qubit < nearQubits)
    ? regions.length
    : 0;
  const at = {
    offsets: scratch.reserve(4 * offsets.length),
    copied: scratch.reserve(4 * copied.length),
    regions: scratch.reserve(4 * regions.length),
  };
  return (memory, block) => {
    writeWords(memory, block + at.offsets, offsets);
    writeWords(memory, block + at.copied, copied);
    writeWords(memory, block + at.regions, regions);
    const places = [block + at.offsets, block + at.copied];
    return [...places, numRegions, block + at.regions, regionBytes];
  };
}

/** Draws the shots of a round, sorts them, and lets the blocks pick their basis states. */
async function sampleRound(
  runner: CommandRunner,
  { shots, firstShot, seed, event }: SampleRequest & Round,
  norm: number,
  pick: (draws: SortedDraws, indices: number, occurrences: number) => Promise<void>,
): Promise<BasisSamples> {
  const { count, numbers } = shots;
  const numRanges = Math.max(MIN_RANGES, 2 ** Math.ceil(Math.log2(count / DRAWS_PER_RANGE)));
  const scratch = new ScratchPlan();
  const commandOffset = scratch.reserve(COMMAND_BYTES);
  // The kernels draw for four shots at a time.
  const drawsOffset = scratch.reserve(8 * count + 24);
  const sortedOffset = scratch.reserve(8 * count);
  const startsOffset = scratch.reserve(4 * (numRanges + 2));
  const numbersOffset = scratch.reserve(numbers === undefined ? 0 : 4 * count + 12);
  return await runner.withScratch(scratch.bytes, async (block) => {
    const command = block + commandOffset;
    const draws = block + drawsOffset;
    const sorted = block + sortedOffset;
    const starts = block + startsOffset;
    new Uint32Array(runner.memory, starts, numRanges + 2).fill(0);
    if (numbers !== undefined) writeWords(runner.memory, block + numbersOffset, numbers);
    const numItems = Math.ceil(count / SHOTS_PER_ITEM);
    const fields = [
      ...[...seedWords(seed), event, count, SHOTS_PER_ITEM],
      numbers === undefined ? 0 : block + numbersOffset,
      ...doubleWords(norm),
      ...[numRanges, starts, draws, sorted, firstShot],
    ];
    const header = { numItems, perClaim: 1 };
    writeCommand(runner.memory, command, { ...header, kind: COMMAND_KINDS.draw }, fields);
    await runner.runCommand(command, numItems);
    // Skips the first word, which stays 0: sorting advances each start to the next range's.
    runner.kernels.startsOfCounts(starts + 4, numRanges);
    writeCommand(runner.memory, command, { ...header, kind: COMMAND_KINDS.sortDraws }, fields);
    await runner.runCommand(command, numItems);

    // The draws are no longer needed; each leaves exactly the room of one sample.
    const indices = draws;
    const occurrences = draws + 4 * count;
    await pick({ numRanges, starts, sorted }, indices, occurrences);
    const numDrawn = runner.kernels.compactSamples(indices, occurrences, count);
    return samplesAt(runner.memory, indices, occurrences, numDrawn);
  });
}
