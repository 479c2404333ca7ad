// @needs service
/** The example that trains over HTTP, run as a caller runs it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { irisPair } from '../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { type SharedService, test } from '../support/shared-service.ts';

const EXAMPLE = 'examples/train-over-http.ts';
const STEPS = 25;

async function runExample(origin: string, key: string, ...options: readonly string[]) {
  const env = { ...process.env, QCS_URL: origin, QCS_API_KEY: key };
  return await promisify(execFile)(process.execPath, [EXAMPLE, ...options], { env });
}

const lossesIn = (output: string) =>
  [...output.matchAll(/^step +\d+ {2}loss (\S+)/gm)].map(([, loss]) => Number(loss));

describe('training over HTTP', () => {
  let service: SharedService;
  let output = '';

  test.beforeAll(async ({ service: shared }) => {
    service = shared;
    const options = ['--steps', `${STEPS}`, '--seed', '1'];
    output = (await runExample(service.origin, service.key, ...options)).stdout;
  });

  test('tells held-out flowers apart', () => {
    const accuracy = Number(/^held-out accuracy (\S+) \(40 flowers\)$/m.exec(output)?.[1]);
    expect(accuracy).toBeGreaterThanOrEqual(0.85);
  });

  test('prints a loss each step, which falls', () => {
    const losses = lossesIn(output);
    expect(losses).toHaveLength(STEPS);
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 1.5);
  });

  test('ends with parameters that the service takes', async () => {
    const parameters: unknown = JSON.parse(/^parameters (.*)$/m.exec(output)?.[1] ?? '');
    const response = await fetch(`${service.origin}/api/v1/models/qnn-hybrid/inference`, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
      body: JSON.stringify({ input: [0.9, 0.5, 0.9, 0.9], parameters }),
    });
    expect(await response.json()).toMatchObject({
      success: true,
      data: { mode: 'custom', prediction_label: 'virginica' },
    });
  });

  test('prints the same again for the same seed', async () => {
    const again = await runExample(service.origin, service.key, '--steps', '2');
    const more = await runExample(service.origin, service.key, '--steps', '2', '--seed', '2');
    expect(lossesIn(again.stdout)).toEqual(lossesIn(output).slice(0, 2));
    expect(lossesIn(more.stdout)).not.toEqual(lossesIn(again.stdout));
  });
});

test('the example waits as long as an answer says and sends a refused request again', async () => {
  const seeds: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { inputs, parameters } = JSON.parse(body);
    seeds.push(parameters.seed);
    if (seeds.length === 1) {
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
      return;
    }
    // Of the requests answered, the second is the last of its window.
    const left = seeds.length === 3 ? 0 : 5;
    response.writeHead(200, { ratelimit: `"standard";r=${left};t=0` });
    response.end(JSON.stringify({ data: { results: inputs.map(() => ({ expectation: 0.5 })) } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { stdout, stderr } = await runExample(`http://127.0.0.1:${port}`, 'k', '--steps', '1');
  server.close();
  // The refused one, both sides of the step with the same seed, the held-out rows.
  expect(seeds).toHaveLength(4);
  expect(new Set(seeds.slice(0, 3)).size).toBe(1);
  expect(seeds[3]).not.toBe(seeds[2]);
  expect(stderr.match(/The budget of requests is spent/g)).toHaveLength(2);
  expect(stdout).toContain('held-out accuracy 0.500');
});

test('the rows of the example are those that the deployed model is trained on', () => {
  const { versicolor, virginica } = JSON.parse(
    readFileSync('examples/data/iris-pair.json', 'utf8'),
  );
  expect([...versicolor, ...virginica]).toEqual(irisPair().rows);
});
