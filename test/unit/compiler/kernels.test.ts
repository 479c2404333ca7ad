import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { Kernel, Program } from '../../../src/compiler/program.ts';
import { NEVER_FUSES, profile } from '../../support/profiles.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

function programOf(...operations: readonly Operation[]): Program {
  const circuit: Circuit = { numQubits: 4, numBits: 0, operations };
  return compile(circuit, profile({ costs: NEVER_FUSES }), { optimize: false }).program;
}

function kernelsOf(...operations: readonly Operation[]): readonly Kernel[] {
  return programOf(...operations).steps.flatMap((step) =>
    step.kind === 'sweep' ? step.kernels : [],
  );
}

describe('the kind of a kernel follows from the numbers', () => {
  test.each<[string, Operation, Kernel['kind']]>([
    ['H is dense', gate('H', [0]), 'dense'],
    ['RX at a generic angle is dense', gate('RX', [0], [], [0.3]), 'dense'],
    ['CX is a permutation', gate('CX', [0], [1]), 'permutation'],
    ['Y is a permutation', gate('Y', [0]), 'permutation'],
    ['ISWAP is a permutation', gate('ISWAP', [0, 1]), 'permutation'],
    ['FSIM at θ = 0 is diagonal', gate('FSIM', [0, 1], [], [0, 0.3]), 'diagonal'],
    ['CP is diagonal', gate('CP', [0], [1], [0.3]), 'diagonal'],
    ['U at θ = 0 is diagonal', gate('U', [0], [], [0, 0.4, 0.5]), 'diagonal'],
    ['GPHASE is diagonal', gate('GPHASE', [], [], [0.3]), 'diagonal'],
    [
      'a unitary that is diagonal is diagonal',
      {
        kind: 'unitary',
        targets: [2],
        controls: [],
        matrix: Float64Array.of(0, 1, 0, 0, 0, 0, 1, 0),
      },
      'diagonal',
    ],
  ])('%s', (_, operation, kind) => {
    expect(kernelsOf(operation).map((kernel) => kernel.kind)).toEqual([kind]);
  });

  test('a matrix whose columns share a row within rounding stays dense', () => {
    // One entry a column, but no permutation: an engine must not be told otherwise.
    const matrix = Float64Array.of(0, 0, 0, 0, 1, 0, 1, 0);
    const operation: Operation = { kind: 'unitary', targets: [0], controls: [], matrix };
    expect(kernelsOf(operation)[0]?.kind).toBe('dense');
  });
});

describe('an identity gives no kernel', () => {
  test.each<[string, Operation]>([
    ['ID', gate('ID', [0])],
    ['RX(0)', gate('RX', [0], [1], [0])],
    ['GPHASE(0)', gate('GPHASE', [], [2], [0])],
    ['a SWAP, which only relabels', gate('SWAP', [0, 1])],
    ['a barrier', { kind: 'barrier', qubits: [0, 1] }],
  ])('%s', (_, operation) => {
    expect(programOf(operation).steps).toEqual([]);
  });

  test('but a controlled SWAP and a phase of −1 do', () => {
    expect(kernelsOf(gate('CSWAP', [0, 1], [2]), gate('RZ', [0], [], [2 * Math.PI]))).toHaveLength(
      2,
    );
  });
});

describe('the matrix pool', () => {
  test('stores a matrix once, however often it is used', () => {
    const program = programOf(gate('H', [0]), gate('H', [3], [1]), gate('CH', [2], [0]));
    expect(program.matrices).toHaveLength(8);
  });

  test('takes −0 and 0 for the same number', () => {
    const z = (zero: number): Operation => ({
      kind: 'unitary',
      targets: [0],
      controls: [],
      matrix: Float64Array.of(1, zero, 0, 0, 0, 0, 0, 1),
    });
    expect(programOf(z(0), z(-0)).matrices).toHaveLength(4);
  });

  test('gives each kernel the place of its own entries', () => {
    const matrix = randomUnitary(new RandomStream(1), 2);
    const unitary: Operation = { kind: 'unitary', targets: [1, 0], controls: [], matrix };
    const program = programOf(gate('T', [0]), unitary, gate('X', [0]));
    const kernels = program.steps.flatMap((step) => (step.kind === 'sweep' ? step.kernels : []));
    expect(kernels).toMatchObject([{ offset: 0 }, { offset: 2 }, { offset: 18 }]);
    expect(program.matrices.slice(4, 36)).toEqual(matrix);
    expect([...program.matrices.slice(36)]).toEqual([1, 0, 1, 0]);
  });

  test('gives a permutation’s entry by column, and the row it goes to', () => {
    const program = programOf(gate('Y', [0]));
    const [kernel] = program.steps.flatMap((step) => (step.kind === 'sweep' ? step.kernels : []));
    expect(kernel).toMatchObject({ kind: 'permutation', rows: [1, 0] });
    expect([...program.matrices]).toEqual([0, 1, 0, -1]);
  });
});
