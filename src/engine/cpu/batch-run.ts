/**
 * Batches: many small circuits of one shape, each with its own angles, run by one program.
 *
 * The lanes of a SIMD register hold different circuits. A single small circuit leaves most of the machine idle: its
 * gates shuffle a few registers, and its overhead exceeds its arithmetic. In a batch every gate is plain arithmetic on
 * whole registers, and the overhead occurs once. Circuits are copied into shared memory in chunks, and their results
 * out.
 */

import type { Circuit } from '../../circuit/circuit.ts';
import { BitImages } from '../../math/bit-images.ts';
import { RECIPES, type Recipe } from '../batch-recipes.ts';
import {
  type BatchExecutable,
  type BatchRequest,
  type BatchResult,
  type BatchResults,
  checkBatchRequest,
  checkBatchShape,
  copyAngles,
  emptyResults,
  outcomeBitsOf,
} from '../batch-request.ts';
import type { Mutex } from '../mutex.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { type LaneMatrix, type LoweredBatch, lowerBatch } from './batch-lowering.ts';
import {
  type BatchObservableFields,
  type BatchObservables,
  planBatchObservables,
} from './batch-observables.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  ScratchPlan,
  seedWords,
  WORD_BYTES,
  writeCommand,
} from './command.ts';
import { GROUP_BYTES, type Precision } from './precision.ts';
import {
  type CommandRunner,
  retryOnLostThread,
  type ThreadPool,
  ThreadPoolRunner,
} from './thread-pool.ts';

/** The parts of an engine that a batch uses. */
export interface BatchHost {
  readonly threadPool: ThreadPool;
  readonly precision: Precision;
  /** The engine's: a batch has all threads to itself while it runs. */
  readonly mutex: Mutex;
}

/**
 * Compiles a shape. Its own angles are ignored: each request brings the angles.
 *
 * @param recipes - Gates without a recipe run from matrices computed for each circuit.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function prepareBatch(
  { threadPool, precision, mutex }: BatchHost,
  shape: Circuit,
  recipes: Readonly<Record<string, Recipe>> = RECIPES,
): BatchExecutable {
  const { numQubits, numBits } = shape;
  checkBatchShape(shape, 'cpu batch');
  const lowered = lowerBatch(shape, precision, recipes);
  const at = threadPool.allocate(lowered.code.bytes);
  lowered.code.place(threadPool.memory, at);
  const outcomeBits = outcomeBitsOf(shape);
  const batch: PlacedBatch = { at, lowered, precision, numQubits, numBits, outcomeBits };
  const { numAngles } = lowered;
  const executable = mutex.executable(
    (request: BatchRequest, signal) =>
      retryOnLostThread(() => {
        const slicer = new TimeSlicer(signal, () => {});
        return runBatch(batch, request, new ThreadPoolRunner(threadPool, slicer));
      }),
    () => threadPool.release(at),
  );
  return {
    ...executable,
    numAngles,
    // Validates before the batch is queued.
    run: async (request, signal) => {
      checkBatchRequest(request, { numQubits, numBits, numAngles });
      return await executable.run(request, signal);
    },
  };
}

/** Target duration of an item; the thread pool looks at the clock after two of them. */
const ITEM_NS = 50_000;
/** Estimated durations, nanoseconds. */
const NS_PER_AMPLITUDE = 1;
const NS_PER_INSTRUCTION = 15;
const NS_PER_SHOT = 12;
/** Average size of an instruction, bytes. */
const INSTRUCTION_BYTES = 24;

/** A compiled shape whose program is in shared memory. */
export interface PlacedBatch {
  readonly at: number;
  readonly lowered: LoweredBatch;
  readonly precision: Precision;
  readonly numQubits: number;
  readonly numBits: number;
  /** outcomeBits[q] are the classical bits that qubit q is measured into. */
  readonly outcomeBits: readonly number[];
}

/** A range of the circuits. */
interface Chunk {
  readonly first: number;
  readonly count: number;
}

/** Observables in shared memory, and the time that they take for a bundle. */
type ObservedBatch = BatchObservableFields & Pick<BatchObservables, 'bundleNs'>;

/** Runs a validated request. */
async function runBatch(
  batch: PlacedBatch,
  request: BatchRequest,
  runner: CommandRunner,
): Promise<BatchResult> {
  const { numAngles, numLaneEntries } = batch.lowered;
  const { precision, numQubits } = batch;
  const { observables = [], variances = false } = request;
  const planned = planBatchObservables(observables, variances, numQubits, precision);
  const sizes = { ...batch, numAngles, numLaneEntries };
  const layout = layOutBatch(sizes, request, precision, planned.bytes);
  const results = emptyResults(batch, request);
  return await runner.withScratch(layout.bytes, async (block) => {
    writeTables(batch, layout, runner.memory, block);
    const written = planned.write(runner.memory, block + layout.observables);
    const observed: ObservedBatch = { ...written, bundleNs: planned.bundleNs };
    for (let first = 0; first < request.numCircuits; first += layout.circuitsPerChunk) {
      const count = Math.min(layout.circuitsPerChunk, request.numCircuits - first);
      const chunk = { first, count };
      writeCircuits(batch, request, layout, chunk, runner.memory, block);
      const numItems = writeChunk(batch, request, layout, observed, count, runner.memory, block);
      const done = runner.runCommand(block + layout.command, numItems);
      if (done !== undefined) await done;
      readResults(results, layout, chunk, request.numCircuits, runner.memory, block);
    }
    return results;
  });
}

