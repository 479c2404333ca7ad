/** Engine for `qcs run --engine …`, opened in this process. */
import type { StateMemory } from '../circuit/circuit-limits.ts';
import type { Config } from '../config.ts';
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import { MAX_CPU_QUBITS } from '../engine/cpu/hosted-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { MAX_REFERENCE_QUBITS, openReferenceEngine } from '../engine/reference/reference-engine.ts';
import type { Machine } from '../fleet/machine.ts';
import { AMPLITUDE_BYTES, maxQubitsWithin } from '../fleet/memory-shares.ts';
import type { ProcessorSpec } from '../fleet/processor.ts';
import { OptionsConflictError } from './errors.ts';

/** Options that choose and configure an engine. */
export interface EngineChoice {
  readonly engine?: 'cpu' | 'reference' | 'webgpu';
  readonly threads?: number;
  readonly precision?: 'f32' | 'f64';
}

/** Engine for measurements, with the limits for its circuits. Dispose of it to close it. */
export interface LocalEngine extends AsyncDisposable {
  readonly engine: Engine;
  /** Number of CPU threads; undefined on an adapter. */
  readonly numThreads: number | undefined;
  readonly precision: 'f32' | 'f64';
  readonly spec: ProcessorSpec;
  /** Hardware that computes: the CPU, or the adapter's name. */
  readonly hardware: string;
}

/** Settings and machine that an engine is opened with. */
export interface LocalSurroundings {
  readonly config: Config;
  readonly machine: Machine;
}

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

/** Describes an engine as a processor, with the limits of the settings. */
export function engineSpec(
  { name, target }: Engine,
  precision: 'f32' | 'f64',
  memory: Omit<StateMemory, 'bytesPerAmplitude'>,
  { maxShots, maxGates, maxRounds }: Config,
): ProcessorSpec {
  return {
    id: `${name} engine`,
    name: `${name} engine`,
    family: 'statevector',
    maxQubits: target.maxQubits,
    maxShots,
    maxGates,
    maxRounds,
    precision,
    execution: name === 'webgpu' ? 'webgpu' : 'cpu',
    target,
    stateMemory: { ...memory, bytesPerAmplitude: AMPLITUDE_BYTES[precision] },
  };
}

function checkReference({ threads = 1, precision = 'f64' }: EngineChoice): void {
  if (precision !== 'f64') {
    throw new OptionsConflictError('The reference engine computes in f64 only.');
  }
  if (threads !== 1) throw new OptionsConflictError('The reference engine runs on one thread.');
}
