/** The host of the CPU engine in Node: modules from files, helpers as worker threads. */
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { MAX_MEMORY_BYTES } from './arena.ts';
import type { KernelHost } from './kernel-host.ts';
import type { KernelName } from './wasm-kernels.ts';

const HELPER_ENTRY = new URL(`./thread-pool-helper${extname(import.meta.url)}`, import.meta.url);

/** Modules that were read, which all engines and their threads share. */
const modules = new Map<KernelName, WebAssembly.Module>();

/** This process. */
export const NODE_HOST: KernelHost = {
  maxMemoryBytes: MAX_MEMORY_BYTES,
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
