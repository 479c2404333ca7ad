import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { VARIANTS } from '../../../../bench/capacity/load.ts';
import { measureService } from '../../../../bench/capacity/measure-load.ts';

/** One qubit, so that the check allows one outcome only: the bit that was set. */
const MIX = [{ qubits: 1, layers: 1, shots: 5, weight: 1 }];

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test('circuits that are called new are none that the service was sent before', async () => {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      if (request.method === 'POST') sent.push(text);
      const counts = { [text.includes('"gate":"X"') ? '1' : '0']: 5 };
      const timing = { queue_ms: 1, compile_ms: 2, execution_ms: 3, sampling_ms: 1 };
      const body = JSON.stringify({ data: { counts, timing } });
      const status = request.method === 'POST' ? 201 : 404;
      response.writeHead(status, { 'content-length': body.length }).end(body);
    });
  });
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const target = {
    origin: new URL(`http://127.0.0.1:${port}`),
    key: 'key',
    processor: 'gpu-fleet',
  };

  const { newCircuits } = await measureService(target, {
    mix: MIX,
    connections: [2],
    rates: [100],
    secondsOfAStep: 0.05,
    numStarts: 0,
    seed: 1,
    now: () => 0,
    onStep: () => {},
  });

  expect(newCircuits.numVerified).toBe(VARIANTS);
  expect(newCircuits.costsBySize['1']).toMatchObject({ compile: 2, execution: 2, sampling: 1 });
  const before = new Set(sent.slice(0, -VARIANTS));
  const last = sent.slice(-VARIANTS);
  expect(before.size).toBe(VARIANTS);
  expect(last.filter((body) => before.has(body))).toEqual([]);
});
