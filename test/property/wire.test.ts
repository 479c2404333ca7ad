/** What crosses to workers and processes comes back as it was, in each of its forms. */

import { expect, test } from 'vitest';
import type { AngleFormulas } from '../../src/circuit/angle-formulas.ts';
import { type DynamicCircuit, withAngles } from '../../src/circuit/circuit.ts';
import type { CompilationReport } from '../../src/compiler/compile.ts';
import { anglesOf } from '../../src/compiler/shape.ts';
import type { RunResult } from '../../src/engine/engine.ts';
import type { CircuitRequest } from '../../src/fleet/schedule/scheduled-run.ts';
import { factsOfShape, packCircuit, unpackCircuit } from '../../src/fleet/workers/sent-batch.ts';
import {
  circuitOf,
  type Form,
  isSameCircuit,
  readCircuit,
  serializeCircuit,
  type Wire,
  writeCircuit,
} from '../../src/fleet/workers/sent-circuit.ts';
import {
  OutcomePacker,
  OutcomeUnpacker,
  PostedCircuits,
  postedRun,
  ReadObservables,
  receivedRun,
} from '../../src/fleet/workers/sent-run.ts';
import type { RunOutcome } from '../../src/fleet/workers/worker-messages.ts';
import { parityLists } from '../../src/math/bit-matrix.ts';
import type { CheckedProgram } from '../../src/service/batches/batch-program.ts';
import { programChunks } from '../../src/service/batches/read-batch.ts';
import type { FromProcess } from '../../src/workloads/procedures/procedure-messages.ts';
import { SentCircuits } from '../../src/workloads/procedures/sent-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { outcomeFields, runOf } from '../support/run-of.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { randomWireCircuit } from '../support/wire-circuits.ts';

const NO_FORMULAS: AngleFormulas = {
  numInputs: 1,
  numAngles: 0,
  constants: Float64Array.of(-0, 2),
  operators: Uint8Array.of(1),
  left: Int32Array.of(0),
  right: Int32Array.of(1),
  results: Int32Array.of(),
  angles: Float64Array.of(),
  finite: Int32Array.of(2),
};

/** Any kind of circuit. */
const anyCircuit = (seed: number): DynamicCircuit =>
  randomWireCircuit(new RandomStream(seed), { all: seed % 2 === 0 });

/** A shape that crosses as text has lost its angles, which each circuit brings. */
function asShape(circuit: DynamicCircuit): DynamicCircuit {
  const isWritten = writeCircuit(circuit) !== undefined;
  return isWritten ? withAngles(circuit, new Float64Array(anglesOf(circuit).length)) : circuit;
}

testSeeds(
  'a circuit of gates, measurements, resets and barriers comes back from text',
  seeds(300),
  (seed) => {
    const circuit = randomWireCircuit(new RandomStream(seed), { all: false });
    const written = writeCircuit(circuit);
    expect(readCircuit(structuredClone(written!))).toStrictEqual(circuit);
  },
);

testSeeds(
  'circuits have the same text exactly if they differ only in angles',
  seeds(150),
  (seed) => {
    const circuit = randomWireCircuit(new RandomStream(seed), { all: false });
    const shape = writeCircuit(circuit)?.shape;
    const turned = withAngles(
      circuit,
      anglesOf(circuit).map((angle) => angle + 1),
    );
    expect(writeCircuit(turned)?.shape).toBe(shape);
    const { numQubits, numBits, control, operations } = circuit;
    const scratch = { numScratchBits: 1, maxRounds: 0, ...control };
    const others: DynamicCircuit[] = [
      { ...circuit, numQubits: numQubits + 1 },
      { ...circuit, numBits: numBits + 1 },
      { ...circuit, control: { ...scratch, numScratchBits: scratch.numScratchBits + 1 } },
      { ...circuit, control: { ...scratch, maxRounds: scratch.maxRounds + 1 } },
      { ...circuit, operations: [...operations, { kind: 'barrier', qubits: [0] }] },
      ...operations.flatMap((operation, i): DynamicCircuit[] => {
        const changed = [
          'condition' in operation &&
          operation.kind !== 'initialize' &&
          operation.kind !== 'save' &&
          operation.kind !== 'track' &&
          operation.kind !== 'repeat'
            ? { ...operation, condition: { bits: [0], value: 2 ** 52 + 1 } }
            : [],
          operation.kind === 'gate' ? { ...operation, targets: [99, ...operation.targets] } : [],
          operation.kind === 'barrier' ? { ...operation, duration: Math.PI } : [],
        ].flat();
        return changed.map((each) => ({ ...circuit, operations: operations.with(i, each) }));
      }),
    ];
    for (const other of others) expect(writeCircuit(other)?.shape).not.toBe(shape);
  },
);

