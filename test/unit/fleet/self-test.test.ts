import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { RunResult } from '../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { SIZE_CLASSES } from '../../../src/fleet/schedule/lane.ts';
import {
  expectedCounts,
  faultOfSelfTest,
  SELF_TEST_CIRCUITS,
  SELF_TEST_REQUEST,
} from '../../../src/fleet/self-test.ts';
import { uniformDraw } from '../../../src/math/philox.ts';
import { never } from '../../support/fleet-fixtures.ts';

const SMALL = SELF_TEST_CIRCUITS.small;

async function runOnReference(circuit: Circuit): Promise<RunResult> {
  const engine = openReferenceEngine({ maxQubits: 16 });
  await using executable = await engine.prepare.statevector(
    compile(circuit, engine.target, { optimize: false }).program,
  );
  return await executable.run(SELF_TEST_REQUEST, never());
}

function withOperation(index: number, change: (operation: Operation) => Operation | undefined) {
  const operations = SMALL.operations.flatMap((operation, i) =>
    i === index ? (change(operation) ?? []) : operation,
  );
  return { ...SMALL, operations };
}

const gates = SMALL.operations.flatMap((operation, index) =>
  operation.kind === 'gate' ? [{ index, gate: operation.gate }] : [],
);

describe('the self-test', () => {
  test.each(SIZE_CLASSES)('of %s circuits is passed by the reference engine', async (width) => {
    const run = await runOnReference(SELF_TEST_CIRCUITS[width]);
    expect(faultOfSelfTest(run, 'f64', width)).toBeUndefined();
  });

  test.each([0, 2 ** 15 - 1, 2 ** 16 - 1])(
    'of wide circuits is failed by one amplitude that no thread has written: %i',
    async (index) => {
      const run = await runOnReference(SELF_TEST_CIRCUITS.wide);
      run.statevector![2 * index] = 0.01;
      expect(faultOfSelfTest(run, 'f32', 'wide')).toContain('wrong amplitude');
    },
  );

  test.each(gates)('is failed by an engine that skips gate $index, $gate', async ({ index }) => {
    const run = await runOnReference(withOperation(index, () => undefined));
    expect(faultOfSelfTest(run, 'f32', 'small')).toContain('wrong amplitude');
  });

  test.each(gates.filter(({ gate }) => ['CP', 'S', 'RY'].includes(gate)))(
    'is failed by an engine that turns gate $index, $gate, the other way',
    async ({ index }) => {
      const turned = withOperation(index, (operation) => {
        if (operation.kind !== 'gate') return operation;
        if (operation.gate === 'S') return { ...operation, gate: 'SDG' };
        return { ...operation, angles: operation.angles.map((angle) => -angle) };
      });
      // The controlled phase of j = 2 is 3π, which both ways reach: the one turn that is none.
      const isNone = operationAngle(index) === 3 * Math.PI;
      expect(faultOfSelfTest(await runOnReference(turned), 'f32', 'small') === undefined).toBe(
        isNone,
      );
    },
  );

  test('is failed by counts that another seed would give', async () => {
    const run = await runOnReference(SMALL);
    const occurrences = run.counts.occurrences.slice();
    occurrences[0]!++;
    occurrences[1]!--;
    const other = { ...run, counts: { ...run.counts, occurrences } };
    expect(faultOfSelfTest(other, 'f64', 'small')).toContain('wrong counts');
  });

  test.each([
    ['no state', undefined],
    ['a state of another width', new Float64Array(2)],
    ['a state that is not a number', new Float64Array(512).fill(Number.NaN)],
  ])('is failed by %s', async (_, statevector) => {
    const { statevector: _right, ...rest } = await runOnReference(SMALL);
    const run = { ...rest, ...(statevector && { statevector }) };
    expect(faultOfSelfTest(run, 'f64', 'small')).toMatch(/self-test/);
  });

  test('draws no shot so near a boundary that single precision could move it', () => {
    const boundaries = [0, 1 / 8, 1 / 4, 5 / 8, 1];
    for (let shot = 0; shot < SELF_TEST_REQUEST.shots; shot++) {
      const draw = uniformDraw(SELF_TEST_REQUEST.seed, shot, 0, 0);
      const nearest = Math.min(...boundaries.map((boundary) => Math.abs(draw - boundary)));
      expect(nearest).toBeGreaterThan(1e-4);
    }
    expect([...expectedCounts().keys()].sort((a, b) => a - b)).toEqual([11, 123, 139, 251]);
  });
});

function operationAngle(index: number): number | undefined {
  const operation = SMALL.operations[index];
  return operation?.kind === 'gate' ? operation.angles[0] : undefined;
}
