/** Circuits for the fake worker, and what a fleet of it is opened with. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import type { Adapter } from '../../src/fleet/adapters/adapter-report.ts';
import type { CircuitBackendOptions } from '../../src/fleet/circuit-backend.ts';
import type { EngineOptions } from '../../src/fleet/workers/worker-messages.ts';
import { bundled } from './bundled.ts';

/** The entry of the fake worker; see fleet-fake-engine.ts. */
export const FAKE_WORKER = await bundled(new URL('./fleet-fake-worker.ts', import.meta.url));
/** The entry of an adapter's fake process. */
export const FAKE_GPU = await bundled(new URL('./fleet-fake-gpu.ts', import.meta.url));
/** The same with an engine whose phases are wrong. */
export const WRONG_WORKER = new URL('./fleet-wrong-worker.ts', import.meta.url);
/** An entry that ends before it is ready. */
export const STILLBORN_WORKER = new URL('./fleet-stillborn-worker.ts', import.meta.url);

/** Three numbers that the test and the run share: go, has started, result. */
export function sharedNumbers(): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(24));
}

/** Engines of one thread for up to 10 qubits; the fake ones know nothing of it. */
export const ENGINE: EngineOptions = {
  numThreads: 1,
  maxQubits: { f32: 10, f64: 10 },
  memoryBytes: 2 ** 20,
};

/** A circuit of this many qubits is wide where `ENGINE` is for the small ones. */
export const WIDE_QUBITS = 11;

/** Engines for those. */
const WIDE_ENGINE: EngineOptions = { ...ENGINE, maxQubits: { f32: 20, f64: 20 } };

/** Lanes of fake engines, one thread each. */
export const FAKE_LANES: Pick<CircuitBackendOptions, 'small' | 'wide' | 'workerEntry'> = {
  small: { numWorkers: 1, engine: ENGINE },
  wide: { numWorkers: 1, engine: WIDE_ENGINE },
  workerEntry: FAKE_WORKER,
};

/** An adapter as discovery reports it; by what is known of it, it holds 2^20 amplitudes. */
export function adapter(name: string, more: Partial<Adapter> = {}): Adapter {
  return {
    name,
    isSoftware: false,
    backend: 'vulkan',
    vendor: 'v',
    architecture: 'a',
    description: 'd',
    limits: {
      maxBufferSize: 2 ** 23,
      maxStorageBufferBindingSize: 2 ** 23,
      maxComputeWorkgroupStorageSize: 2 ** 15,
      maxComputeInvocationsPerWorkgroup: 256,
    },
    features: [],
    ...more,
  };
}

/** A circuit that the fake engine takes as an instruction. */
export function instruction(
  name: string,
  shared: Float64Array = new Float64Array(3),
  numQubits = 1,
): Circuit {
  return {
    numQubits,
    numBits: 1,
    operations: [
      { kind: 'gate', gate: name, controls: [], targets: [0], angles: [] },
      { kind: 'unitary', controls: [], targets: [0], matrix: shared },
    ],
  };
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal;
}
