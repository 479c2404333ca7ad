// @needs facilities
/** The texts of the console's API panel, run as their readers run them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiCall, callText, type Language } from '../../src/console/shell/api-call.ts';
import { SCOPES } from '../../src/service/http/api-key.ts';
import { EngineProcessor } from '../support/engine-processor.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { PYTHON } from '../support/facilities/facilities.ts';
import { openTestService, type TestService } from './support/test-service.ts';

/** Characters that shells and languages read in their own ways. */
const AWKWARD = `it's "5" \\n \${HOME} $HOME \`pwd\` % é`;
const QASM = [
  `OPENQASM 3.0; // ${AWKWARD}`,
  'include "stdgates.inc";',
  'input float a;',
  'qubit q; bit c;',
  'ry(a) q;',
  'c = measure q; // """ """"',
].join('\n');
const BELL = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [0, 1] },
  ],
  target_processor: 'statevector-sim',
  shots: 25,
  seed: 7,
};
const STEPS = Array.from({ length: 41 }, (_, i) => 0.5 + (2.5 * i) / 40);

/** A call and what its answer contains, whoever prints it. */
type Case = readonly [name: string, call: ApiCall, expected: RegExp];

const CASES: readonly Case[] = [
  ['a route without a key', { route: 'GET /', isPublic: true }, /0\.1\.0/],
  ['the key', { route: 'GET /keys/info' }, /enterprise/],
  ['the processors', { route: 'GET /quantum/processors' }, /statevector-sim/],
  [
    'one processor',
    { route: 'GET /quantum/processors/{processor_id}', path: { processor_id: 'statevector-sim' } },
    /statevector-sim/,
  ],
  [
    'a circuit of gates',
    { route: 'POST /quantum/circuits', body: { ...BELL, name: 'bell' } },
    /00|11/,
  ],
  [
    'a circuit in OpenQASM, with awkward texts',
    {
      route: 'POST /quantum/circuits',
      body: {
        qasm: QASM,
        inputs: { a: Math.PI },
        target_processor: 'statevector-sim',
        shots: 20,
        return: ['counts'],
        name: AWKWARD,
      },
    },
    /20/,
  ],
  [
    'a sweep',
    {
      route: 'POST /quantum/batches',
      body: {
        target_processor: 'statevector-sim',
        programs: [
          {
            circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
            inputs: { a: STEPS },
            observables: [[{ pauli: 'Z0', coefficient: 2 }], [{ pauli: 'X0' }]],
            return: ['expectation'],
          },
        ],
      },
    },
    /1\.75|41/,
  ],
  [
    'compiling',
    {
      route: 'POST /quantum/compile',
      body: { circuit: BELL.circuit, target_processor: BELL.target_processor },
    },
    /CX/,
  ],
  ['a new key', { route: 'POST /admin/keys', body: { name: AWKWARD, tier: 'standard' } }, /qcs_/],
  [
    'circuits that pass filters',
    { route: 'GET /quantum/circuits', query: { status: ['completed'], limit: 2 } },
    /circ_/,
  ],
];

