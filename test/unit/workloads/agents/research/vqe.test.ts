/** The task `vqe` against ground energies that are known without it. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { researchAgent } from '../../../../../src/workloads/agents/agents.ts';
import { parameterSweep } from '../../../../../src/workloads/agents/research/parameter-sweep.ts';
import { vqe } from '../../../../../src/workloads/agents/research/vqe.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const view = z.looseObject({
  energy: z.number(),
  exact_energy: z.number(),
  error: z.number(),
  converged: z.boolean(),
  energy_history: z.array(z.number()),
  circuits_run: z.number(),
  hamiltonian: z.array(z.object({ pauli: z.string(), coefficient: z.number() })),
  sampled_energy: z.number().default(Number.NaN),
  sampled_energy_standard_error: z.number().default(Number.NaN),
});

async function solved(input: JsonObject) {
  await using test = openTestContext();
  const result = await test.run(vqe, input);
  return { result: view.parse(result), json: result, told: test.told };
}

describe('the hydrogen molecule', () => {
  test.each([
    [{}, -1.13730604],
    [{ mapping: 'jordan_wigner' }, -1.13730604],
    [{ bond_length_angstrom: 0.5 }, -1.05515979],
    [{ bond_length_angstrom: 2 }, -0.94864111],
    [{ ansatz: 'hardware_efficient' }, -1.13730604],
    [{ optimizer: 'bfgs' }, -1.13730604],
    [{ optimizer: 'bfgs', mapping: 'jordan_wigner' }, -1.13730604],
    [{ optimizer: 'adam', steps: 300 }, -1.13730604],
  ])('%j gives %d Ha within a millionth', async (input, published) => {
    const { result } = await solved({ problem: 'h2', ...input });
    expect(Math.abs(result.energy - published)).toBeLessThan(1e-6);
    expect(result.error).toBeCloseTo(result.energy - result.exact_energy, 15);
  });

  test('starts at Hartree–Fock, goes down at every step, and says where it is', async () => {
    const { result, told } = await solved({});
    expect(result.energy_history[0]).toBeCloseTo(-1.116998997, 8);
    const isFalling = result.energy_history.every((e, i, all) => i === 0 || e < all[i - 1]!);
    expect(isFalling).toBe(true);
    expect(result.converged).toBe(true);
    expect(told.units).toBe(result.circuits_run);
    expect(told.circuits).toBe(result.circuits_run);
    expect(told.progress[0]).toEqual({
      fraction: 0,
      message: 'step 0 of at most 200, energy -1.116999 Ha',
    });
  });

  test('the circuit of the result has the energy of the result, when it is sent again', async () => {
    const { result, json } = await solved({ mapping: 'jordan_wigner' });
    await using again = openTestContext();
    const circuit = z.array(z.json()).parse(json['circuit']);
    const swept = await again.run(parameterSweep, {
      circuit: [...circuit, { gate: 'RZ', qubit: 0, theta: 'none' }],
      parameters: { none: [0] },
      observables: [json['hamiltonian'] ?? null],
    });
    expect(swept).toMatchObject({ lowest: { expectation: expect.closeTo(result.energy, 12) } });
  });
});

describe('the transverse-field Ising chain', () => {
  test.each([
    { sites: 6, j: 1, h: 1 },
    { sites: 5, j: 0.7, h: 1.3 },
    { sites: 8, j: 2, h: 0.5 },
  ])('a ring of %j has the energy of free fermions', async (chain) => {
    const { result } = await solved({ problem: 'tfim', periodic: true, ...chain });
    const { sites, j, h } = chain;
    let energy = 0;
    for (let m = 0; m < sites; m++) {
      energy -= Math.sqrt(j * j + h * h - 2 * j * h * Math.cos(((2 * m + 1) * Math.PI) / sites));
    }
    expect(result['free_fermion_energy']).toBeCloseTo(energy, 12);
    expect(result.exact_energy).toBeCloseTo(energy, 8);
    expect(Math.abs(result.energy - energy)).toBeLessThan(1e-6);
  });

  test.each([2, 3, 4, 5])(
    'an open critical chain of %d sites has 1 − 1/sin(π/(4n + 2))',
    async (sites) => {
      const { result } = await solved({ problem: 'tfim', sites });
      const energy = 1 - 1 / Math.sin(Math.PI / (4 * sites + 2));
      expect(result.exact_energy).toBeCloseTo(energy, 10);
      expect(Math.abs(result.energy - energy)).toBeLessThan(1e-6);
    },
  );

  test.each([
    { j: -1, h: 1 },
    { j: 1, h: -0.5 },
    { j: 1, h: 0 },
    { j: 0, h: 1 },
  ])('signs and zeros: %j', async (chain) => {
    for (const optimizer of ['levenberg_marquardt', 'bfgs']) {
      const { result } = await solved({ problem: 'tfim', sites: 4, optimizer, ...chain });
      expect(Math.abs(result.error)).toBeLessThan(1e-6);
    }
  });
});

describe('a custom observable', () => {
  test('of one qubit, aX + bY + cZ, has −√(a² + b² + c²)', async () => {
    const { result } = await solved({
      problem: 'custom',
      observable: [
        { pauli: 'X0', coefficient: 0.3 },
        { pauli: 'Y0', coefficient: -1.2 },
        { pauli: 'Z0', coefficient: 0.4 },
        { pauli: 'I', coefficient: 5 },
      ],
    });
    expect(result.exact_energy).toBeCloseTo(5 - 1.3, 10);
    expect(result.energy).toBeCloseTo(5 - 1.3, 8);
  });

  test('Heisenberg’s pair has −3, a singlet, from one of several starts, by BFGS too', async () => {
    const input = {
      problem: 'custom',
      observable: [{ pauli: 'X0 X1' }, { pauli: 'Y0 Y1' }, { pauli: 'Z0 Z1' }],
      restarts: 4,
    };
    for (const optimizer of ['levenberg_marquardt', 'bfgs']) {
      const { result } = await solved({ ...input, optimizer });
      expect(result.exact_energy).toBeCloseTo(-3, 10);
      expect(result.energy).toBeCloseTo(-3, 8);
    }
  });

  test('that is constant is its constant', async () => {
    const observable = [{ pauli: 'I', coefficient: 2.5 }];
    const { result } = await solved({ problem: 'custom', observable });
    expect([result.energy, result.exact_energy]).toEqual([2.5, 2.5]);
  });
});

describe('energies from shots', () => {
  test('agree with the exact energy within five standard errors, and shots spread as they say', async () => {
    const samples = [];
    for (let seed = 0; seed < 10; seed++) {
      const { result } = await solved({ mapping: 'jordan_wigner', shots: 500, steps: 1, seed });
      const { energy, sampled_energy, sampled_energy_standard_error: error } = result;
      samples.push((sampled_energy - energy) / error);
      expect(error).toBeGreaterThan(0.001);
      expect(error).toBeLessThan(0.1);
    }
    expect(Math.max(...samples.map(Math.abs))).toBeLessThan(5);
    const meanSquare = samples.reduce((sum, x) => sum + x * x, 0) / samples.length;
    expect(meanSquare).toBeGreaterThan(0.2);
    expect(meanSquare).toBeLessThan(3);
  });

  test.each(['X0', 'Y0', 'Z0', 'Y0 Y1'])('are taken in the basis of %s', async (pauli) => {
    const { result } = await solved({
      problem: 'custom',
      observable: [{ pauli }, { pauli: 'I', coefficient: 3 }],
      shots: 400,
      steps: 60,
      seed: 1,
    });
    // Near an eigenstate shots hardly spread, so a wrong basis is far off.
    expect(result.energy).toBeLessThan(2.1);
    expect(Math.abs(result.sampled_energy - result.energy)).toBeLessThan(0.1);
  });

  test('lead near the ground state, with the same seed to the same parameters', async () => {
    const input = { shots: 2000, steps: 60, seed: 3 };
    const [one, two, other] = [
      await solved(input),
      await solved(input),
      await solved({ ...input, seed: 4 }),
    ];
    expect(one.result.error).toBeGreaterThanOrEqual(0);
    expect(one.result.error).toBeLessThan(0.01);
    expect(one.json).toEqual(two.json);
    expect(one.result.energy_history).not.toEqual(other.result.energy_history);
  });
});

test("the agent's self-test knows the right answer from a wrong one", async () => {
  await using test = openTestContext();
  const { task, input, faultOf } = researchAgent.selfTest;
  expect(task).toBe('vqe');
  expect(faultOf(await test.run(vqe, input))).toBeUndefined();
  expect(faultOf({ energy: -1.1 })).toMatch(/-1\.1 Ha/);
  expect(faultOf({})).toMatch(/undefined/);
});

test('a cancelled run ends with the reason of its signal', async () => {
  const controller = new AbortController();
  await using test = openTestContext({ signal: controller.signal });
  const reason = new Error('cancelled');
  const context = { ...test.context, progress: () => controller.abort(reason) };
  await expect(vqe.run({ problem: 'tfim' }, context)).rejects.toBe(reason);
});

test.each<[string, JsonObject, string]>([
  ['fields of another problem', { problem: 'h2', sites: 3 }, 'sites'],
  ['a custom problem without observable', { problem: 'custom' }, 'observable'],
  [
    'a qubit that is too far',
    { problem: 'custom', observable: [{ pauli: 'Z14' }] },
    'observable[0].pauli',
  ],
  ['a ring of two', { problem: 'tfim', sites: 2, periodic: true }, 'periodic'],
  ["another problem's ansatz", { problem: 'tfim', ansatz: 'excitation' }, 'ansatz'],
  ['layers of an ansatz without', { layers: 2 }, 'layers'],
  ['bfgs with noise', { shots: 10, optimizer: 'bfgs' }, 'optimizer'],
  ['states with noise', { shots: 10, optimizer: 'levenberg_marquardt' }, 'optimizer'],
  ['a learning rate for bfgs', { learning_rate: 0.1 }, 'learning_rate'],
  [
    'more work than the deadline allows',
    { problem: 'tfim', sites: 12, layers: 12, ansatz: 'hardware_efficient', restarts: 8 },
    'steps',
  ],
])('refuses %s before it runs', (_, input, path) => {
  expect(vqe.faultsOf(input)[0]?.path).toBe(path);
});

test('a chain of more than 12 sites is searched by gradients, one circuit each', async () => {
  await using service = openTestContext({ maxQubits: 14 });
  const input = { problem: 'tfim', sites: 13, periodic: true, layers: 1, steps: 4, seed: 1 };
  const result = await service.run(vqe, input);
  expect(result['optimizer']).toBe('bfgs');
  const energies = z.array(z.number()).parse(result['energy_history']);
  expect(energies).toEqual(energies.toSorted((a, b) => b - a));
  // A gradient at the start; then 16 step lengths and a gradient a step; the energy at the end.
  expect(service.told.circuits).toBe(1 + 17 * (energies.length - 1) + 1);
  expect(Number(result['energy'])).toBeCloseTo(energies.at(-1)!, 9);
  expect(Number(result['energy'])).toBeGreaterThan(Number(result['exact_energy']));
});
