import { describe, expect, test } from 'vitest';
import { commonCircuit } from '../../../../bench/webgpu-circuits.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import { COSTS } from '../../../../src/engine/webgpu/gpu-target.ts';
import { placeSweep } from '../../../../src/engine/webgpu/sweep/place-sweep.ts';
import { tileShape } from '../../../../src/engine/webgpu/sweep/sweep-kernel.ts';
import {
  bestShape,
  COUNTED_WORK,
  candidatesFor,
  dispatchQubits,
  fits,
  MIN_COUNTED_TILE,
  type ShapeTimes,
} from '../../../../src/engine/webgpu/tuning/tuning.ts';
import { gpuLimits } from '../../../support/gpu-limits.ts';

/** Sweeps that take so long on tiles of that size. */
function timesOf(tileQubits: number, oneGateMs: number, manyGatesMs: number): ShapeTimes {
  const manyGates = { sweeps: 1, stages: 6, instructions: 40 };
  return { shape: tileShape(tileQubits), oneGateMs, manyGatesMs, manyGates };
}

describe('the shape of tiles', () => {
  test('is the larger where a trip through memory costs both the same', () => {
    const best = bestShape([timesOf(10, 1, 2), timesOf(12, 1, 2), timesOf(8, 1, 2)]);
    expect(best.shape.tileQubits).toBe(12);
  });

  test('is the larger even where its trips take longer, if fewer make up for that', () => {
    const best = bestShape([timesOf(10, 1, 1.2), timesOf(12, 1.05, 1.25)]);
    expect(best.shape.tileQubits).toBe(12);
  });

  test('is the smaller where larger tiles lose more by their sweeps than they save', () => {
    const best = bestShape([timesOf(10, 1, 2), timesOf(12, 2.5, 5), timesOf(8, 1, 2)]);
    expect(best.shape.tileQubits).toBe(10);
  });

  test('is chosen by what happens inside sweeps, too', () => {
    const best = bestShape([timesOf(10, 1, 2), timesOf(12, 1, 20)]);
    expect(best.shape.tileQubits).toBe(10);
  });

  test('stays the default where another is better by no more than noise', () => {
    const best = bestShape([timesOf(10, 1, 2), { ...timesOf(10, 0.99, 1.98) }]);
    expect(best.oneGateMs).toBe(1);
  });

  test('is tried as the default first, and each that the device holds once', () => {
    const candidates = candidatesFor(gpuLimits({ workgroupBytes: 49_152, threads: 1024 }));
    expect(candidates[0]).toEqual({ tileQubits: 10, tilesPerGroup: 1 });
    expect(new Set(candidates.map((shape) => JSON.stringify(shape))).size).toBe(candidates.length);
    expect(Math.max(...candidates.map(({ tileQubits }) => tileQubits))).toBe(12);
  });

  test.each([
    ['workgroup memory', { workgroupBytes: 16_384, threads: 1024 }],
    ['threads', { workgroupBytes: 49_152, threads: 64 }],
  ])('keeps to the %s of the device', (_, few) => {
    const limits = gpuLimits(few);
    expect(fits({ tileQubits: 11, tilesPerGroup: 2 }, limits)).toBe(false);
    expect(candidatesFor(limits).every((shape) => fits(shape, limits))).toBe(true);
  });

  test.each(Object.entries(COUNTED_WORK))(
    'is weighed by about the work that the compiler makes of %s',
    (family, counted) => {
      // The property's names are those of the families.
      const circuit = commonCircuit(family as keyof typeof COUNTED_WORK, 30);
      for (const [i, work] of counted.entries()) {
        const { sweeps, stages } = workOf(circuit, MIN_COUNTED_TILE + i);
        expect(Math.abs(sweeps - work.sweeps)).toBeLessThanOrEqual(Math.ceil(work.sweeps / 4));
        expect(Math.abs(stages - work.stages)).toBeLessThanOrEqual(Math.ceil(work.stages / 3));
      }
    },
  );
});

function workOf(circuit: ReturnType<typeof commonCircuit>, tileQubits: number) {
  const { numQubits } = circuit;
  const target = {
    maxQubits: numQubits,
    tileQubits,
    contiguousQubits: 4,
    maxDenseQubits: Math.min(6, tileQubits - 4),
    chunkQubits: numQubits,
    precision: 'f32' as const,
    costs: COSTS,
  };
  const { program } = compile(circuit, target);
  const shape = { numQubits, chunkQubits: numQubits };
  const placing = { shape, ...tileShape(tileQubits), indexBits: 31, maxTiles: 2 ** 22 };
  const unwritten = new Set(Array(numQubits).keys());
  let [sweeps, stages] = [0, 0];
  for (const step of program.steps) {
    if (step.kind !== 'sweep') continue;
    const { words, dispatches, tile } = placeSweep(step, program, placing, unwritten, 0);
    for (const qubit of tile) unwritten.delete(qubit);
    const numTiles = dispatches.reduce((sum, { params }) => sum + params[2]! - params[1]!, 0);
    const share = numTiles / 2 ** (numQubits - tileQubits);
    sweeps += share;
    stages += share * words[0]![0]!;
  }
  return { sweeps, stages };
}

describe('a dispatch', () => {
  test('is sized so that the heaviest sweeps take tens of milliseconds', () => {
    // 110 instructions in 12 stages take 1 + 2.475·10 ms for 2^20 amplitudes.
    expect(dispatchQubits(timesOf(10, 1, 11), 20)).toBe(20);
    expect(dispatchQubits(timesOf(10, 1 / 16, 11 / 16), 20)).toBe(24);
  });

  test('is neither so small that it is not worth one nor larger than a chunk', () => {
    expect(dispatchQubits(timesOf(10, 1e6, 1e7), 20)).toBe(20);
    expect(dispatchQubits(timesOf(10, 1e-6, 1e-5), 20)).toBe(30);
  });

  test('has fewer tiles in a sweep of many words, in whole workgroups', () => {
    const kernels = Array.from({ length: 4000 }, (_, i) => ({
      kind: 'dense' as const,
      targets: [i % 8],
      controls: [],
      offset: 0,
    }));
    const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
    const matrices = Float64Array.of(c, 0, -s, 0, s, 0, c, 0);
    const shape = { numQubits: 20, chunkQubits: 20 };
    const placing = { shape, ...tileShape(8), indexBits: 20, maxTiles: 2 ** 12 };
    const resident = [0, 1, 2, 3, 4, 5, 6, 7];
    const place = (count: number) =>
      placeSweep(
        { kind: 'sweep', resident, kernels: kernels.slice(0, count) },
        { matrices },
        placing,
        new Set(),
        0,
      ).dispatches;
    expect(place(1)).toHaveLength(1);
    const many = place(4000);
    expect(many.length).toBeGreaterThan(8);
    const starts = many.map(({ params }) => params[1]!);
    const ends = many.map(({ params }) => params[2]!);
    expect(starts).toEqual([0, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(2 ** 12);
    expect(starts.every((start) => start % placing.tilesPerGroup === 0)).toBe(true);
  });
});
