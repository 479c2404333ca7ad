/** Limits, cancelling, progress, and using an executable more than once. */
import { expect, test } from 'vitest';
import { type Circuit, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { Program } from '../../src/compiler/program.ts';
import { NEVER } from '../support/engine-runs.ts';
import { gate } from '../support/random-circuits.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/**
 * More than any engine gets through before it can be cancelled, unless the number of gates is given. Narrow registers take
 * more gates, because a busy machine may bring the message late.
 */
function longCircuit(maxQubits: number, numGates = maxQubits < 15 ? 20_000 : 5000): Circuit {
  const numQubits = Math.min(maxQubits, 18);
  // In a superposition first: engines that keep non-zero amplitudes alone would have nothing to do.
  const first = Array.from({ length: numQubits }, (_, qubit) => gate('H', [qubit]));
  const others = Array.from({ length: numGates }, (_, i) =>
    gate('RX', [i % numQubits], [(i + 1) % numQubits], [0.1 + i]),
  );
  return withFinalMeasurement({ numQubits, numBits: 0, operations: [...first, ...others] });
}

/** Lifecycle tests of an engine. */
export function describeLifecycle({ engine, maxQubits }: EngineUnderTest): void {
  test('refuses a program wider than its target profile', async () => {
    const numQubits = engine().target.maxQubits + 1;
    const finalLayout = Array.from({ length: numQubits }, (_, q) => q);
    const program: Program = {
      hash: 'too wide',
      numQubits,
      numBits: 0,
      steps: [],
      matrices: new Float64Array(0),
      finalLayout,
    };
    await expect(engine().prepare.statevector(program)).rejects.toMatchObject({
      code: 'ENGINE_PROGRAM_TOO_WIDE',
    });
  });

  test('rejects a program whose sweep acts outside its tile', async () => {
    const program: Program = {
      hash: 'not resident',
      numQubits: 2,
      numBits: 0,
      steps: [
        {
          kind: 'sweep',
          resident: [0],
          kernels: [{ kind: 'permutation', targets: [1], controls: [], offset: 0, rows: [1, 0] }],
        },
      ],
      matrices: Float64Array.of(1, 0, 1, 0),
      finalLayout: [0, 1],
    };
    await expect(engine().prepare.statevector(program)).rejects.toThrow(/unreachable/);
  });

  test('does not start when the signal has already aborted', async () => {
    const { program } = compile(longCircuit(2, 500), engine().target, { optimize: false });
    await using executable = await engine().prepare.statevector(program);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(executable.run({ shots: 1, seed: 1 }, signal)).rejects.toThrow('too late');
  });

  test('hears a message that cancels it, and stops with the signal’s reason', async () => {
    const { program } = compile(longCircuit(maxQubits), engine().target, { optimize: false });
    await using executable = await engine().prepare.statevector(program);
    const controller = new AbortController();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => controller.abort(new Error('cancelled by message')));
    port1.start();
    const fractions: number[] = [];
    const run = executable.run(
      { shots: 1, seed: 1, onProgress: (fraction) => fractions.push(fraction) },
      controller.signal,
    );
    port2.postMessage('cancel');
    await expect(run).rejects.toThrow('cancelled by message');
    port1.close();
    // It did not do all the work first.
    expect(fractions.at(-1) ?? 0).toBeLessThan(0.5);
  });

  test('reports progress that only grows, from 0 to at most 1', async () => {
    // Engines on software GPUs hold few qubits and take a hundred times as long for a gate.
    const circuit = maxQubits < 15 ? longCircuit(maxQubits, 500) : longCircuit(15);
    const { program } = compile(circuit, engine().target, { optimize: false });
    await using executable = await engine().prepare.statevector(program);
    const fractions: number[] = [];
    const onProgress = (fraction: number) => fractions.push(fraction);
    await executable.run({ shots: 1, seed: 1, onProgress }, NEVER);
    expect(fractions.length).toBeGreaterThan(0);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
  });

  test('runs one executable several times, also at once', async () => {
    const operations = [gate('H', [0]), gate('CX', [1], [0])];
    const circuit = withFinalMeasurement({ numQubits: 2, numBits: 0, operations });
    await using executable = await engine().prepare.statevector(
      compile(circuit, engine().target, { optimize: false }).program,
    );
    const run = async (seed: number) => {
      const result = await executable.run({ shots: 100, seed, statevector: true }, NEVER);
      return { counts: result.counts, statevector: result.statevector };
    };
    const [first, second] = await Promise.all([run(1), run(2)]);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).toEqual(second);
    expect(first?.statevector).toEqual(second?.statevector);
  });

  test('says how long evolution and sampling took', async () => {
    const { program } = compile(longCircuit(2, 500), engine().target, { optimize: false });
    await using executable = await engine().prepare.statevector(program);
    const { timing } = await executable.run({ shots: 1000, seed: 1 }, NEVER);
    expect(timing.evolutionMs).toBeGreaterThan(0);
    expect(timing.samplingMs).toBeGreaterThan(0);
  });
}
