/** Jobs of the console: rows, filters, the feed over four listings, forms of results, files, graphs. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/client/api-types.ts';
import { springLayout } from '../../../src/console/drawing/graph-layout.ts';
import { JobFeed, type JobPage } from '../../../src/console/jobs/job-feed.ts';
import { csvOf } from '../../../src/console/jobs/job-files.ts';
import {
  filtersOf,
  type JobRow,
  type List,
  passes,
  queryOf,
  rowOf,
  sorted,
  sortingOf,
  sortText,
  withSweeps,
} from '../../../src/console/jobs/job-row.ts';
import {
  fieldInWords,
  inWords,
  isUnit,
  shapeOf,
  titleOf,
} from '../../../src/console/jobs/result-shape.ts';
import {
  bb84Of,
  cutOf,
  layoutOf,
  noiseScanOf,
  sweepOf,
  tourOf,
} from '../../../src/console/jobs/work-shapes.ts';

const circuit: Circuit = {
  circuit_id: 'circ_1',
  processor: 'qvm',
  shots: 1000,
  seed: 7,
  qubits: 1,
  status: 'completed',
  priority: 'normal',
  tags: ['blue'],
  created_at: '2026-01-02T00:00:01.000Z',
};
const row = rowOf(circuit);
const NONE = filtersOf(new URLSearchParams());

test('a circuit is a row with its processor and its size', () => {
  expect(row).toMatchObject({
    id: 'circ_1',
    kind: 'circuit',
    where: 'qvm',
    what: '1 qubit, 1,000 shots',
  });
});

test('a plan is distinguished from a task', () => {
  const base = { status: 'running', priority: 'normal', created_at: circuit.created_at } as const;
  const kinds = ['plan', 'vqe'].map(
    (task) => rowOf({ ...base, task_id: 'task_1', agent: 'asi', task }).kind,
  );
  expect(kinds).toEqual(['plan', 'task']);
});

test('filters come from the address and go back into it', () => {
  const filters = filtersOf(new URLSearchParams('kind=circuit&status=failed&tag=a&text=b&x=1'));
  expect(queryOf(filters)).toMatchObject({
    kind: 'circuit',
    status: 'failed',
    tag: 'a',
    text: 'b',
  });
  expect(queryOf(filters)['where']).toBeUndefined();
  expect(filtersOf(new URLSearchParams('kind=toString&status=odd'))).toEqual(NONE);
});

test.each([
  [{ kind: 'batch' }, false],
  [{ status: 'completed' }, true],
  [{ where: 'qv' }, false],
  [{ tag: 'blue' }, true],
  // The service has looked for the text already, with the rule of its own.
  [{ text: 'red' }, true],
] as const)('the filters %j let the row pass: %s', (some, isPassed) => {
  expect(passes(row, { ...NONE, ...some })).toBe(isPassed);
});

describe('the list', () => {
  const part = (id: string, second: number, rest: object = {}): JobRow =>
    rowOf({
      batch_id: id,
      processor: 'qvm',
      points: 10,
      seed: 7,
      name: 'Z0 by a',
      tags: ['sweep-0123abcd'],
      status: 'completed',
      priority: 'normal',
      created_at: `2026-01-02T00:00:0${second}.000Z`,
      started_at: `2026-01-02T00:00:0${second}.100Z`,
      finished_at: `2026-01-02T00:00:0${second}.200Z`,
      ...rest,
    });

  test('has one row for the batches of a sweep', () => {
    const alone = part('b0', 2, { tags: ['sweep-of-mine'], points: 1 });
    const rows = withSweeps([part('b3', 3), row, alone, part('b1', 1)]);
    expect(rows.map(({ id }) => id)).toEqual(['sweep-0123abcd', 'circ_1', 'b0']);
    expect(rows[0]).toMatchObject({
      kind: 'sweep',
      name: 'Z0 by a',
      what: '20 points',
      parts: 2,
      tags: [],
      status: 'completed',
      createdAt: '2026-01-02T00:00:01.000Z',
      startedAt: '2026-01-02T00:00:01.100Z',
      finishedAt: '2026-01-02T00:00:03.200Z',
    });
    expect(rows[2]).toMatchObject({ kind: 'batch', what: '1 point', tags: ['sweep-of-mine'] });
    const [running] = withSweeps([part('b3', 3, { status: 'running' }), part('b1', 1)]);
    expect([running?.status, running?.finishedAt]).toEqual(['running', undefined]);
    const [failed] = withSweeps([part('b3', 3, { status: 'failed' }), part('b1', 1)]);
    expect(failed?.status).toBe('failed');
  });

  test('is sorted by any column in both orders, the newest and the longest first', () => {
    const rows = [
      part('long', 4, { tags: [], name: 'b 10', finished_at: '2026-01-02T00:00:09.000Z' }),
      part('short', 3, { tags: [], name: 'b 9', status: 'failed' }),
      part('waits', 2, { tags: [], name: 'a', status: 'queued', finished_at: undefined }),
    ];
    const ids = (text: string) => {
      const sorting = sortingOf(new URLSearchParams({ sort: text }));
      expect(sortText(sorting)).toBe(text === 'sent' ? undefined : text);
      return sorted(rows, sorting).map(({ id }) => id);
    };
    expect(ids('sent')).toEqual(['long', 'short', 'waits']);
    expect(ids('-sent')).toEqual(['waits', 'short', 'long']);
    expect(ids('took')).toEqual(['long', 'short', 'waits']);
    expect(ids('job')).toEqual(['waits', 'short', 'long']);
    expect(ids('-job')).toEqual(['long', 'short', 'waits']);
    expect(ids('status')).toEqual(['waits', 'long', 'short']);
  });
});

describe('the feed', () => {
  const at = (second: number) => `2026-01-02T00:00:${String(second).padStart(2, '0')}.000Z`;
  const job = (id: string, second: number, rest: Partial<JobRow> = {}): JobRow => ({
    ...row,
    id,
    createdAt: at(second),
    ...rest,
  });
  const pages = new Map<string, JobPage>();
  let asked: string[] = [];
  const feedOf = (all: Partial<Record<List, readonly (readonly JobRow[])[]>>) => {
    pages.clear();
    asked = [];
    for (const [list, own = []] of Object.entries(all)) {
      own.forEach((rows, i) => {
        pages.set(`${list} ${i}`, { rows, next: i + 1 < own.length ? String(i + 1) : null });
      });
    }
    return new JobFeed(
      {
        page: async (list, { cursor = '0' }) => {
          asked.push(`${list} ${cursor}`);
          return pages.get(`${list} ${cursor}`) ?? { rows: [], next: null };
        },
        one: async (id) => {
          asked.push(id);
          return job(id, 1, { status: 'completed' });
        },
      },
      NONE,
    );
  };
  const ids = (feed: JobFeed) => feed.rows().map(({ id }) => id);

  test('shows rows only down to the time that all listings have been read to', async () => {
    const feed = feedOf({
      circuits: [[job('c9', 9), job('c5', 5)], [job('c1', 1)]],
      tasks: [[job('t7', 7), job('t2', 2)]],
    });
    await feed.readMore();
    expect(ids(feed)).toEqual(['c9', 't7', 'c5']);
    expect(feed.isComplete).toBe(false);
    await feed.readMore();
    expect(ids(feed)).toEqual(['c9', 't7', 'c5', 't2', 'c1']);
    expect(feed.isComplete).toBe(true);
  });

  test('reads on in the listing whose last job is the newest', async () => {
    const feed = feedOf({
      circuits: [[job('c9', 9)], [job('c8', 8)], [job('c1', 1)]],
      tasks: [[job('t5', 5)], [job('t4', 4)]],
    });
    for (let i = 0; i < 4; i += 1) await feed.readMore();
    expect(asked.slice(5)).toEqual(['circuits 1', 'circuits 2', 'tasks 1']);
    expect(ids(feed)).toEqual(['c9', 'c8', 't5', 't4', 'c1']);
  });

  test('reads on in a listing of which a search has found nothing yet', async () => {
    const feed = feedOf({
      circuits: [[job('c9', 9)], [job('c8', 8)]],
      tasks: [[], [job('t5', 5)]],
    });
    await feed.readMore();
    expect(ids(feed)).toEqual(['c9']);
    await feed.readMore();
    expect(asked.at(-1)).toBe('tasks 1');
    expect(feed.isComplete).toBe(false);
    asked = [];
    await feed.renew();
    expect(asked.filter((each) => each.startsWith('tasks'))).toEqual(['tasks 0']);
  });

  test('a renewal brings new jobs, and asks for older ones that still ran', async () => {
    const feed = feedOf({ circuits: [[job('c1', 1, { status: 'running' })]] });
    await feed.readMore();
    pages.set('circuits 0', { rows: [job('c3', 3)], next: 'more' });
    pages.set('circuits more', { rows: [job('c2', 2)], next: null });
    asked = [];
    await feed.renew(true);
    expect(asked).toEqual(['circuits 0', 'circuits more', 'c1']);
    expect(ids(feed)).toEqual(['c3', 'c2', 'c1']);
    expect(feed.rows().map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  });

  test('a renewal of what runs asks for nothing where nothing runs', async () => {
    const feed = feedOf({ circuits: [[job('c1', 1)]] });
    await feed.readMore();
    asked = [];
    await feed.renew(true);
    expect(asked).toEqual([]);
  });
});

test.each([
  ['counts', { '00': 5, '11': 3 }, 'counts'],
  ['energy_history', [-1, -2], 'numbers'],
  ['groups', [0, 1, 0, 1, 1, 0, 0, 1], 'list'],
  [
    'matrix',
    [
      [1, 0],
      [0, 1],
    ],
    'matrix',
  ],
  ['tests', [{ name: 'frequency', passed: true }], 'table'],
  ['settings', [{ name: 'a', counts: { '0': 1 } }], 'sections'],
  ['qasm', 'OPENQASM 3.0;', 'program'],
  ['circuit', [{ gate: 'H' }], 'circuit'],
  ['qaoa', { layers: 2 }, 'fields'],
  ['error_rate', null, 'text'],
] as const)('the field %s is shown by its form', (name, value, shape) => {
  expect(shapeOf(name, value)).toBe(shape);
});

test.each([
  ['hartree_fock_energy_hartree', -1.117, 'Hartree–Fock energy', '−1.117 hartree'],
  ['bond_length_angstrom', 0.735, 'Bond length', '0.735 Å'],
  ['error_rate_interval_95', [0.1, 0.2], 'Error rate, 95% interval', '0.1, 0.2'],
  ['stopped_because', 'gradient_below_tolerance', 'Stopped because', 'gradient below tolerance'],
  ['seed', 4257463830100048, 'Seed', '4257463830100048'],
  ['qaoa', 'p', 'QAOA', 'p'],
  ['forms', 'x_1 + y', 'Forms', 'x_1 + y'],
])('the field %s is written with its unit, as a person reads it', (name, value, title, words) => {
  expect([titleOf(name), fieldInWords(name, value)]).toEqual([title, words]);
});

test('a unit in a field of its own stands behind its value', () => {
  const fields = { energy: -1.5, energy_unit: 'hartree' };
  expect(fieldInWords('energy', -1.5, fields)).toBe('−1.5 hartree');
  expect(['energy', 'energy_unit'].map((name) => isUnit(name, fields))).toEqual([false, true]);
  expect(isUnit('energy_unit', { energy_unit: 'eV' })).toBe(false);
});

test('values are in words', () => {
  expect(inWords(true)).toBe('yes');
  expect(inWords(-0.123456789)).toBe('−0.123457');
  expect(inWords([1, [2, 3]])).toBe('1, 2, 3');
  expect(inWords({ p_value: 0.5 })).toBe('p-value 0.5');
});

test('counts are a CSV file, and fields with commas are quoted', () => {
  expect(csvOf({ ...circuit, counts: { '00': 5 } })).toBe('outcome,count\r\n00,5\r\n');
  // An object has "10" before "01", since it is a whole number.
  expect(csvOf({ ...circuit, counts: { '01': 1, '10': 2, '00': 3 } })).toBe(
    'outcome,count\r\n00,3\r\n01,1\r\n10,2\r\n',
  );
  const task = {
    task_id: 't',
    agent: 'a',
    task: 'x',
    status: 'completed',
    priority: 'normal',
  } as const;
  const result = { tests: [{ name: 'a, "b"', ok: true }] };
  expect(csvOf({ ...task, created_at: circuit.created_at, result })).toBe(
    'name,ok\r\n"a, ""b""",true\r\n',
  );
  expect(csvOf(circuit)).toBeUndefined();
});

test('a cut has two groups, and its edges join them', () => {
  const result = { problem: 'maxcut', best: { groups: [0, 1, 1], cut_weight: 2 } };
  const shape = cutOf(result, {
    edges: [
      [0, 1],
      [1, 2],
    ],
  });
  expect(shape?.edges.map(({ isStrong }) => isStrong)).toEqual([true, false]);
  expect(shape?.words).toContain('1 nodes in the round group, 2 in the square one');
  expect(cutOf(result, {})?.edges).toHaveLength(15);
  expect(cutOf({ problem: 'ising' }, {})).toBeUndefined();
});

test('a tour joins its cities in order', () => {
  const shape = tourOf(
    { route: [0, 2, 1, 0], length: 5 },
    {
      coordinates: [
        [0, 0],
        [1, 1],
        [2, 0],
      ],
    },
  );
  expect(shape?.edges.map(({ ends }) => ends)).toEqual([
    [0, 2],
    [2, 1],
    [1, 0],
  ]);
  expect(tourOf({ route: [0, 1] }, {})).toBeUndefined();
});

test('a layout names the qubits of the circuit on the device', () => {
  const shape = layoutOf({ initial_layout: [2, 1], device_qubits: 3 }, [
    [0, 1],
    [1, 0],
    [1, 2],
  ]);
  expect(shape?.nodes.map(({ label }) => label)).toEqual(['0', 'q1', 'q0']);
  expect(shape?.edges.map(({ isStrong }) => isStrong)).toEqual([false, true]);
});

test('sweeps and noise scans are curves', () => {
  const sweep = sweepOf(
    {
      parameters: ['t'],
      points: [
        { values: [0], expectations: [1] },
        { values: [1], expectations: [0.5] },
      ],
    },
    { observables: [{ pauli: 'Z0', coefficient: 2 }] },
  );
  expect(sweep).toMatchObject({
    x: { values: [0, 1] },
    series: [{ label: '2 Z0', values: [1, 0.5] }],
  });
  const level = { scale_factor: 0, classical_fidelity: 1, total_variation_distance: 0 };
  expect(noiseScanOf({ levels: [level, { ...level, scale_factor: 1 }] })?.x.values).toEqual([0, 1]);
  expect(noiseScanOf({ levels: [level] })).toBeUndefined();
});

test('the layout of a graph lies in the unit square, neighbours nearer than others', () => {
  const path = Array.from({ length: 7 }, (_, i) => [i, i + 1] as const);
  const places = springLayout(8, path);
  expect(springLayout(8, path)).toEqual(places);
  const far = (a: number, b: number) =>
    Math.hypot(
      (places[a]?.x ?? 0) - (places[b]?.x ?? 0),
      (places[a]?.y ?? 0) - (places[b]?.y ?? 0),
    );
  for (const { x, y } of places) expect(Math.min(x, y, 1 - x, 1 - y)).toBeGreaterThanOrEqual(0);
  expect(far(0, 1)).toBeLessThan(far(0, 7));
});

test('a run of BB84 has its qubits as states, and its error rate beside the limit', () => {
  const alice = { alice_basis: 'X', alice_bit: 1 };
  const shape = bb84Of({
    first_qubits: [
      { ...alice, intercepted: false, bob_basis: 'Z', bob_bit: 0, sifted: false },
      {
        ...alice,
        intercepted: true,
        eve_basis: 'Z',
        eve_bit: 1,
        bob_basis: 'X',
        bob_bit: 0,
        sifted: true,
      },
      { ...alice, intercepted: false, bob_basis: 'X', bob_bit: 1, sifted: true },
    ],
    error_rate: 0.25,
    error_rate_interval_95: [0.2, 0.3],
    error_rate_expected: 0.24,
    abort_above: 0.11,
    aborted: true,
  });
  expect(
    shape?.qubits.map(({ alice: { ket }, eve, bob, outcome }) => [ket, eve?.ket, bob.ket, outcome]),
  ).toEqual([
    ['|−⟩', undefined, '|0⟩', 'dropped'],
    ['|−⟩', '|1⟩', '|+⟩', 'error'],
    ['|−⟩', undefined, '|−⟩', 'same'],
  ]);
  expect(shape).toMatchObject({
    rate: { value: 0.25, low: 0.2, high: 0.3 },
    expected: 0.24,
    limit: 0.11,
    words:
      'Of the first 3 qubits Eve measured 1; bases agreed for 2, of which 1 had different bits. ' +
      'Error rate 25.0%; the limit is 11.0%: the key is given up.',
  });
  expect(bb84Of({ error_rate: 0.1 })).toBeUndefined();
});
