// @needs isolation
import { describe, expect, test, vi } from 'vitest';
import type { CircuitLimits } from '../../../src/circuit/circuit-limits.ts';
import { InvalidCircuitError } from '../../../src/circuit/errors.ts';
import type { GateObject } from '../../../src/circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import { didYouMean } from '../../../src/errors/nearest-names.ts';

vi.mock('../../../src/errors/nearest-names.ts', { spy: true });

const limits = { maxQubits: 8, maxGates: 100 };

/** The error that reading throws. */
function refusal(
  objects: readonly GateObject[],
  options: { numQubits?: number; limits?: CircuitLimits; path?: string } = {},
): InvalidCircuitError {
  try {
    circuitFromGateObjects(objects, { limits, ...options });
  } catch (error) {
    if (error instanceof InvalidCircuitError) return error;
    throw error;
  }
  throw new Error('the circuit was accepted');
}

const X_ROWS = [
  [
    [0, 0],
    [1, 0],
  ],
  [
    [1, 0],
    [0, 0],
  ],
] as const;
const long = (length: number) => Array.from({ length }, (_, i) => i);

describe('an object of a 4-qubit circuit with bits 0 and 1 written is refused:', () => {
  test.each<[object: GateObject, path: string, message: RegExp]>([
    [{ gate: 'hadamrd', qubit: 0 }, '.gate', /no gate called "hadamrd". Did you mean hadamard\?/],
    [{ gate: 'q'.repeat(100), qubit: 0 }, '.gate', /"q{40}…"\.$/],
    [{ gate: '__proto__', qubit: 0 }, '.gate', /no gate called/],
    [{ gate: 'H' }, '.qubit', /H needs `qubit`/],
    [{ gate: 'CX', control: 0 }, '.target', /CX needs `target`/],
    [{ gate: 'CX', target: 0 }, '.control', /needs 1 control; found 0/],
    [{ gate: 'CCX', control: 1, target: 0 }, '.controls', /needs 2 controls; found 1/],
    [{ gate: 'SWAP' }, '.qubits', /SWAP needs `qubits`/],
    [{ gate: 'SWAP', qubit: 1 }, '.qubit', /SWAP has 2 targets, but `qubit` names 1/],
    [{ gate: 'CSWAP', control: 0 }, '.targets', /needs `targets`/],
    [{ gate: 'CX', qubits: [0, 1, 2] }, '.qubits', /1 control and 1 target, but `qubits` names 3/],
    [{ gate: 'H', qubits: [0, 1] }, '.qubits', /one qubit and `qubits` names 2; write one object/],
    [{ gate: 'H', qubits: [] }, '.qubits', /names 0/],
    [{ gate: 'H', qubit: 0, target: 1 }, '.target', /`qubit` and `target` are both given/],
    [{ gate: 'GPHASE', gamma: 1, qubit: 0 }, '.qubit', /no targets; name its qubits in `controls`/],
    [{ gate: 'H', qubit: 4 }, '.qubit', /Qubit 4, but the circuit has 4 qubits \(0 to 3\)/],
    [{ gate: 'H', qubit: -1 }, '.qubit', /-1 is not a qubit/],
    [{ gate: 'H', qubit: 0.5 }, '.qubit', /0.5 is not a qubit/],
    [{ gate: 'H', qubit: Number.NaN }, '.qubit', /NaN is not a qubit/],
    [{ gate: 'CX', control: 9, target: 0 }, '.control', /Qubit 9/],
    [{ gate: 'X', controls: [1, 7], target: 0 }, '.controls[1]', /Qubit 7/],
    [{ gate: 'CX', control: 1, target: 1 }, '.target', /Qubit 1 is named twice/],
    [{ gate: 'X', control: 1, controls: [2, 1], target: 0 }, '.controls[1]', /named twice/],
    [{ gate: 'SWAP', qubits: [2, 2] }, '.qubits[1]', /named twice/],
    [{ gate: 'RX', qubit: 0 }, '.theta', /Missing; RX takes theta, in radians/],
    [{ gate: 'U', qubit: 0, theta: 1, lambda: 1 }, '.phi', /U takes theta, phi, lambda/],
    [{ gate: 'RX', qubit: 0, theta: Infinity }, '.theta', /Infinity is not a finite number/],
    [{ gate: 'H', qubit: 0, theta: 1 }, '.theta', /H takes no angles/],
    [{ gate: 'RX', qubit: 0, theta: 1, phi: 1 }, '.phi', /RX takes only theta/],
    [{ gate: 'M', qubits: [0], theta: 1 }, '.theta', /M takes no angles/],
    [{ gate: 'H', qubit: 0, matrix: X_ROWS }, '.matrix', /only UNITARY does/],
    [{ gate: 'H', qubit: 0, bits: [0] }, '.bits', /only M does/],
    [{ gate: 'UNITARY', matrix: X_ROWS }, '.qubits', /UNITARY needs `qubits`/],
    [
      { gate: 'UNITARY', qubits: [], matrix: X_ROWS },
      '.qubits',
      /1 to 6 qubits, but `qubits` names 0/,
    ],
    [{ gate: 'UNITARY', qubits: [0] }, '.matrix', /Missing; UNITARY needs `matrix`/],
    [
      { gate: 'UNITARY', qubits: [0, 1], matrix: X_ROWS },
      '.matrix',
      /2 rows; 2 qubits need 4 rows of 4/,
    ],
    [
      { gate: 'UNITARY', qubits: [0], matrix: [X_ROWS[0], [[1, 0]]] },
      '.matrix[1]',
      /1 entry; each row has 2/,
    ],
    [
      {
        gate: 'UNITARY',
        qubits: [0],
        matrix: [
          [
            [0, 0],
            [1, Number.NaN],
          ],
          X_ROWS[1],
        ],
      },
      '.matrix[0][1]',
      /two finite numbers/,
    ],
    [
      {
        gate: 'UNITARY',
        qubits: [0],
        matrix: [
          X_ROWS[0],
          [
            [1.00001, 0],
            [0, 0],
          ],
        ],
      },
      '.matrix',
      /Not unitary: .* 0.000020 .* tolerance is 0.000001/,
    ],
    [{ gate: 'M' }, '.qubits', /M needs `qubits`/],
    [{ gate: 'M', qubits: [] }, '.qubits', /at least 1 qubit, but `qubits` names 0/],
    [{ gate: 'M', qubits: [0, 0] }, '.qubits[1]', /named twice/],
    [{ gate: 'M', qubits: [0], controls: [1] }, '.controls', /M takes no controls/],
    [{ gate: 'M', qubits: [0, 1], bits: [0] }, '.bits', /1 bit for 2 qubits/],
    [{ gate: 'M', qubits: [0, 1], bits: [3, 3] }, '.bits[1]', /Bit 3 is named twice/],
    [{ gate: 'M', qubits: [0], bits: [-1] }, '.bits[0]', /-1 is not a bit/],
    [{ gate: 'M', qubits: [0], bits: [1.5] }, '.bits[0]', /1.5 is not a bit/],
    [{ gate: 'RESET' }, '.qubits', /RESET needs `qubits`/],
    [{ gate: 'RESET', qubit: 1, control: 0 }, '.control', /takes no controls/],
    [{ gate: 'BARRIER', qubits: [] }, '.qubits', /names 0/],
    [{ gate: 'BARRIER', condition: { bits: [0], value: 0 } }, '.condition', /no condition/],
    [{ gate: 'X', qubit: 0, condition: { bits: [], value: 0 } }, '.condition.bits', /at least one/],
    [
      { gate: 'X', qubit: 0, condition: { bits: [0, 2], value: 0 } },
      '.condition.bits[1]',
      /Bit 2 is not written by an earlier/,
    ],
    [
      { gate: 'X', qubit: 0, condition: { bits: [1, 1], value: 0 } },
      '.condition.bits[1]',
      /named twice/,
    ],
    [
      { gate: 'X', qubit: 0, condition: { bits: [0, 1], value: 4 } },
      '.condition.value',
      /2 bits can read whole numbers from 0 to 3/,
    ],
    [
      { gate: 'X', qubit: 0, condition: { bits: [0], value: -1 } },
      '.condition.value',
      /-1 is never read/,
    ],
    [
      { gate: 'X', qubit: 0, condition: { bits: [0], value: 0.5 } },
      '.condition.value',
      /0.5 is never read/,
    ],
    [
      { gate: 'M', qubit: 0, bits: [2], condition: { bits: [2], value: 1 } },
      '.condition.bits[0]',
      /not written/,
    ],
  ])('%j', (object, path, message) => {
    const { faults } = refusal([{ gate: 'M', qubits: [0, 1] }, object], { numQubits: 4 });
    expect(faults).toEqual([
      { path: `circuit[1]${path}`, message: expect.stringMatching(message) },
    ]);
  });
});

