/**
 * The WebGPU engine's dependencies on Node: WebGPU itself and the shader files. All other files of
 * the engine also run in a browser.
 */
import { readFileSync } from 'node:fs';
import { create, globals } from 'webgpu';

/** Keeps every GPU object: a collected one aborts the process while its device is used. */
const held: GPU[] = [];

/** Selects an adapter; by default any. */
export interface NodeGpuOptions {
  /** Part of the adapter's name as its driver reports it; the first match is used. */
  readonly adapter?: string;
  /** Graphics API of the adapter: `vulkan`, `metal`, `d3d12`. */
  readonly backend?: string;
}

/**
 * Opens WebGPU through Dawn.
 *
 * Dawn does not clear workgroup memory first, which would cost software drivers most of a sweep's
 * time: the kernels write all workgroup memory that they read. Nor does it check every index: the
 * shaders are the engine's own, and the host computes the indices. On an NVIDIA H100 the checks took
 * 10 to 20 % of the time of whole circuits, and a quarter of a sweep of one stage (8.3 ms with them,
 * 6.1 ms without, 30 qubits). In a browser, where the same tests pass, indices are checked.
 */
export function nodeGpu({ adapter, backend }: NodeGpuOptions = {}): GPU {
  if (!('GPUBufferUsage' in globalThis)) Object.assign(globalThis, globals);
  const chosen = [
    ...(backend === undefined ? [] : [`backend=${backend}`]),
    ...(adapter === undefined ? [] : [`adapter=${adapter}`]),
  ];
  const gpu = create(['enable-dawn-features=disable_workgroup_init,disable_robustness', ...chosen]);
  held.push(gpu);
  return gpu;
}

/** Waits shorter than this are polled without sleeping. */
const PATIENCE_MS = 2;
const REST_MS = 0.5;
/** Shared word on which `Atomics.wait` only ever times out. */
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/** Number of pending promises of all devices. */
let numAwaited = 0;
/** Time at which a promise was last added or settled. */
let changedMs = 0;
let isLooking = false;

/**
 * Makes the thread sleep between polls until a promise of a device settles. Dawn polls in every
 * turn of the event loop while a promise is pending, which would keep a core busy. Messages are
 * still received, and the thread sleeps once a turn however many promises are pending.
 */
export function sleepUntil(answer: Promise<unknown>): void {
  const changed = (by: number) => {
    numAwaited += by;
    changedMs = performance.now();
  };
  changed(1);
  const stop = () => changed(-1);
  answer.then(stop, stop);
  if (!isLooking) setImmediate(look);
  isLooking = true;
}

function look(): void {
  isLooking = numAwaited > 0;
  if (!isLooking) return;
  if (performance.now() - changedMs > PATIENCE_MS) Atomics.wait(NEVER_WOKEN, 0, 0, REST_MS);
  setImmediate(look);
}

/** Reads the text of a shader in shaders/, which is next to src/ and to the build's output. */
export function shaderFile(name: string): string {
  return readFileSync(new URL(`../../../shaders/${name}.wgsl`, import.meta.url), 'utf8');
}
