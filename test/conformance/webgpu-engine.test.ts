// @needs facilities
/**
 * The WebGPU engine on each software driver; small tiles and chunks bring their borders into small circuits, so that they
 * run all code that whole tiles run, and pass the whole suite on the faster driver. The long form has each driver pass it,
 * the slower one in whole tiles, where it has fewer kernels to compile.
 */
import type { Program } from '../../src/compiler/program.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { runProgram } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { IS_LONG } from '../support/seeds.ts';
import { openSoftwareEngine, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';
import { describeConfiguration, describeEngine } from './engine-suite.ts';

for (const driver of SOFTWARE_DRIVERS) {
  const claims = {
    tolerance: 1e-5,
    maxQubits: 12,
    hasGradients: true,
    hasTrajectories: true,
    hasDensityMatrices: true,
    // A trajectory takes these drivers up to 0.1 and 0.2 s.
    mostStates: driver === 'lavapipe' ? 50 : 20,
  };
  // Sixteen chunks, qubits that only exchanges bring near, and a chunk qubit that no index holds; on
  // the slower driver four.
  const chunks = driver === 'lavapipe' ? { chunkQubits: 8, indexBits: 11 } : { chunkQubits: 10 };
  const sizes = { tileQubits: 8, ...chunks, maxQubits: 12, memoryBytes: 2 ** 24 };
  const open = async () => {
    const engine = await openSoftwareEngine(driver, sizes);
    await compileForEachTile(engine);
    return engine;
  };
  describeWith([driver], `the WebGPU engine on ${driver}`, () => {
    const isFaster = driver === 'lavapipe';
    const describeSmall = isFaster ? describeEngine : describeConfiguration;
    describeSmall(`webgpu on ${driver}, in small tiles and chunks`, open, claims);
    if (!isFaster && !IS_LONG) return;
    const describeWhole = isFaster ? describeConfiguration : describeEngine;
    describeWhole(`webgpu on ${driver}`, () => openSoftwareEngine(driver), claims);
  });
}

/** Has the driver compile the kernels for tiles with each number of chunk qubits. */
async function compileForEachTile(engine: Engine): Promise<void> {
  const { chunkQubits, tileChunkQubits = 0, maxQubits: numQubits } = engine.target;
  const places = Array.from({ length: numQubits }, (_, i) => i);
  for (let inTile = 0; inTile <= Math.min(tileChunkQubits, numQubits - chunkQubits); inTile++) {
    const resident = [0, 1, 2, 3, ...places.slice(chunkQubits, chunkQubits + inTile)];
    const program: Program = {
      hash: `a sweep that does nothing, over ${inTile} chunk qubits`,
      numQubits,
      numBits: 0,
      steps: [{ kind: 'sweep', resident, kernels: [] }],
      matrices: new Float64Array(),
      finalLayout: places,
    };
    await runProgram(engine, program, { statevector: true });
  }
}
