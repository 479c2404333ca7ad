// @needs processes
/** Expressions that pass the cheap limits end with their process and harm nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { evaluate } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const RUN = new URL(
  '../../../../../src/workloads/agents/computation/run-evaluate.ts',
  import.meta.url,
);

/** Between the start of what would take minutes and its end. */
const DEADLINE_MS = 300;

/** Evaluates in a process of its own, which is killed at a deadline after the start. */
async function evaluateApart(expression: string, heapMb: number, deadlineMs?: number) {
  const script = `
    const { runEvaluate } = await import(${JSON.stringify(RUN.href)});
    const input = { precision: 'number', expression: ${JSON.stringify(expression)} };
    process.stdout.write('started ');
    await runEvaluate(input, { seed: 1 });
    process.stdout.write('done');`;
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (deadlineMs !== undefined) setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  });
  const [code, signal]: unknown[] = await once(child, 'close');
  return { said, code, signal };
}

async function expectServiceUnharmed() {
  await using opened = openTestContext();
  expect(await opened.run(evaluate, { expression: '1 + 1' })).toMatchObject({ result: 2 });
}

test.concurrent('ten thousand trials of a large prime end at the deadline', async () => {
  const expression = 'sum(map(1:10000, isPrime(9007199254740881 + 0 * x)))';
  const { said, signal } = await evaluateApart(expression, 256, DEADLINE_MS);
  expect({ said, signal }).toEqual({ said: 'started ', signal: 'SIGKILL' });
  await expectServiceUnharmed();
});

test.concurrent('hundreds of matrices of ten thousand complex numbers end at the heap limit', async () => {
  const parts = Array.from({ length: 350 }, (_, k) => `a${k}=i*a`);
  const expression = `a=1:1e4;${parts.join(';')};1`;
  const { said, signal } = await evaluateApart(expression, 64);
  // As V8 ends a process whose heap is full.
  expect({ said, signal }).toEqual({ said: 'started ', signal: 'SIGABRT' });
  await expectServiceUnharmed();
});

test.concurrent('what is small comes through the same way', async () => {
  expect(await evaluateApart('1 + 1', 256)).toEqual({
    said: 'started done',
    code: 0,
    signal: null,
  });
});