testSeeds('circuits of a shape are the same exactly if no angle differs', seeds(150), (seed) => {
  const stream = new RandomStream(seed);
  const circuit = randomWireCircuit(stream, { all: false });
  const [written, again] = [writeCircuit(circuit)!, writeCircuit(circuit)!];
  expect(isSameCircuit(written, again)).toBe(true);
  const { angles } = written;
  if (angles.length === 0) return;
  const other = { ...again, angles: angles.with(stream.below(angles.length), 20) };
  expect(isSameCircuit(written, other)).toBe(false);
});

test('a circuit with a matrix is not written as text', () => {
  const matrix = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0);
  const unitary = { kind: 'unitary', controls: [], targets: [0], matrix } as const;
  expect(writeCircuit({ numQubits: 1, numBits: 0, operations: [unitary] })).toBeUndefined();
});

testSeeds('every circuit comes back from bytes', seeds(300), (seed) => {
  const circuit = anyCircuit(seed);
  const sent = serializeCircuit(circuit);
  expect(sent).toMatchObject({ numQubits: circuit.numQubits, numBits: circuit.numBits });
  expect(circuitOf(structuredClone(sent))).toStrictEqual(circuit);
});

testSeeds('every shape comes back from a reader, with its facts', seeds(300), (seed) => {
  const circuit = anyCircuit(seed);
  const unpacked = unpackCircuit(structuredClone(packCircuit(circuit)));
  expect({ ...unpacked }).toStrictEqual(circuit);
  const { sent, ...facts } = factsOfShape(unpacked);
  const { sent: own, ...ownFacts } = factsOfShape(circuit);
  expect(facts).toStrictEqual(ownFacts);
  if ('shape' in own) expect(sent).toStrictEqual(own);
});

testSeeds('every run comes to its worker whole', seeds(150), (seed) => {
  const stream = new RandomStream(seed);
  const shape = anyCircuit(seed);
  const request: Required<CircuitRequest> = {
    numCircuits: 2,
    angles: Float64Array.of(1, -0, Math.PI),
    shots: 5,
    seed: 2 ** 53 - 1,
    shotRange: { from: 1, to: 3 },
    errorCounting: {
      key: 'a',
      decoder: 'none',
      parities: {
        detectors: parityLists([[1, 2], [0]], Uint8Array.of(0, 1)),
        observables: parityLists([], Uint8Array.of()),
      },
      detectors: Uint8Array.of(2),
      observables: Uint8Array.of(),
    },
    strata: [{ faults: 1, shots: 2, first: 3 }],
    seeds: Float64Array.of(1, 2),
    statevector: true,
    referenceSample: true,
    probabilities: true,
    observables: [randomSum(stream, 9, 4), [], randomSum(stream, 5, 2)],
    variances: true,
    amplitudes: [0n, 2n ** 63n],
    densityMatrix: true,
    purity: true,
    method: 'matrix_product_state',
    figures: { bytes: 1, ms: 2, msPerShot: 3 },
    bonds: { maxBondDimension: 4, truncationThreshold: 1e-9 },
    paulis: { isApproximate: true, maxTerms: 5, minCoefficient: 1e-9, maxWeight: 3 },
    formulas: NO_FORMULAS,
    gradients: true,
    gradientInputs: [0],
    countsOfSingles: true,
  };
  const circuit = new PostedCircuits().of({ circuit: shape, request });
  const posted = structuredClone(postedRun({ id: 3, precision: 'f64', circuit, request }));
  const { circuit: own, ...received } = receivedRun(posted, new ReadObservables());
  expect(circuitOf(own)).toStrictEqual(asShape(shape));
  expect(received).toStrictEqual({ id: 3, precision: 'f64', request });
  const { angles: _, ...asked } = request;
  const alone = { circuit: shape, request: asked };
  const sent = structuredClone(new PostedCircuits().of(alone));
  expect(circuitOf(sent)).toStrictEqual(shape);
});

testSeeds('a circuit of a procedure comes to the service whole', seeds(100), (seed) => {
  const circuit = anyCircuit(seed);
  const messages: FromProcess[] = [];
  const widths = { maxQubits: 1, maxNoisyQubits: 1 };
  const { runner } = new SentCircuits(0, widths, (message) =>
    messages.push(structuredClone(message)),
  );
  void runner.run(circuit, { shots: 1 });
  const [asked] = messages;
  if (asked?.kind !== 'run' || asked.packed === undefined)
    throw new Error('unreachable: nothing was asked');
  expect({ ...unpackCircuit(asked.packed) }).toStrictEqual(circuit);
});

