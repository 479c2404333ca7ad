/** What matrix product states of the CPU engine refuse, free and repeat; their numbers are in test/conformance. */
import type { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, Operation } from '../../../../src/circuit/circuit.ts';
import { compileMatrixProduct } from '../../../../src/compiler/chain/compile-matrix-product.ts';
import { compileDensity } from '../../../../src/compiler/noise/compile-density.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import type { CpuEngineOptions } from '../../../../src/engine/cpu/hosted-engine.ts';
import type { Executable, RunResult } from '../../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { type Ask, countsByLabel, NEVER } from '../../../support/engine-runs.ts';
import { gate, randomGates, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const engines: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

async function prepared(
  circuit: DynamicCircuit,
  options: Partial<CpuEngineOptions> = {},
): Promise<Executable> {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12, ...options });
  engines.push(engine);
  return await engine.prepare.matrix_product_state!(compileMatrixProduct(circuit));
}

async function run(circuit: DynamicCircuit, ask: Ask): Promise<RunResult> {
  await using executable = await prepared(circuit);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);

function measured(numQubits: number, operations: readonly Operation[]): DynamicCircuit {
  const all = qubitsOf(numQubits);
  const last: Operation = { kind: 'measure', qubits: all, bits: all };
  return { numQubits, numBits: numQubits, operations: [...operations, last] };
}

function ghz(numQubits: number): readonly Operation[] {
  return [gate('H', [0]), ...qubitsOf(numQubits - 1).map((q) => gate('CX', [q + 1], [q]))];
}

describe('outputs', () => {
  test('are refused where they are too long', async () => {
    const wide = measured(21, ghz(21));
    await expect(run(wide, { statevector: true })).rejects.toMatchObject({
      code: 'ENGINE_STATE_VECTOR_TOO_LONG',
    });
    await expect(run(wide, { probabilities: true })).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_OUTCOMES',
    });
  });

  test.each([
    { statevector: true },
    { probabilities: true },
    { observables: [[]] },
    { amplitudes: [0n] },
  ])('are refused after measurements in mid-circuit: %o', async (ask) => {
    const measure: Operation = { kind: 'measure', qubits: [0], bits: [0] };
    const circuit = measured(2, [gate('H', [0]), measure, gate('H', [0])]);
    await expect(run(circuit, ask)).rejects.toMatchObject({
      code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
    });
  });

  test('give the state of a single shot', async () => {
    const measure: Operation = { kind: 'measure', qubits: [0], bits: [0] };
    const circuit = measured(2, [...ghz(2), measure, gate('X', [0])]);
    const { statevector, counts } = await run(circuit, { shots: 1, statevector: true });
    const outcome = counts.outcomes[0]!;
    expect([1, 2]).toContain(outcome);
    expect(Math.abs(statevector![2 * outcome]!)).toBeCloseTo(1, 12);
  });

  test('have the distribution of some qubits of many', async () => {
    const bits = [2, 0, 1];
    const circuit: DynamicCircuit = {
      numQubits: 60,
      numBits: 3,
      operations: [
        ...ghz(60),
        gate('RY', [31], [], [1]),
        { kind: 'measure', qubits: [59, 31, 7], bits },
      ],
    };
    const { probabilities } = await run(circuit, { probabilities: true });
    // Bit 0 is qubit 31, which was turned; the other two agree.
    const flip = Math.sin(0.5) ** 2 / 2;
    const expected = [0.5 - flip, flip, 0, 0, 0, 0, flip, 0.5 - flip];
    for (const [i, p] of expected.entries()) expect(probabilities![i]).toBeCloseTo(p, 12);
  });

  test('have misread bits and what is computed of them', async () => {
    const misread = { kind: 'misread', p1Given0: 0.1, p0Given1: 0.3 } as const;
    const circuit: DynamicCircuit = {
      numQubits: 4,
      numBits: 4,
      control: { numScratchBits: 0, maxRounds: 1 },
      operations: [
        ...randomGates(new RandomStream(5), 4, 12, 2),
        { kind: 'measure', qubits: [0, 1, 2], bits: [0, 2, 1] },
        { ...misread, bits: [0, 1] },
        {
          kind: 'assign',
          bits: [3],
          value: { kind: 'read', bits: [0], encoding: 'uint', type: 'bool' },
        },
      ],
    };
    const reference = openReferenceEngine({ maxQubits: 8 });
    const { program } = compileDensity(circuit, reference.target);
    await using exact = await reference.prepare.density_matrix!(program);
    const expected = await exact.run({ shots: 0, seed: 1, probabilities: true }, NEVER);
    const { probabilities } = await run(circuit, { probabilities: true });
    for (const [i, p] of expected.probabilities!.entries()) {
      expect(probabilities![i]).toBeCloseTo(p, 9);
    }
  });
});

