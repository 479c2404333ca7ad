import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { kneeOf } from '../../../../bench/capacity/capacity-report.ts';
import { closedLoad, eachOnce, MixRequests, openLoad } from '../../../../bench/capacity/load.ts';
import { stepOf } from '../../../../bench/capacity/measure-load.ts';
import { eventually } from '../../../support/eventually.ts';

/** One qubit, so that the check allows one outcome only: the bit that was set. */
const MIX = [{ qubits: 1, layers: 1, shots: 5, weight: 1 }];

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A service that answers as a test sets it. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: new URL(`http://127.0.0.1:${port}`), key: 'key', processor: 'gpu-fleet' };
}

/** Reads a body and answers with counts of its circuit. */
function answering(countsOf: (isSet: boolean) => object, status = 201): RequestListener {
  return (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const isSet = text.includes('"gate":"X"');
      const timing = { queue_ms: 1, compile_ms: 2, execution_ms: 3 };
      const body = JSON.stringify({ data: { counts: countsOf(isSet), timing } });
      response.writeHead(status, { 'content-length': body.length }).end(body);
    });
  };
}

const right = (isSet: boolean) => ({ [isSet ? '1' : '0']: 5 });

describe('a load', () => {
  test('counts what was answered rightly, with the times that the service states', async () => {
    const target = await serve(answering(right));
    const result = await eachOnce(new MixRequests(MIX, target, 1), 2);

    expect(result.samples.length).toBe(16);
    expect(result.samples[0]).toMatchObject({
      qubits: 1,
      queueMs: 1,
      compileMs: 2,
      executionMs: 3,
    });
  });

  test('is broken off by a wrong answer', async () => {
    const target = await serve(answering((isSet) => right(!isSet)));

    await expect(closedLoad(new MixRequests(MIX, target, 1), 2, 1)).rejects.toMatchObject({
      code: 'CLI_LOAD_FAILED',
    });
  });

  test('is broken off where the service hangs up', async () => {
    const target = await serve((request) => request.socket.destroy());

    await expect(closedLoad(new MixRequests(MIX, target, 1), 2, 1)).rejects.toMatchObject({
      code: 'CLI_LOAD_FAILED',
    });
  });

  test('counts refusals apart from answers', async () => {
    const target = await serve(answering(right, 503));
    const { samples, numRefused } = await eachOnce(new MixRequests(MIX, target, 1), 2);

    expect([samples.length, numRefused]).toEqual([0, 16]);
  });

  test('that is open goes on sending while nothing is answered, and counts all of the wait', async () => {
    const held: { readonly since: number; readonly give: () => void }[] = [];
    const answer = answering(right);
    const target = await serve((request, response) => {
      held.push({ since: performance.now(), give: () => answer(request, response) });
    });
    const load = openLoad(new MixRequests(MIX, target, 1), 100, 0.4, 1);
    // As many as seed 1 draws for 400 ms at 100 a second.
    await eventually(() => held.length === 30);
    const givenAt = performance.now();
    for (const { give } of held) give();
    const { samples } = await load;

    const waits = samples.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
    const shortest = held.map(({ since }) => givenAt - since).sort((a, b) => a - b);
    expect(waits).toHaveLength(30);
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(shortest[i]!);
  });
});

describe('a step', () => {
  const sample = (qubits: number, latencyMs: number) => ({
    qubits,
    latencyMs,
    queueMs: 1,
    compileMs: 2,
    executionMs: 3,
  });

  test('divides the time of a circuit: what the answer does not state is HTTP', () => {
    const samples = [sample(2, 10), sample(2, 20), sample(4, 6)];
    const step = stepOf('closed', 4, { samples, numRefused: 0, seconds: 2 });

    expect(step.perSecond).toBe(1.5);
    expect(step.costs).toEqual({ http: 6, queue: 1, compile: 2, execution: 3 });
    expect(step.costsBySize['4']).toEqual({ http: 0, queue: 1, compile: 2, execution: 3 });
    expect(step.latencyBySize['2']).toMatchObject({ count: 2, max: 20 });
  });

  test('tells sampling from the rest of the execution where the service does', () => {
    const samples = [{ ...sample(2, 10), samplingMs: 1 }];

    expect(stepOf('closed', 1, { samples, numRefused: 0, seconds: 1 }).costs).toMatchObject({
      execution: 2,
      sampling: 1,
    });
  });

  test('is the knee where throughput by latency is greatest', () => {
    const step = (offered: number, count: number, latencyMs: number) => {
      const samples = Array.from({ length: count }, () => sample(2, latencyMs));
      return stepOf('closed', offered, { samples, numRefused: 0, seconds: 1 });
    };
    const steps = [step(1, 10, 5), step(4, 38, 6), step(16, 50, 20), step(64, 0, 0)];

    expect(kneeOf(steps)?.offered).toBe(4);
    expect(kneeOf([])).toBeUndefined();
  });
});
