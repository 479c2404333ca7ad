/**
 * Checks and times sweeps of several tile shapes on one state, by their expected effect on a tile. All amplitudes are
 * real: the gates are rotations about Y and sign flips.
 */

import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel, Program, Sweep } from '../../../compiler/program.ts';
import { hasOddParity } from '../../../math/basis-index.ts';
import type { GpuContext } from '../gpu-context.ts';
import { type GpuProgram, lowerProgram, placeProgram } from '../gpu-program.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import { placeSweep } from '../sweep/place-sweep.ts';
import {
  maxTileChunkQubits,
  ONE_CHUNK,
  SweepKernels,
  type TileShape,
} from '../sweep/sweep-kernel.ts';
import type { ShapeTimes, TileWork } from './tuning.ts';

/** The measured sweeps as a program that reads the whole state. */
export interface TimedProgram {
  readonly program: Program;
  /** Index of the first sweep among the program's steps. */
  readonly firstSweep: number;
  /** In the order of `layers`. */
  readonly sweeps: readonly TileWork[];
}

/**
 * Number of lowest qubits in every tile: with fewer, memory would be read in parts of cache lines.
 */
const LOWEST = 4;
/** Rotation angle: neither |0⟩ nor |1⟩ dominates after any number of rotations. */
const ANGLE = 0.7;
/** Index of CZ's diagonal among the matrices, behind the rotation. */
const CZ_OFFSET = 4;

const C = Math.cos(ANGLE / 2);
const S = Math.sin(ANGLE / 2);
const MATRICES = Float64Array.of(C, 0, -S, 0, S, 0, C, 0, 1, 0, 1, 0, 1, 0, -1, 0);

/** The lowest and the highest qubits: the tile whose amplitudes are farthest apart in memory. */
function farTile(numQubits: number, tileQubits: number): readonly Qubit[] {
  return Array.from({ length: tileQubits }, (_, i) =>
    i < LOWEST ? i : numQubits - tileQubits + i,
  );
}

/**
 * Kernels of a sweep: layers of rotations, each followed by a CZ between neighbours; one rotation
 * for 0 layers.
 */
function kernelsOf(layers: number, tile: readonly Qubit[]): Kernel[] {
  const controls: readonly Qubit[] = [];
  const rotation = (qubit: Qubit): Kernel => ({
    kind: 'dense',
    targets: [qubit],
    controls,
    offset: 0,
  });
  if (layers === 0) return [rotation(tile.at(-1)!)];
  const signs = tile.slice(1).map(
    (qubit, i): Kernel => ({
      kind: 'diagonal',
      targets: [tile[i]!, qubit],
      controls,
      offset: CZ_OFFSET,
    }),
  );
  return Array.from({ length: layers }, () => [...tile.map(rotation), ...signs]).flat();
}

/**
 * Builds sweeps on the far tile of a state of one chunk.
 *
 * @param layers - Layers of each sweep.
 */
function timedProgram(
  layers: readonly number[],
  numQubits: number,
  { tileQubits, tilesPerGroup }: TileShape,
): TimedProgram {
  const tile = farTile(numQubits, tileQubits);
  const sweeps = layers.map((count): Sweep => {
    return { kind: 'sweep', resident: tile, kernels: kernelsOf(count, tile) };
  });
  const shape = { numQubits, chunkQubits: numQubits };
  const placing = { shape, tileQubits, tilesPerGroup, indexBits: numQubits, maxTiles: 1 };
  const work = sweeps.map((sweep): TileWork => {
    const { words } = placeSweep(sweep, { matrices: MATRICES }, placing, new Set(), 0);
    // The first word of a sweep is its number of stages. Diagonals are counted with the stages.
    const stages = words[0]![0]!;
    const rotations = sweep.kernels.filter(({ kind }) => kind === 'dense');
    return { sweeps: 1, stages, instructions: rotations.length };
  });
  const program: Program = {
    hash: `tuning ${numQubits} ${tileQubits} ${tilesPerGroup}`,
    numQubits,
    numBits: 0,
    // A measurement, even of no qubit, makes the sweeps after it read the whole state.
    steps: [{ kind: 'measure', qubits: [], bits: [] }, ...sweeps],
    matrices: MATRICES,
    finalLayout: Array.from({ length: numQubits }, (_, qubit) => qubit),
  };
  return { program, firstSweep: 1, sweeps: work };
}

/**
 * Expected amplitudes of a tile that began with 1 at its first index, after all sweeps.
 *
 * @returns Real; indexed by tile index.
 */
export function tileAfter(layers: readonly number[], tileQubits: number): Float64Array {
  const amplitudes = new Float64Array(2 ** tileQubits);
  amplitudes[0] = 1;
  for (const count of layers) {
    if (count === 0) rotate(amplitudes, tileQubits - 1, ANGLE / 2);
    for (let layer = 0; layer < count; layer++) {
      for (let bit = 0; bit < tileQubits; bit++) rotate(amplitudes, bit, ANGLE / 2);
      for (const i of amplitudes.keys()) {
        // A sign for each pair of neighbouring bits that are both 1.
        if (hasOddParity(i & (i >> 1))) amplitudes[i] = -amplitudes[i]!;
      }
    }
  }
  return amplitudes;
}

