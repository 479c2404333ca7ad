/** The composer's circuit: what it reads and writes, and what edits do to it. */
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../../src/circuit/gate-objects-from-circuit.ts';
import {
  readAngle,
  readGateAngle,
  writeAngle,
  writeGateAngle,
} from '../../../src/console/composer/angle-text.ts';
import {
  cellWords,
  circuitWords,
  drawnGates,
  stepWords,
} from '../../../src/console/composer/circuit-words.ts';
import {
  addQubit,
  columnsOf,
  type EditedCircuit,
  EMPTY,
  editedCircuit,
  gateObjects,
  inputNames,
  insertSteps,
  moveStep,
  numColumns,
  objectsBefore,
  removeQubit,
  removeSteps,
  replaceStep,
  type Step,
  stepAt,
  takesControls,
  withControlOn,
  withControls,
  withQubit,
} from '../../../src/console/composer/edited-circuit.ts';
import { EXAMPLES } from '../../../src/console/composer/examples.ts';
import {
  keptText,
  readKept,
  readShared,
  sharedGatesOf,
  sharedOf,
  writeShared,
} from '../../../src/console/composer/permalink.ts';
import { pythonText } from '../../../src/console/composer/python-texts.ts';
import {
  hueOf,
  phaseText,
  probabilityText,
  stateRows,
  wordsOfRows,
} from '../../../src/console/composer/state-words.ts';
import { changeTo } from '../../../src/console/composer/text-change.ts';
import { layoutCircuit } from '../../../src/console/drawing/circuit-layout.ts';
import type { LiveSource, LiveState } from '../../../src/console/live-state/messages.ts';
import { StateComputer } from '../../../src/console/live-state/state-computer.ts';
import { NODE_HOST } from '../../../src/engine/cpu/cpu-engine.ts';
import { worstAmplitude } from '../../support/engine-runs.ts';
import { randomGates } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const computer = new StateComputer(NODE_HOST);

async function stateOf(source: LiveSource, seed = 0): Promise<LiveState> {
  const answer = await computer.answer({ ask: 'show', source, options: { seed } });
  if (answer.kind !== 'state') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
  return answer;
}

const step = (name: string, targets: readonly number[], more: Partial<Step> = {}) => ({
  name,
  controls: [],
  targets,
  angles: {},
  ...more,
});
const names = ({ steps }: EditedCircuit) =>
  steps.map(({ name, controls, targets }) => `${name} ${[...controls, ...targets].join(' ')}`);

