/**
 * The CPU engine in both precisions. One thread in one tile and several threads over several tiles are
 * two ways through the engine; threads that share one tile's work are in between.
 */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeEngine } from './engine-suite.ts';

const CLAIMS = {
  maxQubits: 20,
  hasGradients: true,
  hasTrajectories: true,
  hasDensityMatrices: true,
};
const ofF32 = { ...CLAIMS, tolerance: 1e-5 };
const ofF64 = { ...CLAIMS, tolerance: 1e-12 };

// The kernels of both precisions are one source, compiled twice: each precision goes one of the ways.
describeEngine(
  'cpu f32, 1 thread',
  () => openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 20 }),
  ofF32,
);
// Small tiles bring their borders, and those between threads, into small circuits.
describeEngine(
  'cpu f64, 3 threads, tiles of 8 qubits',
  () => openCpuEngine({ precision: 'f64', numThreads: 3, maxQubits: 20, tileQubits: 8 }),
  ofF64,
);
