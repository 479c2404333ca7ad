/** Checks and times sweeps of several tile shapes on one state. */
import type { GpuContext } from '../gpu-context.ts';
import { lowerProgram } from '../gpu-lowering.ts';
import { type GpuProgram, placeProgram } from '../gpu-program.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import {
  maxTileChunkQubits,
  ONE_CHUNK,
  SweepKernels,
  type TileShape,
} from '../sweep/sweep-kernel.ts';
import type { ShapeTimes } from './choose-tile.ts';
import { LOWEST, type TimedProgram, tileAfter, timedMs, timedProgram } from './timed-sweeps.ts';

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

  /** @throws {StateMemoryError} if the device has no memory for a state of so many qubits. */
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
