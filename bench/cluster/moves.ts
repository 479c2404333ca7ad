/** How fast a cluster reacts: to the death of a node, to a cancel at another node, to progress on another node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import type { Cluster, ClusterNode } from '../../test/support/cluster.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../../test/support/lasting-circuit.ts';
import { parseEvent } from '../../test/support/mixed-load/job-watcher.ts';
import { recordOf, ServiceClient } from '../../test/support/service-client.ts';

const LOOK_EVERY_MS = 5;
const ENDLESS = {
  circuit: endlessCircuit(16),
  target_processor: 'statevector-sim',
  shots: ENDLESS_SHOTS,
};

/** Takes some tens of seconds, so that a thousandth of it takes some tens of milliseconds. */
const STEADY = { ...ENDLESS, shots: 1000 };

/** Milliseconds. */
export interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** From kill -9 of the node that runs a job until another one runs it; the node is started again after each. */
export async function delaysAfterKills(cluster: Cluster, runs: number): Promise<Delays> {
  const delays: number[] = [];
  for (let run = 0; run < runs; run++) {
    const job = await submit(cluster, run);
    const { node } = await runningAt(cluster, job.id);
    const killedAt = performance.now();
    await node.kill();
    await runningAt(cluster, job.id, node);
    delays.push(performance.now() - killedAt);
    await cancel(cluster, job.location, run);
    await node.start();
  }
  return delaysOf(delays);
}

/** Times of cancels of running jobs at a node that does not run them. */
export interface CancelDelays {
  /** From the request to its answer, which shows the job as cancelled. */
  readonly answered: Delays;
  /** From the request until another job, which waited for it, runs. */
  readonly freed: Delays;
}

/** The one node that runs jobs has one job more than it can run; the running one is cancelled, again and again. */
export async function delaysOfCancels(cluster: Cluster, runs: number): Promise<CancelDelays> {
  const [answered, freed]: [number[], number[]] = [[], []];
  let running = await submit(cluster, 0);
  await runningAt(cluster, running.id);
  for (let run = 0; run < runs; run++) {
    const waiting = await submit(cluster, run);
    const from = performance.now();
    const isFreed = runningAt(cluster, waiting.id).then(() => performance.now() - from);
    const { status } = await cancel(cluster, running.location, run + 1);
    answered.push(performance.now() - from);
    if (status !== 'cancelled') throw new Error(`a cancelled job is ${status}`);
    freed.push(await isFreed);
    running = waiting;
  }
  await cancel(cluster, running.location, 0);
  return { answered: delaysOf(answered), freed: delaysOf(freed) };
}

/** Progress at a node that does not run the job, behind that at the node that does. */
export async function delaysOfProgress(cluster: Cluster, seconds: number): Promise<Delays> {
  const job = await submit(cluster, 0, STEADY);
  const { node } = await runningAt(cluster, job.id);
  const other = cluster.apiNodes.find((each) => each !== node);
  if (other === undefined || node.role === 'worker') throw new Error('two nodes take requests');
  const limit = AbortSignal.timeout(1000 * seconds);
  const [here, there] = await Promise.all([
    progressAt(cluster, node, job.location, limit),
    progressAt(cluster, other, job.location, limit),
  ]);
  await cancel(cluster, job.location, 0);
  const delays = here.flatMap(({ progress, at }) => {
    const seen = there.find((each) => each.progress >= progress);
    return seen === undefined ? [] : Math.max(0, seen.at - at);
  });
  return delaysOf(delays);
}

interface Job {
  readonly id: string;
  readonly location: string;
}

async function submit(cluster: Cluster, place: number, body: object = ENDLESS): Promise<Job> {
  const { status, headers, text } = await clientOf(cluster, place).request(
    'POST',
    '/quantum/circuits',
    { body, headers: { prefer: 'respond-async' } },
  );
  const location = headers.get('location');
  if (status !== 201 || location === null) throw new Error(`a job was answered ${status} ${text}`);
  return { location, id: location.slice(location.lastIndexOf('/') + 1) };
}

async function cancel(cluster: Cluster, location: string, place: number) {
  return recordOf(await clientOf(cluster, place).request('POST', `${location}/cancel`));
}

function clientOf({ apiNodes, keys }: Cluster, place: number): ServiceClient {
  const running = apiNodes.filter(({ isRunning }) => isRunning);
  return new ServiceClient(running[place % running.length]?.origin ?? '', keys[0] ?? '');
}

/** Resolves once the database has a job as running, at a node other than one. */
async function runningAt(
  cluster: Cluster,
  id: string,
  otherThan?: ClusterNode,
): Promise<{ readonly node: ClusterNode }> {
  for (;;) {
    const [row] = await cluster.query(
      `SELECT owner FROM jobs WHERE id = '${id}' AND status = 'running'`,
    );
    const node = cluster.nodes.find(({ name }) => name === row?.['owner']);
    if (node !== undefined && node !== otherThan) return { node };
    await sleep(LOOK_EVERY_MS);
  }
}

interface Progress {
  readonly progress: number;
  readonly at: number;
}

/** Events of progress of a job at a node, until the time is over. */
async function progressAt(
  { keys }: Cluster,
  { origin }: ClusterNode,
  location: string,
  signal: AbortSignal,
): Promise<readonly Progress[]> {
  const found: Progress[] = [];
  const headers = { 'x-api-key': keys[0] ?? '' };
  try {
    const { body } = await fetch(`${origin}${location}/events`, { headers, signal });
    let rest = '';
    const decoder = new TextDecoder('latin1');
    for await (const chunk of body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event?.event !== 'progress') continue;
        found.push({ progress: Number(event.data['progress']), at: performance.now() });
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return found;
}

function delaysOf(values: readonly number[]): Delays {
  const { count, p50, p99 } = percentilesOf(values);
  return { count, p50, p99 };
}
