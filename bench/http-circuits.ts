/**
 * Bell circuits over HTTP, closed loop: the whole path (HTTP, parse, compile, queue, run, sample,
 * store, answer) with client and service on one machine. Every answer is checked.
 */
import { Agent, request } from 'node:http';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { type Measurement, report } from './harness.ts';

const CONNECTIONS = 16;
const WARM_UP = 500;
const REQUESTS = 5000;

/** Prints and stores requests a second and latency percentiles. */
export async function benchHttpCircuits(): Promise<void> {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const measurements: Measurement[] = [];
  try {
    const submit = bellClient(
      agent,
      `${service.origin}/api/v1/quantum/circuits`,
      service.key ?? '',
    );
    await drive(submit, WARM_UP);
    const start = performance.now();
    const latencies = (await drive(submit, REQUESTS)).sort((a, b) => a - b);
    const seconds = (performance.now() - start) / 1000;
    const percentile = (p: number) =>
      latencies[Math.floor((latencies.length - 1) * p)] ?? Number.NaN;
    measurements.push(
      { name: 'Bell circuits, 100 shots', value: REQUESTS / seconds, unit: 'per second' },
      { name: 'latency p50', value: percentile(0.5), unit: 'ms' },
      { name: 'latency p99', value: percentile(0.99), unit: 'ms' },
    );
  } finally {
    agent.destroy();
    await service.stop('SIGTERM');
  }
  report('http-circuits', measurements);
}

/** A function that submits one Bell circuit, checks its answer, and gives the milliseconds. */
function bellClient(agent: Agent, url: string, key: string): () => Promise<number> {
  const body = JSON.stringify({
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    target_processor: 'statevector-sim',
    shots: 100,
  });
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return () =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => {
          const { data } = JSON.parse(text) as { data?: { counts?: Record<string, number> } };
          const { '00': zeros = 0, '11': ones = 0 } = data?.counts ?? {};
          if (zeros + ones !== 100) reject(new Error(`a wrong answer: ${text}`));
          else resolve(performance.now() - start);
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

async function drive(submit: () => Promise<number>, total: number): Promise<number[]> {
  const latencies: number[] = [];
  let started = 0;
  const connection = async () => {
    while (started < total) {
      started++;
      latencies.push(await submit());
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return latencies;
}
