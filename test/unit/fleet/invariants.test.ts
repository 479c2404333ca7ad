/** A result that breaks an invariant is reported, with what is wrong; a right one is not. */
import { describe, expect, test } from 'vitest';
import type { AngleFormulas } from '../../../src/circuit/angle-formulas.ts';
import { FIRST_FUNCTION, FUNCTIONS } from '../../../src/circuit/angle-operations.ts';
import type { DynamicCircuit } from '../../../src/circuit/circuit.ts';
import type { RunResult } from '../../../src/engine/engine.ts';
import { faultOfDevice, faultOfRun } from '../../../src/fleet/invariants.ts';
import type { Backend, DeviceResult } from '../../../src/fleet/processor.ts';
import { outputsOf, type RunOutputs } from '../../../src/fleet/run-outputs.ts';
import type { BatchRunRequest, CircuitRequest } from '../../../src/fleet/schedule/scheduled-run.ts';
import { fromBytes } from '../../support/from-bytes.ts';
import { gate } from '../../support/random-circuits.ts';

const backendOf = (precision: 'f32' | 'f64'): Backend => ({
  engine: 'reference',
  execution: 'cpu',
  precision,
  hardware: 'a test',
});

const CIRCUIT: DynamicCircuit = {
  numQubits: 1,
  numBits: 1,
  operations: [gate('H', [0]), { kind: 'measure', qubits: [0], bits: [0] }],
};
/** Of norm 2. */
const SUM = [
  { coefficient: 1.5, factors: [{ qubit: 0, pauli: 'Z' as const }] },
  { coefficient: -0.5, factors: [] },
];
const REQUEST: CircuitRequest = {
  shots: 10,
  seed: 1,
  statevector: true,
  probabilities: true,
  observables: [SUM],
  variances: true,
  densityMatrix: true,
  purity: true,
  amplitudes: [0n],
};
const H = Math.SQRT1_2;
const RUN: RunResult = {
  counts: {
    numBits: 1,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.of(0, 1),
    occurrences: Uint32Array.of(4, 6),
  },
  statevector: Float64Array.of(H, 0, H, 0),
  probabilities: Float64Array.of(0.5, 0.5),
  expectations: [-2],
  variances: [2.25],
  standardErrors: [0.1],
  densityMatrix: Float64Array.of(0.5, 0, 0.5, 0, 0.5, 0, 0.5, 0),
  purity: 1,
  amplitudes: Float64Array.of(H, 0),
  statePasses: 1,
  timing: { evolutionMs: 0, samplingMs: 0 },
};

const faultOf = (
  run: RunResult,
  more: Partial<CircuitRequest> = {},
  circuit: DynamicCircuit = CIRCUIT,
  precision: 'f32' | 'f64' = 'f64',
) =>
  faultOfRun(
    { circuit, request: { ...REQUEST, ...more } },
    { outputs: outputsOf(run), backend: backendOf(precision) },
  );

const counts = (given: Partial<RunResult['counts']>) => ({ counts: { ...RUN.counts, ...given } });

