/**
 * The circuit as a Python program for Qiskit, Cirq and PennyLane. Angles with inputs are written with their values, and
 * gates that a framework lacks as their matrices.
 */
import type { GateAngle, MatrixRows } from '../live-state/messages.ts';
import {
  type EditedCircuit,
  type Step,
  takesControls,
  withoutOpenControls,
} from './edited-circuit.ts';
import { type AngleName, anglesOf } from './gate-table.ts';

export type Framework = 'Qiskit' | 'Cirq' | 'PennyLane';

/** Noise, or a condition, that a framework cannot express in this form. */
class UnwritableGateError extends Error {
  override readonly name = 'UnwritableGateError';

  constructor(framework: Framework, step: Step, why = 'has no such gate') {
    super(`${framework} ${why}: ${'C'.repeat(step.controls.length)}${step.name}.`);
  }
}

/** Why a measurement or a reset under a condition is refused. */
const UNCONDITIONAL = 'has no condition for this operation';

interface Values {
  readonly [input: string]: number;
}

/**
 * Writes a program that builds the circuit.
 *
 * @param inputs - Values of inputs.
 * @param matrices - Matrix of each gate on its targets, in order; the first target is least significant.
 * @throws {UnwritableGateError}
 */
export function pythonText(
  framework: Framework,
  circuit: EditedCircuit,
  inputs: Values,
  matrices: readonly MatrixRows[],
): string {
  const evolution = circuit.steps.find((step) => step.evolution !== undefined);
  if (evolution !== undefined) {
    const why = 'is not written here for this gate, which POST /quantum/compile writes out';
    throw new UnwritableGateError(framework, evolution, why);
  }
  let numGates = 0;
  const steps = withoutOpenControls(circuit.steps).map((step) => {
    const matrix = takesControls(step) ? matrices[numGates++] : undefined;
    if (step.name === 'GPHASE' && step.controls.length > 0) return phaseStep(step);
    return matrix === undefined || isKnown(framework, step) ? step : matrixStep(step, matrix);
  });
  const written = { ...circuit, steps };
  switch (framework) {
    case 'Qiskit':
      return qiskitText(written, inputs);
    case 'Cirq':
      return cirqText(written, inputs);
    case 'PennyLane':
      return pennylaneText(written, inputs);
  }
}

/** Whether a framework has a gate, whatever its controls. */
function isKnown(framework: Framework, { name }: Step): boolean {
  if (name === 'UNITARY') return true;
  switch (framework) {
    case 'Qiskit':
      return name === 'GPHASE' || Object.hasOwn(QISKIT, name);
    case 'Cirq':
      return Object.hasOwn(CIRQ, name) || Object.hasOwn(CIRQ_TURNS, name);
    case 'PennyLane':
      return Object.hasOwn(PENNYLANE, name) || Object.hasOwn(PENNYLANE_INVERSES, name);
  }
}

/** A global phase under controls is a phase of the last one. */
function phaseStep(step: Step): Step {
  const { controls, angles } = step;
  const theta = angles.gamma ?? 0;
  return {
    ...step,
    name: 'P',
    controls: controls.slice(0, -1),
    targets: controls.slice(-1),
    angles: { theta },
  };
}

/** The gate as its matrix. That of a global phase is on a qubit. */
function matrixStep(step: Step, matrix: MatrixRows): Step {
  const unitary = { ...step, name: 'UNITARY', angles: {} };
  const phase = matrix.length === 1 ? matrix[0]?.[0] : undefined;
  if (phase === undefined) return { ...unitary, matrix };
  const onQubit: MatrixRows = [
    [phase, [0, 0]],
    [[0, 0], phase],
  ];
  return { ...unitary, targets: step.targets.slice(0, 1), matrix: onQubit };
}

function number(angle: GateAngle | undefined, inputs: Values): string {
  if (angle === undefined) return '0';
  if (typeof angle === 'number') return String(angle);
  return String((inputs[angle.input] ?? 0) * (angle.scale ?? 1) + (angle.offset ?? 0));
}