describe('a limit that is passed has the code CIRCUIT_LIMIT_EXCEEDED and is named:', () => {
  const code = 'CIRCUIT_LIMIT_EXCEEDED';
  test.each<
    [
      what: string,
      objects: readonly GateObject[],
      numQubits: number | undefined,
      path: string,
      message: RegExp,
    ]
  >([
    [
      'a qubit past max_qubits',
      [{ gate: 'H', qubit: 8 }],
      undefined,
      'circuit[0].qubit',
      /Qubit 8 needs 9 qubits; the limit max_qubits is 8/,
    ],
    [
      'a qubit far past it',
      [{ gate: 'H', qubit: 2 ** 60 }],
      undefined,
      'circuit[0].qubit',
      /max_qubits is 8/,
    ],
    [
      'a width past max_qubits',
      [{ gate: 'BARRIER' }],
      2 ** 40,
      'qubits',
      /1099511627776 qubits; the limit max_qubits is 8/,
    ],
    [
      'gates past max_gates',
      long(101).map(() => ({ gate: 'H', qubit: 0 })),
      undefined,
      'circuit',
      /101 gates; the limit max_gates is 100/,
    ],
    [
      'barriers past max_gates',
      long(101).map(() => ({ gate: 'barrier' })),
      undefined,
      'circuit',
      /101 barriers; the limit max_gates is 100/,
    ],
    [
      'bits past 65536',
      [{ gate: 'M', qubit: 0, bits: [65536] }],
      undefined,
      'circuit[0].bits[0]',
      /Bit 65536 needs 65537 bits; the limit is 65536/,
    ],
    [
      'bits by default past 65536',
      [
        { gate: 'M', qubit: 0, bits: [65535] },
        { gate: 'M', qubit: 0 },
      ],
      undefined,
      'circuit[1].bits[0]',
      /Bit 65536/,
    ],
    [
      '33 bits in one condition',
      [{ gate: 'X', qubit: 0, condition: { bits: long(33), value: 0 } }],
      undefined,
      'circuit[0].condition.bits',
      /33 bits; the limit for one condition is 32/,
    ],
    [
      '7 qubits of a UNITARY',
      [{ gate: 'UNITARY', qubits: long(7), matrix: [] }],
      undefined,
      'circuit[0].qubits',
      /1 to 6 qubits, but `qubits` names 7/,
    ],
  ])('%s', (_, objects, numQubits, path, message) => {
    const { faults } = refusal(objects, numQubits === undefined ? {} : { numQubits });
    expect(faults).toEqual([{ path, code, message: expect.stringMatching(message) }]);
  });

  test('barriers do not count against max_gates', () => {
    const objects: GateObject[] = long(100).flatMap(() => [
      { gate: 'H', qubit: 0 },
      { gate: 'barrier' },
    ]);
    expect(circuitFromGateObjects(objects, { limits }).operations).toHaveLength(200);
  });
});

