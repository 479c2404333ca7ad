/**
 * Runs stabilizer programs: one tableau for the reference sample and Pauli frames for the shots, or a tableau a shot
 * where shots differ by more than Pauli strings.
 *
 * Shots are the same whatever kernels compute them, and in whatever ranges.
 */
import {
  type NearCliffordProgram,
  STABILIZER_OPS,
  type StabilizerProgram,
} from '../../compiler/program.ts';
import { type ParityLists, parityBytes, writeParities } from '../../math/bit-matrix.ts';
import { uniformDraw } from '../../math/philox.ts';
import { outcomeOf, wordsFor } from '../classical-bits.ts';
import { CountsBuilder, countingBytes } from '../counts-builder.ts';
import type { Counts, Executable, RunRequest, RunResult } from '../engine.ts';
import {
  OutputNeedsAmplitudesError,
  OutputNeedsFinalStateError,
  ProgramTooWideError,
} from '../errors.ts';
import type { Mutex } from '../mutex.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { isLinear } from './backward-walk.ts';
import { distributionOf, expectationsOf, variancesOf } from './exact-outputs.ts';
import { FrameSampler, KeptParts, type Reference, samplerBytes } from './frame-sampler.ts';
import { runNearClifford } from './run-near-clifford.ts';
import { type StabilizerKernels, tableauWords } from './stabilizer-kernels.ts';
import { type Chance, NO_CHANCE, TableauWalk, type WalkResult } from './tableau-walk.ts';

/** Qubits of the widest program: its tableau takes 200 MB. */
const MAX_STABILIZER_QUBITS = 20_000;

/** Words of the code and of a tableau for it. */
const walkWords = ({ code, numQubits }: StabilizerProgram): number =>
  code.length + tableauWords(numQubits);

/** Bytes of the kernels' memory for a run: a tableau and then the frames of a block, which replace it if they fit. */
export function kernelBytes(program: StabilizerProgram, shots: number): number {
  const { ofKernels } = samplerBytes(program, shots);
  if (program.active !== undefined) return ofKernels;
  const walk = 4 * walkWords(program);
  if (program.reference === 'none') return walk;
  if (program.reference !== 'shared') return ofKernels;
  return ofKernels > walk ? walk + ofKernels : walk;
}

/** Bytes of a run: the kernels' memory, states of active qubits, the outcomes of its shots, and copies of the code. */
export function stabilizerBytes(program: StabilizerProgram, shots: number): number {
  const { code, numBits } = program;
  const { others } = samplerBytes(program, shots);
  return kernelBytes(program, shots) + others + countingBytes(numBits, shots) + 3 * code.byteLength;
}

/**
 * Prepares a program.
 *
 * @param mutex - Held by a run: one at a time uses the kernels.
 * @throws {ProgramTooWideError} if the program has more than 20,000 qubits.
 */
export function stabilizerExecutable(
  program: StabilizerProgram | NearCliffordProgram,
  kernels: StabilizerKernels,
  mutex: Mutex,
  engine: string,
): Executable {
  if ('rotations' in program) {
    return mutex.executable(
      (request: RunRequest, signal) => runNearClifford(program, request, signal),
      () => {},
    );
  }
  if (program.numQubits > MAX_STABILIZER_QUBITS) {
    throw new ProgramTooWideError(program.numQubits, MAX_STABILIZER_QUBITS, engine);
  }
  const kept = new KeptParts(program);
  let reference: WalkResult | undefined;
  const referenceOf = async (slicer: TimeSlicer) => {
    reference ??= await referenceSample(program, kernels, slicer);
    return reference;
  };
  return mutex.executable(
    (request: RunRequest, signal) =>
      run(program, { kernels, kept }, referenceOf, request, signal).finally(() =>
        kernels.release(),
      ),
    () => kept.release(),
  );
}

/**
 * One shot in which random outcomes are 0 and nothing fails.
 *
 * @throws {TooManyRoundsError} if its loops have more rounds than allowed.
 * @throws {ClassicalValueError} if a value to be assigned does not exist.
 */
