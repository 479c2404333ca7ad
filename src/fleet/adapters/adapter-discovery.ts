/**
 * Finds the GPU adapters that WebGPU sees on this machine, from the safety of a short-lived child
 * process: whatever the drivers do, this process neither crashes nor hangs, and it never loads them.
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import type { AdapterDiscovery } from './adapter-report.ts';

const PROBE = new URL(`./adapter-probe${extname(import.meta.url)}`, import.meta.url);

/** How discovery is done. */
export interface DiscoveryOptions {
  /** After this long the child is ended; default 15 s, for drivers of many cards start slowly. */
  readonly timeoutMs?: number;
  /** The child's whole environment, instead of this process's own: it may choose the drivers. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Ends the search. */
  readonly signal?: AbortSignal;
  /** The child's module; the product's own unless a test brings another. */
  readonly probe?: URL;
}

/** Lists the adapters; an empty list comes with its reason. Never rejects. */
export function discoverAdapters(options: DiscoveryOptions = {}): Promise<AdapterDiscovery> {
  const timeoutMs = options.timeoutMs ?? 15_000;
  const { promise, resolve } = Promise.withResolvers<AdapterDiscovery>();
  const child = fork(options.probe ?? PROBE, {
    // Drivers print warnings; flags of this process (a debugger's port) are not for the child.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    killSignal: 'SIGKILL',
    ...(options.environment && { env: options.environment }),
    ...(options.signal && { signal: options.signal }),
  });
  const none = (reason: string) => resolve({ adapters: [], reason });
  const timer = setTimeout(() => {
    none(`Looking for GPU adapters took more than ${timeoutMs} ms.`);
    child.kill('SIGKILL');
  }, timeoutMs);
  child.on('message', (discovery: AdapterDiscovery) => resolve(discovery));
  child.on('error', (error) => none(`GPU adapters cannot be looked for: ${error.message}`));
  child.on('exit', (code, signal) => {
    clearTimeout(timer);
    // After a message this changes nothing: the promise is settled.
    none(`Looking for GPU adapters ended with ${signal ?? `exit code ${code}`}.`);
  });
  return promise;
}
