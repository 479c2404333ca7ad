// @needs facilities
/**
 * The real service on the software Vulkan drivers of the machine: what a stranger sees of adapters,
 * and of what happens when their processes are killed.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GateObject } from '../../src/circuit/gate-object.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { ENDLESS_SHOTS, endlessCircuit, lastingCircuit } from '../support/lasting-circuit.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';
import { anyDriver, driverEnvironment, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';

interface Answer {
  readonly status: number;
  readonly body: {
    readonly data: Record<string, never>;
    readonly error: { readonly message: string };
  };
}

describeWith(SOFTWARE_DRIVERS, 'a service on two software adapters', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startServiceProcess(folder.path, {
      ...driverEnvironment(...SOFTWARE_DRIVERS),
      QCS_SOFTWARE_ADAPTERS: '1',
      QCS_MEMORY_MIB: '1024',
      // 21 qubits on each adapter.
      QCS_GPU_MEMORY_MIB: '16',
      QCS_RATE_LIMIT_STANDARD: '1000000',
    });
  });
  afterAll(async () => {
    await service?.stop('SIGTERM');
    folder[Symbol.dispose]();
  });

  async function call(path: string, body?: unknown, more = {}): Promise<Answer> {
    const key = service.key ?? '';
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...more };
    const answer = await fetch(`${service.origin}/api/v1${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    // Checked by the assertions on what is read of it.
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  }

  function submit(circuit: readonly GateObject[], headers = {}) {
    const body = { circuit, shots: 100, seed: 5, target_processor: 'gpu-fleet' };
    return call('/quantum/circuits', body, headers);
  }

  async function gpuFleet() {
    return (await call('/quantum/processors/gpu-fleet')).body.data;
  }

  /** The processes of the adapters, apart from those that run tasks. */
  function adapterPids(): readonly number[] {
    const { pid } = service.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const runsAdapter = (child: number) =>
      readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/adapters/');
    return children.trim().split(' ').filter(Boolean).map(Number).filter(runsAdapter);
  }

  function ghz(numQubits: number): readonly GateObject[] {
    return Array.from({ length: numQubits }, (_, qubit) =>
      qubit === 0 ? { gate: 'H', qubit } : { gate: 'CX', control: qubit - 1, target: qubit },
    );
  }

  test('names them and counts no GPU', async () => {
    const fleet = await gpuFleet();
    expect(fleet).toMatchObject({ available: true, execution: 'webgpu', physical_gpus: 0 });
    expect(fleet['adapters']).toHaveLength(2);
    expect(fleet['adapters']).toContainEqual({
      name: expect.stringContaining('llvmpipe'),
      software: true,
    });
    expect(service.output()).toMatch(/gpu-fleet: WebGPU on .*llvmpipe/);
    // One for each, and one for both together.
    expect(adapterPids()).toHaveLength(3);
  });

  test('shows 48 devices, half of them shares of each', async () => {
    const { body } = await call('/quantum/processors/gpu-fleet/devices');
    const devices: { modelled: boolean; backing: { kind: string; name: string } }[] =
      body.data['devices'] ?? [];
    expect(devices).toHaveLength(48);
    expect(new Set(devices.map(({ modelled }) => modelled))).toEqual(new Set([true]));
    const names = Map.groupBy(devices, ({ backing }) => `${backing.kind} ${backing.name}`);
    expect([...names.values()].map(({ length }) => length)).toEqual([24, 24]);
  });

  test('spreads a circuit over both where neither holds it alone', async () => {
    const spread = await submit(ghz(22));
    expect(spread).toMatchObject({
      status: 201,
      body: { data: { backend: { engine: 'webgpu', hardware: expect.stringContaining(' + ') } } },
    });
    const counts: Record<string, number> = spread.body.data['counts'] ?? {};
    expect(Object.keys(counts).sort()).toEqual(['0'.repeat(22), '1'.repeat(22)]);
  });

  test('runs the wide points of a batch on them, with the values of the CPU', async () => {
    const wide = Array.from({ length: 18 }, (_, qubit) => [
      { gate: 'RY', qubit, theta: { input: 'x', scale: 1 + qubit / 10 } },
      { gate: 'CX', control: qubit, target: (qubit + 1) % 18 },
    ]).flat();
    const program = {
      circuit: wide,
      inputs: { x: [0.3, 1.1, 2.5] },
      observables: [{ pauli: 'Z0 Z9' }, { pauli: 'X3' }],
    };
    const batch = async (target_processor: string, more = {}) => {
      const { status, body } = await call('/quantum/batches', {
        target_processor,
        programs: [{ ...program, ...more }],
      });
      expect([status, body.error]).toEqual([201, undefined]);
      // Checked by the assertions on what is read of it.
      return body.data as unknown as {
        readonly programs: readonly [
          { readonly expectation: number[][]; readonly gradient: number[][][] },
        ];
        readonly executed_on: readonly { readonly backend: object; readonly circuits: number }[];
      };
    };
    const onAdapters = await batch('gpu-fleet');
    const exact = await batch('statevector-sim');
    // One adapter has all points, or each has some.
    const engines = onAdapters.executed_on.map(({ backend }) => backend);
    expect(engines).toEqual(
      engines.map(() => expect.objectContaining({ engine: 'webgpu', precision: 'f32' })),
    );
    expect(onAdapters.executed_on.reduce((sum, { circuits }) => sum + circuits, 0)).toBe(3);
    for (const [k, values] of exact.programs[0].expectation.entries()) {
      for (const [o, value] of values.entries()) {
        expect(onAdapters.programs[0].expectation[k]?.[o]).toBeCloseTo(value, 5);
      }
    }
    const asked = { return: ['gradient'], inputs: { x: 0.3 } };
    const slopes = await batch('gpu-fleet', asked);
    expect(slopes.executed_on).toMatchObject([{ backend: { engine: 'webgpu' }, circuits: 1 }]);
    const exactSlopes = await batch('statevector-sim', asked);
    for (const [o, [slope = 0] = []] of exactSlopes.programs[0].gradient[0]!.entries()) {
      expect(slopes.programs[0].gradient[0]?.[o]?.[0]).toBeCloseTo(slope, 3);
    }
  });

  test('runs wide circuits on them and small ones on the CPU, and says so', async () => {
    const wide = await submit(ghz(18));
    expect(wide).toMatchObject({
      status: 201,
      body: { data: { backend: { engine: 'webgpu', execution: 'webgpu', precision: 'f32' } } },
    });
    const counts: Record<string, number> = wide.body.data['counts'] ?? {};
    expect(Object.keys(counts).sort()).toEqual(['0'.repeat(18), '1'.repeat(18)]);
    const small = await submit(ghz(3));
    expect(small.body.data).toMatchObject({ backend: { engine: 'cpu', execution: 'cpu' } });
  });

  test('runs wide circuits with noise on them', async () => {
    const channel = { type: 'amplitude_damping', gamma: 1 } as const;
    const noisy = [...ghz(18), { gate: 'NOISE', qubits: [17], channel }];
    const { status, body } = await submit(noisy);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      method: 'statevector',
      trajectories: 2,
      backend: { engine: 'webgpu', precision: 'f32' },
    });
    const counts: Record<string, number> = body.data['counts'] ?? {};
    expect(Object.keys(counts).sort()).toEqual(['0'.repeat(18), `0${'1'.repeat(17)}`]);
  });

  test('refuses a circuit that no engine holds with the figures, and one with a fault', async () => {
    const wide = await submit(ghz(30));
    expect(wide.status).toBe(400);
    expect(JSON.stringify(wide.body.error)).toContain('30 qubits need 8 GiB');
    expect((await submit([{ gate: 'FLY', qubit: 0 }])).status).toBe(400);
  });

  /** Waits until both adapters are back, each in a new process, and one process for both together. */
  async function adaptersAreBack(killed: readonly number[]): Promise<void> {
    await eventually(() => {
      const pids = adapterPids();
      expect(pids).toHaveLength(3);
      expect(pids.filter((pid) => killed.includes(pid))).toEqual([]);
    });
    await eventually(async () => expect((await gpuFleet())['adapters']).toHaveLength(2));
  }

  test('completes a circuit whose adapters are killed before they have run it, rightly', async () => {
    const circuit = lastingCircuit(18, 2);
    const undisturbed = await submit(circuit);
    const killed = adapterPids();
    // Stopped, they take the circuit and do nothing about it.
    for (const pid of killed) process.kill(pid, 'SIGSTOP');
    const submitted = await submit(circuit, { prefer: 'respond-async' });
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const path = `/quantum/circuits/${submitted.body.data['circuit_id']}`;
    let record = (await call(path)).body.data;
    await eventually(async () => {
      record = (await call(path)).body.data;
      return !['queued', 'running'].includes(record['status'] ?? '');
    });
    // Without an adapter, the CPU took it; draws within rounding of a boundary may differ.
    expect(record).toMatchObject({
      status: 'completed',
      backend: { engine: 'cpu', execution: 'cpu-fallback' },
    });
    expect(difference(record['counts'], undisturbed.body.data['counts'])).toBeLessThan(5);
    await adaptersAreBack(killed);
    expect((await submit(ghz(18))).body.data).toMatchObject({ backend: { engine: 'webgpu' } });
  });

  test('goes on with a circuit whose adapters are killed while they run it', async () => {
    const body = {
      circuit: endlessCircuit(18),
      shots: ENDLESS_SHOTS,
      target_processor: 'gpu-fleet',
    };
    const submitted = await call('/quantum/circuits', body, { prefer: 'respond-async' });
    const path = `/quantum/circuits/${submitted.body.data['circuit_id']}`;
    const status = async () => (await call(path)).body.data['status'];
    await eventually(async () => expect(await status()).toBe('running'));
    const killed = adapterPids();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await adaptersAreBack(killed);
    expect(await status()).toBe('running');
    await call(`${path}/cancel`, {});
    await eventually(async () => expect(await status()).toBe('cancelled'));
  });

  test('leaves no process behind when it stops', async () => {
    const pids = adapterPids();
    expect(pids.length).toBeGreaterThan(1);
    expect(await service.stop('SIGTERM')).toBe(0);
    await eventually(() => pids.every((pid) => !isAlive(pid)));
  });
});