function anglesIn(step: Step, inputs: Values): readonly string[] {
  return anglesOf(step.name).map((name: AngleName) => number(step.angles[name], inputs));
}

function matrixText(matrix: MatrixRows): string {
  const rows = matrix.map(
    (row) =>
      `[${row.map(([re = 0, im = 0]) => `${re}${im < 0 ? '-' : '+'}${Math.abs(im)}j`).join(', ')}]`,
  );
  return `[${rows.join(', ')}]`;
}

const list = (qubits: readonly number[]): string => `[${qubits.join(', ')}]`;

const numBitsOf = ({ steps }: EditedCircuit): number =>
  Math.max(0, ...steps.flatMap(({ bits = [] }) => bits.map((bit) => bit + 1)));

/** Classes of Qiskit's circuit library. */
const QISKIT: Readonly<Record<string, string>> = {
  ID: 'IGate',
  H: 'HGate',
  X: 'XGate',
  Y: 'YGate',
  Z: 'ZGate',
  S: 'SGate',
  SDG: 'SdgGate',
  T: 'TGate',
  TDG: 'TdgGate',
  SX: 'SXGate',
  SXDG: 'SXdgGate',
  RX: 'RXGate',
  RY: 'RYGate',
  RZ: 'RZGate',
  P: 'PhaseGate',
  U: 'UGate',
  PRX: 'RGate',
  SWAP: 'SwapGate',
  ISWAP: 'iSwapGate',
  RXX: 'RXXGate',
  RYY: 'RYYGate',
  RZZ: 'RZZGate',
  RZX: 'RZXGate',
  ECR: 'ECRGate',
  DCX: 'DCXGate',
  CU3: 'CU3Gate',
  CU: 'CUGate',
  'XX+YY': 'XXPlusYYGate',
  'XX-YY': 'XXMinusYYGate',
  U2: 'U2Gate',
};

function qiskitText(circuit: EditedCircuit, inputs: Values): string {
  const used = new Set<string>();
  const lines = circuit.steps.map((step) => {
    const { name, controls, targets, bits = [], condition } = step;
    const body = (): string => {
      if (name === 'M') return `qc.measure(${list(targets)}, ${list(bits)})`;
      if (name === 'RESET') return `qc.reset(${list(targets)})`;
      if (name === 'BARRIER') return `qc.barrier(${list(targets)})`;
      if (name === 'GPHASE' && controls.length === 0) {
        return `qc.global_phase += ${number(step.angles.gamma, inputs)}`;
      }
      const isOwn = name === 'CU' || name === 'CU3';
      const gate = qiskitGate(step, inputs, used);
      const further = isOwn ? controls.length - 1 : controls.length;
      const controlled = further > 0 ? `${gate}.control(${further})` : gate;
      return `qc.append(${controlled}, ${list([...controls, ...targets])})`;
    };
    const text = body();
    if (condition === undefined) return text;
    const [bit] = condition.bits;
    const tests = condition.bits.map((each, i) => `(${each}, ${(condition.value >> i) % 2})`);
    if (condition.bits.length === 1) {
      return `with qc.if_test((qc.clbits[${bit}], ${condition.value})):\n    ${text}`;
    }
    // One test within the other.
    return tests
      .map(
        (_, i) =>
          `${'    '.repeat(i)}with qc.if_test((qc.clbits[${condition.bits[i]}], ${(condition.value >> i) % 2})):`,
      )
      .concat(`${'    '.repeat(tests.length)}${text}`)
      .join('\n');
  });
  const imports = [...used].sort();
  return [
    'from qiskit import QuantumCircuit',
    ...(imports.length > 0 ? [`from qiskit.circuit.library import ${imports.join(', ')}`] : []),
    '',
    `qc = QuantumCircuit(${circuit.numQubits}, ${numBitsOf(circuit)})`,
    ...lines,
    '',
    'print(qc)',
    '',
  ].join('\n');
}

