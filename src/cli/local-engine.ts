/** The engine that `qcs run --engine …` opens in this process, from its options. */
import type { Config } from '../config.ts';
import { cpuTarget, MAX_CPU_QUBITS, openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import type { Engine } from '../engine/engine.ts';
import {
  MAX_REFERENCE_QUBITS,
  openReferenceEngine,
  referenceTarget,
} from '../engine/reference/reference-engine.ts';
import type { Machine } from '../fleet/machine.ts';
import { AMPLITUDE_BYTES, maxQubitsWithin } from '../fleet/memory-shares.ts';
import type { ProcessorSpec } from '../fleet/processor.ts';
import { OptionsConflictError } from './errors.ts';

/** Options that choose and drive an engine. */
export interface EngineChoice {
  readonly engine?: 'cpu' | 'reference';
  readonly threads?: number;
  readonly precision?: 'f32' | 'f64';
}

/** An engine that can be opened, and what circuits are checked against. */
export interface LocalEngine {
  readonly name: 'cpu' | 'reference';
  readonly numThreads: number;
  readonly precision: 'f32' | 'f64';
  readonly spec: ProcessorSpec;
  open(): Engine;
}

/**
 * The engine of the options; by default the CPU engine in double precision on all threads.
 *
 * @throws {OptionsConflictError} if the reference engine is to be what it is not.
 */
export function localEngine(choice: EngineChoice, config: Config, machine: Machine): LocalEngine {
  const memoryBytes = config.memoryBytes ?? machine.memoryBytes / 2;
  const { engine: name = 'cpu', precision = 'f64' } = choice;
  if (name === 'reference') checkReference(choice);
  const numThreads =
    name === 'reference' ? 1 : (choice.threads ?? config.numThreads ?? machine.numCores);
  const cap = name === 'reference' ? MAX_REFERENCE_QUBITS : MAX_CPU_QUBITS[precision];
  const maxQubits = maxQubitsWithin(memoryBytes, precision, cap);
  const bytesPerAmplitude = AMPLITUDE_BYTES[precision];
  return {
    name,
    numThreads,
    precision,
    spec: {
      id: `${name} engine`,
      name: `${name} engine`,
      family: 'statevector',
      maxQubits,
      maxShots: config.maxShots,
      maxGates: config.maxGates,
      precision,
      execution: 'cpu',
      target: name === 'reference' ? referenceTarget(maxQubits) : cpuTarget(precision, maxQubits),
      stateMemory: {
        bytes: Math.min(memoryBytes, bytesPerAmplitude * 2 ** cap),
        bytesPerAmplitude,
      },
    },
    open: () =>
      name === 'reference'
        ? openReferenceEngine({ maxQubits, memoryBytes })
        : openCpuEngine({ precision, numThreads, maxQubits, memoryBytes }),
  };
}

function checkReference({ threads = 1, precision = 'f64' }: EngineChoice): void {
  if (precision !== 'f64') {
    throw new OptionsConflictError('The reference engine computes in f64 only.');
  }
  if (threads !== 1) throw new OptionsConflictError('The reference engine runs on one thread.');
}
