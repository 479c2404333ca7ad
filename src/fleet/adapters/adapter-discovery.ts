/**
 * Finds the GPU adapters that WebGPU sees on this machine, from the safety of a short-lived child
 * process: whatever the drivers do, this process neither crashes nor hangs, and it never loads them.
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { describeExit } from '../workers/process-host.ts';
import { type AdapterDiscovery, withDriverFault } from './adapter-report.ts';

const PROBE = new URL(`./adapter-probe${extname(import.meta.url)}`, import.meta.url);

/** Characters kept of what the child prints: the last ones. */
const MAX_WARNINGS = 4096;

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
    // Drivers print warnings: they are kept for the reason. Flags of this process (a debugger's port)
    // are not for the child.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    killSignal: 'SIGKILL',
    ...(options.environment && { env: options.environment }),
    ...(options.signal && { signal: options.signal }),
  });
  let warnings = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    warnings = (warnings + text).slice(-MAX_WARNINGS);
  });
  let found: AdapterDiscovery | undefined;
  const none = (reason: string) => resolve({ adapters: [], reason });
  const end = (how: string) => {
    if (found === undefined) none(`Looking for GPU adapters ${how}.`);
    else resolve(withDriverFault(found, warnings));
  };
  const timer = setTimeout(() => {
    end(`took more than ${timeoutMs} ms`);
    child.kill('SIGKILL');
  }, timeoutMs);
  child.on('message', (discovery: AdapterDiscovery) => {
    found = discovery;
  });
  child.on('error', (error) => none(`GPU adapters cannot be looked for: ${error.message}`));
  // Not on exit: only now everything that it printed has been read.
  child.on('close', (code, signal) => {
    clearTimeout(timer);
    end(`ended with ${describeExit(code, signal, warnings)}`);
  });
  return promise;
}