/** Writes the tables that all circuits share. */
function writeTables(
  { numQubits, outcomeBits }: PlacedBatch,
  layout: BatchLayout,
  memory: SharedArrayBuffer,
  block: number,
): void {
  const outcomeOf = new BitImages(outcomeBits);
  const numStates = 2 ** numQubits;
  const outcomes = new Uint32Array(memory, block + layout.outcomes, numStates);
  const offsets = new Uint32Array(memory, block + layout.offsets, numStates);
  for (let i = 0; i < numStates; i++) {
    outcomes[i] = outcomeOf.at(i);
    offsets[i] = (GROUP_BYTES / WORD_BYTES) * i;
  }
}

/** Writes the angles, matrices and seeds of a chunk's circuits. */
function writeCircuits(
  { lowered, precision }: PlacedBatch,
  { angles, shots = 0, seed = 0, seeds }: BatchRequest,
  layout: BatchLayout,
  { first, count }: Chunk,
  memory: SharedArrayBuffer,
  block: number,
): void {
  const { numAngles, laneMatrices, numLaneEntries } = lowered;
  const own = angles.subarray(first * numAngles, (first + count) * numAngles);
  const to = new Float64Array(memory, block + layout.angles, layout.circuitsPerChunk * numAngles);
  copyAngles(own, to);
  // Lanes without a circuit compute as well and need finite angles.
  to.fill(0, own.length);
  if (laneMatrices.length > 0) {
    const at = block + layout.matrices;
    for (let circuit = 0; circuit < layout.circuitsPerChunk; circuit++) {
      const from = to.subarray(circuit * numAngles, (circuit + 1) * numAngles);
      for (const matrix of laneMatrices) {
        writeLaneMatrix(matrix, from, circuit, numLaneEntries, precision, memory, at);
      }
    }
  }
  if (shots === 0) return;
  const words = new Uint32Array(memory, block + layout.seeds, 2 * count);
  for (let i = 0; i < count; i++)
    words.set(seedWords(seeds?.[first + i] ?? seed + first + i), 2 * i);
}

function writeLaneMatrix(
  { definition, slot, offset }: LaneMatrix,
  angles: Float64Array,
  circuit: number,
  numLaneEntries: number,
  { lanes, realBytes }: Precision,
  memory: SharedArrayBuffer,
  at: number,
): void {
  const matrix = definition.matrix([...angles.subarray(slot, slot + definition.parameters.length)]);
  const bundle = Math.floor(circuit / lanes);
  const from = at + GROUP_BYTES * (bundle * numLaneEntries + offset);
  const length = lanes * matrix.length;
  const reals =
    realBytes === 4
      ? new Float32Array(memory, from, length)
      : new Float64Array(memory, from, length);
  // An entry is all lanes' real parts, then all lanes' imaginary parts.
  for (let i = 0; i < matrix.length; i++) reals[lanes * i + (circuit % lanes)] = matrix[i]!;
}

/**
 * Writes the command of a chunk.
 *
 * @returns Its number of items.
 */
function writeChunk(
  batch: PlacedBatch,
  { shots = 0, statevector = false, observables = [] }: BatchRequest,
  layout: BatchLayout,
  observed: ObservedBatch,
  count: number,
  memory: SharedArrayBuffer,
  block: number,
): number {
  const { lowered, precision, numQubits, numBits } = batch;
  const bundlesPerItem = Math.max(
    1,
    Math.floor(ITEM_NS / (bundleNs(batch, shots) + observed.bundleNs)),
  );
  const numItems = Math.ceil(count / (bundlesPerItem * precision.lanes));
  const endBytes = statevector ? lowered.endWithPhaseBytes : lowered.endBytes;
  const addressOf = (offset: number) => (offset === 0 ? 0 : block + offset);
  const header = { kind: COMMAND_KINDS.batch, numItems, perClaim: 1 };
  writeCommand(memory, block + layout.command, header, [
    ...[batch.at, batch.at + endBytes, numQubits, count, bundlesPerItem],
    ...[block + layout.angles, Float64Array.BYTES_PER_ELEMENT * lowered.numAngles],
    ...[block + layout.matrices, GROUP_BYTES * lowered.numLaneEntries],
    ...[numBits, block + layout.outcomes, block + layout.offsets],
    ...[addressOf(layout.probabilities), addressOf(layout.statevectors)],
    ...[addressOf(layout.expectations), addressOf(layout.counts)],
    ...[shots, block + layout.seeds],
    ...[observables.length, observed.groups, observed.endOfGroups, observed.firstUses],
    ...[addressOf(layout.variances), observed.observables],
  ]);
  return numItems;
}

