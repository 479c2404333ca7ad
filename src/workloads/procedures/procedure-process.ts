/** Entry of a process that runs procedures. Started by `PooledProcess`. */

import { parentOfProcess } from '../../processes/parent-port.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { lockDown } from './process-lockdown.ts';
import { type ProcedureCatalog, serveProcedures } from './served-call.ts';

const parent = parentOfProcess<ToProcess, FromProcess>();
// Not validated: `PooledProcess` wrote it.
const setup: ProcessSetup = JSON.parse(process.argv[2] ?? '{}');
const catalog: ProcedureCatalog = await import(setup.catalog);
await catalog.preload?.();
lockDown();

const onUncaught = serveProcedures(catalog, setup, parent);
// Unhandled rejections included. The service ends a process in which one happened.
process.on('uncaughtException', (error) => {
  if (!onUncaught(error)) process.exit(1);
});