describe('runs', () => {
  test('are repeated with the same counts for a seed, and other ones for another', async () => {
    const circuit = measured(50, [
      ...qubitsOf(50).map((q) => gate('RY', [q], [], [0.1 * q])),
      ...qubitsOf(49).map((q) => gate('CRX', [q + 1], [q], [0.7])),
    ]);
    await using executable = await prepared(circuit);
    const counts = async (seed: number) =>
      (await executable.run({ shots: 2000, seed }, NEVER)).counts;
    const first = await counts(3);
    expect(await counts(3)).toEqual(first);
    expect(await counts(4)).not.toEqual(first);
  });

  test('draw the bits of long outcomes independently of each other', async () => {
    const numQubits = 200;
    const circuit = measured(
      numQubits,
      qubitsOf(numQubits).map((q) => gate('H', [q])),
    );
    const { counts } = await run(circuit, { shots: 1000 });
    const labels = [...countsByLabel(counts).keys()];
    expect(labels).toHaveLength(1000);
    // 200,000 fair bits: five standard deviations are 1,118.
    const ones = labels.join('').replaceAll('0', '').length;
    expect(Math.abs(ones - 100_000)).toBeLessThan(1118);
    for (let q = 0; q < numQubits; q++) {
      const set = labels.filter((label) => label.at(-1 - q) === '1').length;
      expect(Math.abs(set - 500)).toBeLessThan(90);
    }
    // Bits of one outcome agree as often as not, at whatever distance.
    for (let distance = 1; distance < 100; distance++) {
      let agreeing = 0;
      for (const label of labels) {
        for (let i = 0; i < 100; i++) if (label[i] === label[i + distance]) agreeing++;
      }
      expect(Math.abs(agreeing - 50_000)).toBeLessThan(1000);
    }
  });

  test('free their memory also where they fail or are cancelled', async () => {
    const stream = new RandomStream(1);
    const measure: Operation = { kind: 'measure', qubits: [3, 4], bits: [0, 1] };
    const circuit = measured(12, [
      ...randomGates(stream, 12, 40, 2),
      measure,
      ...randomGates(stream, 12, 40, 2),
    ]);
    const needed = 4 * 2 ** 20;
    await using executable = await prepared(circuit, { memoryBytes: needed });
    for (let round = 0; round < 10; round++) {
      const controller = new AbortController();
      const running = executable.run({ shots: 500_000, seed: round }, controller.signal);
      setImmediate(() => controller.abort(new Error('enough')));
      await expect(running).rejects.toThrow('enough');
    }
    const { counts } = await executable.run({ shots: 100, seed: 1 }, NEVER);
    expect(counts.occurrences.reduce((sum, n) => sum + n, 0)).toBe(100);
  });

  test('are repeated when one of their threads ends under them', async () => {
    const stream = new RandomStream(7);
    const layers = qubitsOf(11).flatMap((layer) =>
      qubitsOf(13)
        .filter((q) => q % 2 === layer % 2)
        .map((q): Operation => {
          const matrix = randomUnitary(stream, 2);
          return { kind: 'unitary', controls: [], targets: [q, q + 1], matrix };
        }),
    );
    const circuit = measured(14, layers);
    const ask = { shots: 1000, seed: 1 };
    await using alone = await prepared(circuit);
    const expected = (await alone.run(ask, NEVER)).counts;
    await using executable = await prepared(circuit, { numThreads: 2 });
    const run = async (onProgress = () => {}) => {
      expect((await executable.run({ ...ask, onProgress }, NEVER)).counts).toEqual(expected);
    };
    const helpers: Worker[] = [];
    const online = new Set<Worker>();
    const ended = new Set<Worker>();
    const onWorker = (worker: Worker) => {
      helpers.push(worker);
      worker.once('online', () => online.add(worker));
      worker.once('exit', () => ended.add(worker));
    };
    process.on('worker', onWorker);
    // A helper may end in the middle of its part or between two: some of these do the one, some the other.
    for (let round = 0; round < 8; round++) {
      do await run();
      while (!online.has(helpers.at(-1)!));
      const last = helpers.at(-1)!;
      do await run(() => void last.terminate());
      while (!ended.has(last));
    }
    process.off('worker', onWorker);
    await run();
  });
});
