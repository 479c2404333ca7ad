/** The circuit as a program for PennyLane. */
import type { EditedCircuit, Step } from './edited-circuit.ts';
import { inputsIn, pythonName } from './python-angles.ts';
import {
  anglesIn,
  KEY_NOTE,
  matrixText,
  oneOrList,
  piImport,
  UNCONDITIONAL,
  UnwritableGateError,
  type Values,
  valuesText,
} from './python-parts.ts';

export const PENNYLANE: Readonly<Record<string, string>> = {
  ID: 'Identity',
  H: 'Hadamard',
  X: 'X',
  Y: 'Y',
  Z: 'Z',
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
export const PENNYLANE_INVERSES: Readonly<Record<string, string>> = {
  SDG: 'S',
  TDG: 'T',
  SXDG: 'SX',
};

/** Gates of PennyLane with controls of their own, by the number of controls. */
const PENNYLANE_CONTROLLED: Readonly<Record<string, readonly (string | undefined)[]>> = {
  X: [undefined, 'CNOT', 'Toffoli'],
  Y: [undefined, 'CY'],
  Z: [undefined, 'CZ', 'CCZ'],
  H: [undefined, 'CH'],
  SWAP: [undefined, 'CSWAP'],
  RX: [undefined, 'CRX'],
  RY: [undefined, 'CRY'],
  RZ: [undefined, 'CRZ'],
  P: [undefined, 'ControlledPhaseShift'],
};

function pennylaneOperation(step: Step): string {
  const { name, controls, targets, matrix = [] } = step;
  const inverse = PENNYLANE_INVERSES[name];
  const known = PENNYLANE[name];
  const angles = anglesIn(step)
    .map((each) => `${each}, `)
    .join('');
  const wires = (qubits: readonly number[]) => `wires=${oneOrList(qubits)}`;
  const own = PENNYLANE_CONTROLLED[name]?.[controls.length];
  if (own !== undefined) return `qml.${own}(${angles}${wires([...controls, ...targets])})`;
  let gate: string;
  // The first wire of a PennyLane matrix is the most significant one.
  if (name === 'UNITARY')
    gate = `qml.QubitUnitary(np.array(${matrixText(matrix)}), ${wires(targets.toReversed())})`;
  else if (inverse !== undefined) gate = `qml.adjoint(qml.${inverse}(${wires(targets)}))`;
  else if (known !== undefined) gate = `qml.${known}(${angles}${wires(targets)})`;
  else throw new UnwritableGateError('PennyLane', step);
  return controls.length === 0 ? gate : `qml.ctrl(${gate}, control=${oneOrList(controls)})`;
}

/** Writes the program. @param origin - Address of the service that it runs the circuit at. */
export function pennylaneText(
  circuit: EditedCircuit,
  inputs: Values,
  origin: string | undefined,
): string {
  const lines = circuit.steps.flatMap((step) => {
    const { name, targets, bits = [], condition } = step;
    if (name === 'BARRIER') return [`    qml.Barrier(wires=${oneOrList(targets)})`];
    if (condition !== undefined && (name === 'M' || name === 'RESET')) {
      throw new UnwritableGateError('PennyLane', step, UNCONDITIONAL);
    }
    if (name === 'M') return targets.map((qubit, i) => `    c${bits[i]} = qml.measure(${qubit})`);
    if (name === 'RESET') return targets.map((qubit) => `    qml.measure(${qubit}, reset=True)`);
    const operation = pennylaneOperation(step);
    if (condition === undefined) return [`    ${operation}`];
    const tests = condition.bits.map((bit, i) => `(c${bit} == ${(condition.value >> i) % 2})`);
    return [`    qml.cond(${tests.join(' & ')}, lambda: ${operation})()`];
  });
  const isMeasured = circuit.steps.some(({ name }) => name === 'M' || name === 'RESET');
  const names = inputsIn(circuit.steps);
  const values = names.length > 0 ? [valuesText(names, inputs, pythonName)] : [];
  // Deferred measurements take further wires, so that a device with measurements has as many as it needs.
  const numWires = isMeasured && origin === undefined ? [] : [`wires=${circuit.numQubits}`];
  const device = [
    JSON.stringify(origin === undefined ? 'default.qubit' : 'qcs.simulator'),
    ...numWires,
    ...(origin === undefined ? [] : [`url=${JSON.stringify(origin)}`]),
  ];
  return [
    ...piImport([...lines, ...values]),
    ...(lines.some((line) => line.includes('np.')) ? ['import numpy as np'] : []),
    'import pennylane as qml',
    '',
    ...(origin === undefined ? [] : [KEY_NOTE]),
    `device = qml.device(${device.join(', ')})`,
    '',
    '',
    '@qml.qnode(device)',
    `def circuit(${names.map(pythonName).join(', ')}):`,
    ...lines,
    isMeasured
      ? `    return qml.probs(wires=range(${circuit.numQubits}))`
      : '    return qml.state()',
    '',
    '',
    ...values,
    names.length > 0 ? 'print(circuit(**values))' : 'print(circuit())',
    '',
  ].join('\n');
}
