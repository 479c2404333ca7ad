/** Writes circuits as texts in QIR, base profile. */
import {
  type Circuit,
  type GateOperation,
  operationQubits,
  type UnitaryOperation,
} from '../circuit.ts';
import { QirUnprintableError } from '../errors.ts';
import { gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import { findGateSet } from '../synthesis/gate-set.ts';
import { synthesizeOne, synthesizeTwo } from '../synthesis/unitary-gates.ts';
import { FUNCTION_OF_GATE } from './qir-gates.ts';

const QIS = '@__quantum__qis__';
const RT = '@__quantum__rt__';

/**
 * Writes a circuit whose gates have functions in QIR, and whose measurements come last, one into each bit. Its program
 * records the bits in their order, with the label `r0` for bit 0.
 *
 * @throws {QirUnprintableError} naming the first operation that the base profile does not have.
 */
export function printQir({ numQubits, numBits, operations }: Circuit): string {
  const gates: string[] = [];
  const measurements: string[] = [];
  const declared = new Map<string, string>();
  const measured = new Set<number>();
  const written = new Set<number>();
  const call = (name: string, args: readonly string[]): string => {
    const types = args.map((arg) => arg.split(' ', 1)[0]!);
    // The specification marks what changes a state for good.
    const group = name.includes('__mz__') ? ' #1' : '';
    declared.set(name, `declare void ${name}(${types.join(', ')})${group}`);
    return `  call void ${name}(${args.join(', ')})`;
  };
  for (const [i, operation] of operations.entries()) {
    const what = (problem: string) => new QirUnprintableError(`Operation ${i} ${problem}`);
    if ('condition' in operation && operation.condition !== undefined) {
      throw what('is under a condition');
    }
    const late = operationQubits(operation).find((qubit) => measured.has(qubit));
    if (operation.kind === 'barrier') {
      if (operation.duration !== undefined) throw what('is a delay');
      continue;
    }
    if (late !== undefined) throw what(`acts on qubit ${late} after its measurement`);
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        const written = writtenGates(operation);
        if (written === undefined)
          throw what('is a gate on more than two qubits without a function');
        for (const each of written) gates.push(call(functionOf(each)!, argumentsOf(each)));
        break;
      }
      case 'measure':
        for (const [j, qubit] of operation.qubits.entries()) {
          const bit = operation.bits[j]!;
          if (written.has(bit)) throw what(`measures into bit ${bit} again`);
          written.add(bit);
          measured.add(qubit);
          measurements.push(call(`${QIS}mz__body`, [pointer(qubit), pointer(bit)]));
        }
        break;
      case 'reset':
        throw what('is a reset');
    }
  }
  const bits = Array.from({ length: numBits }, (_, bit) => bit);
  const records = [
    call(`${RT}array_record_output`, [`i64 ${numBits}`, 'ptr @r']),
    ...bits.map((bit) => call(`${RT}result_record_output`, [pointer(bit), `ptr @${bit}`])),
  ];
  const labels = bits.map((bit) => {
    const label = `r${bit}`;
    return `@${bit} = internal constant [${label.length + 1} x i8] c"${label}\\00"`;
  });
  const lines = [
    '@r = internal constant [2 x i8] c"r\\00"',
    ...labels,
    '',
    'define i64 @main() #0 {',
    'entry:',
    call(`${RT}initialize`, ['ptr null']),
    ...gates,
    ...measurements,
    ...records,
    '  ret i64 0',
    '}',
    '',
    ...declared.values(),
    '',
    `attributes #0 = { "entry_point" "output_labeling_schema"="schema_id" "qir_profiles"="base_profile" "required_num_qubits"="${numQubits}" "required_num_results"="${numBits}" }`,
    'attributes #1 = { "irreversible" }',
    '',
    '!llvm.module.flags = !{!0, !1, !2, !3}',
    '!0 = !{i32 1, !"qir_major_version", i32 1}',
    '!1 = !{i32 7, !"qir_minor_version", i32 0}',
    '!2 = !{i32 1, !"dynamic_qubit_management", i1 false}',
    '!3 = !{i32 1, !"dynamic_result_management", i1 false}',
  ];
  return `${lines.join('\n')}\n`;
}

const pointer = (number: number): string => `ptr inttoptr (i64 ${number} to ptr)`;

/** A double as LLVM reads it: by the digits of its bits. */
function doubleText(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return `double 0x${view.getBigUint64(0).toString(16).toUpperCase().padStart(16, '0')}`;
}

const WRITABLE = findGateSet([...FUNCTION_OF_GATE.keys()])!;

/** Function of a gate; undefined if it has none, or the gate has further controls. */
function functionOf({ gate, controls }: GateOperation): string | undefined {
  const name = FUNCTION_OF_GATE.get(gate);
  const isPlain = name !== undefined && controls.length === gateNamed(gate).numControls;
  return isPlain ? `${QIS}${name}` : undefined;
}

const argumentsOf = ({ controls, targets, angles }: GateOperation): readonly string[] => [
  ...angles.map(doubleText),
  ...[...controls, ...targets].map(pointer),
];

/** Gates that have functions and that are an operation up to a phase; undefined if there are none. */
function writtenGates(
  operation: GateOperation | UnitaryOperation,
): readonly GateOperation[] | undefined {
  if (operation.kind === 'gate' && functionOf(operation) !== undefined) return [operation];
  const { controls, targets } = operation;
  const qubits = operationQubits(operation);
  const [first, second, ...more] = qubits;
  if (first === undefined) return [];
  if (more.length > 0) return undefined;
  const local = {
    ...operation,
    controls: controls.map((_, i) => i),
    targets: targets.map((_, i) => controls.length + i),
  };
  const matrix = matrixOfOperations([local], qubits.length);
  return second === undefined
    ? synthesizeOne(matrix, first, WRITABLE).operations
    : synthesizeTwo(matrix, [first, second], WRITABLE).operations;
}