function rotate(amplitudes: Float64Array, bit: number, angle: number): void {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  for (let i = 0; i < amplitudes.length; i++) {
    const j = i | (1 << bit);
    if (i === j) continue;
    const [a, b] = [amplitudes[i]!, amplitudes[j]!];
    amplitudes[i] = c * a - s * b;
    amplitudes[j] = s * a + c * b;
  }
}

/**
 * Work is repeated for this long, to reduce the effect of clock resolution and submission overhead.
 */
const TIMED_MS = 2;
const MAX_REPEATS = 64;
const MEASUREMENTS = 3;

/**
 * Milliseconds of one repetition of some work: the least of several measurements, since a wait that
 * was answered late only ever adds to them.
 */
async function timedMs(context: GpuContext, enqueue: () => void): Promise<number> {
  let least = await repeatedMs(context, enqueue, 1);
  for (let i = 0; i < MEASUREMENTS; i++) {
    const repeats = Math.min(MAX_REPEATS, Math.ceil(TIMED_MS / Math.max(least, 1e-3)));
    least = Math.min(least, (await repeatedMs(context, enqueue, repeats)) / repeats);
  }
  return least;
}

async function repeatedMs(
  context: GpuContext,
  enqueue: () => void,
  repeats: number,
): Promise<number> {
  for (let i = 0; i < repeats; i++) enqueue();
  const started = performance.now();
  await context.settle();
  return performance.now() - started;
}

/**
 * Bytes read plus written per second when one buffer is copied to another.
 *
 * @param size - Bytes of each buffer.
 * @throws {StateMemoryError} if the device has no memory for both.
 */
export async function copyRate(context: GpuContext, size: number): Promise<number> {
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const from = await context.allocate('copied from', size, COPY_SRC | COPY_DST);
  try {
    const to = await context.allocate('copied to', size, COPY_SRC | COPY_DST);
    try {
      const copy = () =>
        context.enqueue((encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size));
      // Writing first makes sure that the memory is really allocated.
      await context.submit((encoder) => encoder.clearBuffer(from));
      await context.submit((encoder) => encoder.clearBuffer(to));
      return (1000 * 2 * size) / (await timedMs(context, copy));
    } finally {
      to.destroy();
    }
  } finally {
    from.destroy();
  }
}

/** Layers of the sweep with one gate, and of the sweep with many. */
const LAYERS = [0, 4] as const;
/** Largest error of an amplitude; amplitudes are at most 1. */
const TOLERANCE = 1e-4;
/**
 * Initial values of the first amplitude of some tiles: two tiles of the first workgroup, one of
 * another, and the last.
 */
const STARTS = [1, -0.5, 0.25, 0.75] as const;
/** Most runs of neighbouring amplitudes compared in each such tile. */
const MAX_RUNS = 16;
const RUN = 2 ** LOWEST;

/** A shape whose kernel is compiled and correct. */
export interface CheckedShape {
  readonly shape: TileShape;
  readonly timed: TimedProgram;
  readonly placed: GpuProgram;
  /** Bind group of the state. */
  readonly group: GPUBindGroup;
}

/** The state and programs of a tuning. Disposing destroys them. */
export class TuningBench implements Disposable {
  readonly numQubits: number;
  readonly #context: GpuContext;
  readonly #state: GPUBuffer;
  readonly #placed: GpuProgram[] = [];

  private constructor(context: GpuContext, numQubits: number, state: GPUBuffer) {
    this.#context = context;
    this.numQubits = numQubits;
    this.#state = state;
  }

  /** @throws {StateMemoryError} if the device has no memory for a state of `numQubits` qubits. */
  static async open(context: GpuContext, numQubits: number): Promise<TuningBench> {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const size = AMPLITUDE_BYTES * 2 ** numQubits;
    const state = await context.allocate('tuned on', size, STORAGE | COPY_SRC | COPY_DST);
    return new TuningBench(context, numQubits, state);
  }

