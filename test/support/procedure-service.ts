/** A process with a pool: runs the call named by its argument, says the call's first message, closes nothing. */
import { ProcedurePool } from '../../src/workloads/procedures/procedure-pool.ts';
import { callOf, firstMessage, POOL, running } from './procedure-calls.ts';

const [, , name = ''] = process.argv;
const pool = new ProcedurePool({ ...POOL, numProcesses: 1 });
await pool.start();
if (name === 'echo') {
  const { resultJson } = await running(pool, callOf(name)).outcome;
  process.stdout.write(resultJson);
} else {
  const { message } = firstMessage(pool, callOf(name));
  process.stdout.write(await message);
}
