/** Attempts the widths given as arguments; prints and stores the outcomes. */
import { store } from './harness.ts';
import { adapterFacts, openBenchDevice } from './webgpu-adapter.ts';
import { attemptWide } from './webgpu-processes.ts';
import type { WideAttempt } from './webgpu-wide.ts';

const device = await openBenchDevice();
const adapter = adapterFacts(device);
device.destroy();
for (const width of process.argv.slice(2)) {
  const attempts: WideAttempt[] = [];
  for await (const attempt of attemptWide(Number(width))) {
    const { circuit, numQubits, outcome, evolutionMs } = attempt;
    const time = evolutionMs === undefined ? '' : `, ${evolutionMs.toFixed(1)} ms`;
    process.stdout.write(`  ${circuit} ${numQubits}: ${outcome}${time}\n`);
    attempts.push(attempt);
    store(`webgpu-wide-${width}`, attempts, { adapter });
  }
}