describe('the result of a circuit', () => {
  test('is right where every invariant holds, in whatever form its circuit is', () => {
    expect(faultOf(RUN)).toBeUndefined();
    const task = { circuit: fromBytes(CIRCUIT), request: REQUEST };
    expect(
      faultOfRun(task, { outputs: outputsOf(RUN), backend: backendOf('f64') }),
    ).toBeUndefined();
  });

  const LIES: readonly (readonly [string, Partial<RunResult>])[] = [
    ['its counts sum to 9 instead of 10', counts({ occurrences: Uint32Array.of(4, 5) })],
    ['its counts sum to 0 instead of 10', counts({ occurrences: Uint32Array.of(0, 0) })],
    [
      'an outcome has bits beyond the 1 of the register',
      counts({ outcomes: Uint32Array.of(0, 2) }),
    ],
    ['its outcomes have 2 bits instead of 1', counts({ numBits: 2 })],
    ['2 outcomes of 1 bits are written in 3 words', counts({ outcomes: Uint32Array.of(0, 1, 1) })],
    [
      'its counts are not those of the whole run',
      {
        countsFinish: {
          numBits: 1,
          numRegisterBits: 1,
          finalMisreads: [],
          misreadEvent: 0,
          finalAssignments: [],
        },
      },
    ],
    ['its state has the norm 0.5000000000000001', { statevector: Float64Array.of(H, 0, 0, 0) }],
    ['its state has the norm NaN', { statevector: Float64Array.of(H, NaN, H, 0) }],
    ['a state vector has 2 numbers instead of 4', { statevector: Float64Array.of(1, 0) }],
    ['its probabilities sum to 0.75', { probabilities: Float64Array.of(0.5, 0.25) }],
    ['its probabilities sum to 1.000007', { probabilities: Float64Array.of(0.5, 0.500007) }],
    ['its probabilities sum to NaN', { probabilities: Float64Array.of(NaN, 0.5) }],
    // Their sum alone would not tell.
    ['a probability is -0.5', { probabilities: Float64Array.of(1.5, -0.5) }],
    ['its probabilities sum to Infinity', { probabilities: Float64Array.of(Infinity, 0.5) }],
    ['a distribution has 1 numbers instead of 2', { probabilities: Float64Array.of(1) }],
    ['an expectation value is 2.01, where it lies between -2 and 2', { expectations: [2.01] }],
    ['an expectation value is NaN, where it lies between -2 and 2', { expectations: [NaN] }],
    ['expectation values has 0 numbers instead of 1', { expectations: [] }],
    ['a variance is -0.1, where it lies between 0 and 8', { variances: [-0.1] }],
    ['a variance is Infinity, where it lies between 0 and 8', { variances: [Infinity] }],
    ['a standard error is NaN, where', { standardErrors: [NaN] }],
    ['its density matrix has the trace 0.75', { densityMatrix: RUN.densityMatrix!.with(6, 0.25) }],
    ['the purity of its density matrix is NaN', { densityMatrix: RUN.densityMatrix!.with(3, NaN) }],
    ['the purity of its density matrix is 4.75', { densityMatrix: RUN.densityMatrix!.with(2, 2) }],
    ['its purity is 1.5', { purity: 1.5 }],
    ['its purity is NaN', { purity: NaN }],
    ['the probability of an amplitude is 4', { amplitudes: Float64Array.of(2, 0) }],
    ['1 amplitudes have 4 numbers', { amplitudes: new Float64Array(4) }],
    ['its truncation error is -1', { truncationError: -1 }],
    ['its truncation error is NaN', { truncationError: NaN }],
    ['its truncation error is 1.5', { truncationError: 1.5 }],
  ];

  test.each(LIES)('cannot be right: %s', (fault, lie) => {
    expect(faultOf({ ...RUN, ...lie })).toContain(fault);
  });

  test.each([
    'statevector',
    'probabilities',
    'expectations',
    'variances',
    'densityMatrix',
    'purity',
    'amplitudes',
  ] as const)('cannot be right without the %s that were asked for', (name) => {
    const { [name]: _, ...without } = RUN;
    expect(faultOf(without)).toMatch(/^there is no /);
  });

  test('has the outcome of an empty register, and words for long ones', () => {
    const nothing = { ...CIRCUIT, numBits: 0, operations: [] };
    const empty = counts({
      numBits: 0,
      outcomes: Uint32Array.of(0),
      occurrences: Uint32Array.of(10),
    });
    const probabilities = Float64Array.of(1);
    expect(faultOf({ ...RUN, ...empty, probabilities }, {}, nothing)).toBeUndefined();
    const long = { ...CIRCUIT, numBits: 33 };
    const outcomes = Uint32Array.of(2 ** 32 - 1, 1);
    const one = { numBits: 33, wordsPerOutcome: 2, occurrences: Uint32Array.of(10) };
    const { probabilities: _, ...run } = RUN;
    const asked = { probabilities: false };
    expect(faultOf({ ...run, ...counts({ ...one, outcomes }) }, asked, long)).toBeUndefined();
    const beyond = counts({ ...one, outcomes: Uint32Array.of(0, 2) });
    expect(faultOf({ ...run, ...beyond }, asked, long)).toContain('beyond the 33 of the register');
  });

  test('may miss 1 by what its precision and its length explain', () => {
    const rounded = { ...RUN, probabilities: Float64Array.of(0.5, 0.50005) };
    expect(faultOf(rounded)).toContain('sum to');
    expect(faultOf(rounded, {}, CIRCUIT, 'f32')).toBeUndefined();
    const off = { ...RUN, probabilities: Float64Array.of(0.5, 0.55) };
    expect(faultOf(off, {}, CIRCUIT, 'f32')).toContain('sum to');
    // Matrix product states are normalized after each cut.
    expect(faultOf({ ...off, truncationError: 0.02 })).toContain('sum to');
  });

  test('of one shot has no standard error', () => {
    const one = counts({ outcomes: Uint32Array.of(1), occurrences: Uint32Array.of(1) });
    expect(faultOf({ ...RUN, ...one, standardErrors: [NaN] }, { shots: 1 })).toBeUndefined();
  });
});

const BATCH_REQUEST: BatchRunRequest = {
  numCircuits: 3,
  angles: Float64Array.of(0.1, 0, 0.3),
  shots: 10,
  statevector: true,
  probabilities: true,
  observables: [SUM, SUM],
  variances: true,
  gradients: true,
};

function three(...numbers: readonly number[]): Float64Array {
  return Float64Array.from([...numbers, ...numbers, ...numbers]);
}

const BATCH: RunOutputs = {
  counts: Uint32Array.of(4, 6, 10, 0, 0, 10),
  statevectors: three(H, 0, H, 0),
  probabilities: three(0.5, 0.5),
  expectations: three(-2, 1),
  variances: three(2.25, 0),
  standardErrors: three(0.1, 0),
  truncationErrors: three(0),
  largestBonds: three(1),
  gradients: three(1, -2),
};

