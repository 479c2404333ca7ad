import { describe, expect, test } from 'vitest';
import { type ApiCall, callText, LANGUAGES } from '../../../src/console/shell/api-call.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const STEPS = Array.from({ length: 41 }, (_, i) => 0.5 + (2.5 * i) / 40);
const SWEEP: ApiCall = {
  route: 'POST /quantum/batches',
  body: {
    target_processor: 'statevector-sim',
    programs: [
      {
        circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
        inputs: { a: STEPS },
        observables: [{ pauli: 'Z0' }],
        return: ['expectation'],
      },
    ],
  },
};

describe('the text of a call', () => {
  test('names the variable that holds the key, unless the route needs none', () => {
    for (const language of LANGUAGES) {
      expect(callText({ route: 'GET /agents' }, language, ORIGIN)).toContain('QCS_API_KEY');
      const open = callText({ route: 'GET /', isPublic: true }, language, ORIGIN);
      expect(open).not.toContain('QCS_API_KEY');
    }
  });

  test('for curl names a method only where curl would take another', () => {
    const path = { key_id: '12ab' };
    expect(callText({ route: 'GET /keys/info' }, 'curl', ORIGIN)).toBe(
      `curl ${ORIGIN}/api/v1/keys/info \\\n  -H "X-API-Key: $QCS_API_KEY"`,
    );
    expect(callText(SWEEP, 'curl', ORIGIN)).toMatch(/^curl http:/);
    expect(callText({ route: 'DELETE /admin/keys/{key_id}', path }, 'curl', ORIGIN)).toMatch(
      /^curl -X DELETE http:\S+\/keys\/12ab \\/,
    );
  });

  test('for TypeScript is a method of the client', () => {
    expect(callText(SWEEP, 'TypeScript', ORIGIN)).toBe(
      [
        `import { QcsClient } from 'quantum-compute-service/client';`,
        '',
        `const client = new QcsClient({ baseUrl: '${ORIGIN}', key: process.env.QCS_API_KEY });`,
        'const result = await client.batches.run({',
        `  target_processor: 'statevector-sim',`,
        `  programs: [`,
        `    {`,
        `      circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],`,
        `      inputs: { a: Array.from({ length: 41 }, (_, i) => 0.5 + (2.5 * i) / 40) },`,
        `      observables: [{ pauli: 'Z0' }],`,
        `      return: ['expectation'],`,
        `    },`,
        `  ],`,
        '});',
        'console.log(result);',
      ].join('\n'),
    );
  });

  test('for Python is a method of the package', () => {
    const text = callText(SWEEP, 'Python', ORIGIN);
    expect(text).toContain('results = client.batches.run(\n    [\n');
    expect(text).toContain('{"a": [0.5 + 2.5 * i / 40 for i in range(41)]}');
    expect(text).toContain('processor="statevector-sim",\n)');
    expect(text).toContain('    print(program.expectation)');
  });

  test('an experiment is a method of the package, too', () => {
    const body = { tasks: [{ stim: 'M 0\n' }], target_processor: 'qvm', max_shots: 10 };
    const text = callText({ route: 'POST /quantum/experiments', body }, 'Python', ORIGIN);
    expect(text).toContain('result = client.experiments.run(\n    [\n');
    expect(text).toContain('processor="qvm",\n    max_shots=10,\n)\nprint(result.csv())');
  });

  test('for Python takes httpx where the package has no method', () => {
    const call: ApiCall = {
      route: 'POST /admin/keys',
      body: { name: 'n', tier: 'standard', expires_at: undefined },
    };
    expect(callText(call, 'Python', ORIGIN)).toContain('json={"name": "n", "tier": "standard"},');
  });

  test.each([
    ['GET /quantum/circuits/{circuit_id}', "client.circuits.get('x')", '.record)'],
    ['GET /quantum/circuits/{circuit_id}/events', "client.circuits.events('x')", '.events():'],
    ['POST /quantum/circuits/{circuit_id}/retry', "client.circuits.retry('x')", '.retry())'],
    ['DELETE /quantum/circuits/{circuit_id}', "client.circuits.delete('x')", '.delete()'],
  ] as const)('%s is a method of a job', (route, script, python) => {
    const call = { route, path: { circuit_id: 'x' } };
    expect(callText(call, 'TypeScript', ORIGIN)).toContain(script);
    expect(callText(call, 'Python', ORIGIN)).toContain(`client.job("x")${python}`);
  });

  test('the work of agents goes by the name of the agent', () => {
    const call: ApiCall = {
      route: 'POST /agents/{agent_id}/execute',
      path: { agent_id: 'research' },
      body: { task: 'vqe' },
    };
    expect(callText(call, 'TypeScript', ORIGIN)).toContain(
      "client.tasks.run({ agent: 'research', task: 'vqe' })",
    );
    expect(callText(call, 'Python', ORIGIN)).toContain('/agents/research/execute');
  });

  test('numbers without even steps fill the lines', () => {
    const body = {
      ...Object(SWEEP.body),
      programs: [{ inputs: { a: STEPS.map((each) => each ** 2) } }],
    };
    const lines = callText({ ...SWEEP, body }, 'curl', ORIGIN).split('\n');
    expect(lines.length).toBeLessThan(30);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(100);
  });
});
