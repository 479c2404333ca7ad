/** The live state in Node: steps, trajectories, refusals, texts. The worker itself runs in test/browser. */
import { describe, expect, test } from 'vitest';
import { withoutMeasurements } from '../../../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { gateObjectsFromCircuit } from '../../../../src/circuit/gate-objects-from-circuit.ts';
import type {
  LiveSource,
  LiveState,
  ShowOptions,
} from '../../../../src/console/live-state/messages.ts';
import { StateComputer } from '../../../../src/console/live-state/state-computer.ts';
import { NODE_HOST } from '../../../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { readCircuit } from '../../../../src/service/circuits/read-circuit.ts';
import { RequestInvalidError } from '../../../../src/service/http/errors.ts';
import { EngineProcessor } from '../../../support/engine-processor.ts';
import { statevectorOf, worstAmplitude } from '../../../support/engine-runs.ts';
import { randomGates } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const computer = new StateComputer(NODE_HOST);
const reference = openReferenceEngine({ maxQubits: 10 });

async function show(source: LiveSource, options: ShowOptions = {}): Promise<LiveState> {
  const answer = await computer.answer({ ask: 'show', source, options });
  if (answer.kind !== 'state') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
  return answer;
}

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const HALF = Math.SQRT1_2;

function expectAmplitudes(state: LiveState, expected: readonly number[]): void {
  expect(worstAmplitude(state.amplitudes, Float64Array.from(expected))).toBeLessThan(1e-12);
}

