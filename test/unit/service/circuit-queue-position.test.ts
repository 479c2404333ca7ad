/** The place in the queue of circuits that are being read, before they come to their processor's. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { CircuitJobs } from '../../../src/service/circuits/circuit-jobs.ts';
import { encodeStored } from '../../../src/service/jobs/stored-request.ts';
import { FakeProcessor } from '../../service/support/fake-processor.ts';
import { openReaders } from '../../service/support/test-readers.ts';
import { BELL, directory } from '../../service/support/test-service.ts';
import { newJob, turn } from '../../support/jobs.ts';

const HOOKS = {
  started() {},
  progress() {},
  startedOver() {},
  saveParts() {},
  storeParts: async () => {},
  savedParts: async () => [],
  readmitted: true,
};

test('is behind what waits, in the order in which they came', async () => {
  const processor = new FakeProcessor();
  processor.isHolding = true;
  const fleet = directory([processor]);
  const jobsUnasked = () => {
    throw new Error('unreachable: circuits ask for no job');
  };
  const circuits = new CircuitJobs({
    fleet,
    readers: openReaders(),
    jobs: jobsUnasked,
    now: () => 0,
  });
  const facts = { shots: 1, seed: 1, qubits: 2, tier: 'standard' } as const;
  const request = encodeStored(facts, JSON.stringify(BELL));
  const jobs = Array.from(
    { length: 4 },
    (): Job => ({ ...newJob({ request }), status: 'queued', attempts: 0 }),
  );
  const [first, ...others] = jobs;
  if (first === undefined) throw new Error('unreachable: there are four');
  const end = new AbortController();
  const run = (job: Job) => circuits.run(job, HOOKS, end.signal).catch(() => {});
  const runs = [run(first)];
  await turn();
  expect(circuits.queuePosition(first.id)).toBe(0);

  const reading: PromiseWithResolvers<void>[] = [];
  const read = circuits.programsOf.bind(circuits);
  circuits.programsOf = async (...args) => {
    const turnToRead = Promise.withResolvers<void>();
    reading.push(turnToRead);
    await turnToRead.promise;
    return read(...args);
  };
  runs.push(...others.map(run));
  const positions = () => jobs.map(({ id }) => circuits.queuePosition(id));
  expect(positions()).toEqual([0, 1, 2, 3]);
  // The second of those that are read is through first.
  reading[1]?.resolve();
  await turn();
  expect(positions()).toEqual([0, 2, 1, 3]);
  for (const each of reading) each.resolve();
  await turn();
  expect(positions()).toEqual([0, 2, 1, 3]);
  end.abort();
  await Promise.all(runs);
  expect(positions()).toEqual([undefined, undefined, undefined, undefined]);
  await circuits.close();
});
