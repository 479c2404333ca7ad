/** The circuit as a program for Qiskit. */
import type { EditedCircuit, Step } from './edited-circuit.ts';
import { inputsIn, pythonName } from './python-angles.ts';
import {
  anglesIn,
  KEY_NOTE,
  list,
  matrixText,
  numBitsOf,
  oneOrList,
  piImport,
  UnwritableGateError,
  type Values,
  valuesText,
} from './python-parts.ts';

/** Methods of Qiskit's circuits, by the number of controls; angles come first, then controls and targets. */
const QISKIT_METHODS: Readonly<Record<string, readonly string[]>> = {
  ID: ['id'],
  H: ['h', 'ch'],
  X: ['x', 'cx', 'ccx'],
  Y: ['y', 'cy'],
  Z: ['z', 'cz', 'ccz'],
  S: ['s', 'cs'],
  SDG: ['sdg', 'csdg'],
  T: ['t'],
  TDG: ['tdg'],
  SX: ['sx', 'csx'],
  SXDG: ['sxdg'],
  RX: ['rx', 'crx'],
  RY: ['ry', 'cry'],
  RZ: ['rz', 'crz'],
  P: ['p', 'cp'],
  U: ['u'],
  CU: ['', 'cu'],
  PRX: ['r'],
  SWAP: ['swap', 'cswap'],
  ISWAP: ['iswap'],
  RXX: ['rxx'],
  RYY: ['ryy'],
  RZZ: ['rzz'],
  RZX: ['rzx'],
  ECR: ['ecr'],
  DCX: ['dcx'],
};

/** Classes of Qiskit's circuit library, for gates without a method or with more controls. */
export const QISKIT: Readonly<Record<string, string>> = {
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

/** Writes the program. @param origin - Address of the service that it runs the circuit at. */
export function qiskitText(
  circuit: EditedCircuit,
  inputs: Values,
  origin: string | undefined,
): string {
  const used = new Set<string>();
  const lines = circuit.steps.map((step) => {
    const text = qiskitStatement(step, circuit.numQubits, used);
    const { bits = [], value = 0 } = step.condition ?? {};
    // One test within the other.
    const tests = bits.map(
      (bit, i) => `${'    '.repeat(i)}with qc.if_test((qc.clbits[${bit}], ${(value >> i) % 2})):`,
    );
    return [...tests, `${'    '.repeat(bits.length)}${text}`].join('\n');
  });
  const names = inputsIn(circuit.steps);
  const isMeasured = circuit.steps.some(({ name }) => name === 'M');
  const run = names.length > 0 ? 'bound' : 'qc';
  const values =
    names.length > 0 ? [valuesText(names, inputs), 'bound = qc.assign_parameters(values)', ''] : [];
  const parameters = names.map(
    (name) => `${pythonName(name)} = Parameter(${JSON.stringify(name)})`,
  );
  return [
    ...piImport([...lines, ...values]),
    'from qiskit import QuantumCircuit',
    ...(names.length > 0 ? ['from qiskit.circuit import Parameter'] : []),
    ...(used.size > 0 ? [`from qiskit.circuit.library import ${[...used].sort().join(', ')}`] : []),
    ...(origin === undefined ? [] : ['from qcs_client.qiskit import QcsProvider, SamplerV2']),
    '',
    ...(parameters.length > 0 ? [...parameters, ''] : []),
    `qc = QuantumCircuit(${[circuit.numQubits, numBitsOf(circuit)].filter((size, i) => i === 0 || size > 0).join(', ')})`,
    ...lines,
    ...(origin !== undefined && !isMeasured ? ['qc.measure_all()'] : []),
    '',
    ...values,
    ...(origin === undefined
      ? ['print(qc)']
      : [
          KEY_NOTE,
          `backend = QcsProvider(${JSON.stringify(origin)}).get_backend()`,
          `result = SamplerV2(backend).run([${run}], shots=1000).result()[0]`,
          'print(result.join_data().get_counts())',
        ]),
    '',
  ].join('\n');
}

function qiskitStatement(step: Step, numQubits: number, used: Set<string>): string {
  const { name, controls, targets, bits = [] } = step;
  const qubits = [...controls, ...targets];
  if (name === 'M') return `qc.measure(${oneOrList(targets)}, ${oneOrList(bits)})`;
  if (name === 'RESET') return `qc.reset(${oneOrList(targets)})`;
  if (name === 'BARRIER')
    return `qc.barrier(${targets.length === numQubits ? '' : targets.join(', ')})`;
  const angles = anglesIn(step);
  if (name === 'GPHASE' && controls.length === 0) return `qc.global_phase += ${angles[0]}`;
  const method = QISKIT_METHODS[name]?.[controls.length];
  if (method !== undefined && method !== '')
    return `qc.${method}(${[...angles, ...qubits].join(', ')})`;
  if (name === 'UNITARY' && controls.length === 0) {
    return `qc.unitary(${matrixText(step.matrix ?? [])}, ${list(targets)})`;
  }
  if (name === 'X') return `qc.mcx(${list(controls)}, ${targets[0]})`;
  if (name === 'P') return `qc.mcp(${angles[0]}, ${list(controls)}, ${targets[0]})`;
  const isOwn = name === 'CU' || name === 'CU3';
  const gate = qiskitGate(step, used);
  const further = isOwn ? controls.length - 1 : controls.length;
  const controlled = further > 0 ? `${gate}.control(${further}, annotated=False)` : gate;
  return `qc.append(${controlled}, ${list(qubits)})`;
}

function qiskitGate(step: Step, used: Set<string>): string {
  if (step.name === 'UNITARY') {
    used.add('UnitaryGate');
    return `UnitaryGate(${matrixText(step.matrix ?? [])})`;
  }
  const name = QISKIT[step.name];
  if (name === undefined) throw new UnwritableGateError('Qiskit', step);
  used.add(name);
  return `${name}(${anglesIn(step).join(', ')})`;
}