describeWith([anyDriver()], 'a service set to WebGPU alone', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startServiceProcess(folder.path, {
      ...driverEnvironment(anyDriver()),
      QCS_ENGINE: 'webgpu',
      QCS_SOFTWARE_ADAPTERS: '1',
      QCS_MEMORY_MIB: '1024',
      QCS_GPU_MEMORY_MIB: '16',
    });
  });
  afterAll(async () => {
    await service?.stop('SIGTERM');
    folder[Symbol.dispose]();
  });

  test.each([
    ['few draws next to a boundary', 3, 300],
    ['draws next to a boundary in every circuit', 9, 20_000],
  ])('runs batches on the adapter with the counts of the CPU: %s', async (_, qubits, shots) => {
    const circuit = Array.from({ length: qubits }, (_, qubit) => [
      { gate: 'RY', qubit, theta: { input: 'x', scale: 1 + qubit / 100 } },
      { gate: 'CX', control: qubit, target: (qubit + 1) % qubits },
    ]).flat();
    const x = Array.from({ length: 24 }, (_, point) => 1.2 + point / 40);
    const batch = async (target_processor: string) => {
      const answer = await fetch(`${service.origin}/api/v1/quantum/batches`, {
        method: 'POST',
        headers: { 'x-api-key': service.key ?? '', 'content-type': 'application/json' },
        body: JSON.stringify({
          target_processor,
          seed: 8,
          shots,
          programs: [{ circuit, inputs: { x } }],
        }),
      });
      expect(answer.status).toBe(201);
      // Checked by the assertions on what is read of it.
      const { data } = (await answer.json()) as {
        readonly data: { readonly programs: readonly object[]; readonly executed_on: object };
      };
      return data;
    };
    const onAdapter = await batch('gpu-fleet');
    expect(onAdapter.executed_on).toMatchObject([
      { backend: { engine: 'webgpu', precision: 'f32' }, circuits: x.length },
    ]);
    const exact = await batch('statevector-sim');
    expect(exact.executed_on).toMatchObject([{ backend: { engine: 'cpu', precision: 'f64' } }]);
    // Its sizes are those of single and double precision.
    const reason = expect.stringContaining('A state vector of');
    expect(onAdapter.programs).toEqual(
      exact.programs.map((program) => ({ ...program, method_reason: reason })),
    );
  });
});

/** Shots that came out differently. */
function difference(a: Record<string, number> = {}, b: Record<string, number> = {}): number {
  const labels = new Set([...Object.keys(a), ...Object.keys(b)]);
  return (
    [...labels].reduce((sum, label) => sum + Math.abs((a[label] ?? 0) - (b[label] ?? 0)), 0) / 2
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
