/**
 * Finds the GPU adapters that WebGPU sees on this machine, from the safety of a short-lived child
 * process: whatever the drivers do, this process neither crashes nor hangs, and it never loads them.
 */
import { extname } from 'node:path';
import { childProcess } from '../../processes/child-process.ts';
import { type AdapterDiscovery, withDriverFault } from './adapter-report.ts';

const PROBE = new URL(`./adapter-probe${extname(import.meta.url)}`, import.meta.url);

/** Options of the discovery. */
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
  const { probe = PROBE, timeoutMs = 15_000, environment, signal } = options;
  const { promise, resolve } = Promise.withResolvers<AdapterDiscovery>();
  let found: AdapterDiscovery | undefined;
  const end = (how: string) =>
    resolve(found ?? { adapters: [], reason: `Looking for GPU adapters ${how}.` });
  const child = childProcess<never, AdapterDiscovery>({
    entry: probe,
    setup: {},
    ...(environment && { environment }),
  })({
    onMessage: (discovery) => {
      found = discovery;
    },
    onExit: ({ how, inFull = how, lastWords = '' }) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (found !== undefined) found = withDriverFault(found, lastWords);
      end(`ended with ${inFull}`);
    },
  });
  child.setHolding(true);
  // Not once the process has ended: a process that waits for a driver may not end at all.
  const giveUp = (how: string) => {
    end(how);
    child.kill();
  };
  const timer = setTimeout(() => giveUp(`took more than ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => giveUp('was stopped');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  return promise;
}