describe('the error', () => {
  test('has the code CIRCUIT_INVALID and says the first fault in its message', () => {
    const error = refusal([{ gate: 'H', qubit: 5 }], { numQubits: 4 });
    expect(error.code).toBe('CIRCUIT_INVALID');
    expect(error.message).toBe(
      'The circuit has a fault: circuit[0].qubit: Qubit 5, but the circuit has 4 qubits (0 to 3); qubits count from 0.',
    );
  });

  test('lists every fault of every object, in order', () => {
    const { faults, message } = refusal(
      [
        { gate: 'CX', control: 4, target: -1 },
        { gate: 'H', qubit: 0 },
        { gate: 'RX', qubit: 9 },
      ],
      { numQubits: 4 },
    );
    expect(faults.map(({ path }) => path)).toEqual([
      'circuit[0].control',
      'circuit[0].target',
      'circuit[2].theta',
      'circuit[2].qubit',
    ]);
    expect(message).toMatch(/^The circuit has 4 faults; the first: circuit\[0\]\.control: /);
  });

  test('keeps 20 faults and counts the rest', () => {
    const error = refusal(long(50).map((): GateObject => ({ gate: 'nope', qubit: 0 })));
    expect(error.faults).toHaveLength(20);
    expect(error.numFaults).toBe(50);
  });

  test('names the list as its caller does', () => {
    const { faults } = refusal([{ gate: 'H' }], { path: 'steps' });
    expect(faults[0]?.path).toBe('steps[0].qubit');
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses a register of %s qubits', (numQubits) => {
    const { faults } = refusal([{ gate: 'H', qubit: 0 }], { numQubits });
    expect(faults.map(({ path }) => path)).toEqual(['qubits']);
  });

  test('refuses an empty circuit of unknown width', () => {
    expect(refusal([]).faults.map(({ path }) => path)).toEqual(['circuit']);
  });

  test('does not blame a condition for the bits of a measurement that is itself at fault', () => {
    const { faults } = refusal([
      { gate: 'M', qubits: [0, 0] },
      { gate: 'X', qubit: 0, condition: { bits: [1], value: 1 } },
    ]);
    expect(faults.map(({ path }) => path)).toEqual(['circuit[0].qubits[1]']);
  });
});

test('100,000 misspelt gates are refused, and only the listed ones get suggestions', () => {
  vi.mocked(didYouMean).mockClear();
  const objects = long(100_000).map((): GateObject => ({ gate: 'hadamrd', qubit: 0 }));
  expect(refusal(objects, { limits: { maxQubits: 8, maxGates: 1e6 } }).numFaults).toBe(100_000);
  expect(didYouMean).toHaveBeenCalledTimes(20);
});
