// @needs service
/** The Model Context Protocol by its official client: over HTTP, and by `qcs mcp` over standard input and output. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect } from 'vitest';
import { runQcs } from '../support/command-line.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { test } from '../support/shared-service.ts';

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const DRAWN = `
q0: ─H──●────M───
        │
q1: ────⊕────M───
 c:        c0 c1`.slice(1);

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

const overHttp = (origin: string, headers: Record<string, string>) =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }),
  );

/** The text that a tool answers, and the value where it is JSON. */
async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const {
    content,
    isError = false,
    structuredContent,
  } = await client.callTool({
    name,
    arguments: given,
  });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  return { text, isError, value: structuredContent as any };
}

describe('over HTTP', () => {
  test('every tool does what it says', async ({ service }) => {
    const client = await overHttp(service.origin, { Authorization: `Bearer ${service.key}` });
    const { tools } = await client.listTools();
    // A token of such text has about four characters; all descriptions have to fit 4,000.
    expect(JSON.stringify(tools).length).toBeLessThan(12_000);

    const { value: processors } = await call(client, 'list_processors');
    expect(processors.processors.map(({ id }: { id: string }) => id)).toContain('qvm');
    expect((await call(client, 'draw_circuit', { circuit: BELL })).text).toBe(DRAWN);

    const { value: expected } = await call(client, 'estimate_run', { circuit: BELL });
    expect(expected).toMatchObject({ kind: 'circuit', method: 'statevector', shots: 1000 });

    const observables = [{ pauli: 'X0 X1' }];
    const bell = await call(client, 'run_circuit', { circuit: BELL, seed: 3, observables });
    const { counts, expectation, circuit_id: id, record } = bell.value;
    expect(Object.keys(counts).sort()).toEqual(['00', '11']);
    expect(counts['00'] + counts['11']).toBe(1000);
    expect(expectation.values[0]).toBeCloseTo(1, 12);
    expect(record).toBe(`/api/v1/quantum/circuits/${id}`);

    const uniform = Array.from({ length: 6 }, (_, qubit) => ({ gate: 'H', qubit }));
    const { value: wide } = await call(client, 'run_circuit', { circuit: uniform, seed: 1 });
    expect(Object.keys(wide.counts)).toHaveLength(17);
    expect(wide.counts['…']).toBe('48 more');
    const { value: whole } = await call(client, 'read_job', { id: wide.circuit_id, whole: true });
    expect(Object.keys(whole.counts)).toHaveLength(64);

    const swept = {
      circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
      inputs: { a: [0, 1] },
    };
    expect((await call(client, 'estimate_run', swept)).value.programs[0].points).toBe(2);
    const sweep = await call(client, 'run_sweep', { ...swept, observables: [{ pauli: 'Z0' }] });
    expect(sweep.value.programs[0].expectation[1][0]).toBeCloseTo(Math.cos(1), 12);

    const toffoli = {
      qasm: 'OPENQASM 3; include "stdgates.inc"; qubit[3] q; ccx q[0], q[1], q[2];',
    };
    const compiled = await call(client, 'compile_circuit', {
      ...toffoli,
      processor: 'emulator-ibm-fez',
    });
    expect(compiled.value.qasm).toContain('OPENQASM 3');

    const { value: listed } = await call(client, 'list_jobs', { limit: 2 });
    expect(listed.circuits).toHaveLength(2);
    expect((await call(client, 'cancel_job', { id })).value.status).toBe('completed');
    expect((await call(client, 'explain_error', { code: 'CIRCUIT_INVALID' })).value.answers).toBe(
      'BAD_REQUEST',
    );
    await client.close();
  });

  test('faults have their paths', async ({ service }) => {
    const client = await overHttp(service.origin, { 'X-API-Key': service.key });
    const circuit = [
      { gate: 'HH', qubit: 0 },
      { gate: 'CX', control: 0, target: 0 },
    ];
    for (const tool of ['draw_circuit', 'run_circuit', 'compile_circuit']) {
      const { isError, text } = await call(client, tool, { circuit });
      expect(isError).toBe(true);
      expect(text).toContain(
        'circuit[0].gate: There is no gate called "HH". Did you mean H or CH?',
      );
      expect(text).toContain('circuit[1].target: Qubit 0 is named twice');
    }
    const unknown = await call(client, 'read_job', { id: 'nothing' });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('circ_')]);
    const code = await call(client, 'explain_error', { code: 'CIRCUIT_INVALD' });
    expect(code.text).toContain('Did you mean CIRCUIT_INVALID?');
    await client.close();
  });

  test('guides, examples and prompts are there', async ({ service }) => {
    const client = await overHttp(service.origin, { Authorization: `Bearer ${service.key}` });
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['qcs://guides/circuits', 'qcs://guides/gates']));
    const { contents } = await client.readResource({ uri: 'qcs://guides/examples/bell.qasm' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('OPENQASM 2.0') });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['bell_state', 'vqe', 'threshold']);
    const { messages } = await client.getPrompt({
      name: 'vqe',
      arguments: { hamiltonian: '0.7 Z0' },
    });
    expect(messages[0]!.content).toMatchObject({ text: expect.stringContaining('0.7 Z0') });
    await client.close();
  });

  test('nobody comes in without a key, and a key does what its scopes allow', async ({
    service,
  }) => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${service.origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    const refused = await ask({});
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('Authorization: Bearer KEY');
    expect((await ask({ authorization: 'Bearer qcs_no' })).status).toBe(401);

    const reader = await service.createKey('standard', ['read']);
    const client = await overHttp(service.origin, { Authorization: `Bearer ${reader}` });
    expect((await call(client, 'list_processors')).isError).toBe(false);
    const { isError, text } = await call(client, 'run_circuit', { circuit: BELL });
    expect([isError, text]).toEqual([true, expect.stringContaining('circuits')]);
    await client.close();
  });
});

test('qcs mcp serves the same over standard input and output', async ({ service }) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../../src/cli.ts', import.meta.url)), 'mcp'],
    env: { QCS_URL: service.origin, QCS_API_KEY: service.key },
  });
  const client = await connected(transport);
  const { value } = await call(client, 'run_circuit', { circuit: BELL, shots: 10 });
  expect(value.counts['00'] ?? 0).toBe(10 - (value.counts['11'] ?? 0));
  expect((await call(client, 'draw_circuit', { circuit: BELL })).text).toBe(DRAWN);
  const faulty = await call(client, 'draw_circuit', { circuit: [{ gate: 'HH', qubit: 0 }] });
  expect(faulty.text).toContain('circuit[0].gate: There is no gate called "HH"');
  await client.close();
});

test('qcs draw draws a file', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'bell.json');
  writeFileSync(file, JSON.stringify(BELL));
  expect(await runQcs(['draw', file])).toMatchObject({ code: 0, stdout: `${DRAWN}\n` });
});
