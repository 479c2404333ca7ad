/** Instructions that compute a value of others. */
import type { Value } from './classical-values.ts';
import { asAddress, asDouble, floatResult } from './known-values.ts';
import { type Instruction, type TypedOperand, typeName } from './llvm-module.ts';
import { extended, type QirState } from './qir-state.ts';

/** An instruction that neither calls nor ends a block. */
export type Computation = Exclude<
  Instruction,
  { readonly op: 'call' | 'phi' | 'jump' | 'branch' | 'switch' | 'return' | 'unreachable' }
>;

const BIT = { kind: 'int', width: 1 } as const;

/** Result of an instruction; undefined if it has none. */
export function computed(state: QirState, instruction: Computation): Value | undefined {
  const { arithmetic } = state;
  const { type } = instruction;
  switch (instruction.op) {
    case 'binary': {
      const { operator, of } = instruction;
      const [left, right] = sides(instruction);
      if (of.kind === 'int') {
        const [x, y] = [state.row(left), state.row(right)];
        return arithmetic.binary(operator, x, y);
      }
      if (of.kind !== 'double') throw state.fault(`${operator} of ${typeName(of)}.`);
      return arithmetic.map([state.cases(left), state.cases(right)], ([x, y]) =>
        floatResult(operator, asDouble(x!), asDouble(y!)),
      );
    }
    case 'compare': {
      const [name, predicate = ''] = instruction.operator.split(' ');
      const [left, right] = sides(instruction);
      const isWhole = instruction.of.kind === 'int';
      if (isWhole !== (name === 'icmp') && instruction.of.kind !== 'pointer') {
        throw state.fault(`${name} of ${typeName(instruction.of)}.`);
      }
      const holds = isWhole
        ? arithmetic.compareRows(predicate, state.row(left), state.row(right))
        : arithmetic.compareCases(predicate, state.cases(left), state.cases(right));
      return { kind: 'row', bits: [holds] };
    }
    case 'cast':
      return converted(state, instruction);
    case 'negate':
      return arithmetic.map([state.cases({ type, operand: instruction.operand })], ([x]) =>
        floatResult('fmul', -1, asDouble(x!)),
      );
    case 'freeze':
      return state.read({ type, operand: instruction.operand });
    case 'select': {
      const { test, whenTrue, whenFalse } = instruction;
      const [holds] = state.row({ type: BIT, operand: test }).bits;
      const [left, right] = [whenTrue, whenFalse].map((operand) => state.read({ type, operand }));
      return arithmetic.choose(holds!, left!, right!);
    }
    case 'allocate':
      return state.allocate(instruction.of);
    case 'load':
      return state.load(type, instruction.address);
    case 'store':
      state.store(instruction.value, instruction.address);
      return undefined;
    case 'element':
      return state.element(instruction);
  }
}

const sides = ({
  left,
  right,
  of: type,
}: Extract<Instruction, { op: 'binary' | 'compare' }>): [TypedOperand, TypedOperand] => [
  { type, operand: left },
  { type, operand: right },
];

function converted(
  state: QirState,
  { operator, from, type }: Extract<Computation, { op: 'cast' }>,
): Value {
  const { arithmetic } = state;
  const width = type.kind === 'int' ? type.width : 0;
  switch (operator) {
    case 'trunc':
    case 'zext':
    case 'sext': {
      if (type.kind !== 'int' || width > 64) throw state.fault(`${operator} to ${typeName(type)}.`);
      return extended(state.row(from), width, operator === 'sext');
    }
    case 'sitofp':
    case 'uitofp':
      return arithmetic.toDouble(state.row(from), operator === 'sitofp');
    case 'fptosi':
    case 'fptoui':
      return arithmetic.rowOfCases(state.cases(from), width, (value) => {
        if (Number.isFinite(value)) return BigInt.asUintN(width, BigInt(Math.trunc(value)));
        throw state.fault(`${operator} of ${value}.`);
      });
    case 'bitcast':
      if (from.type.kind === 'pointer' && type.kind === 'pointer') return state.read(from);
      break;
    case 'ptrtoint':
      return arithmetic.rowOfCases(numbered(state, from), width, BigInt);
    case 'inttoptr': {
      const numbers = arithmetic.toDouble(state.row(from), false);
      return arithmetic.map([numbers], ([index]) => ({ base: '', index: asDouble(index!) }));
    }
    default:
  }
  throw state.fault(`${operator} of ${typeName(from.type)} to ${typeName(type)}.`);
}

/** Numbers of the qubits or results that a pointer may be. */
const numbered = (state: QirState, pointer: TypedOperand) =>
  state.arithmetic.map([state.cases(pointer)], ([address]) => {
    const { base, index } = asAddress(address!);
    if (base !== '') throw state.fault('the number of a pointer to memory.');
    return index;
  });