function qiskitGate(step: Step, inputs: Values, used: Set<string>): string {
  if (step.name === 'UNITARY') {
    used.add('UnitaryGate');
    return `UnitaryGate(${matrixText(step.matrix ?? [])})`;
  }
  const name = QISKIT[step.name];
  if (name === undefined) throw new UnwritableGateError('Qiskit', step);
  used.add(name);
  return `${name}(${anglesIn(step, inputs).join(', ')})`;
}

const CIRQ: Readonly<Record<string, string>> = {
  ID: 'cirq.I',
  H: 'cirq.H',
  X: 'cirq.X',
  Y: 'cirq.Y',
  Z: 'cirq.Z',
  S: 'cirq.S',
  SDG: '(cirq.S**-1)',
  T: 'cirq.T',
  TDG: '(cirq.T**-1)',
  SX: '(cirq.X**0.5)',
  SXDG: '(cirq.X**-0.5)',
  SWAP: 'cirq.SWAP',
  ISWAP: 'cirq.ISWAP',
  SQRTISWAP: '(cirq.ISWAP**0.5)',
};

/** Gates of Cirq with angles. */
const CIRQ_TURNS: Readonly<Record<string, (a: string, b: string, c: string) => string>> = {
  RX: (a) => `cirq.rx(${a})`,
  RY: (a) => `cirq.ry(${a})`,
  RZ: (a) => `cirq.rz(${a})`,
  P: (a) => `(cirq.Z**(${a} / math.pi))`,
  U: (a, b, c) => `cirq.MatrixGate(u(${a}, ${b}, ${c}))`,
  RXX: (a) => `cirq.ms(${a} / 2)`,
  RZZ: (a) => `cirq.ZZPowGate(exponent=${a} / math.pi, global_shift=-0.5)`,
  RYY: (a) => `cirq.YYPowGate(exponent=${a} / math.pi, global_shift=-0.5)`,
  FSIM: (a, b) => `cirq.FSimGate(${a}, ${b})`,
};

function cirqText(circuit: EditedCircuit, inputs: Values): string {
  const lines = circuit.steps.flatMap((step) => {
    const { name, controls, targets, bits = [], condition } = step;
    const on = (qubits: readonly number[]) => qubits.map((qubit) => `q[${qubit}]`).join(', ');
    const conditions = (condition?.bits ?? [])
      .map((bit, i) =>
        ((condition?.value ?? 0) >> i) % 2 === 1
          ? `.with_classical_controls("c${bit}")`
          : `.with_classical_controls(sympy.Eq(sympy.Symbol("c${bit}"), 0))`,
      )
      .join('');
    if (name === 'BARRIER') return [];
    if (name === 'M') {
      if (condition !== undefined) throw new UnwritableGateError('Cirq', step, UNCONDITIONAL);
      return targets.map((qubit, i) => `    cirq.measure(q[${qubit}], key="c${bits[i]}"),`);
    }
    if (name === 'RESET') {
      return targets.map((qubit) => `    cirq.reset(q[${qubit}])${conditions},`);
    }
    const [a = '0', b = '0', c = '0'] = anglesIn(step, inputs);
    const gate =
      name === 'UNITARY'
        ? `cirq.MatrixGate(np.array(${matrixText(step.matrix ?? [])}))`
        : (CIRQ[name] ?? CIRQ_TURNS[name]?.(a, b, c));
    if (gate === undefined) throw new UnwritableGateError('Cirq', step);
    // The first qubit of a Cirq matrix is the most significant one.
    const order = name === 'UNITARY' ? targets.toReversed() : targets;
    const controlled =
      controls.length === 0
        ? `${gate}(${on(order)})`
        : `${gate}.controlled(${controls.length})(${on([...controls, ...order])})`;
    return [`    ${controlled}${conditions},`];
  });
  const body = lines.join('\n');
  return [
    ...(body.includes('math.') || body.includes('u(') ? ['import math', ''] : []),
    'import cirq',
    ...(body.includes('np.') || body.includes('(u(') ? ['import numpy as np'] : []),
    ...(body.includes('sympy.') ? ['import sympy'] : []),
    '',
    ...(body.includes('(u(')
      ? [
          '',
          'def u(theta, phi, lam):',
          '    c, s = math.cos(theta / 2), math.sin(theta / 2)',
          '    return np.array([[c, -np.exp(1j * lam) * s], [np.exp(1j * phi) * s, np.exp(1j * (phi + lam)) * c]])',
          '',
          '',
        ]
      : []),
    `q = cirq.LineQubit.range(${circuit.numQubits})`,
    'circuit = cirq.Circuit(',
    ...(lines.length > 0 ? [body] : []),
    ')',
    '',
    'print(circuit)',
    '',
  ].join('\n');
}

