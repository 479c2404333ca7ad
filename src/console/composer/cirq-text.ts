/** The circuit as a program for Cirq. */
import type { EditedCircuit, Step } from './edited-circuit.ts';
import { halfTurnsText, inputsIn, pythonName } from './python-angles.ts';
import {
  anglesIn,
  KEY_NOTE,
  matrixText,
  piImport,
  UNCONDITIONAL,
  UnwritableGateError,
  type Values,
  valuesText,
} from './python-parts.ts';

/** Gates of Cirq, with the exponent of those that are written as powers. */
export const CIRQ: Readonly<Record<string, readonly [gate: string, exponent?: string]>> = {
  ID: ['cirq.I'],
  H: ['cirq.H'],
  X: ['cirq.X'],
  Y: ['cirq.Y'],
  Z: ['cirq.Z'],
  S: ['cirq.S'],
  SDG: ['cirq.S', '-1'],
  T: ['cirq.T'],
  TDG: ['cirq.T', '-1'],
  SX: ['cirq.X', '0.5'],
  SXDG: ['cirq.X', '-0.5'],
  SWAP: ['cirq.SWAP'],
  ISWAP: ['cirq.ISWAP'],
  SQRTISWAP: ['cirq.ISWAP', '0.5'],
};

/** Gates of Cirq with controls of their own. */
const CIRQ_CONTROLLED: Readonly<Record<string, readonly (string | undefined)[]>> = {
  X: [undefined, 'cirq.CNOT', 'cirq.CCNOT'],
  Z: [undefined, 'cirq.CZ', 'cirq.CCZ'],
  SWAP: [undefined, 'cirq.CSWAP'],
};

/** Gates of Cirq with angles. */
export const CIRQ_TURNS: Readonly<Record<string, (step: Step) => string>> = {
  RX: (step) => `cirq.rx(${anglesIn(step)[0]})`,
  RY: (step) => `cirq.ry(${anglesIn(step)[0]})`,
  RZ: (step) => `cirq.rz(${anglesIn(step)[0]})`,
  P: ({ angles }) => `cirq.ZPowGate(exponent=${halfTurnsText(angles.theta ?? 0)})`,
  U: (step) => `cirq.MatrixGate(u(${anglesIn(step).join(', ')}))`,
  RXX: ({ angles }) =>
    `cirq.XXPowGate(exponent=${halfTurnsText(angles.theta ?? 0)}, global_shift=-0.5)`,
  RYY: ({ angles }) =>
    `cirq.YYPowGate(exponent=${halfTurnsText(angles.theta ?? 0)}, global_shift=-0.5)`,
  RZZ: ({ angles }) =>
    `cirq.ZZPowGate(exponent=${halfTurnsText(angles.theta ?? 0)}, global_shift=-0.5)`,
  FSIM: (step) => `cirq.FSimGate(${anglesIn(step).join(', ')})`,
};

/** An operation of Cirq. Its controls come first. */
function cirqOperation(step: Step): string {
  const { name, controls, targets, matrix } = step;
  const on = (qubits: readonly number[]) => qubits.map((qubit) => `q[${qubit}]`).join(', ');
  const own = CIRQ_CONTROLLED[name]?.[controls.length];
  if (own !== undefined) return `${own}(${on([...controls, ...targets])})`;
  const [plain, exponent] = CIRQ[name] ?? [];
  const gate =
    name === 'UNITARY'
      ? `cirq.MatrixGate(np.array(${matrixText(matrix ?? [])}))`
      : (plain ?? CIRQ_TURNS[name]?.(step));
  if (gate === undefined) throw new UnwritableGateError('Cirq', step);
  // The first qubit of a Cirq matrix is the most significant one.
  const order = name === 'UNITARY' ? targets.toReversed() : targets;
  const operation = `${gate}(${on(order)})`;
  const power = exponent === undefined ? operation : `${operation}**${exponent}`;
  if (controls.length === 0) return power;
  const grouped = exponent === undefined ? power : `(${power})`;
  return `${grouped}.controlled_by(${on(controls)})`;
}

/** Writes the program. @param origin - Address of the service that it runs the circuit at. */
export function cirqText(
  circuit: EditedCircuit,
  inputs: Values,
  origin: string | undefined,
): string {
  const lines = circuit.steps.flatMap((step) => {
    const { name, targets, bits = [], condition } = step;
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
    const operation = cirqOperation(step);
    const isPower = /\*\*[-\d.]+$/.test(operation);
    return [`    ${isPower && conditions !== '' ? `(${operation})` : operation}${conditions},`];
  });
  const names = inputsIn(circuit.steps);
  const isMeasured = circuit.steps.some(({ name }) => name === 'M');
  if (origin !== undefined && !isMeasured) lines.push('    cirq.measure(*q, key="m"),');
  const body = lines.join('\n');
  const hasMatrix = body.includes('(u(');
  const run = names.length > 0 ? 'resolved' : 'circuit';
  const values =
    names.length > 0
      ? [valuesText(names, inputs), 'resolved = cirq.resolve_parameters(circuit, values)', '']
      : [];
  const symbols = names.map(
    (name) => `${pythonName(name)} = sympy.Symbol(${JSON.stringify(name)})`,
  );
  return [
    ...(hasMatrix ? ['import math'] : []),
    ...piImport([body, ...values]).filter((line) => line !== ''),
    ...(hasMatrix || piImport([body, ...values]).length > 0 ? [''] : []),
    'import cirq',
    ...(body.includes('np.') || hasMatrix ? ['import numpy as np'] : []),
    ...(body.includes('sympy.') || names.length > 0 ? ['import sympy'] : []),
    ...(origin === undefined ? [] : ['from qcs_client.cirq import QcsSimulator']),
    '',
    ...(hasMatrix
      ? [
          '',
          'def u(theta, phi, lam):',
          '    c, s = math.cos(theta / 2), math.sin(theta / 2)',
          '    return np.array([[c, -np.exp(1j * lam) * s], [np.exp(1j * phi) * s, np.exp(1j * (phi + lam)) * c]])',
          '',
          '',
        ]
      : []),
    ...symbols,
    `q = cirq.LineQubit.range(${circuit.numQubits})`,
    'circuit = cirq.Circuit(',
    ...(lines.length > 0 ? [body] : []),
    ')',
    '',
    ...values,
    ...(origin === undefined
      ? ['print(circuit)']
      : [
          KEY_NOTE,
          `simulator = QcsSimulator(url=${JSON.stringify(origin)})`,
          `print(simulator.run(${run}, repetitions=1000))`,
        ]),
    '',
  ].join('\n');
}
