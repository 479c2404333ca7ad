/** The CPU engine in Node. Stabilizer programs, which no page runs, have kernels and a memory of their own. */

import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { StateMemoryError } from '../errors.ts';
import { Mutex } from '../mutex.ts';
import { paulisExecutable } from '../pauli/run-paulis.ts';
import { StringMemory } from '../pauli/string-sum.ts';
import { sparseExecutable } from '../sparse/run-sparse.ts';
import { stabilizerExecutable } from '../stabilizer/run-stabilizer.ts';
import type { StabilizerKernels } from '../stabilizer/stabilizer-kernels.ts';
import { NARROW_MEMORY_BYTES, WIDE_MEMORY_BYTES } from './arena.ts';
import { type CpuEngine, type CpuEngineOptions, openHostedEngine } from './hosted-engine.ts';
import type { KernelHost } from './kernel-host.ts';
import type { KernelName } from './wasm-kernels.ts';

/** @see openHostedEngine */
export function openCpuEngine(options: CpuEngineOptions): CpuEngine {
  const engine = openHostedEngine(options, NODE_HOST);
  const kernels = openWasmKernels(NODE_HOST);
  const paulis = new StringMemory(NODE_HOST, options.memoryBytes);
  const mutex = new Mutex();
  return {
    ...engine,
    prepare: {
      ...engine.prepare,
      stabilizer: async (program) => stabilizerExecutable(program, kernels, mutex, 'cpu'),
      pauli_propagation: async (program) => paulisExecutable(program, paulis, mutex),
      sparse: async (program) => sparseExecutable(program, mutex, options.memoryBytes),
    },
    close: () => mutex.close(() => engine.close()),
  };
}

const HELPER_ENTRY = new URL(`./thread-pool-helper${extname(import.meta.url)}`, import.meta.url);

/** Modules that were read, which all engines and their threads share. */
const modules = new Map<KernelName, WebAssembly.Module>();

/** This process. */
export const NODE_HOST: KernelHost = {
  maxMemoryBytes: WIDE_MEMORY_BYTES,
  // The rest is for programs, tiles and the lists of samplers.
  narrowStateBytes: NARROW_MEMORY_BYTES - 2 ** 28,
  module(name) {
    const known = modules.get(name);
    if (known !== undefined) return known;
    const url = new URL(`./wasm/${name}.wasm`, import.meta.url);
    if (!existsSync(url)) {
      throw new Error(`${fileURLToPath(url)} is missing: run "npm run build:wasm" first.`);
    }
    const module = new WebAssembly.Module(readFileSync(url));
    modules.set(name, module);
    return module;
  },
  startHelper(setup, onExit) {
    const helper = new Worker(HELPER_ENTRY, { workerData: setup });
    // The turns of the event loop keep a run alive that waits for a helper.
    helper.unref();
    // An 'exit' event follows.
    helper.on('error', () => {});
    helper.on('exit', onExit);
    return helper;
  },
  collectGarbage() {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
  },
};

type Functions = Omit<StabilizerKernels, 'words' | 'doubles' | 'reserve' | 'release'>;

const PAGE_BYTES = 65_536;
/** A larger memory is not kept from run to run. */
const KEPT_BYTES = 2 ** 26;

/** A memory and the functions over it. */
interface Instance {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly functions: Functions;
}

/** Opens the kernels of a host; they take memory when a run first reserves some. */
export function openWasmKernels(host: KernelHost): StabilizerKernels {
  let instance: Instance | undefined;
  const opened = (): Instance => {
    if (instance === undefined) throw new Error('unreachable: kernels without memory');
    return instance;
  };
  return {
    get words() {
      return opened().words;
    },
    get doubles() {
      return opened().doubles;
    },
    reserve(numWords) {
      if (instance !== undefined && instance.words.length >= numWords) {
        instance.words.fill(0, 0, numWords);
        return;
      }
      instance = undefined;
      instance = openInstance(host, 4 * numWords);
    },
    openTableau: (at, numQubits) => opened().functions.openTableau(at, numQubits),
    gates: (code, from, to) => opened().functions.gates(code, from, to),
    firstRandom: (code, from, to) => opened().functions.firstRandom(code, from, to),
    readings: (code, from, to) => opened().functions.readings(code, from, to),
    isRandom: (qubit) => opened().functions.isRandom(qubit),
    valueOf: (qubit) => opened().functions.valueOf(qubit),
    pauli: (qubit, letter) => opened().functions.pauli(qubit, letter),
    transpose: (from, to) => opened().functions.transpose(from, to),
    collapse: (qubit, outcome) => opened().functions.collapse(qubit, outcome),
    walkPattern: (...given) => opened().functions.walkPattern(...given),
    frames: (header, from, to) => opened().functions.frames(header, from, to),
    outcomes: (rows, numRows, rowWords, to, stride, blocks) =>
      opened().functions.outcomes(rows, numRows, rowWords, to, stride, blocks),
    copyScaled: (to, from, numStates, factor) =>
      opened().functions.copyScaled(to, from, numStates, factor),
    rotate: (...given) => opened().functions.rotate(...given),
    multiplyRepeated: (at, numSmall, phases, numStates) =>
      opened().functions.multiplyRepeated(at, numSmall, phases, numStates),
    collapseState: (...given) => opened().functions.collapseState(...given),
    another: () => openWasmKernels(host),
    release() {
      if (instance === undefined || 4 * instance.words.length <= KEPT_BYTES) return;
      instance = undefined;
      host.collectGarbage();
    },
  };
}

function openInstance(host: KernelHost, bytes: number): Instance {
  const memory = allocate(bytes);
  const { exports } = new WebAssembly.Instance(host.module('stabilizer'), {
    env: { memory, log: Math.log },
  });
  return {
    words: new Int32Array(memory.buffer),
    doubles: new Float64Array(memory.buffer),
    functions: exports as unknown as Functions,
  };
}

function allocate(bytes: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE_BYTES)) });
  } catch (error) {
    throw new StateMemoryError(bytes, { cause: error });
  }
}