const PENNYLANE: Readonly<Record<string, string>> = {
  ID: 'Identity',
  H: 'Hadamard',
  X: 'PauliX',
  Y: 'PauliY',
  Z: 'PauliZ',
  S: 'S',
  T: 'T',
  SX: 'SX',
  RX: 'RX',
  RY: 'RY',
  RZ: 'RZ',
  P: 'PhaseShift',
  U: 'U3',
  U2: 'U2',
  SWAP: 'SWAP',
  ISWAP: 'ISWAP',
  SQRTISWAP: 'SISWAP',
  RXX: 'IsingXX',
  RYY: 'IsingYY',
  RZZ: 'IsingZZ',
  ECR: 'ECR',
};
const PENNYLANE_INVERSES: Readonly<Record<string, string>> = { SDG: 'S', TDG: 'T', SXDG: 'SX' };

function pennylaneText(circuit: EditedCircuit, inputs: Values): string {
  const lines = circuit.steps.flatMap((step) => {
    const { name, controls, targets, bits = [], condition } = step;
    if (name === 'BARRIER') return [`    qml.Barrier(wires=${list(targets)})`];
    if (condition !== undefined && (name === 'M' || name === 'RESET')) {
      throw new UnwritableGateError('PennyLane', step, UNCONDITIONAL);
    }
    if (name === 'M') return targets.map((qubit, i) => `    c${bits[i]} = qml.measure(${qubit})`);
    if (name === 'RESET') return targets.map((qubit) => `    qml.measure(${qubit}, reset=True)`);
    const inverse = PENNYLANE_INVERSES[name];
    const known = PENNYLANE[name];
    const angles = anglesIn(step, inputs)
      .map((each) => `${each}, `)
      .join('');
    const wires = (qubits: readonly number[]) => `wires=${list(qubits)}`;
    let gate: string;
    // The first wire of a PennyLane matrix is the most significant one.
    if (name === 'UNITARY')
      gate = `qml.QubitUnitary(np.array(${matrixText(step.matrix ?? [])}), ${wires(targets.toReversed())})`;
    else if (inverse !== undefined) gate = `qml.adjoint(qml.${inverse}(${wires(targets)}))`;
    else if (known !== undefined) gate = `qml.${known}(${angles}${wires(targets)})`;
    else throw new UnwritableGateError('PennyLane', step);
    const controlled =
      controls.length === 0 ? gate : `qml.ctrl(${gate}, control=${list(controls)})`;
    if (condition === undefined) return [`    ${controlled}`];
    const tests = condition.bits.map((bit, i) => `(c${bit} == ${(condition.value >> i) % 2})`);
    if (controls.length > 0 || inverse !== undefined) {
      return [`    qml.cond(${tests.join(' & ')}, lambda: ${controlled})()`];
    }
    return [`    qml.cond(${tests.join(' & ')}, lambda: ${gate})()`];
  });
  const isMeasured = circuit.steps.some(({ name }) => name === 'M' || name === 'RESET');
  return [
    ...(lines.some((line) => line.includes('np.')) ? ['import numpy as np'] : []),
    'import pennylane as qml',
    '',
    // Deferred measurements take further wires, so that a device with measurements has as many as it needs.
    `device = qml.device("default.qubit"${isMeasured ? '' : `, wires=${circuit.numQubits}`})`,
    '',
    '',
    '@qml.qnode(device)',
    'def circuit():',
    ...lines,
    isMeasured
      ? `    return qml.probs(wires=range(${circuit.numQubits}))`
      : '    return qml.state()',
    '',
    '',
    'print(circuit())',
    '',
  ].join('\n');
}
