/** Places of jobs on the scale of widths, and the ranges of machines that take them. */
import { expect, test } from 'vitest';
import { isStateMethod } from '../../../../src/fleet/schedule/scheduled-run.ts';
import {
  placeOnScale,
  type RunState,
  rangesOfJobs,
  rangesOfRuns,
  widestOnScale,
} from '../../../../src/fleet/schedule/width-scale.ts';

/** Qubits that a machine holds by each method. */
interface Machine {
  readonly statevector: number;
  readonly trajectories: number;
  readonly density_matrix: number;
}

function takes(machine: Machine, runs: readonly RunState[], rangesOf = rangesOfJobs): boolean {
  const place = placeOnScale(runs);
  const ranges = rangesOf((method) => machine[method]);
  return ranges.some(({ least, most }) => least <= place && place <= most);
}

/** Whether the machine holds each of the runs. */
function holds(machine: Machine, runs: readonly RunState[]): boolean {
  return runs.every(({ method = 'statevector', numQubits }) => {
    const like = isStateMethod(method) ? method : 'trajectories';
    return numQubits <= machine[like];
  });
}

/** Simulators as there are: with a limit of noise and no density matrices, or with density matrices of their own limit. */
function* machines(): Generator<Machine> {
  for (let widest = 1; widest <= 7; widest++) {
    for (let other = 0; other <= 3; other++) {
      const trajectories = Math.max(0, widest - other);
      yield { statevector: widest, trajectories, density_matrix: widest };
      yield { statevector: widest, trajectories: widest, density_matrix: widest + other };
    }
  }
}

/** Runs of a batch: widths by method, 0 for none. */
function* batches(): Generator<Machine> {
  for (let statevector = 0; statevector <= 8; statevector++) {
    for (let trajectories = 0; trajectories <= 8; trajectories++) {
      for (let density = 0; density <= 11; density++) {
        yield { statevector, trajectories, density_matrix: density };
      }
    }
  }
}

function runsOf({ statevector, trajectories, density_matrix: density }: Machine): RunState[] {
  const runs: RunState[] = [
    { numQubits: statevector },
    { method: 'trajectories', numQubits: trajectories },
    { method: 'density_matrix', numQubits: density },
  ];
  return runs.filter(({ numQubits }) => numQubits > 0);
}

test('a machine takes exactly the batches whose runs it holds', () => {
  let [numTaken, numLeft] = [0, 0];
  for (const machine of machines()) {
    const hasDensity = machine.trajectories === machine.statevector;
    for (const batch of batches()) {
      if (batch.density_matrix > 0 && !hasDensity) continue;
      const runs = runsOf(batch);
      const isHeld = holds(machine, runs);
      expect(takes(machine, runs), JSON.stringify({ machine, batch })).toBe(isHeld);
      if (isHeld) numTaken++;
      else numLeft++;
    }
  }
  expect(Math.min(numTaken, numLeft)).toBeGreaterThan(1000);
});

test('a machine takes exactly the single runs that it holds', () => {
  const machine = { statevector: 24, trajectories: 22, density_matrix: 25 };
  for (const method of ['statevector', 'trajectories', 'density_matrix'] as const) {
    for (let numQubits = 1; numQubits < 30; numQubits++) {
      const runs = [{ method, numQubits }];
      expect(takes(machine, runs, rangesOfRuns)).toBe(holds(machine, runs));
      expect(takes(machine, runs)).toBe(holds(machine, runs));
    }
  }
});

test('a batch with a wide state vector does not fit a narrow machine because of another program', () => {
  const narrow = { statevector: 20, trajectories: 20, density_matrix: 21 };
  const wide = { numQubits: 24 };
  expect(takes(narrow, [wide, { method: 'density_matrix', numQubits: 8 }])).toBe(false);
  expect(takes(narrow, [wide, { method: 'trajectories', numQubits: 3 }])).toBe(false);
});

test('places fit the column of the database', () => {
  const machine = { statevector: 200, trajectories: 200, density_matrix: 200 };
  const runs = [{ numQubits: 156 }, { method: 'density_matrix', numQubits: 312 }] as const;
  expect(placeOnScale(runs)).toBeLessThan(2 ** 15);
  for (const { most } of rangesOfJobs((method) => machine[method])) {
    expect(most).toBeLessThan(2 ** 15);
  }
});

test.each([
  [[{ numQubits: 5 }], { method: 'statevector', numQubits: 5 }],
  [[{ method: 'trajectories', numQubits: 6 }], { method: 'trajectories', numQubits: 6 }],
  [
    [{ numQubits: 9 }, { method: 'trajectories', numQubits: 6 }],
    { method: 'statevector', numQubits: 9 },
  ],
  [
    [{ numQubits: 9 }, { method: 'density_matrix', numQubits: 12 }],
    { method: 'density_matrix', numQubits: 12 },
  ],
] as const)('the widest run of %j is known by the place', (runs, widest) => {
  expect(widestOnScale(placeOnScale(runs))).toEqual(widest);
});

test.each(['stabilizer', 'matrix_product_state'] as const)(
  'a run by %s goes where a trajectory of as much memory goes',
  (method) => {
    expect(placeOnScale([{ method, numQubits: 9 }])).toBe(
      placeOnScale([{ method: 'trajectories', numQubits: 9 }]),
    );
    const machine = { statevector: 12, trajectories: 8, density_matrix: 12 };
    expect(takes(machine, [{ method, numQubits: 8 }])).toBe(true);
    expect(takes(machine, [{ method, numQubits: 9 }])).toBe(false);
  },
);