  [Symbol.dispose](): void {
    this.#state.destroy();
    for (const placed of this.#placed) placed.destroy();
  }

  /** Whether the state has enough tiles to check a shape. */
  holds({ tileQubits, tilesPerGroup }: TileShape): boolean {
    return 2 ** (this.numQubits - tileQubits) >= tilesPerGroup + 2;
  }

  /**
   * Compiles the kernel of a shape.
   *
   * @throws {GpuFaultError} if the device rejects it.
   */
  async compile(shape: TileShape): Promise<SweepKernels> {
    const kernels = new SweepKernels(this.#context, shape);
    await kernels.kernel(ONE_CHUNK);
    return kernels;
  }

  /** Checks the result of a shape's sweeps on some tiles; undefined if it is wrong. */
  async check(kernels: SweepKernels): Promise<CheckedShape | undefined> {
    const context = this.#context;
    const { numQubits } = this;
    const { tileQubits, tilesPerGroup } = kernels;
    const shape = { tileQubits, tilesPerGroup };
    const timed = timedProgram(LAYERS, numQubits, shape);
    const maxTiles = 2 ** (numQubits - tileQubits);
    const placing = {
      shape: { numQubits, chunkQubits: numQubits },
      tileQubits,
      tilesPerGroup,
      maxTiles,
      indexBits: numQubits,
    };
    const maxTileChunks = maxTileChunkQubits(context.device.limits);
    const lowered = lowerProgram(timed.program, placing, maxTileChunks);
    const placed = await placeProgram(context, kernels, lowered);
    this.#placed.push(placed);
    const group = context.device.createBindGroup({
      label: 'tuned on',
      layout: (await kernels.kernel(ONE_CHUNK)).chunks,
      entries: [{ binding: 0, resource: { buffer: this.#state } }],
    });
    const checked = { shape, timed, placed, group };
    return (await this.#isRight(checked)) ? checked : undefined;
  }

  /** Times the sweeps of a shape, repeating each for some milliseconds. */
  async time(checked: CheckedShape): Promise<ShapeTimes> {
    const { shape, timed } = checked;
    const [oneGateMs, manyGatesMs] = [
      await timedMs(this.#context, () => this.#enqueueSweep(checked, 0)),
      await timedMs(this.#context, () => this.#enqueueSweep(checked, 1)),
    ];
    return { shape, oneGateMs, manyGatesMs, manyGates: timed.sweeps[1]! };
  }

  #enqueueSweep({ timed, placed, group }: CheckedShape, sweep: number): void {
    const { dispatches } = placed.steps[timed.firstSweep + sweep]!;
    for (const { kernel, bindings, offsets, row, numRows } of dispatches) {
      this.#context.enqueueKernels((pass) => {
        pass.setPipeline(kernel.pipeline);
        pass.setBindGroup(0, group);
        pass.setBindGroup(1, bindings, offsets);
        pass.dispatchWorkgroups(row, numRows);
      });
    }
  }

  /**
   * Starts some tiles at known values, runs every sweep once, and compares samples of the result.
   */
  async #isRight(checked: CheckedShape): Promise<boolean> {
    const context = this.#context;
    const { tileQubits, tilesPerGroup } = checked.shape;
    const numTiles = 2 ** (this.numQubits - tileQubits);
    const tiles = [0, 1, tilesPerGroup + 1, numTiles - 1];
    context.enqueue((encoder) => encoder.clearBuffer(this.#state));
    context.flush();
    for (const [i, tile] of tiles.entries()) {
      const start = Float32Array.of(STARTS[i]!, 0);
      context.device.queue.writeBuffer(this.#state, AMPLITUDE_BYTES * RUN * tile, start);
    }
    for (const sweep of checked.timed.sweeps.keys()) this.#enqueueSweep(checked, sweep);
    const runs = runsOf(tileQubits);
    const found = await this.#readRuns(tiles, runs, numTiles);
    const expected = tileAfter(LAYERS, tileQubits);
    return tiles.every((_, i) =>
      runs.every((run, k) =>
        found
          .subarray(2 * RUN * (i * runs.length + k), 2 * RUN * (i * runs.length + k + 1))
          .every((value, at) => {
            const real = at % 2 === 0 ? STARTS[i]! * expected[RUN * run + at / 2]! : 0;
            return Math.abs(value - real) < TOLERANCE;
          }),
      ),
    );
  }

  /** Reads runs of some tiles, tile by tile; interleaved re, im. */
  async #readRuns(
    tiles: readonly number[],
    runs: readonly number[],
    numTiles: number,
  ): Promise<Float32Array> {
    const context = this.#context;
    const runBytes = AMPLITUDE_BYTES * RUN;
    const size = tiles.length * runs.length * runBytes;
    const { COPY_SRC, COPY_DST } = GPUBufferUsage;
    const found = await context.allocate('compared', size, COPY_SRC | COPY_DST);
    try {
      context.enqueue((encoder) => {
        for (const [i, tile] of tiles.entries()) {
          for (const [k, run] of runs.entries()) {
            const from = runBytes * (run * numTiles + tile);
            const to = runBytes * (i * runs.length + k);
            encoder.copyBufferToBuffer(this.#state, from, found, to, runBytes);
          }
        }
      });
      return new Float32Array(await context.read(found, size));
    } finally {
      found.destroy();
    }
  }
}

/** Indices of runs spread over a tile. */
function runsOf(tileQubits: number): readonly number[] {
  const numRuns = 2 ** (tileQubits - LOWEST);
  const count = Math.min(MAX_RUNS, numRuns);
  // An odd step visits no run twice.
  const step = (numRuns / count) | 1;
  return Array.from({ length: count }, (_, k) => (k * step) % numRuns);
}
