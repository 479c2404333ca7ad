/** Entry of a process that runs procedures. Started by `PooledProcess`. */

import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { lockDown } from './process-lockdown.ts';
import { type ProcedureCatalog, serveProcedures } from './serve-procedures.ts';

// Ctrl-C in a terminal reaches every process of the group: when to stop is for the service to say.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const send = process.send?.bind(process);
// Checked: `PooledProcess` wrote it.
const setup: ProcessSetup = JSON.parse(process.argv[2] ?? '{}');
const catalog: ProcedureCatalog = await import(setup.catalog);
await catalog.preload?.();
lockDown();

const onUncaught = serveProcedures(catalog, setup, {
  post: (message: FromProcess) => void send?.(message),
  onMessage: (listener: (message: ToProcess) => void) => void process.on('message', listener),
});
// Also of promises that nobody waits for. The service ends a process in which that happened.
process.on('uncaughtException', (error) => {
  if (!onUncaught(error)) process.exit(1);
});
