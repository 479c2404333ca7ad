import { afterEach, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../../src/compiler/shape.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunRequest } from '../../../src/engine/engine.ts';
import { type Compiler, KEPT_ON_CPU } from '../../../src/fleet/workers/prepared-circuits.ts';
import { serializeCircuit, writeCircuit } from '../../../src/fleet/workers/sent-circuit.ts';
import { ServedEngine } from '../../../src/fleet/workers/served-engine.ts';
import type { SentCircuit } from '../../../src/fleet/workers/worker-messages.ts';
import { NEVER } from '../../support/engine-runs.ts';
import { gate } from '../../support/random-circuits.ts';
import { runOf } from '../../support/run-of.ts';

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

const COMPILER: Compiler = { compile, compileGradient, compileShape };

/** Serves in single precision, in which nothing runs in batches. */
function serve(compiler = COMPILER) {
  const engine = openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 17 });
  open.push(engine);
  const served = new ServedEngine(engine, compiler, KEPT_ON_CPU);
  return async (circuit: SentCircuit, request: Partial<RunRequest> = {}) => {
    const run = { id: 1, precision: 'f32', circuit, request: { shots: 100, seed: 3, ...request } };
    return await served.run({ ...run, precision: 'f32' }, () => {}, NEVER);
  };
}

/** On twelve qubits: a run does not keep its program. */
function ansatz(angles: readonly [number, number, number], constant = Math.PI / 4): Circuit {
  const qubits = Array.from({ length: 12 }, (_, qubit) => qubit);
  const [a, b, c] = angles;
  return {
    numQubits: 12,
    numBits: 12,
    operations: [
      ...qubits.map((qubit) => gate('RY', [qubit], [], [a + qubit])),
      ...qubits.slice(1).map((qubit) => gate('CX', [qubit], [qubit - 1])),
      ...qubits.map((qubit) => gate('RX', [qubit], [], [b * (1 + qubit)])),
      gate('RXX', [0, 5], [], [c]),
      gate('RZ', [1], [], [constant]),
      gate('H', [1]),
      { kind: 'measure', qubits, bits: qubits },
    ],
  };
}

/** Whether all angles of a gate are multiples of π/64. */
function isFixed({ angles }: { readonly angles: readonly number[] }): boolean {
  return angles.every((angle) => Number.isInteger(Math.round((angle / Math.PI) * 6.4e7) / 1e6));
}

const written = (circuit: Circuit): SentCircuit => writeCircuit(circuit)!;

describe('a circuit of a shape that was met', () => {
  test('says so, and has the results that it has when it comes first', async () => {
    const run = serve();
    const circuits = [ansatz([0.1, 0.2, 0.3]), ansatz([0.5, 1.73, -2.3]), ansatz([0.11, 0.2, 0.3])];
    for (const [i, circuit] of circuits.entries()) {
      const later = await run(written(circuit), { statevector: true });
      const first = await serve()(written(circuit), { statevector: true });
      expect(later.reused).toBe(i === 0 ? 'nothing' : 'shape');
      expect(first.reused).toBe('nothing');
      expect(runOf(later).statevector).toEqual(runOf(first).statevector);
      expect(runOf(later).counts).toEqual(runOf(first).counts);
      expect(later.compilation).toEqual(first.compilation);
    }
  });

  test.each([
    ['another fraction of π', ansatz([0.5, 0.6, 0.7], Math.PI / 8)],
    ['a fraction of π in place of an angle', ansatz([0.5, 0.6, Math.PI])],
    ['an angle in place of a fraction of π', ansatz([0.5, 0.6, 0.7], 0.9)],
    ['two equal angles', ansatz([0.5, 0.6, 1.2])],
  ])('is another one with %s', async (_, other) => {
    const run = serve();
    await run(written(ansatz([0.1, 0.2, 0.31])));
    expect((await run(written(other))).reused).toBe('nothing');
  });

  test('is the same circuit where it has no parameters', async () => {
    const run = serve();
    const fixed = ansatz([Math.PI / 4, Math.PI / 8, Math.PI / 2]);
    const whole = {
      ...fixed,
      operations: fixed.operations.filter((o) => o.kind !== 'gate' || isFixed(o)),
    };
    const first = await run(written(whole));
    const second = await run(written(whole));
    expect([first.reused, second.reused]).toEqual(['nothing', 'program']);
    expect(runOf(second).counts).toEqual(runOf(first).counts);
    const { report } = compile(whole, open[0]!.target, { keepState: false });
    expect(second.compilation).toEqual(report);
  });

  test('is compiled again where the state is asked for', async () => {
    const run = serve();
    await run(written(ansatz([0.1, 0.2, 0.31])));
    const outcome = await run(written(ansatz([0.1, 0.2, 0.32])), { statevector: true });
    expect(outcome.reused).toBe('nothing');
  });

  test('may come as bytes', async () => {
    const run = serve();
    await run(written(ansatz([0.1, 0.2, 0.31])));
    const { reused } = await run(serializeCircuit(ansatz([0.1, 0.2, 0.32])));
    expect(reused).toBe('shape');
  });

  test('is forgotten after many others', async () => {
    const run = serve();
    const first = ansatz([0.1, 0.2, 0.31]);
    await run(written(first));
    for (let i = 1; i <= 64; i++) {
      const { operations, ...rest } = ansatz([0.1, 0.2, 0.31], (i * Math.PI) / 64);
      await run(written({ ...rest, operations }), { shots: 1 });
      if (i === 40) expect((await run(written(first))).reused).toBe('shape');
    }
    expect((await run(written(first))).reused).toBe('shape');
    for (let i = 65; i <= 128; i++) {
      await run(written(ansatz([0.1, 0.2, 0.31], (i * Math.PI) / 64)), { shots: 1 });
    }
    expect((await run(written(first))).reused).toBe('nothing');
  });

  test('is not kept where it is very long', async () => {
    const run = serve();
    const { operations, ...rest } = ansatz([0.1, 0.2, 0.31]);
    const long = { ...rest, operations: Array(600).fill(operations.slice(0, -1)).flat() };
    expect(long.operations.length).toBeGreaterThan(20_000);
    await run(serializeCircuit(long), { shots: 1 });
    expect((await run(serializeCircuit(long), { shots: 1 })).reused).toBe('nothing');
  });

  test('is compiled by itself where its angles need another form', async () => {
    const run = serve({
      compile,
      compileGradient,
      compileShape: (...args) => ({ ...compileShape(...args), bind: () => undefined }),
    });
    const circuit = ansatz([0.1, 0.2, 0.31]);
    for (let i = 0; i < 2; i++) {
      const { reused, compilation } = await run(written(circuit));
      expect(reused).toBe('nothing');
      const { report } = compile(circuit, open[0]!.target, { keepState: false });
      expect(compilation).toEqual(report);
    }
  });
});

test('a program that is kept says so', async () => {
  const run = serve();
  const small: Circuit = {
    numQubits: 2,
    numBits: 2,
    operations: [gate('RX', [0], [], [0.3]), { kind: 'measure', qubits: [0, 1], bits: [0, 1] }],
  };
  expect((await run(written(small))).reused).toBe('nothing');
  expect((await run(written(small))).reused).toBe('program');
});
