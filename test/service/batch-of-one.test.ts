/** A program is taken, or refused, alike as a circuit and as a batch of one point, and has the same values. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RandomStream } from '../support/random-stream.ts';
import { numCases, seeds } from '../support/seeds.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;
beforeAll(async () => {
  opened = await openFleetService({}, ['iqm-garnet']);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: answers are read as JSON.
type Json = any;

const post = async (url: string, body: Body) => {
  const answer = await opened.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  return { status: answer.statusCode, json: answer.json() as Json };
};

/** Declarations of inputs, a value that fits, one that does not, and a statement that uses it. */
const INPUTS = [
  ['input float a;', 0.3, 'x', 'rx(a) q[0];'],
  ['input angle a;', 2.5, true, 'ry(2 * a) q[1];'],
  ['input int[8] a;', -3, 0.5, 'rz(a / 10) q[0];'],
  ['input uint[4] a;', 5, -1, 'for uint i in [1:a] { sx q[1]; }'],
  ['input bool a;', true, 1, 'if (a) { x q[0]; }'],
  ['input bit a;', '1', '10', 'if (a) { h q[1]; }'],
  ['input bit[3] a;', '011', '01', 'for int i in [0:2] { if (a[i]) { t q[0]; h q[0]; } }'],
  ['input bit[2] a;', 2, 4, 'if (a[1]) { s q[1]; }'],
] as const;

const STATEMENTS = [
  'h q[0];',
  't q[0];',
  'sdg q[1];',
  'cx q[0], q[1];',
  'cz q[1], q[0];',
  'swap q[0], q[1];',
  'rx(0.7) q[1];',
  'reset q[0];',
  'barrier q;',
  'delay[20ns] q[0];',
  'c[0] = measure q[0];',
  'c[1] = measure q[1];',
  'if (c[0]) { x q[1]; }',
  'if (c == 2) { t q[0]; }',
  '#pragma braket noise bit_flip(0.1) q[0]',
] as const;

const NOISE = {
  gates: [{ gates: ['CX', 'H'], channel: { type: 'depolarizing', probability: 0.05 } }],
};

function randomRequest(stream: RandomStream): readonly [program: Body, common: Body] {
  const [declared, good, bad, use] = stream.pick(INPUTS);
  const hasInput = stream.below(2) === 0;
  const body = Array.from({ length: 1 + stream.below(6) }, () => stream.pick(STATEMENTS));
  const lines = [
    ...(stream.below(3) === 0 ? ['reset q;'] : []),
    ...body.slice(0, 2),
    ...(hasInput ? [use] : []),
    ...body.slice(2),
  ];
  // Pragmas stand before a line of their own; each other line is a statement.
  const text = [
    ...['OPENQASM 3.0;', 'include "stdgates.inc";', ...(hasInput ? [declared] : [])],
    ...['qubit[2] q;', 'bit[2] c;', ...lines, ''],
  ].join('\n');
  const also = ['probabilities', 'expectation', 'statevector'].filter(() => stream.below(3) === 0);
  const method = stream.pick([
    ...['automatic', 'automatic', 'statevector', 'density_matrix', 'stabilizer'],
    'matrix_product_state',
  ]);
  return [
    {
      qasm: text,
      ...(hasInput && { inputs: { a: stream.below(6) === 0 ? bad : good } }),
      ...(also.includes('expectation') && { observables: [{ pauli: 'X0' }, { pauli: 'Z0 Y1' }] }),
      ...(stream.below(5) === 0 && { noise: NOISE }),
      shots: stream.pick([1, 50, 400]),
      return: ['counts', ...also],
      method,
      seed: stream.below(1000),
    },
    {
      target_processor: stream.pick([
        ...['qvm', 'qvm', 'statevector-sim', 'gpu-fleet', 'emulator-iqm-garnet'],
      ]),
    },
  ];
}

/** Paths of faults, which in a batch name the program. */
const faultsOf = ({ json }: { readonly json: Json }): readonly string[] =>
  json.error.details
    .map(({ path }: Readonly<Record<string, string>>) => path!.replace(/^programs\[0\]\.?/, ''))
    .toSorted();

const NUM_REQUESTS = 8;

test('a program is the same as a circuit and as a batch of one point', async () => {
  let numAccepted = 0;
  for (const seed of seeds(20)) {
    const stream = new RandomStream(seed);
    for (let i = 0; i < NUM_REQUESTS; i++) {
      const [program, common] = randomRequest(stream);
      const single = await post('/quantum/circuits', { ...common, ...program });
      const batch = await post('/quantum/batches', { ...common, programs: [program] });
      const about = JSON.stringify({ ...common, ...program });
      if (single.status === 400 && batch.status === 400) {
        // A batch lists fewer faults of a program, and no other ones.
        expect(faultsOf(single), about).toEqual(expect.arrayContaining([...faultsOf(batch)]));
        continue;
      }
      const details = JSON.stringify((single.status === 400 ? single : batch).json.error);
      expect([about, details, batch.status]).toEqual([about, details, single.status]);
      expect([about, single.status]).toEqual([about, 201]);
      numAccepted += 1;
      const { data } = single.json;
      const [point] = batch.json.data.programs;
      expect([about, point.method, point.counts[0]]).toEqual([about, data.method, data.counts]);
      const wanted = {
        probabilities:
          data.probabilities &&
          Array.from({ length: 2 ** data.measured_qubits.length }, (_, i) => {
            const label = i.toString(2).padStart(data.measured_qubits.length, '0');
            return data.probabilities[label] ?? 0;
          }),
        expectation: data.expectation?.values,
        statevector: data.statevector,
      };
      for (const [name, values] of Object.entries(wanted)) {
        expect([about, name, values !== undefined]).toEqual([
          about,
          name,
          point[name] !== undefined,
        ]);
        const found = (point[name]?.[0] ?? []).flat();
        for (const [k, value] of (values ?? []).flat().entries()) {
          expect(Math.abs(found[k] - value), `${name} of ${about}`).toBeLessThan(1e-5);
        }
      }
    }
  }
  expect(numAccepted).toBeGreaterThan((numCases(20) * NUM_REQUESTS) / 3);
});
