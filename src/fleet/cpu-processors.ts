/** This machine, and the simulators on its CPU: their limits, and the engines that the memory is shared among. */

import { availableParallelism, cpus, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import type { StateMemory } from '../circuit/circuit-limits.ts';
import { cpuTarget, MAX_CPU_QUBITS } from '../engine/cpu/hosted-engine.ts';
import { AMPLITUDE_BYTES, type EngineShares, shareMemory } from './memory-shares.ts';
import type { ProcessorSpec } from './processor.ts';
import type { Precision } from './schedule/lane.ts';

/** Hardware of this machine, which runs circuits when no GPU does. */
export interface Machine {
  /** Name of the CPU from the operating system. */
  readonly cpuModel: string;
  /** Threads that run at the same time, as far as this process may use them. */
  readonly numCores: number;
  /** Physical, or the container's limit where that is less. */
  readonly memoryBytes: number;
}

/** Reads the cores and memory of this process. */
export function readMachine(): Machine {
  const limitBytes = constrainedMemory();
  const physicalBytes = totalmem();
  return {
    cpuModel: cpus()[0]?.model.trim() || `${process.arch} CPU`,
    numCores: availableParallelism(),
    // 0, or a huge number, where there is no limit.
    memoryBytes: limitBytes > 0 ? Math.min(limitBytes, physicalBytes) : physicalBytes,
  };
}

/** Settings that decide the limits of the simulators. */
export interface CpuProcessorOptions {
  /** Hardware for `gpu-fleet`: `auto` is a GPU or else the CPU, `webgpu` a GPU or nothing, `cpu` the CPU. */
  readonly engine: 'auto' | 'webgpu' | 'cpu';
  /** Small circuits that run at the same time; also the threads that work on a wide circuit. */
  readonly numThreads: number;
  /**
   * Memory of the machine for the state vectors of all engines; it decides `maxQubits` on the CPU.
   * Software adapters, where they are used, have half of it.
   */
  readonly memoryBytes: number;
  /** Whether adapters that are software are used; they are never called GPUs. */
  readonly useSoftwareAdapters?: boolean;
  /** No wider circuits, whatever the memory. */
  readonly maxQubits?: number;
  readonly maxShots: number;
  readonly maxGates: number;
  /** Rounds that a shot may take in loops on measured bits. */
  readonly maxRounds?: number;
}

/** Bytes that software adapters have for state vectors; 0 where none is used. */
export function softwareAdapterBytes({
  engine,
  useSoftwareAdapters,
  memoryBytes,
}: CpuProcessorOptions): number {
  return useSoftwareAdapters === true && engine !== 'cpu' ? memoryBytes / 2 : 0;
}

/** The engines of each width on the CPU. */
export function cpuEngines(options: CpuProcessorOptions): EngineShares {
  return shareMemory(options.memoryBytes - softwareAdapterBytes(options), options.numThreads);
}

/** `statevector-sim`: the CPU in double precision, by design. */
export function statevectorSpec(options: CpuProcessorOptions): ProcessorSpec {
  return {
    id: 'statevector-sim',
    name: 'Statevector simulator',
    family: 'statevector',
    execution: 'cpu',
    ...limitsOnCpu('f64', options),
    maxSingleQubits: limitsOnCpu('f32', options).maxQubits,
  };
}

/** `gpu-fleet` without an adapter. */
export function gpuFleetSpec(options: CpuProcessorOptions): ProcessorSpec {
  return {
    id: 'gpu-fleet',
    name: 'GPU simulator fleet',
    family: 'gpu-fleet',
    execution: 'cpu-fallback',
    physicalGpus: 0,
    ...limitsOnCpu('f32', options),
  };
}

function limitsOnCpu(precision: Precision, options: CpuProcessorOptions) {
  const { maxShots, maxGates, maxRounds } = options;
  const { wide } = cpuEngines(options);
  const cap = options.maxQubits ?? Number.POSITIVE_INFINITY;
  const maxQubits = Math.min(wide.maxQubits[precision], cap);
  return {
    precision,
    maxShots,
    maxGates,
    ...(maxRounds !== undefined && { maxRounds }),
    maxQubits,
    stateMemory: stateMemory(precision, wide.memoryBytes),
    target: cpuTarget(precision, maxQubits),
  };
}

/** Memory that one state may take, bounded by the machine or by what the engine can address. */
function stateMemory(precision: Precision, memoryBytes: number): StateMemory {
  const bytesPerAmplitude = AMPLITUDE_BYTES[precision];
  const addressable = bytesPerAmplitude * 2 ** MAX_CPU_QUBITS[precision];
  if (memoryBytes >= addressable) return { bytes: addressable, bytesPerAmplitude };
  return { bytes: memoryBytes, bytesPerAmplitude, setting: 'QCS_MEMORY_MIB' };
}