export async function referenceSample(
  program: StabilizerProgram,
  kernels: StabilizerKernels,
  slicer: TimeSlicer,
): Promise<WalkResult> {
  const { places, code } = withoutNoise(program.code);
  const walk = openWalk({ ...program, code }, kernels, slicer);
  const { values, register } = await walk.run(NO_CHANCE);
  const spread = new Uint8Array(program.code.length / 4);
  for (const [i, place] of places.entries()) spread[place] = values[i]!;
  return { values: spread, register };
}

/** The instructions without noise and what it flips, and the place that each of them had. */
function withoutNoise(code: Int32Array): {
  readonly code: Int32Array;
  readonly places: Int32Array;
} {
  const kept = new Int32Array(code.length);
  const places = new Int32Array(code.length / 4);
  const placeNow = new Int32Array(code.length / 4 + 1);
  let count = 0;
  const { noise1, misread, track, unless, repeat } = STABILIZER_OPS;
  for (let place = 0; place < places.length; place++) {
    placeNow[place] = count;
    const [from, to] = [4 * place, 4 * count];
    const op = code[from]!;
    if ((op >= noise1 && op <= misread) || op === track) continue;
    kept[to] = op;
    kept[to + 1] = code[from + 1]!;
    kept[to + 2] = code[from + 2]!;
    kept[to + 3] = code[from + 3]!;
    places[count++] = place;
  }
  placeNow[places.length] = count;
  for (let at = 0; at < 4 * count; at += 4) {
    const op = kept[at]!;
    if (op === unless || op === repeat) kept[at + 2] = placeNow[kept[at + 2]!]!;
  }
  return { code: kept.subarray(0, 4 * count), places: places.subarray(0, count) };
}

function openWalk(
  program: StabilizerProgram,
  kernels: StabilizerKernels,
  slicer: TimeSlicer,
): TableauWalk {
  kernels.reserve(walkWords(program));
  kernels.words.set(program.code);
  return new TableauWalk(kernels, program, 0, program.code.length, slicer);
}

/** What the runs of a program use, one after the other. */
interface RunParts {
  readonly kernels: StabilizerKernels;
  readonly kept: KeptParts;
}

async function run(
  program: StabilizerProgram,
  parts: RunParts,
  referenceOf: (slicer: TimeSlicer) => Promise<WalkResult>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  checkOutputs(program, request);
  let fraction = 0;
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(fraction));
  const started = performance.now();
  const outputs: { -readonly [K in keyof RunResult]?: RunResult[K] } = {};
  const { observables } = request;
  if (observables !== undefined) {
    const expectations = await expectationsOf(program, observables, slicer);
    outputs.expectations = expectations;
    if (request.variances === true) {
      outputs.variances = await variancesOf(program, observables, expectations, slicer);
    }
  }
  if (request.probabilities === true) {
    const { register } = await referenceOf(slicer);
    outputs.probabilities = await distributionOf(program, register, slicer);
  }
  if (request.referenceSample === true) {
    const { register } = await referenceSample(program.asCollapsed!, parts.kernels, slicer);
    outputs.referenceSample = register;
  }
  const { from, to } = request.shotRange ?? { from: 0, to: request.shots };
  const reference =
    to === from ? undefined : await referenceFor(program, () => referenceOf(slicer));
  const evolutionMs = performance.now() - started;
  const shots = { from, to, shots: request.shots, seed: request.seed };
  const onDone = (done: number) => {
    fraction = done;
  };
  const { parities } = request;
  const sampled =
    reference === undefined
      ? { counts: await countsByTableaux(program, parts.kernels, shots, slicer, onDone) }
      : parities === undefined
        ? { counts: await countsByFrames(program, parts, reference, shots, slicer, onDone) }
        : await paritiesByFrames(program, parts, reference, shots, parities, slicer, onDone);
  const samplingMs = performance.now() - started - evolutionMs;
  return { ...outputs, ...sampled, statePasses: 0, timing: { evolutionMs, samplingMs } };
}

