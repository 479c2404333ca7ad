/** Engines that lower a shape once can use it for almost all angles. */
import { expect, test } from 'vitest';
import { angleKinds } from '../../src/compiler/parametric.ts';
import type { Program, TargetProfile } from '../../src/compiler/program.ts';
import { anglesOf, compileShape } from '../../src/compiler/shape.ts';
import { cpuTarget } from '../../src/engine/cpu/hosted-engine.ts';
import { ProgramLowering as CpuLowering } from '../../src/engine/cpu/lowered-program.ts';
import { PRECISIONS } from '../../src/engine/cpu/precision.ts';
import { ProgramLowering as GpuLowering } from '../../src/engine/webgpu/gpu-program.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds } from '../support/seeds.ts';
import { shapedCircuit } from '../support/shaped-programs.ts';

/** Two more than a tile, so that qubits lie outside. */
const NUM_QUBITS = 10;
const TILE_QUBITS = 8;
const GPU_TARGET: TargetProfile = {
  maxQubits: NUM_QUBITS,
  tileQubits: TILE_QUBITS,
  contiguousQubits: 2,
  maxDenseQubits: 6,
  chunkQubits: NUM_QUBITS,
  precision: 'f32',
};

/** Tells whether a program is lowered by its shape. */
type UsesShape = (program: Program) => boolean;

function onCpu(precision: 'f32' | 'f64'): UsesShape {
  const lowering = new CpuLowering(PRECISIONS[precision], TILE_QUBITS);
  return (program) => lowering.lower(program).numbers !== undefined;
}

/** What is lowered by a shape shares its sweeps. */
function onGpu(): UsesShape {
  const lowering = new GpuLowering(0);
  const shape = { numQubits: NUM_QUBITS, chunkQubits: NUM_QUBITS };
  const sizes = { tileQubits: TILE_QUBITS, tilesPerGroup: 1, maxTiles: 4, indexBits: 31 };
  const known = new Map<Program['shape'], unknown>();
  return (program) => {
    const { sweeps } = lowering.lower(program, { shape, ...sizes });
    const first = known.get(program.shape) ?? sweeps;
    known.set(program.shape, first);
    return sweeps === first;
  };
}

const ENGINES: readonly (readonly [string, TargetProfile, () => UsesShape])[] = [
  ['CPU engine in f32', cpuTarget('f32', NUM_QUBITS, TILE_QUBITS), () => onCpu('f32')],
  ['CPU engine in f64', cpuTarget('f64', NUM_QUBITS, TILE_QUBITS), () => onCpu('f64')],
  ['WebGPU engine', GPU_TARGET, onGpu],
];

test.each(ENGINES)('the %s lowers almost no program by itself', (_, target, open) => {
  const usesShape = open();
  let [numUsed, numTried] = [0, 0];
  for (const seed of seeds(25)) {
    const circuit = shapedCircuit(seed, NUM_QUBITS);
    const { slots, values } = angleKinds(anglesOf(circuit));
    const shape = compileShape(circuit, { slots }, target);
    const stream = new RandomStream(seed);
    for (let i = 0; i < 20; i++) {
      const program = shape.bind(values.map(() => stream.angle()));
      if (program === undefined) continue;
      numTried++;
      if (usesShape(program)) numUsed++;
    }
  }
  expect(numTried).toBeGreaterThan(100);
  expect(numUsed).toBeGreaterThan(0.98 * numTried);
});