describe('a circuit that is read and written again', () => {
  test('has the state that it had: all gates, controls, angles and matrices', async () => {
    for (let seed = 0; seed < 100; seed++) {
      const stream = new RandomStream(500 + seed);
      const qubits = 1 + stream.below(6);
      const operations: Operation[] = [...randomGates(stream, qubits, 5 + stream.below(25), 3)];
      const circuit = gateObjectsFromCircuit({ operations });
      const written = gateObjects(editedCircuit(circuit, qubits));
      expect(written).toHaveLength(circuit.length);
      const before = await stateOf({ circuit, qubits });
      const after = await stateOf({ circuit: written, qubits });
      expect(worstAmplitude(after.amplitudes, before.amplitudes), `circuit ${seed}`).toBeLessThan(
        1e-12,
      );
      // Read once more, it is the same to the letter.
      expect(gateObjects(editedCircuit(written, qubits))).toEqual(written);
    }
  });

  test('finds own controls in the list of qubits, beside further controls', () => {
    const circuit = [
      { gate: 'CX', qubits: [3, 2], controls: [0] },
      { gate: 'CSWAP', qubits: [1, 2, 3], controls: [0] },
      { gate: 'CCX', targets: [0], control: 1, controls: [2] },
    ];
    expect(names(editedCircuit(circuit))).toEqual(['X 3 0 2', 'SWAP 1 0 2 3', 'X 1 2 0']);
  });

  test('keeps measurements, their bits, conditions, resets, barriers and noise', () => {
    const circuit = [
      { gate: 'M', qubits: [1] },
      { gate: 'M', qubits: [0] },
      { gate: 'X', qubit: 2, condition: { bits: [0, 1], value: 2 } },
      { gate: 'RESET', qubits: [0] },
      { gate: 'BARRIER' },
      { gate: 'BARRIER', qubits: [0, 1] },
      { gate: 'NOISE', qubits: [1], channel: { name: 'depolarizing', p: 0.1 } },
    ];
    // The channel is handed on as it is.
    const read = editedCircuit(JSON.parse(JSON.stringify(circuit)), 3);
    expect(gateObjects(read)).toEqual([
      { gate: 'M', qubits: [1], bits: [0] },
      { gate: 'M', qubits: [0], bits: [1] },
      { gate: 'X', qubit: 2, condition: { bits: [0, 1], value: 2 } },
      { gate: 'RESET', qubits: [0] },
      { gate: 'BARRIER' },
      { gate: 'BARRIER', qubits: [0, 1] },
      { gate: 'NOISE', qubits: [1], channel: { name: 'depolarizing', p: 0.1 } },
    ]);
  });

  test('keeps what is written to a bit before what reads it, whatever the columns', () => {
    const circuit = editedCircuit(
      [
        { gate: 'X', qubit: 0 },
        { gate: 'M', qubits: [0], bits: [0] },
        { gate: 'Z', qubit: 1, condition: { bits: [0], value: 1 } },
        { gate: 'M', qubits: [2], bits: [0] },
        { gate: 'Y', qubit: 3, condition: { bits: [0], value: 1 } },
      ],
      4,
    );
    expect(names(circuit)).toEqual(['X 0', 'M 0', 'Z 1', 'M 2', 'Y 3']);
    expect(columnsOf(circuit)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('an edit', () => {
  const three = editedCircuit(
    [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 1, target: 2 },
    ],
    3,
  );

  test('inserts a gate before those of the column, as far left as there is room', () => {
    expect(names(insertSteps(three, 1, [step('Z', [0])]))).toEqual([
      'H 0',
      'Z 0',
      'X 0 1',
      'X 1 2',
    ]);
    const far = insertSteps(three, 3, [step('Z', [2])]);
    expect(columnsOf(far)).toEqual([0, 1, 2, 3]);
    expect(columnsOf(insertSteps(EMPTY, 5, [step('Z', [1])]))).toEqual([0]);
  });

  test('adds the qubits that a gate needs', () => {
    expect(insertSteps(EMPTY, 0, [step('H', [4])]).numQubits).toBe(5);
  });

  test('moves a gate along its wire, to others and to new ones, but never above the first', () => {
    const [h] = three.steps;
    expect(names(moveStep(three, h?.id ?? 0, 3, 1))).toEqual(['X 0 1', 'X 1 2', 'H 1']);
    expect(moveStep(three, h?.id ?? 0, 0, -1)).toBe(three);
    expect(moveStep(three, h?.id ?? 0, 0, 3).numQubits).toBe(4);
    expect(moveStep(three, h?.id ?? 0, 0, 64)).toBe(three);
  });

  test('moves one qubit of a gate, unless the gate has that qubit already', () => {
    const cx = three.steps[1];
    if (cx === undefined) throw new Error('unreachable');
    expect(withQubit(cx, 0, 1)).toBeUndefined();
    const moved = withQubit(cx, 0, 2);
    if (moved === undefined) throw new Error('unreachable');
    expect(names(replaceStep(three, moved))).toEqual(['H 0', 'X 2 1', 'X 1 2']);
  });

  test('takes out gates, and the last qubit with the gates on it', () => {
    expect(names(removeSteps(three, [three.steps[1]?.id ?? 0]))).toEqual(['H 0', 'X 1 2']);
    expect(names(removeQubit(three, 2))).toEqual(['H 0', 'X 0 1']);
    expect(addQubit(three).numQubits).toBe(4);
    const one = { numQubits: 1, steps: [] };
    expect(removeQubit(one, 0)).toBe(one);
  });

  test('leaves the circuit from which it was made as it is', () => {
    const before = structuredClone(three);
    insertSteps(three, 0, [step('X', [0])]);
    removeQubit(three, 0);
    moveStep(three, 1, 4, 0);
    expect(three).toEqual(before);
  });

  test('finds gates by place, and counts those before a column', () => {
    expect(stepAt(three, 1, 1)?.name).toBe('X');
    expect(stepAt(three, 2, 0)).toBeUndefined();
    expect(objectsBefore(three, 2)).toBe(2);
    expect(numColumns(three)).toBe(3);
  });
});

describe('a qubit that is taken out', () => {
  test('leaves the others with their gates, and measurements with bits of the same numbers', () => {
    const circuit = editedCircuit(
      [
        { gate: 'H', qubit: 2 },
        { gate: 'CX', control: 2, target: 0, controls: [3] },
        { gate: 'X', qubit: 1 },
        { gate: 'BARRIER' },
        { gate: 'M', qubits: [2], bits: [2] },
        { gate: 'M', qubits: [1], bits: [1] },
        { gate: 'Z', qubit: 0, condition: { bits: [2], value: 1 } },
        { gate: 'Y', qubit: 3, condition: { bits: [1], value: 1 } },
      ],
      4,
    );
    // What depends on the bit of the qubit goes, too.
    expect(gateObjects(removeQubit(circuit, 1))).toEqual([
      { gate: 'H', qubit: 1 },
      { gate: 'CCX', controls: [1, 2], target: 0 },
      { gate: 'BARRIER' },
      { gate: 'M', qubits: [1], bits: [1] },
      { gate: 'Z', qubit: 0, condition: { bits: [1], value: 1 } },
    ]);
  });
});

describe('an open control', () => {
  const open = editedCircuit([{ gate: 'CX', control: 0, target: 2, controls: [1] }], 3);
  const [first] = open.steps;
  if (first === undefined) throw new Error('unreachable: a gate');
  const onZero = replaceStep(open, withControlOn(first, 0, 0));

  test('is a control between two X in the API, and is read from them', async () => {
    const written = gateObjects(onZero);
    expect(written).toEqual([
      { gate: 'X', qubit: 0 },
      { gate: 'CCX', controls: [0, 1], target: 2 },
      { gate: 'X', qubit: 0 },
    ]);
    expect(editedCircuit(written, 3).steps[0]).toMatchObject({ controls: [0, 1], open: [0] });
    // The target is flipped while qubit 0 is 0 and qubit 1 is 1.
    const { probabilities } = await stateOf({
      circuit: [{ gate: 'X', qubit: 1 }, ...written],
      qubits: 3,
    });
    expect(probabilities[6]).toBeCloseTo(1, 12);
  });

  test('is read from negctrl', async () => {
    const qasm =
      'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[3] q;\nnegctrl(2) @ y q[2], q[0], q[1];';
    const answer = await computer.answer({ ask: 'parse', source: { qasm } });
    if (answer.kind !== 'parsed') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
    const { steps } = editedCircuit(answer.circuit ?? [], 3);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ name: 'Y', targets: [1] });
    expect([...(steps[0]?.open ?? [])].sort()).toEqual([0, 2]);
  });

  test('is not read from gates that are elsewhere, or under a condition', () => {
    const x = { gate: 'X', qubit: 0 };
    const cx = { gate: 'CX', control: 0, target: 1 };
    const condition = { bits: [0], value: 1 };
    const m = { gate: 'M', qubits: [2], bits: [0] };
    for (const circuit of [
      [x, cx],
      [cx, x],
      [{ gate: 'X', qubit: 1 }, cx, { gate: 'X', qubit: 1 }],
      [x, { gate: 'H', qubit: 0 }, cx, x],
      [m, { ...x, condition }, cx, { ...x, condition }],
    ]) {
      expect(editedCircuit(circuit, 3).steps).toHaveLength(circuit.length);
    }
    // The gate itself may have one.
    expect(editedCircuit([m, x, { ...cx, condition }, x], 3).steps).toHaveLength(2);
  });

  test('goes with its gate, its control and back to 1', () => {
    const [gate] = onZero.steps;
    if (gate === undefined) throw new Error('unreachable: a gate');
    expect(withQubit(gate, 0, 3)).toMatchObject({ controls: [3, 1], open: [3] });
    expect(withControls(gate, [1])).not.toHaveProperty('open');
    expect(gateObjects({ ...onZero, steps: [withControlOn(gate, 0, 1)] })).toHaveLength(1);
    expect(objectsBefore(onZero, 1)).toBe(3);
    expect(stepWords(gate)).toBe('X on q2, controlled by q0 on 0, q1');
  });
});

describe('the examples', () => {
  test('are twelve, each with a sentence, and valid', async () => {
    expect(EXAMPLES).toHaveLength(12);
    for (const { circuit, qubits, inputs, says } of EXAMPLES) {
      expect(says).toMatch(/\.$/);
      const edited = gateObjects(editedCircuit(circuit, qubits));
      const state = await stateOf({ circuit: edited, qubits, ...(inputs && { inputs }) });
      expect(state.numQubits).toBe(qubits);
    }
  });

  const example = (name: string) => {
    const found = EXAMPLES.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  /** Probability that the bits of a basis index, under a mask, have a value. */
  async function probability(name: string, mask: number, value: number): Promise<number> {
    const { circuit, qubits, inputs } = example(name);
    const state = await stateOf({ circuit, qubits, ...(inputs && { inputs }) });
    let sum = 0;
    for (const [index, each] of state.probabilities.entries())
      if ((index & mask) === value) sum += each;
    return sum;
  }

  test.each([
    ['superdense', 0b11, 0b11, 1],
    ['deutsch-jozsa', 0b111, 0b111, 1],
    ['bernstein-vazirani', 0b111, 0b101, 1],
    ['grover', 0b111, 0b101, 0.9453125],
    ['phase-estimation', 0b111, 0b011, 1],
    ['qaoa', 0b1111, 0b0101, 0.265625],
  ])('%s does what it says', async (name, mask, value, expected) => {
    expect(await probability(name, mask, value)).toBeCloseTo(expected, 9);
  });

  test('teleportation and the code keep the state of qubit 0, whatever is measured', async () => {
    for (const [name, qubit] of [
      ['teleportation', 2],
      ['bit-flip-code', 0],
    ] as const) {
      const { circuit, qubits } = example(name);
      for (let seed = 0; seed < 8; seed++) {
        const state = await stateOf({ circuit, qubits }, seed);
        let one = 0;
        for (const [index, each] of state.probabilities.entries()) {
          if ((index >> qubit) % 2 === 1) one += each;
        }
        expect(one).toBeCloseTo(0.25, 9);
      }
    }
  });
});

describe('words', () => {
  test.each([
    ['0.3', 0.3],
    ['pi/2', Math.PI / 2],
    ['-3*pi/4', (-3 * Math.PI) / 4],
    ['2π', 2 * Math.PI],
    ['−π/3', -Math.PI / 3],
    ['1e-3', 0.001],
    ['', undefined],
    ['*pi', undefined],
    ['pie', undefined],
    ['1/0', undefined],
    ['90deg', Math.PI / 2],
    ['-45°', -Math.PI / 4],
    ['90d', undefined],
    ['deg', undefined],
  ])('the angle %s is read', (text, value) => {
    if (value === undefined) expect(readAngle(text)).toBeUndefined();
    else expect(readAngle(text)).toBeCloseTo(value, 12);
  });

  test('angles are written so that they can be read', () => {
    for (const angle of [0, Math.PI, -Math.PI / 4, (3 * Math.PI) / 8, 0.123456, -2.5]) {
      expect(readAngle(writeAngle(angle, 6))).toBeCloseTo(angle, 6);
    }
    expect(writeAngle(Math.PI / 2)).toBe('π/2');
    expect(writeAngle(-Math.PI)).toBe('−π');
  });

  test.each([
    ['a', { input: 'a' }],
    ['−a', { input: 'a', scale: -1 }],
    ['2·a + π/4', { input: 'a', scale: 2, offset: Math.PI / 4 }],
    ['−π/2·b − 0.50', { input: 'b', scale: -Math.PI / 2, offset: -0.5 }],
  ])('the angle %s depends on an input, and is written as it is read', (text, angle) => {
    expect(readGateAngle(text)).toEqual(angle);
    expect(writeGateAngle(angle)).toBe(text);
  });

  test.each(['pi*', '2 a', 'a + b', 'a*2', 'a +', 'sin(a)', '1 apple'])(
    '%s is no angle',
    (text) => {
      expect(readGateAngle(text)).toBeUndefined();
    },
  );

  test('gates are said with their qubits, angles and conditions', () => {
    const [rx, m] = editedCircuit([
      {
        gate: 'CRX',
        control: 1,
        target: 0,
        theta: { input: 'a' },
        condition: { bits: [0], value: 1 },
      },
      { gate: 'M', qubits: [0] },
    ]).steps;
    expect(rx && stepWords(rx)).toBe('RX with theta a on q0, controlled by q1, if c0 = 1');
    expect(m && stepWords(m)).toBe('Measurement on q0');
  });

  test('the most likely states are shown in the order of their indices, or the most likely first', () => {
    const probabilities = Float64Array.of(0.1, 0.4, 0.05, 0.45);
    const amplitudes = Float64Array.of(0, 0, 0, 0.6, 0, 0, -0.67, 0);
    const state = { numQubits: 2, probabilities, amplitudes };
    const rows = stateRows(state, 2);
    expect(rows.map(({ label }) => label)).toEqual(['01', '11']);
    expect(rows.map(({ phase }) => phaseText(phase))).toEqual(['π/2', 'π']);
    expect(hueOf(0)).not.toBe(hueOf(Math.PI));
    const byProbability = stateRows(state, 4, true);
    expect(byProbability.map(({ label }) => label)).toEqual(['11', '01', '00', '10']);
    expect(wordsOfRows(byProbability)).toBe('11 45%, 01 40%, 00 10%, 10 5%');
  });

  test('equal states keep their order, also where they differ by rounding', () => {
    const probabilities = Float64Array.of(0.25 - 1e-16, 0.25, 0.25 - 2e-16, 0.25);
    const rows = stateRows(
      { numQubits: 2, probabilities, amplitudes: new Float64Array(8) },
      3,
      true,
    );
    expect(rows.map(({ label }) => label)).toEqual(['00', '01', '10']);
  });

  test('states that are not named are counted', () => {
    const probabilities = new Float64Array(32).fill(1 / 32);
    const rows = stateRows({ numQubits: 5, probabilities, amplitudes: new Float64Array(64) }, 32);
    expect(wordsOfRows(rows)).toMatch(/^00000 3.13%, .* 01111 3.13%, and 16 more$/);
  });

  test.each([
    [0, '0%'],
    [1, '100%'],
    [0.5 - 1e-16, '50%'],
    [0.125, '12.5%'],
    [1 / 3, '33.3%'],
    [1 / 32 - 1e-17, '3.13%'],
    [1 / 65536, '0.00153%'],
    [1e-6, '<0.001%'],
    [0.99999, '>99.9%'],
    [0.9945, '99.5%'],
  ])('the probability %d is written as %s', (probability, text) => {
    expect(probabilityText(probability)).toBe(text);
  });
});

describe('a Python program', () => {
  const measured = editedCircuit(
    [
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'RESET', qubits: [1], condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [1], bits: [1] },
    ],
    2,
  );
  const conditional = editedCircuit(
    [
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'M', qubits: [1], bits: [1], condition: { bits: [0], value: 1 } },
    ],
    2,
  );

  test('keeps the condition of a reset where the framework has one, and is refused elsewhere', () => {
    expect(pythonText('Qiskit', measured, {}, [])).toContain(
      'with qc.if_test((qc.clbits[0], 1)):\n    qc.reset(1)',
    );
    expect(pythonText('Cirq', measured, {}, [])).toContain(
      'cirq.reset(q[1]).with_classical_controls("c0")',
    );
    expect(() => pythonText('PennyLane', measured, {}, [])).toThrow(
      'PennyLane has no condition for this operation: RESET.',
    );
  });

  test('keeps the condition of a measurement in Qiskit, and is refused in the others', () => {
    expect(pythonText('Qiskit', conditional, {}, [])).toContain(
      'with qc.if_test((qc.clbits[0], 1)):\n    qc.measure(1, 1)',
    );
    for (const framework of ['Cirq', 'PennyLane'] as const) {
      expect(() => pythonText(framework, conditional, {}, [])).toThrow(
        `${framework} has no condition for this operation: M.`,
      );
    }
  });

  test.each([
    ['Qiskit', 'FSIM', 'qc.append(UnitaryGate([[1+0j,', '.control(1, annotated=False), [0, 2, 1])'],
    ['Cirq', 'RZX', 'cirq.MatrixGate(np.array([[0.9', '(q[1], q[2]).controlled_by(q[0]),'],
    ['PennyLane', 'FSIM', 'qml.QubitUnitary(np.array([[1+0j,', 'wires=[1, 2]), control=0)'],
  ] as const)(
    'for %s has the matrix of %s, which it lacks',
    async (framework, gate, begins, ends) => {
      const angles = gate === 'FSIM' ? { theta: 0.7, phi: 0.2 } : { theta: 0.7 };
      const circuit = [{ gate, qubits: [2, 1], controls: [0], ...angles }];
      const answer = await computer.answer({ ask: 'matrices', source: { circuit } });
      if (answer.kind !== 'matrices') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
      const text = pythonText(framework, editedCircuit(circuit), {}, answer.matrices);
      expect(text).toContain(begins);
      expect(text).toContain(ends);
    },
  );

  test.each([
    [
      'Qiskit',
      ['theta = Parameter("theta")', 'qc.rx(pi/2, 0)', 'qc.cx(0, 1)', 'qc.p(-2*theta + pi/4, 1)'],
    ],
    ['Cirq', ['theta = sympy.Symbol("theta")', 'cirq.rx(pi/2)(q[0]),', 'cirq.CNOT(q[0], q[1]),']],
    ['PennyLane', ['def circuit(theta):', 'qml.RX(pi/2, wires=0)', 'qml.CNOT(wires=[0, 1])']],
  ] as const)('for %s is as people write it, with inputs as its parameters', (framework, lines) => {
    const circuit = editedCircuit([
      { gate: 'RX', qubit: 0, theta: Math.PI / 2 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'P', qubit: 1, theta: { input: 'theta', scale: -2, offset: Math.PI / 4 } },
    ]);
    const text = pythonText(framework, circuit, { theta: 0.1 }, []);
    for (const line of [...lines, 'values = {"theta": 0.1}']) expect(text).toContain(line);
    const origin = 'https://qcs.example';
    const atService = pythonText(framework, circuit, { theta: 0.1 }, [], origin);
    expect(atService).toContain(origin);
    expect(atService).toMatch(framework === 'PennyLane' ? /qcs\.simulator/ : /from qcs_client/);
  });

  test('leaves the number of wires to PennyLane where it measures in the middle', () => {
    const teleportation = EXAMPLES.find(({ name }) => name === 'teleportation');
    if (teleportation === undefined) throw new Error('unreachable');
    const circuit = editedCircuit(teleportation.circuit, teleportation.qubits);
    expect(pythonText('PennyLane', circuit, {}, [])).toContain('qml.device("default.qubit")');
    expect(pythonText('PennyLane', EMPTY, {}, [])).toContain(
      'qml.device("default.qubit", wires=2)',
    );
  });
});

describe('a change of a text', () => {
  test.each([
    ['h q[0];\nx q[1];', 'h q[0];\ny q[1];', { from: 8, to: 9, insert: 'y' }],
    ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
    ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
    ['', 'x', { from: 0, to: 0, insert: 'x' }],
    ['x', 'x', { from: 1, to: 1, insert: '' }],
  ])('from %j to %j is as short as it can be in one place', (before, after, change) => {
    expect(changeTo(before, after)).toEqual(change);
    const { from, to, insert } = changeTo(before, after);
    expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
  });
});

describe('a display', () => {
  const display = (name: string, qubit: number): Omit<Step, 'id'> => step(name, [qubit]);
  const H = { gate: 'H', qubit: 0 };
  const CX = { gate: 'CX', control: 0, target: 1 };
  const shown = insertSteps(insertSteps(editedCircuit([H, CX]), 1, [display('bloch', 0)]), 9, [
    display('probability', 1),
  ]);

  test('has a place of the grid, and is no gate of what is sent, counted or exported', () => {
    expect(names(shown)).toEqual(['H 0', 'bloch 0', 'X 0 1', 'probability 1']);
    expect(columnsOf(shown)).toEqual([0, 1, 2, 3]);
    expect(gateObjects(shown)).toEqual([H, CX]);
    expect([1, 2, 3, 4].map((column) => objectsBefore(shown, column))).toEqual([1, 1, 2, 2]);
    for (const framework of ['Qiskit', 'Cirq', 'PennyLane'] as const) {
      const text = pythonText(framework, shown, {}, []);
      expect(text).toBe(pythonText(framework, editedCircuit([H, CX]), {}, []));
    }
    expect(circuitWords(shown)).toBe('Circuit of 2 qubits with 2 gates and 2 displays');
    expect(takesControls({ name: 'bloch' })).toBe(false);
  });

  test('is kept in a link at its place, and a link of something else holds none', async () => {
    const version = { circuit: shown };
    const shared = await readShared(await writeShared(sharedGatesOf(version)));
    if (shared === undefined || !('circuit' in shared)) throw new Error('no circuit');
    expect(shared.displays).toEqual([
      { show: 'bloch', qubit: 0, after: 1 },
      { show: 'probability', qubit: 1, after: 2 },
    ]);
    expect(names(editedCircuit(shared.circuit, shared.qubits, shared.displays))).toEqual(
      names(shown),
    );
    const kept = readKept(keptText({ past: [], present: version, future: [] }, '', ''));
    expect(kept && names(kept.work.present.circuit)).toEqual(names(shown));
    for (const displays of [
      [{ show: 'X', qubit: 0, after: 0 }],
      [{ show: 'bloch', qubit: 64, after: 0 }],
      'x',
    ]) {
      expect(sharedOf({ qubits: 2, circuit: [H], displays })).toBeUndefined();
    }
  });

  test('between an X and a gate keeps them from becoming an open control', () => {
    const X = { gate: 'X', qubit: 0 };
    const between = insertSteps(editedCircuit([X]), 1, [display('probability', 0)]);
    const whole = insertSteps(between, 9, [step('X', [1], { controls: [0] }), step('X', [0])]);
    const { circuit, qubits, displays } = sharedGatesOf({ circuit: whole });
    expect(names(editedCircuit(circuit, qubits, displays))).toEqual(names(whole));
  });

  test('says its value at the cursor', () => {
    const [, bloch, , likely] = shown.steps;
    const vectors = new Map([
      [bloch?.id ?? 0, [1, 0, 0]],
      [likely?.id ?? 0, [0, 0, 0]],
    ] as const);
    expect(cellWords(shown, 1, 3, vectors)).toBe(
      'q1, column 4: Display of the probability of 1 of q1, 50%',
    );
    expect(cellWords(shown, 0, 1, vectors)).toContain('x 1.00, y 0.00, z 0.00, by itself');
    expect(cellWords(shown, 0, 1)).toBe('q0, column 2: Display of the Bloch vector of q0');
  });
});

describe('a link', () => {
  test('holds a text with values of its inputs', async () => {
    const shared = { qasm: 'input int n;', inputs: { n: 2 } };
    expect(await readShared(await writeShared(shared))).toEqual(shared);
  });

  test('holds a circuit, and other texts hold none', async () => {
    const [{ circuit, qubits }] = [EXAMPLES[6] ?? { circuit: [], qubits: 1 }];
    const text = await writeShared({ circuit, qubits, inputs: { a: 1 } });
    expect(text).toMatch(/^[\w-]+$/);
    expect(await readShared(text)).toEqual({ circuit, qubits, inputs: { a: 1 } });
    for (const other of ['', 'abc', '!!', text.slice(4), btoa('{"qubits":1}')]) {
      expect(await readShared(other)).toBeUndefined();
    }
  });
});

describe('the grid', () => {
  const gridOf = (circuit: EditedCircuit, room = 0) =>
    layoutCircuit(
      circuit.numQubits,
      drawnGates(circuit, () => ''),
      { isGrid: true, room },
    );
  const measured = editedCircuit(
    [
      { gate: 'H', qubit: 0 },
      { gate: 'BARRIER' },
      { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      { gate: 'X', qubit: 2, condition: { bits: [0, 1], value: 3 } },
      { gate: 'RZ', qubit: 2, theta: { input: 'angle' }, condition: { bits: [1], value: 1 } },
    ],
    3,
  );

  test('has twenty columns and more in the width of a desk, and narrow barriers', () => {
    const { columns, width } = gridOf(measured, 1150);
    expect(columns.length).toBeGreaterThanOrEqual(20);
    expect(width).toBeLessThanOrEqual(1150);
    const [h, barrier] = columns;
    expect(barrier?.width).toBeLessThan((h?.width ?? 0) / 2);
    // A name of any length has its room.
    const { boxWidth, gate } = gridOf(measured).gates[4] ?? {};
    expect(boxWidth).toBeGreaterThan(6 * (gate?.detail?.length ?? 0));
  });

  test('has a line of the classical bits where there are some, and conditions in words', () => {
    const { bits, height, wires, gates } = gridOf(measured);
    expect(bits).toBeGreaterThan(wires[2] ?? 0);
    expect(bits).toBeLessThan(height);
    expect(gates.map(({ gate }) => gate.writes)).toEqual([
      undefined,
      undefined,
      '0, 1',
      undefined,
      undefined,
    ]);
    expect(gates.flatMap(({ gate }) => gate.condition ?? [])).toEqual(['if c = 3', 'if c1 = 1']);
    expect(gridOf(EMPTY).bits).toBeUndefined();
  });

  test('lets no line to the bits cross a gate', () => {
    const crossed = editedCircuit(
      [
        { gate: 'M', qubits: [0] },
        { gate: 'X', qubit: 2 },
      ],
      3,
    );
    expect(columnsOf(crossed)).toEqual([0, 1]);
  });
});

describe('an EVOLVE', () => {
  const object = {
    gate: 'EVOLVE',
    hamiltonian: [{ pauli: 'Z0 X2', coefficient: { input: 'J' } }, { pauli: 'Y1' }],
    time: { input: 't' },
    order: 4,
    max_error: 1e-3,
    controls: [3],
    condition: { bits: [0], value: 1 },
  };
  const measured = { gate: 'M', qubits: [0], bits: [0] };
  const circuit = editedCircuit([measured, object], 5);

  test('is a box on the qubits of its Hamiltonian, and is written as it was', () => {
    expect(circuit.steps[1]).toMatchObject({ name: 'EVOLVE', targets: [0, 1, 2], controls: [3] });
    expect(gateObjects(circuit)).toEqual([measured, object]);
    expect(inputNames(circuit)).toEqual(['J', 't']);
  });

  test('takes its Hamiltonian along where it is moved', () => {
    const moved = gateObjects(moveStep(circuit, 2, 1, 1))[1];
    expect(moved?.hamiltonian?.map(({ pauli }) => pauli)).toEqual(['Z1 X3', 'Y2']);
    expect(moved?.controls).toEqual([4]);
  });

  test('has no Python, and says so', () => {
    expect(() => pythonText('Qiskit', circuit, {}, [])).toThrow('POST /quantum/compile');
  });
});
