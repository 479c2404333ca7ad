// @needs processes
/** Devices that are lost at random while a thousand circuits run. */
import { afterEach, expect, test } from 'vitest';
import { Fleet } from '../../../src/fleet/fleet.ts';
import type { Processor } from '../../../src/fleet/processor.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { adapter, FAKE_GPU, FAKE_WORKER, instruction } from '../../support/fleet-fixtures.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { runOf } from '../../support/run-of.ts';

const NUM_JOBS = 1000;
const SEED = 20_261_121;
/** Circuits that take what runs them down, on the adapter that they name; elsewhere they are harmless. */
const DEADLY = ['EXIT@a', 'LOSE_DEVICE@b', 'GPU_FAULT@c', 'THROW_LATE@a', 'LOSE_HELPER@b'];

const open: Fleet[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((fleet) => fleet.close()));
});

async function openFleet() {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 30 },
    engine: 'auto',
    numThreads: 2,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: NUM_JOBS,
    now: () => 1_700_000_000_000,
    discover: async () => ({ adapters: [adapter('a'), adapter('b'), adapter('c')] }),
    findCards: async () => [],
    workerEntry: FAKE_WORKER,
    gpuWorkerEntry: FAKE_GPU,
    spreadWorkerEntry: FAKE_GPU,
  });
  open.push(fleet);
  await fleet.start();
  const gpuFleet = fleet.get('gpu-fleet');
  if (gpuFleet === undefined) throw new Error('unreachable: no gpu-fleet');
  return { fleet, gpuFleet };
}

/** A circuit and what becomes of it, drawn at random. */
interface Drawn {
  readonly name: string;
  readonly numQubits: number;
}

function draw(random: RandomStream): Drawn {
  const numQubits = random.uniform() < 0.5 ? 4 : 18;
  const isDeadly = numQubits === 18 && random.uniform() < 0.02;
  const name = isDeadly ? DEADLY[random.below(DEADLY.length)]! : 'ECHO';
  // A thread that dies once.
  return numQubits === 4 && random.uniform() < 0.01
    ? { name: 'EXIT_ONCE', numQubits }
    : { name, numQubits };
}

/** Runs a job of the test and gives the seed that its circuit echoed. */
async function runOn(processor: Processor, { name, numQubits }: Drawn, seed: number, id: string) {
  const shared = new Float64Array(new SharedArrayBuffer(24));
  const result = await processor.run(
    {
      id,
      circuit: instruction(name, shared, numQubits),
      request: { shots: 3, seed },
      priority: 'normal',
      keyId: `key-${seed % 7}`,
      tier: 'standard',
    },
    {},
    new AbortController().signal,
  );
  return name === 'EXIT_ONCE' ? seed : runOf(result).counts.outcomes[0];
}

test('no circuit is lost or answered twice while devices come and go', async () => {
  const { fleet, gpuFleet } = await openFleet();
  const random = new RandomStream(SEED);
  const drawn = Array.from({ length: NUM_JOBS }, () => draw(random));
  const numAnswers = new Map<number, number>();
  const runner = new JobRunner({
    store: new MemoryJobStore(),
    now: () => 1_700_000_000_000,
    onUnexpectedError: () => {},
    handlers: {
      circuit: {
        async run({ id, request }) {
          const seed = Number(request);
          const echoed = await runOn(gpuFleet, drawn[seed]!, seed, id);
          const answered = (numAnswers.get(seed) ?? 0) + 1;
          numAnswers.set(seed, answered);
          if (numAnswers.size % 150 === 0 && answered === 1) await killOne();
          return JSON.stringify(echoed);
        },
        queuePosition: (id) => gpuFleet.queuePosition(id),
      },
    },
  });
  const killed: number[] = [];
  const pids = () => fleet.adapterStatuses().flatMap(({ pid }) => pid ?? []);
  const killOne = async () => {
    await eventually(() => pids().length > 0);
    const pid = pids()[random.below(pids().length)]!;
    killed.push(pid);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // A circuit has taken it down just now.
    }
  };

  const jobs = await Promise.all(
    drawn.map(async (_, seed) => {
      const { id } = await runner.submit({
        id: `circ_${String(seed).padStart(4, '0')}`,
        kind: 'circuit',
        keyId: 'key',
        priority: 'normal',
        target: 'gpu-fleet',
        request: String(seed),
        createdAt: 0,
      });
      return runner.waitFor(id);
    }),
  );

  expect(killed.length).toBe(Math.floor(numAnswers.size / 150));
  const outcomes = jobs.map(({ status, result, error }) => ({ status, result, error }));
  const failed = outcomes.filter(({ status }) => status === 'failed');
  // One that is killed with its adapter each time that it runs is given up, with that reason. How many
  // have that bad luck depends on what ran when: some of a thousand, hardly ever a hundred.
  expect(failed.length).toBeLessThan(NUM_JOBS / 10);
  for (const { error } of failed) expect(error?.code).toBe('FLEET_ENGINE_LOST');
  for (const [seed, { status, result }] of outcomes.entries()) {
    if (status !== 'failed') expect([status, result]).toEqual(['completed', String(seed)]);
  }
  expect(numAnswers.size).toBe(NUM_JOBS - failed.length);
  expect(new Set(numAnswers.values())).toEqual(new Set([1]));
  const devices = fleet.deviceDirectory.devices();
  const sum = (of: (counters: (typeof devices)[number]['counters']) => number) =>
    devices.reduce((total, { counters }) => total + of(counters), 0);
  expect(sum(({ lost }) => lost)).toBeGreaterThan(killed.length);
  expect(gpuFleet.load()).toMatchObject({ queueDepth: 0, running: 0 });
  expect(devices.some(({ isBusy }) => isBusy)).toBe(false);
});