function bundleNs({ lowered, precision, numQubits }: PlacedBatch, shots: number): number {
  const numInstructions = lowered.endBytes / INSTRUCTION_BYTES;
  const instructionNs = NS_PER_INSTRUCTION + NS_PER_AMPLITUDE * 2 ** numQubits;
  return 1 + numInstructions * instructionNs + precision.lanes * shots * NS_PER_SHOT;
}

/** Copies the results of a chunk out of shared memory. */
function readResults(
  { counts, statevectors, probabilities, expectations, variances }: BatchResults,
  layout: BatchLayout,
  { first, count }: Chunk,
  numCircuits: number,
  memory: SharedArrayBuffer,
  block: number,
): void {
  const perCircuit = (values: { length: number }) => values.length / numCircuits;
  const doubles = (values: Float64Array | undefined, offset: number) => {
    if (values === undefined || values.length === 0) return;
    const size = perCircuit(values);
    values.set(new Float64Array(memory, block + offset, count * size), first * size);
  };
  doubles(statevectors, layout.statevectors);
  doubles(probabilities, layout.probabilities);
  doubles(expectations, layout.expectations);
  doubles(variances, layout.variances);
  if (counts === undefined) return;
  const size = perCircuit(counts);
  counts.set(new Uint32Array(memory, block + layout.counts, count * size), first * size);
}

/** Target size of a chunk: angles, matrices and results that are in shared memory at a time. */
const CHUNK_BYTES = 8 * 2 ** 20;
/** Number of fields of a batch command after its header. */
const COMMAND_FIELDS = 24;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Sizes of one circuit. */
interface CircuitSizes {
  readonly numQubits: number;
  readonly numBits: number;
  readonly numAngles: number;
  /** Entries of the matrices that differ between circuits. */
  readonly numLaneEntries: number;
}

/**
 * Layout of the shared memory of a run: a chunk of the circuits, their results, and tables. Offsets within the run's
 * block; 0 for results that are not requested.
 */
interface BatchLayout {
  readonly bytes: number;
  /** Circuits that are in shared memory at a time; a multiple of the lanes. */
  readonly circuitsPerChunk: number;
  readonly command: number;
  readonly outcomes: number;
  readonly offsets: number;
  readonly observables: number;
  readonly angles: number;
  readonly matrices: number;
  readonly seeds: number;
  readonly probabilities: number;
  readonly statevectors: number;
  readonly expectations: number;
  readonly variances: number;
  readonly counts: number;
}

/**
 * Plans the block of a run.
 *
 * @param observableBytes - Room for the observables.
 */
function layOutBatch(
  sizes: CircuitSizes,
  request: BatchRequest,
  { lanes }: Precision,
  observableBytes: number,
): BatchLayout {
  const { numQubits, numBits, numAngles, numLaneEntries } = sizes;
  const { numCircuits, shots = 0, observables = [] } = request;
  const perCircuit = {
    angles: DOUBLE_BYTES * numAngles,
    matrices: (GROUP_BYTES / lanes) * numLaneEntries,
    seeds: shots > 0 ? 8 : 0,
    probabilities: request.probabilities === true ? DOUBLE_BYTES * 2 ** numBits : 0,
    statevectors: request.statevector === true ? 2 * DOUBLE_BYTES * 2 ** numQubits : 0,
    expectations: DOUBLE_BYTES * observables.length,
    variances: request.variances === true ? DOUBLE_BYTES * observables.length : 0,
    counts: shots > 0 ? 4 * 2 ** numBits : 0,
  };
  const circuitBytes = Object.values(perCircuit).reduce((sum, bytes) => sum + bytes, 1);
  const most = Math.min(numCircuits, Math.max(1, Math.floor(CHUNK_BYTES / circuitBytes)));
  // The last bundle may have lanes without a circuit, but results have room for all lanes.
  const circuitsPerChunk = Math.ceil(most / lanes) * lanes;
  const plan = new ScratchPlan();
  const each = (bytes: number) => (bytes === 0 ? 0 : plan.reserve(bytes * circuitsPerChunk));
  const command = plan.reserve(4 * (COMMAND_HEADER_WORDS + COMMAND_FIELDS));
  const tables = {
    outcomes: plan.reserve(4 * 2 ** numQubits),
    offsets: plan.reserve(4 * 2 ** numQubits),
    observables: plan.reserve(observableBytes),
  };
  const perChunk = {
    angles: each(perCircuit.angles),
    matrices: each(perCircuit.matrices),
    seeds: each(perCircuit.seeds),
    probabilities: each(perCircuit.probabilities),
    statevectors: each(perCircuit.statevectors),
    expectations: each(perCircuit.expectations),
    variances: each(perCircuit.variances),
    counts: each(perCircuit.counts),
  };
  return { bytes: plan.bytes, circuitsPerChunk, command, ...tables, ...perChunk };
}