testSeeds('checked programs come from their reader whole', seeds(4), (seed) => {
  const stream = new RandomStream(seed);
  const groupsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      circuit: anyCircuit(100 * seed + i),
      formulas: NO_FORMULAS,
      points: i % 2 === 0 ? undefined : Uint32Array.of(i, 7),
    }));
  const program = (count: number) =>
    // The fields beside groups and observables cross as they are.
    ({
      name: 'a program',
      groups: groupsOf(count),
      observables: [randomSum(stream, 9, 5)],
      method: 'statevector',
      shots: 3,
    }) as unknown as CheckedProgram;
  const output = { seed: 4, programs: [program(1), program(90), program(2)] };
  const { cut, collect } = programChunks<typeof output>();
  const collected = collect();
  for (const chunk of cut(output)) collected.add(structuredClone(chunk));
  const plain = (circuit: DynamicCircuit): DynamicCircuit => ({ ...circuit });
  const programs = collected.output.programs.map(({ groups, ...rest }) => ({
    ...rest,
    groups: groups.map((group) => ({ ...group, circuit: plain(group.circuit) })),
  }));
  expect({ ...collected.output, programs }).toStrictEqual(output);
});

const COUNTS: RunResult['counts'] = {
  numBits: 40,
  wordsPerOutcome: 2,
  outcomes: Uint32Array.of(1, 0, 2, 3),
  occurrences: Uint32Array.of(4, 5),
};

const RUN: RunResult = {
  counts: COUNTS,
  statePasses: 3,
  timing: { evolutionMs: 0.25, samplingMs: 0.5 },
};

/**
 * Everything that a result may have beside what every result has; numbers that are easily taken for none are 0. Parities
 * are counted where they are computed, and do not cross.
 */
const MORE: Required<Omit<RunResult, 'counts' | 'statePasses' | 'timing' | 'parities'>> = {
  countsFinish: {
    numBits: 1,
    numRegisterBits: 2,
    finalMisreads: [],
    misreadEvent: 0,
    finalAssignments: [],
  },
  statevector: Float64Array.of(1, 0),
  probabilities: Float64Array.of(1),
  expectations: [0],
  variances: [0],
  standardErrors: [Number.NaN],
  trajectories: 0,
  densityMatrix: Float64Array.of(1, 0),
  purity: 0,
  amplitudes: Float64Array.of(0, 0),
  truncationError: 0,
  largestBond: 0,
  referenceSample: Uint32Array.of(0, 2 ** 32 - 1),
  saved: [
    {
      statevector: Float64Array.of(0, 1),
      probabilities: Float64Array.of(0),
      expectations: [0],
      standardErrors: [0.5],
      densityMatrix: Float64Array.of(0, 0),
      amplitudes: Float64Array.of(0, 1),
    },
    {},
  ],
};

function outcomeOf(run: RunResult): RunOutcome {
  // The cast is safe: reports cross as they are.
  const compilation = { passes: [] } as unknown as CompilationReport;
  return { ...outcomeFields(run), compilation, reused: 'shape', compileMs: 1.5, ownMs: 2.5 };
}

test('every field of a result comes back from the columns of a run', () => {
  expect(runOf(outcomeOf({ ...RUN, ...MORE }))).toStrictEqual({ ...RUN, ...MORE });
  expect(runOf(outcomeOf(RUN))).toStrictEqual(RUN);
});

test('a packed outcome comes back whole', () => {
  const outcome = outcomeOf(RUN);
  const packer = new OutcomePacker();
  expect(packer.add(7, outcome, 10)).toBe(true);
  const packed = structuredClone(packer.take(12));
  expect(new OutcomeUnpacker().unpack(packed)).toStrictEqual([{ id: 7, outcome, begunAgoMs: 2 }]);
});

test.each(Object.entries(MORE))(
  'an outcome with %s is not packed, which would lose it',
  (name, value) => {
    expect(new OutcomePacker().add(7, outcomeOf({ ...RUN, [name]: value }), 10)).toBe(false);
  },
);

test('a field that the description of the wire leaves out does not compile', () => {
  interface Later {
    readonly kind: 'later';
    readonly bits: readonly number[];
    readonly label?: true;
  }
  const whole: Form<Later> = (wire: Wire, of) =>
    wire.whole<Later>(
      { kind: 'later', bits: wire.list(of.bits) },
      { label: wire.optional(of.label, () => true as const) },
    );
  const withoutBits: Form<Later> = (wire: Wire, of) =>
    // @ts-expect-error: bits are missing.
    wire.whole<Later>({ kind: 'later' }, { label: wire.optional(of.label, () => true as const) });
  const withoutLabel: Form<Later> = (wire: Wire, of) =>
    // @ts-expect-error: the label is missing.
    wire.whole<Later>({ kind: 'later', bits: wire.list(of.bits) }, {});
  expect([whole, withoutBits, withoutLabel]).toHaveLength(3);
});
