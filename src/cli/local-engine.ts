/** Engine for `qcs run --engine …`, opened in this process. */
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import { MAX_CPU_QUBITS } from '../engine/cpu/hosted-engine.ts';
import { MAX_REFERENCE_QUBITS, openReferenceEngine } from '../engine/reference/reference-engine.ts';
import { AMPLITUDE_BYTES, maxQubitsWithin } from '../fleet/memory-shares.ts';
import type { EngineChoice } from './circuit-file.ts';
import { engineSpec, type LocalEngine, type LocalSurroundings } from './engine-processor.ts';
import { OptionsConflictError } from './errors.ts';

/**
 * Opens the engine that the options describe; by default the CPU engine in double precision on all threads.
 *
 * @throws {OptionsConflictError} if the engine does not support an option.
 * @throws {NoUsableAdapterError} if WebGPU is requested and no adapter is usable.
 */
export async function openLocalEngine(
  choice: EngineChoice,
  surroundings: LocalSurroundings,
): Promise<LocalEngine> {
  const { engine: name = 'cpu' } = choice;
  if (name === 'webgpu') {
    const { openOnAdapter } = await import('./local-adapter.ts');
    return await openOnAdapter(choice, surroundings);
  }
  if (name === 'reference') checkReference(choice);
  return onCpu(name, choice, surroundings);
}

function onCpu(
  name: 'cpu' | 'reference',
  choice: EngineChoice,
  { config, machine }: LocalSurroundings,
): LocalEngine {
  const memoryBytes = config.memoryBytes ?? machine.memoryBytes / 2;
  const { precision = 'f64' } = choice;
  const isReference = name === 'reference';
  const numThreads = isReference ? 1 : (choice.threads ?? config.numThreads ?? machine.numCores);
  const cap = isReference ? MAX_REFERENCE_QUBITS : MAX_CPU_QUBITS[precision];
  const maxQubits = maxQubitsWithin(memoryBytes, precision, cap);
  const engine = isReference
    ? openReferenceEngine({ maxQubits, memoryBytes })
    : openCpuEngine({ precision, numThreads, maxQubits, memoryBytes });
  const addressable = AMPLITUDE_BYTES[precision] * 2 ** cap;
  return {
    engine,
    numThreads,
    precision,
    hardware: machine.cpuModel,
    spec: engineSpec(
      engine,
      precision,
      memoryBytes < addressable
        ? { bytes: memoryBytes, setting: 'QCS_MEMORY_MIB' }
        : { bytes: addressable },
      config,
    ),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function checkReference({ threads = 1, precision = 'f64' }: EngineChoice): void {
  if (precision !== 'f64') {
    throw new OptionsConflictError('The reference engine computes in f64 only.');
  }
  if (threads !== 1) throw new OptionsConflictError('The reference engine runs on one thread.');
}