/** The reference sample of a program's frames, as far as all shots share it; undefined where there are no frames. */
async function referenceFor(
  { reference, active, code }: StabilizerProgram,
  sample: () => Promise<WalkResult>,
): Promise<Reference | undefined> {
  switch (reference) {
    case 'none':
      return undefined;
    case 'shared':
      return active === undefined ? await sample() : { values: active.reference };
    case 'zero':
    case 'pattern':
      return { values: new Uint8Array(code.length / 4) };
  }
}

/**
 * Refuses outputs that a stabilizer run does not give.
 *
 * @throws {OutputNeedsAmplitudesError} if the state vector, amplitudes, the density matrix or the purity is requested.
 * @throws {OutputNeedsFinalStateError} if exact values are requested of a program in which conditions, loops or resets
 *   by chance come before the end.
 */
function checkOutputs(program: StabilizerProgram, request: RunRequest): void {
  if (request.statevector === true) throw new OutputNeedsAmplitudesError('a state vector');
  if (request.amplitudes !== undefined) throw new OutputNeedsAmplitudesError('an amplitude');
  if (request.densityMatrix === true) throw new OutputNeedsAmplitudesError('a density matrix');
  if (request.purity === true) throw new OutputNeedsAmplitudesError('the purity');
  if (isLinear(program)) return;
  if (request.probabilities === true) {
    throw new OutputNeedsFinalStateError('The exact distribution');
  }
  if (request.observables !== undefined) {
    throw new OutputNeedsFinalStateError('An exact expectation value');
  }
}

/** Shots of a range, of a run with more of them. */
interface SomeShots {
  readonly from: number;
  readonly to: number;
  readonly shots: number;
  readonly seed: number;
}

async function countsByFrames(
  program: StabilizerProgram,
  { kernels, kept }: RunParts,
  reference: Reference,
  { from, to, shots, seed }: SomeShots,
  slicer: TimeSlicer,
  onDone: (fraction: number) => void,
): Promise<Counts> {
  const { numBits } = program;
  const stride = wordsFor(numBits);
  const sampler = new FrameSampler(kernels, program, reference, shots, kept);
  const { blockShots } = sampler;
  const outcomes = new Uint32Array((to - from) * stride);
  for (let block = Math.floor(from / blockShots); block * blockShots < to; block++) {
    const sampled = await sampler.block(seed, block, slicer);
    const first = block * blockShots;
    const [low, high] = [Math.max(from, first), Math.min(to, first + blockShots)];
    outcomes.set(
      sampled.subarray((low - first) * stride, (high - first) * stride),
      (low - from) * stride,
    );
    onDone((high - from) / (to - from));
    if (slicer.spend(blockShots * stride)) await slicer.pause();
  }
  return await countOutcomes(outcomes, stride, numBits, slicer);
}

/** Parities of each shot, computed on the rows of bits that a block has, without outcomes. */
async function paritiesByFrames(
  program: StabilizerProgram,
  { kernels, kept }: RunParts,
  reference: Reference,
  { from, to, shots, seed }: SomeShots,
  parities: readonly ParityLists[],
  slicer: TimeSlicer,
  onDone: (fraction: number) => void,
): Promise<Pick<RunResult, 'counts' | 'parities'>> {
  const sampler = new FrameSampler(kernels, program, reference, shots, kept);
  const { blockShots } = sampler;
  const sampled = parities.map((lists) => ({
    lists,
    width: parityBytes(lists),
    ofBlock: new Uint8Array(blockShots * parityBytes(lists)),
    all: new Uint8Array((to - from) * parityBytes(lists)),
  }));
  for (let block = Math.floor(from / blockShots); block * blockShots < to; block++) {
    const rows = await sampler.rows(seed, block, slicer);
    const first = block * blockShots;
    const [low, high] = [Math.max(from, first), Math.min(to, first + blockShots)];
    for (const { lists, width, ofBlock, all } of sampled) {
      writeParities(rows, lists, blockShots, ofBlock);
      all.set(
        ofBlock.subarray((low - first) * width, (high - first) * width),
        (low - from) * width,
      );
    }
    onDone((high - from) / (to - from));
    if (slicer.spend(blockShots * wordsFor(program.numBits))) await slicer.pause();
  }
  const counts = await new CountsBuilder(program.numBits).finish(slicer);
  return { counts, parities: sampled.map(({ all }) => all) };
}

