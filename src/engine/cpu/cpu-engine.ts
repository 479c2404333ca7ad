/** The CPU engine in Node. Stabilizer programs, which no page runs, have kernels and a memory of their own. */
import { Mutex } from '../mutex.ts';
import { stabilizerExecutable } from '../stabilizer/run-stabilizer.ts';
import { type CpuEngine, type CpuEngineOptions, openHostedEngine } from './hosted-engine.ts';
import { NODE_HOST } from './node-host.ts';
import { openWasmKernels } from './wasm-stabilizer.ts';

/** @see openHostedEngine */
export function openCpuEngine(options: CpuEngineOptions): CpuEngine {
  const engine = openHostedEngine(options, NODE_HOST);
  const kernels = openWasmKernels(NODE_HOST);
  const mutex = new Mutex();
  return {
    ...engine,
    prepare: {
      ...engine.prepare,
      stabilizer: async (program) => stabilizerExecutable(program, kernels, mutex, 'cpu'),
    },
    close: () => mutex.close(() => engine.close()),
  };
}