const faultOfThree = (outputs: RunOutputs, more: Partial<BatchRunRequest> = {}) =>
  faultOfRun(
    { circuit: CIRCUIT, request: { ...BATCH_REQUEST, ...more } },
    { outputs, backend: backendOf('f64') },
  );

describe('the result of a batch', () => {
  test('is right where every invariant holds for each of its circuits', () => {
    expect(faultOfThree(BATCH)).toBeUndefined();
    const long = [RUN.counts, RUN.counts, RUN.counts];
    const { counts: _, ...others } = BATCH;
    expect(faultOfThree({ ...others, countsByRow: long })).toBeUndefined();
    const nothing = { numCircuits: 0, angles: new Float64Array(0) };
    expect(faultOfThree({}, nothing)).toBeUndefined();
  });

  const { counts: _, ...withoutCounts } = BATCH;
  const LIES: readonly (readonly [string, RunOutputs])[] = [
    [
      'in circuit 2 of 3, its counts sum to 9 instead of 10',
      { ...BATCH, counts: BATCH.counts!.with(2, 9) },
    ],
    ['in circuit 1 of 3, a list of counts has 4', { ...BATCH, counts: new Uint32Array(12) }],
    ['in circuit 1 of 3, there are no counts', withoutCounts],
    [
      'in circuit 2 of 3, an outcome has bits beyond',
      {
        ...withoutCounts,
        countsByRow: [RUN.counts, counts({ outcomes: Uint32Array.of(0, 5) }).counts, RUN.counts],
      },
    ],
    [
      'in circuit 3 of 3, there are no counts',
      { ...withoutCounts, countsByRow: [RUN.counts, RUN.counts] },
    ],
    [
      'in circuit 3 of 3, its state has the norm',
      { ...BATCH, statevectors: BATCH.statevectors!.with(8, 0) },
    ],
    [
      'in circuit 2 of 3, its probabilities sum to 1.25',
      { ...BATCH, probabilities: BATCH.probabilities!.with(3, 0.75) },
    ],
    [
      'in circuit 2 of 3, an expectation value is -3',
      { ...BATCH, expectations: BATCH.expectations!.with(3, -3) },
    ],
    [
      'in circuit 1 of 3, a variance is NaN',
      { ...BATCH, variances: BATCH.variances!.with(0, NaN) },
    ],
    [
      'in circuit 1 of 3, a standard error is NaN',
      { ...BATCH, standardErrors: BATCH.standardErrors!.with(0, NaN) },
    ],
    [
      'in circuit 3 of 3, a derivative is NaN',
      { ...BATCH, gradients: BATCH.gradients!.with(5, NaN) },
    ],
    [
      'in circuit 2 of 3, its truncation error is NaN',
      { ...BATCH, truncationErrors: BATCH.truncationErrors!.with(1, NaN) },
    ],
  ];

  test.each(LIES)('cannot be right: %s', (fault, batch) => {
    expect(faultOfThree(batch)).toContain(fault);
  });

  test.each(['statevectors', 'probabilities', 'expectations', 'variances', 'gradients'] as const)(
    'cannot be right without the %s that were asked for',
    (name) => {
      const { [name]: _, ...without } = BATCH;
      expect(faultOfThree(without)).toMatch(/^in circuit 1 of 3, there is no /);
    },
  );

  test('has no derivative where a formula of the caller has none', () => {
    // The angle is sqrt(a), and a is 0 for circuit 2 alone.
    const formulas: AngleFormulas = {
      numInputs: 1,
      numAngles: 1,
      constants: new Float64Array(0),
      operators: Uint8Array.of(FIRST_FUNCTION + FUNCTIONS.findIndex(({ name }) => name === 'sqrt')),
      left: Int32Array.of(0),
      right: Int32Array.of(0),
      results: Int32Array.of(1),
      angles: Float64Array.of(0),
      finite: new Int32Array(0),
    };
    const at2 = { ...BATCH, gradients: BATCH.gradients!.with(2, NaN).with(3, -Infinity) };
    expect(faultOfThree(at2, { formulas })).toBeUndefined();
    const at3 = { ...BATCH, gradients: BATCH.gradients!.with(4, Infinity) };
    expect(faultOfThree(at3, { formulas })).toContain(
      'in circuit 3 of 3, a derivative is Infinity',
    );
  });
});

test('counts of hardware sum to the shots and stay within their register', () => {
  const run = { shots: 10 };
  const of = (...all: readonly RunResult['counts'][]) =>
    // The other facts are not looked at.
    faultOfDevice(run, { counts: all } as unknown as DeviceResult);
  expect(of(RUN.counts, RUN.counts)).toBeUndefined();
  const few = counts({ occurrences: Uint32Array.of(1, 1) }).counts;
  expect(of(RUN.counts, few)).toBe('in circuit 2 of 2, its counts sum to 2 instead of 10');
  const beyond = counts({ outcomes: Uint32Array.of(0, 7) }).counts;
  expect(of(beyond)).toContain('an outcome has bits beyond');
});
