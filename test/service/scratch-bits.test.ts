/** Programs with bits that are no part of their outcome, on every processor that simulates, alone and in batches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;

beforeAll(async () => {
  opened = await openFleetService();
});
afterAll(() => opened[Symbol.asyncDispose]());

const SHOTS = 4000;
const HEADER = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';

/** With the share of shots of each label. */
const PROGRAMS: readonly {
  readonly name: string;
  readonly text: string;
  readonly shares: Readonly<Record<string, number>>;
}[] = [
  {
    name: 'an output beside other bits',
    text: 'output bit r; qubit[2] q; bit s; h q; s = measure q[0]; h q[0]; r = measure q[0];',
    shares: { '0': 0.5, '1': 0.5 },
  },
  {
    name: 'a teleportation whose output is declared first',
    text: `output bit got; qubit[3] w; bit[2] syn; ry(1.2) w[0]; h w[1]; cx w[1], w[2]; cx w[0], w[1]; h w[0];
      syn[0] = measure w[0]; syn[1] = measure w[1]; if (syn[1]) { x w[2]; } if (syn[0]) { z w[2]; }
      got = measure w[2];`,
    shares: { '0': Math.cos(0.6) ** 2, '1': Math.sin(0.6) ** 2 },
  },
  {
    name: 'a bit of a subroutine',
    text: `def peek(qubit a) { bit t; t = measure a; } qubit[2] w; bit k; h w[0]; cx w[0], w[1]; peek(w[0]); h w[0];
      k = measure w[0];`,
    shares: { '0': 0.5, '1': 0.5 },
  },
  {
    name: 'several bits of subroutines, and no output',
    text: `def coin(qubit a) -> bit { reset a; h a; bit t = measure a; return t; } qubit w; int total = 0;
      for int r in [1:3] { total += coin(w); }`,
    shares: { '': 1 },
  },
  {
    name: 'an output whose other bits are measured at the end',
    text: `output bit r; qubit[2] q; bit[3] s; ry(0.8) q[0]; x q[1]; s[2] = measure q[1]; r = measure q[0];`,
    shares: { '0': Math.cos(0.4) ** 2, '1': Math.sin(0.4) ** 2 },
  },
];

describe.each(['statevector-sim', 'gpu-fleet', 'qvm'])('on %s', (target_processor) => {
  test.each(PROGRAMS)('$name: every shot has a label of the outcome', async ({ text, shares }) => {
    const qasm = HEADER + text;
    const { service } = opened;
    const common = { target_processor, seed: 5 };
    const asked = { qasm, shots: SHOTS, return: ['counts', 'memory'], ...common };
    const { data } = (await service.submit(asked)).json();
    const programs = [{ qasm, shots: SHOTS, return: ['counts'] }];
    const payload = JSON.stringify({ programs, ...common });
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', url: '/quantum/batches', headers, payload } as const;
    const batch = (await service.request(sent)).json().data;
    for (const counts of [data.counts, batch.programs[0].counts[0]]) expectShares(counts, shares);
    expect(data.memory).toHaveLength(SHOTS);
    const tallied: Record<string, number> = {};
    for (const label of data.memory) tallied[label] = (tallied[label] ?? 0) + 1;
    expect(tallied).toEqual(data.counts);
  });
});

function expectShares(
  counts: Readonly<Record<string, number>>,
  shares: Readonly<Record<string, number>>,
): void {
  expect(Object.keys(counts).toSorted()).toEqual(Object.keys(shares).toSorted());
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(SHOTS);
  for (const [label, share] of Object.entries(shares)) {
    const deviation = Math.sqrt(SHOTS * share * (1 - share));
    expect(Math.abs(counts[label]! - SHOTS * share)).toBeLessThanOrEqual(5 * deviation);
  }
}

test('exact probabilities have no other labels', async () => {
  const qasm = `${HEADER}output bit r; qubit[3] q; bit[2] s; ry(0.8) q[0]; t q[1]; h q[1]; cx q[0], q[2];
    s[0] = measure q[1]; s[1] = measure q[2]; r = measure q[0];`;
  for (const [target_processor, method] of [
    ['statevector-sim', 'statevector'],
    ['qvm', 'stabilizer'],
    ['qvm', 'density_matrix'],
    ['qvm', 'matrix_product_state'],
    ['qvm', 'sparse'],
  ]) {
    const asked = {
      qasm,
      shots: 100,
      target_processor,
      method,
      return: ['probabilities', 'counts'],
    };
    const { data } = (await opened.service.submit(asked)).json();
    expect([method, data.method]).toEqual([method, method]);
    expect(Object.keys(data.probabilities).toSorted()).toEqual(['0', '1']);
    expect(data.probabilities['0']).toBeCloseTo(Math.cos(0.4) ** 2, 9);
  }
});