describe('displays', () => {
  const at = (qubit: number, step: number) => ({ id: 1, qubit, step });
  const rows = ({ displays = new Float64Array() }: LiveState) =>
    Array.from({ length: displays.length / 3 }, (_, i) =>
      Array.from(displays.subarray(3 * i, 3 * i + 3), (each) => Number(each.toFixed(9)) + 0),
    );

  test('have the Bloch vectors of their qubits after the entries before them', async () => {
    const circuit = [...BELL, { gate: 'S', qubit: 0 }, { gate: 'X', qubit: 1 }];
    const places = [at(0, 1), at(0, 0), at(1, 1), at(0, 2), at(0, 4)];
    const shown = await show({ circuit }, { displays: places });
    expect(rows(shown)).toEqual([
      [1, 0, 0],
      [0, 0, 1],
      [0, 0, 1],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect((await show({ circuit })).displays).toBeUndefined();
    const turned = [
      { gate: 'H', qubit: 0 },
      { gate: 'S', qubit: 0 },
    ];
    expect(rows(await show({ circuit: turned }, { displays: [at(0, 2)] }))).toEqual([[0, 1, 0]]);
  });

  test('are of the same drawn course as the state', async () => {
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
    ];
    const seen = new Set<number>();
    for (let seed = 0; seed < 20; seed += 1) {
      const shown = await show({ circuit }, { seed, displays: [at(0, 1), at(0, 2), at(1, 3)] });
      const z = shown.trajectory?.bits[0] === 1 ? -1 : 1;
      expect(rows(shown)).toEqual([
        [1, 0, 0],
        [0, 0, z],
        [0, 0, z],
      ]);
      seen.add(z);
    }
    expect(seen.size).toBe(2);
  });
});

describe('a step', () => {
  test('shows the circuit as far as it has been applied, on all its qubits', async () => {
    expectAmplitudes(await show({ circuit: BELL }, { step: 0 }), [1, 0, 0, 0, 0, 0, 0, 0]);
    expectAmplitudes(await show({ circuit: BELL }, { step: 1 }), [HALF, 0, HALF, 0, 0, 0, 0, 0]);
    const whole = await show({ circuit: BELL });
    expectAmplitudes(whole, [HALF, 0, 0, 0, 0, 0, HALF, 0]);
    expect(whole).toMatchObject({ step: 2, numSteps: 2, numQubits: 2, numBits: 0 });
    expect(whole.trajectory).toBeUndefined();
    expect([...whole.probabilities].map((p) => p.toFixed(12))).toEqual(
      [0.5, 0, 0, 0.5].map((p) => p.toFixed(12)),
    );
  });

  test('agrees with the reference engine at every step, to and fro', async () => {
    const operations = randomGates(new RandomStream(71), 5, 30, 3);
    const circuit = gateObjectsFromCircuit({ operations });
    const steps = [...Array.from({ length: 31 }, (_, i) => i), 12, 30, 7];
    for (const step of steps) {
      const shown = await show({ circuit, qubits: 5 }, { step });
      const part = { numQubits: 5, numBits: 0, operations: operations.slice(0, step) };
      const expected = await statevectorOf(reference, part);
      expect(worstAmplitude(shown.amplitudes, expected)).toBeLessThan(1e-12);
    }
  });

  test('takes inputs that only later gates use', async () => {
    const circuit = [BELL[0], { gate: 'RX', qubit: 0, theta: { input: 'a' } }];
    const shown = await show({ circuit, inputs: { a: 1 } }, { step: 1 });
    expectAmplitudes(shown, [HALF, 0, HALF, 0]);
  });

  test('follows an angle that changes', async () => {
    for (const theta of [0.1, 0, Math.PI, -2.5, 1e-9]) {
      const shown = await show({ circuit: [{ gate: 'RX', qubit: 0, theta }] });
      expectAmplitudes(shown, [Math.cos(theta / 2), 0, 0, -Math.sin(theta / 2)]);
    }
  });

  test('counts the operations of a text', async () => {
    const qasm = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; h q[0]; cx q[0], q[1];';
    expectAmplitudes(await show({ qasm }, { step: 1 }), [HALF, 0, HALF, 0, 0, 0, 0, 0]);
    expectAmplitudes(await show({ qasm }), [HALF, 0, 0, 0, 0, 0, HALF, 0]);
  });

  test('gives the density matrix of a pair that was asked for', async () => {
    const shown = await show({ circuit: BELL }, { pair: [1, 0] });
    expect(shown.pair?.qubits).toEqual([1, 0]);
    for (const [i, value] of [...shown.pair!.density].entries()) {
      // 1/2 at |00⟩⟨00|, |00⟩⟨11|, |11⟩⟨00|, |11⟩⟨11|.
      expect(value).toBeCloseTo([0, 6, 24, 30].includes(i) ? 0.5 : 0, 12);
    }
    expect((await show({ circuit: BELL }, { pair: [0, 0] })).pair).toBeUndefined();
    expect((await show({ circuit: BELL }, { pair: [0, 2] })).pair).toBeUndefined();
  });
});

describe('measurements', () => {
  const measure = { gate: 'M', qubits: [0, 1] };

  test('at the end alone leave the state as the service gives it, and no bits', async () => {
    const shown = await show({ circuit: [...BELL, measure] });
    expectAmplitudes(shown, [HALF, 0, 0, 0, 0, 0, HALF, 0]);
    expect(shown.trajectory).toBeUndefined();
    expect(shown.numBits).toBe(2);
  });

  test('before a gate on their qubit are drawn by the seed, in the step that makes them', async () => {
    const circuit = [...BELL, { gate: 'M', qubit: 0 }, BELL[1], measure];
    const seen = new Set<number>();
    for (let seed = 0; seed < 12; seed++) {
      const before = await show({ circuit }, { seed, step: 2 });
      expectAmplitudes(before, [HALF, 0, 0, 0, 0, 0, HALF, 0]);
      expect(before.trajectory).toEqual({ seed, bits: [null, null, null] });
      const after = await show({ circuit }, { seed, step: 3 });
      const [bit] = after.trajectory!.bits;
      expect(after.trajectory!.bits).toEqual([bit, null, null]);
      const expected = new Array(8).fill(0);
      expected[6 * bit!] = 1;
      expectAmplitudes(after, expected);
      const whole = await show({ circuit }, { seed });
      // The second CX has brought qubit 1 back to |0⟩.
      expect(whole.trajectory!.bits).toEqual([bit, bit, 0]);
      expect(whole.probabilities[bit!]).toBeCloseTo(1, 12);
      seen.add(bit!);
    }
    expect([...seen].sort()).toEqual([0, 1]);
  });

  test('decide conditions', async () => {
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubit: 0, bits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
    ];
    for (let seed = 0; seed < 8; seed++) {
      const { trajectory, probabilities } = await show({ circuit }, { seed });
      expect(probabilities[3 * trajectory!.bits[0]!]).toBeCloseTo(1, 12);
    }
  });

  test('in loops of a text are followed', async () => {
    const qasm = `OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; bit d = 1;
      while (d) { h q; c = measure q; d = c; }`;
    const shown = await show({ qasm }, { seed: 3 });
    expect(shown.trajectory?.bits[0]).toBe(0);
    expect(shown.probabilities[0]).toBeCloseTo(1, 12);
  });

  test('a reset of a fresh qubit draws nothing', async () => {
    const shown = await show({
      circuit: [
        { gate: 'RESET', qubit: 0 },
        { gate: 'H', qubit: 0 },
      ],
    });
    expect(shown.trajectory).toBeUndefined();
    expectAmplitudes(shown, [HALF, 0, HALF, 0]);
  });

  test('noise gives one normalised course', async () => {
    const channel = { type: 'bit_flip', probability: 1 };
    const shown = await show({ circuit: [{ gate: 'NOISE', qubit: 0, channel }] });
    expect(shown.trajectory).toEqual({ seed: 0, bits: [] });
    expect(shown.probabilities[1]).toBeCloseTo(1, 12);
  });

  test('a lost qubit takes part in no gate, and its bit is shown as 0', async () => {
    const channel = { type: 'loss', probability: 1 };
    const shown = await show({
      circuit: [
        { gate: 'X', qubit: 0 },
        { gate: 'NOISE', qubit: 0, channel },
        { gate: 'CX', control: 0, target: 1 },
        { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      ],
    });
    expect(shown.trajectory).toEqual({ seed: 0, bits: [0, 0] });
    expect(shown.probabilities[2]! + shown.probabilities[3]!).toBeCloseTo(0, 12);
  });
});

describe('a refusal', () => {
  const target = new EngineProcessor('statevector-sim');
  const MALFORMED: readonly (readonly unknown[])[] = [
    [{ gate: 'HH', qubit: 0 }],
    [{ gate: 'H' }],
    [{ gate: 'RX', qubit: 0, angle: 1 }],
    [{ gate: 'RX', qubit: 0, theta: 'pi/2' }],
    [
      { gate: 'CX', control: 1, target: 1 },
      { gate: 'H', qubit: -1 },
    ],
    [
      { gate: 'H', qubit: 0, colour: 'red' },
      { gate: 'CX', control: 0 },
    ],
    [
      {
        gate: 'UNITARY',
        qubit: 0,
        matrix: [
          [
            [1, 0],
            [1, 0],
          ],
          [
            [0, 0],
            [1, 0],
          ],
        ],
      },
    ],
    [{ gate: 'X', qubit: 0, condition: { bits: [0], value: 1 } }],
    [{ qubit: 0 }, { gate: 'T', qubit: 0, condition: { bits: [5], value: 1 } }],
    [],
    [{ gate: 'RX', qubit: 0, theta: { input: 'a' } }],
    Array.from({ length: 30 }, () => ({ gate: 'nothing' })),
  ];

  test.each(MALFORMED.map((circuit) => [JSON.stringify(circuit).slice(0, 60), circuit]))(
    'lists the faults of the service for %s',
    async (_, circuit) => {
      if (typeof circuit === 'string') throw new Error('unreachable: no circuit');
      const answer = await computer.answer({ ask: 'show', source: { circuit }, options: {} });
      if (answer.kind !== 'refused') throw new Error('The circuit was taken.');
      expect(answer.faults).toEqual(serviceFaults({ circuit }));
    },
  );

  function serviceFaults(parts: object): readonly unknown[] {
    const targets = [{ spec: target.spec, available: true }];
    try {
      readCircuit({ ...parts, target_processor: 'statevector-sim', shots: 1 }, targets);
    } catch (error) {
      if (!(error instanceof RequestInvalidError)) throw error;
      return error.faults.map((fault) => ({ code: error.code, ...fault }));
    }
    throw new Error('The service takes it.');
  }

  test('of a text names line and column', async () => {
    const qasm = 'OPENQASM 3.0;\nqubit q;\nhh q;';
    const answer = await computer.answer({ ask: 'parse', source: { qasm } });
    expect(answer).toMatchObject({
      kind: 'refused',
      code: 'CIRCUIT_OPENQASM_INVALID',
      position: { line: 3, column: 1 },
    });
    if (answer.kind === 'refused') expect(answer.faults).toEqual(serviceFaults({ qasm }));
  });

  test('is none where a circuit is only too wide or too long', async () => {
    const wide = { circuit: [{ gate: 'H', qubit: 16 }] };
    expect(await computer.answer({ ask: 'show', source: wide, options: {} })).toEqual({
      kind: 'too-large',
      numQubits: 17,
      maxQubits: 16,
      numSteps: 1,
      maxSteps: 20_000,
    });
    const long = { circuit: Array.from({ length: 20_001 }, () => BELL[0]) };
    expect(await computer.answer({ ask: 'show', source: long, options: {} })).toMatchObject({
      kind: 'too-large',
      numSteps: 20_001,
    });
  });
});

describe('texts', () => {
  test.each([2, 3] as const)('of version %i read back as the circuit', async (version) => {
    for (let seed = 0; seed < 10; seed++) {
      const stream = new RandomStream(910 + seed);
      const gates = gateObjectsFromCircuit({ operations: randomGates(stream, 4, 12, 2) });
      const source = { circuit: [...gates, { gate: 'M', qubits: [0, 3] }], qubits: 4 };
      const written = await computer.answer({ ask: 'write', source, form: `openqasm${version}` });
      if (written.kind !== 'written') throw new Error(JSON.stringify(written));
      const parsed = await computer.answer({ ask: 'parse', source: { qasm: written.text } });
      if (parsed.kind !== 'parsed' || parsed.circuit === undefined) throw new Error('unread');
      expect(parsed).toMatchObject({ qubits: 4, numBits: 2, warnings: [] });
      const before = await show(source);
      const after = await show({ circuit: parsed.circuit, qubits: 4 });
      expect(distanceUpToPhase(before.amplitudes, after.amplitudes)).toBeLessThan(1e-10);
      if (version === 2) continue;
      expect(worstAmplitude(before.amplitudes, after.amplitudes)).toBeLessThan(1e-10);
    }
  });

  test('with loops on measured bits have no gate objects', async () => {
    const qasm = `OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c;
      h q; c = measure q; while (c) { x q; c = measure q; }`;
    const parsed = await computer.answer({ ask: 'parse', source: { qasm } });
    expect(parsed).toMatchObject({ kind: 'parsed', qubits: 1, circuit: undefined });
  });

  const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';
  const parse = async (qasm: string) => {
    const answer = await computer.answer({ ask: 'parse', source: { qasm } });
    if (answer.kind !== 'parsed') throw new Error(JSON.stringify(answer));
    return answer;
  };

  test('with inputs have gate objects whose angles name them', async () => {
    const qasm = `${HEAD}input float a; input angle b;\nqubit[2] q;
      rz(0.3) q[0]; rx(a) q[0]; cu(0.1, 2*a + 0.5, -b, a - 1) q[0], q[1];`;
    const { circuit, inputs } = await parse(qasm);
    expect(inputs).toEqual({ a: 1, b: 1 });
    expect(circuit).toEqual([
      { gate: 'RZ', qubit: 0, theta: 0.3 },
      { gate: 'RX', qubit: 0, theta: { input: 'a' } },
      {
        gate: 'CU',
        control: 0,
        target: 1,
        theta: 0.1,
        phi: { input: 'a', scale: 2, offset: 0.5 },
        lambda: { input: 'b', scale: -1 },
        gamma: { input: 'a', offset: -1 },
      },
    ]);
  });

  test.each([
    ['input int n;\nqubit q;\nfor int i in [0:n] { x q; }', { n: 1 }],
    ['input bool t;\nqubit q;\nif (t) x q;', { t: true }],
    ['input float a;\nqubit q;\nrx(sin(a)) q;', { a: 1 }],
    ['input float a; input float b;\nqubit q;\nrx(a + b) q;', { a: 1, b: 1 }],
  ])(
    'that do more with inputs have values for them, but no gate objects: %s',
    async (text, inputs) => {
      expect(await parse(HEAD + text)).toMatchObject({ circuit: undefined, inputs });
    },
  );

  test('of circuits with inputs declare them, and read back as the circuit', async () => {
    const circuit = [
      { gate: 'BARRIER', qubits: [0, 1] },
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'RX', qubit: 0, theta: { input: 'a', scale: 2, offset: -0.5 } },
      {
        gate: 'U',
        qubit: 1,
        theta: 0.5,
        phi: { input: 'b', scale: -1 },
        lambda: { input: 'b' },
        condition: { bits: [0], value: 1 },
      },
    ];
    const source = { circuit, qubits: 2, inputs: { a: 0.3, b: 0.4 } };
    const written = await computer.answer({ ask: 'write', source, form: 'openqasm3' });
    if (written.kind !== 'written') throw new Error(JSON.stringify(written));
    expect(written.text).toContain('input float a;\ninput float b;\n');
    expect(written.text).toContain('rx(2*a - 0.5) q[0];');
    expect((await parse(written.text)).circuit).toEqual(circuit);
  });

  test('have values where a name is none in OpenQASM, and in version 2', async () => {
    const source = (input: string) => ({
      circuit: [{ gate: 'RX', qubit: 0, theta: { input } }],
      inputs: { [input]: 0.25 },
    });
    for (const [name, version] of [
      ['my angle', 3],
      ['a', 2],
    ] as const) {
      const written = await computer.answer({
        ask: 'write',
        source: source(name),
        form: `openqasm${version}`,
      });
      expect(written).toMatchObject({ text: expect.stringContaining('rx(0.25) q[0];') });
    }
  });

  test('are refused in version 2 for a condition that it cannot express', async () => {
    const circuit = [
      { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      { gate: 'X', qubit: 0, condition: { bits: [0], value: 1 } },
      { gate: 'X', qubit: 0, condition: { bits: [0, 1], value: 1 } },
    ];
    const answer = await computer.answer({ ask: 'write', source: { circuit }, form: 'openqasm2' });
    expect(answer).toMatchObject({ kind: 'refused', code: 'CIRCUIT_OPENQASM_UNPRINTABLE' });
  });
});

/** 1 − |⟨a|b⟩|². */
function distanceUpToPhase(a: Float64Array, b: Float64Array): number {
  let re = 0;
  let im = 0;
  for (let i = 0; i < a.length; i += 2) {
    re += a[i]! * b[i]! + a[i + 1]! * b[i + 1]!;
    im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!;
  }
  return 1 - re * re - im * im;
}

test('a circuit with angles as in another one does not take its state', async () => {
  const source = (name: string, theta: number) => ({
    circuit: [{ gate: name, qubit: 0, theta }],
  });
  const limits = { maxQubits: 1, maxGates: 1 };
  for (const [name, theta] of [
    ['RX', 0.3],
    ['RY', 0.3],
    ['RY', 0.4],
    ['RX', 0.3],
  ] as const) {
    const { circuit } = source(name, theta);
    const expected = await statevectorOf(
      reference,
      withoutMeasurements(circuitFromGateObjects(circuit, { limits })),
    );
    const shown = await show(source(name, theta));
    expect(worstAmplitude(shown.amplitudes, expected)).toBeLessThan(1e-14);
  }
});
