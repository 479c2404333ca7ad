/** Starts the process in which several adapters hold states together. */
import { extname } from 'node:path';
import { childProcess, withOwnBuffers } from '../../processes/child-process.ts';
import type { SpreadMember, SpreadWorkerSetup, StartWorker } from '../workers/worker-messages.ts';

const SPREAD_WORKER = new URL(`./spread-worker${extname(import.meta.url)}`, import.meta.url);

/** Options of the process. */
export interface SpreadStarterOptions {
  /** 2, 4, 8 … adapters; nothing else should run on them while it does. */
  readonly members: readonly SpreadMember[];
  /** The whole environment of the process; this one's own when absent. Pins are added in turn. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The process's module; the product's own unless a test brings another. */
  readonly entry?: URL;
}

/** Starts such processes. */
export function spreadStarter({
  members,
  environment,
  entry = SPREAD_WORKER,
}: SpreadStarterOptions): StartWorker {
  const setup: SpreadWorkerSetup = { members };
  return childProcess({
    entry,
    setup,
    ...(environment && { environment }),
    receive: withOwnBuffers,
  });
}