async function countsByTableaux(
  program: StabilizerProgram,
  kernels: StabilizerKernels,
  { from, to, seed }: SomeShots,
  slicer: TimeSlicer,
  onDone: (fraction: number) => void,
): Promise<Counts> {
  const { numBits } = program;
  const stride = wordsFor(numBits);
  const outcomes = new Uint32Array((to - from) * stride);
  const walk = from < to ? openWalk(program, kernels, slicer) : undefined;
  for (let shot = from; shot < to; shot++) {
    const { register } = await walk!.run(chanceOf(seed, shot));
    outcomes.set(outcomeOf(register, numBits), (shot - from) * stride);
    onDone((shot + 1 - from) / (to - from));
  }
  return await countOutcomes(outcomes, stride, numBits, slicer);
}

/** The draws of a shot: by place and round, at position 0 for outcomes and after that for noise. */
const chanceOf = (seed: number, shot: number): Chance => ({
  outcome: (place, round) => (uniformDraw(seed, shot, place, 0, round) < 0.5 ? 0 : 1),
  draw: (place, round, position) => uniformDraw(seed, shot, place, position + 1, round),
});

// Counts equal outcomes of many bits: a quicksort on words, highest word first. Most outcomes of noisy circuits differ
// in their first few words, where a radix sort would look at all bytes.
//
// @see Bentley & Sedgewick, "Fast algorithms for sorting and searching strings", 1997.

/** Outcomes whose words from `word + 1` on are equal. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly word: number;
}

/**
 * Counts outcomes.
 *
 * @param outcomes - `stride` words each; kept by the counts where there is one word.
 */
export async function countOutcomes(
  outcomes: Uint32Array<ArrayBuffer>,
  stride: number,
  numBits: number,
  slicer: TimeSlicer,
): Promise<Counts> {
  const numShots = outcomes.length / stride;
  const builder = new CountsBuilder(numBits);
  if (stride === 1) {
    builder.addWords(outcomes, new Uint32Array(numShots).fill(1));
    return await builder.finish(slicer);
  }
  // All at once: a list that grows takes twice the room.
  builder.reserve(numShots);
  const order = new Uint32Array(numShots);
  for (let i = 0; i < numShots; i++) order[i] = i;
  const parts: Part[] = numShots === 0 ? [] : [{ from: 0, to: numShots, word: stride - 1 }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { from, to, word } = part;
    if (word < 0 || to - from === 1) {
      builder.add(outcomes, to - from, order[from]! * stride);
    } else {
      const [low, high] = partition(outcomes, stride, order, part);
      // The last part is taken first, so that outcomes come in ascending order.
      if (high < to) parts.push({ from: high, to, word });
      parts.push({ from: low, to: high, word: word - 1 });
      if (low > from) parts.push({ from, to: low, word });
    }
    if (slicer.spend(4 * (to - from))) await slicer.pause();
  }
  return await builder.finish(slicer);
}

/** Parts an order into outcomes whose word is lower than that of the one in the middle, equal to it, and higher. */
function partition(
  outcomes: Uint32Array,
  stride: number,
  order: Uint32Array,
  { from, to, word }: Part,
): readonly [low: number, high: number] {
  const valueAt = (i: number) => outcomes[order[i]! * stride + word]!;
  const pivot = valueAt((from + to) >>> 1);
  let [low, high] = [from, to];
  for (let i = from; i < high; ) {
    const value = valueAt(i);
    const kept = order[i]!;
    if (value < pivot) {
      order[i++] = order[low]!;
      order[low++] = kept;
    } else if (value > pivot) {
      order[i] = order[--high]!;
      order[high] = kept;
    } else i++;
  }
  return [low, high];
}
