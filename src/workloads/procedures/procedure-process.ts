/** Entry of a process that runs procedures. Started by `PooledProcess`. */

import { parentOfProcess } from '../../processes/parent-port.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { lockDown } from './process-lockdown.ts';
import { type ProcedureCatalog, serveProcedures } from './serve-procedures.ts';

const parent = parentOfProcess<ToProcess, FromProcess>();
// Checked: `PooledProcess` wrote it.
const setup: ProcessSetup = JSON.parse(process.argv[2] ?? '{}');
const catalog: ProcedureCatalog = await import(setup.catalog);
await catalog.preload?.();
lockDown();

const onUncaught = serveProcedures(catalog, setup, parent);
// Also of promises that nobody waits for. The service ends a process in which that happened.
process.on('uncaughtException', (error) => {
  if (!onUncaught(error)) process.exit(1);
});
