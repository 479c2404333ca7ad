/**
 * What the engine needs of Node: WebGPU, which a browser has, and the text of its shaders. No other
 * file of the engine knows where it runs.
 */
import { readFileSync } from 'node:fs';
import { create, globals } from 'webgpu';

/** Strong references: a collected GPU object aborts the process while its device is used. */
const held: GPU[] = [];

/** Which adapter; any when absent. */
export interface NodeGpuOptions {
  /** A part of the name that its driver gives it; the first that has it is taken. */
  readonly adapter?: string;
  /** What the adapter is reached through: `vulkan`, `metal`, `d3d12`. */
  readonly backend?: string;
}

/**
 * WebGPU through Dawn.
 *
 * Workgroup memory is not cleared first, which costs software drivers most of a sweep's time:
 * kernels write all of it that they read.
 */
export function nodeGpu({ adapter, backend }: NodeGpuOptions = {}): GPU {
  if (!('GPUBufferUsage' in globalThis)) Object.assign(globalThis, globals);
  const chosen = [
    ...(backend === undefined ? [] : [`backend=${backend}`]),
    ...(adapter === undefined ? [] : [`adapter=${adapter}`]),
  ];
  const gpu = create(['enable-dawn-features=disable_workgroup_init', ...chosen]);
  held.push(gpu);
  return gpu;
}

/** A short wait is over sooner than a rest. */
const PATIENCE_MS = 2;
const REST_MS = 0.5;
/** Nothing ever wakes who waits here. */
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

/** Answers that are waited for, of all devices. */
let numAwaited = 0;
/** When the last of them was asked for, or came. */
let changedMs = 0;
let isLooking = false;

/**
 * Has the thread rest between looks for answers of devices. Dawn looks in every turn of the event
 * loop while a promise is pending, which would keep a core busy; messages are heard all the same.
 * However many answers are waited for, the thread rests once a turn.
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

/** The text of a shader in shaders/, which lies beside src/ and beside what a build makes of it. */
export function shaderFile(name: string): string {
  return readFileSync(new URL(`../../../shaders/${name}.wgsl`, import.meta.url), 'utf8');
}
