/** Opens the CPU engine from plain data; called in worker threads only. */
import { openCpuEngine } from '../../engine/cpu/cpu-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Precision } from '../schedule/lane.ts';
import type { EngineOptions } from './worker-messages.ts';

/** An engine of the precision, as the options describe it. */
export function openEngine(
  { numThreads, maxQubits, memoryBytes }: EngineOptions,
  precision: Precision,
): Engine {
  return openCpuEngine({ precision, numThreads, maxQubits: maxQubits[precision], memoryBytes });
}