describe('the texts of calls', () => {
  let service: TestService;
  let processor: EngineProcessor;
  let origin: string;
  let folder: string;
  let key: string;
  beforeAll(async () => {
    processor = new EngineProcessor('statevector-sim');
    service = await openTestService({ processors: [processor] });
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'qcs-calls-'));
    writeFileSync(join(folder, 'client.mjs'), CLIENT_AT_HOME);
    await service.submit(BELL);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await processor[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    key = await service.createKey('enterprise', SCOPES);
    await service.submit(BELL, { 'x-api-key': key });
  });

  const textOf = (call: ApiCall, language: Language) => callText(call, language, origin);
  /** Runs a program, and gives its output. */
  const output = async (command: string, ...options: readonly string[]) =>
    (
      await promisify(execFile)(command, options, {
        env: {
          ...process.env,
          QCS_API_KEY: key,
          PYTHONPATH: 'clients/python/src',
          PYTHONDONTWRITEBYTECODE: '1',
          PYTHONIOENCODING: 'utf-8',
        },
      })
    ).stdout;
  /** Writes a program to a file. */
  const written = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const lastCircuit = async () =>
    (await service.get('/quantum/circuits?limit=1', { 'x-api-key': key })).json().data.circuits[0];
  const jobCalls = async (): Promise<readonly ApiCall[]> => {
    const path = { circuit_id: (await lastCircuit()).circuit_id };
    return [
      { route: 'GET /quantum/circuits/{circuit_id}/events', path },
      { route: 'POST /quantum/circuits/{circuit_id}/cancel', path },
      { route: 'GET /quantum/circuits/{circuit_id}', path },
      { route: 'DELETE /quantum/circuits/{circuit_id}', path },
    ];
  };
  const runJobCalls = async (run: (call: ApiCall) => Promise<string>) => {
    const calls = await jobCalls();
    const [events = ''] = [await run(calls[0] ?? never())];
    expect(events).toMatch(/completed/);
    for (const call of calls.slice(1)) await run(call);
    expect(await lastCircuit()).toBeUndefined();
  };
  const runTypescript = (call: ApiCall) =>
    output(
      process.execPath,
      '--import',
      join(folder, 'client.mjs'),
      written('call.mts', textOf(call, 'TypeScript')),
    );

  test.each(CASES)('TypeScript: %s', async (_, call, expected) => {
    expect(await runTypescript(call)).toMatch(expected);
  });

  test('TypeScript: a job', async () => await runJobCalls(runTypescript));

  test('awkward texts arrive as they are', async () => {
    const [, , , , , [, call] = never()] = CASES;
    await runTypescript(call);
    const { circuit_id: id } = await lastCircuit();
    const { request } = (await service.get(`/quantum/circuits/${id}`, { 'x-api-key': key })).json()
      .data;
    expect(request).toMatchObject({ qasm: QASM, name: AWKWARD });
  });

  describeWith(['curl'], 'for curl', () => {
    const runCurl = (call: ApiCall) => output('/bin/sh', '-c', textOf(call, 'curl'));
    test.each(CASES)('%s', async (_, call, expected) => {
      const text = await runCurl(call);
      expect(text).toMatch(expected);
      expect(JSON.parse(text)).toMatchObject({ success: true });
    });

    test('a job', async () => await runJobCalls(runCurl));

    test('awkward texts arrive as they are', async () => {
      const [, , , , , [, call] = never()] = CASES;
      const { circuit_id: id } = JSON.parse(await runCurl(call)).data;
      const { request } = (
        await service.get(`/quantum/circuits/${id}`, { 'x-api-key': key })
      ).json().data;
      expect(request).toMatchObject({ qasm: QASM, name: AWKWARD });
    });
  });

  describeWith(['Python 3'], 'for Python', () => {
    test('are programs of Python', async () => {
      const calls = [...CASES.map(([, call]) => call), ...(await jobCalls())];
      for (const [i, call] of calls.entries()) {
        await output(PYTHON, '-m', 'py_compile', written(`call_${i}.py`, textOf(call, 'Python')));
      }
    });
  });

  // The project's package needs both.
  describeWith(['httpx for Python', 'numpy for Python'], 'for Python with httpx', () => {
    const runPython = (call: ApiCall) => output(PYTHON, written('call.py', textOf(call, 'Python')));
    test.each(CASES)('%s', async (_, call, expected) => {
      expect(await runPython(call)).toMatch(expected);
    });

    test('a job', async () => await runJobCalls(runPython));
  });
});

function never(): never {
  throw new Error('unreachable: there is no such call');
}

/** Has Node find the published client in the sources. */
const CLIENT_AT_HOME = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) =>
    next(
      name === 'quantum-compute-service/client'
        ? ${JSON.stringify(new URL('../../src/client/client.ts', import.meta.url).href)}
        : name,
      context,
    ),
});
`;
