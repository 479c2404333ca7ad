/**
 * Draws basis states from a small state, on the calling thread, from a table of cumulative sums.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { BasisSamples, MaybePromise, SampleRequest } from '../state-operations.ts';
import { sampleLargeState } from './block-sampling.ts';
import {
  assertNorm,
  byteImage,
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  doubleWords,
  ScratchPlan,
  type StoredState,
  samplesAt,
  seedWords,
  writeCommand,
  writeWords,
} from './command.ts';
import type { CommandRunner } from './command-runner.ts';

/** Wider states are sampled by blocks. */
const MAX_TABLE_QUBITS = 12;
/** More shots than this are shared among threads. */
const MAX_DIRECT_SHOTS = 65_536;
const SHOTS_PER_ITEM = 8192;

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
    const imagesOfQubits = layout.map((physical) => byteImage(physical, state.precision));
    writeWords(memory, block + images, imagesOfQubits);
    if (numbers !== undefined) writeWords(memory, block + listed, numbers);
    new Uint32Array(memory, block + histogram, size).fill(0);
    const norm = kernels.addUpState(
      state.at,
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
    const numItems = Math.ceil(count / SHOTS_PER_ITEM);
    const header = { kind: COMMAND_KINDS.drawShots, numItems, perClaim: 1 };
    writeCommand(memory, block + command, header, [
      ...[low, high, event, count, SHOTS_PER_ITEM, numbersAt],
      ...doubleWords(norm),
      ...[numQubits, block + sums, block + histogram],
    ]);
    const done = runner.runCommand(block + command, numItems);
    return done instanceof Promise ? done.then(read) : read();
  });
}
