/**
 * Programs in LLVM's intermediate representation, as far as the profiles of QIR use it. Texts and bitcode are read into
 * this form, and one reader makes circuits of it.
 *
 * @see QIR Alliance, "Quantum Intermediate Representation specification", versions 1.0 and 2.0: base and adaptive
 * profile.
 */
/** A type. All pointers are alike, whatever they point to; `other` types occur, but no value of them is computed. */
export type LlvmType =
  | { readonly kind: 'void' }
  | { readonly kind: 'int'; readonly width: number }
  | { readonly kind: 'double' }
  | { readonly kind: 'pointer' }
  | { readonly kind: 'array'; readonly length: number; readonly of: LlvmType }
  | { readonly kind: 'other'; readonly name: string };

/** An operand of an instruction. */
export type Operand =
  /** A parameter or a result, by its name in the function. */
  | { readonly kind: 'local'; readonly name: string }
  /** An integer, or the number of a qubit or a result as a pointer. */
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  /** Zeros of any type. */
  | { readonly kind: 'zero' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'array'; readonly elements: readonly Operand[] }
  | ({ readonly kind: 'element' } & ElementAddress);

/** Address of an element of an array (`getelementptr`). */
export interface ElementAddress {
  /** What the base points to. */
  readonly source: LlvmType;
  readonly base: Operand;
  readonly indices: readonly TypedOperand[];
}

/** An operand with its type. */
export interface TypedOperand {
  readonly type: LlvmType;
  readonly operand: Operand;
}

/** What an instruction does. Blocks are named as in their function. */
export type Action =
  | { readonly op: 'call'; readonly callee: string; readonly args: readonly TypedOperand[] }
  | {
      readonly op: 'binary' | 'compare';
      /** LLVM's name of the operator, or `icmp` or `fcmp` and its predicate. */
      readonly operator: string;
      readonly left: Operand;
      readonly right: Operand;
      /** Type of the operands. */
      readonly of: LlvmType;
    }
  | { readonly op: 'cast'; readonly operator: string; readonly from: TypedOperand }
  | { readonly op: 'negate' | 'freeze'; readonly operand: Operand }
  | {
      readonly op: 'select';
      readonly test: Operand;
      readonly whenTrue: Operand;
      readonly whenFalse: Operand;
    }
  | { readonly op: 'phi'; readonly incoming: ReadonlyMap<string, Operand> }
  | { readonly op: 'allocate'; readonly of: LlvmType }
  | { readonly op: 'load'; readonly address: Operand }
  | { readonly op: 'store'; readonly value: TypedOperand; readonly address: Operand }
  | ({ readonly op: 'element' } & ElementAddress)
  | { readonly op: 'jump'; readonly to: string }
  | {
      readonly op: 'branch';
      readonly test: Operand;
      readonly whenTrue: string;
      readonly whenFalse: string;
    }
  | {
      readonly op: 'switch';
      readonly subject: TypedOperand;
      readonly cases: readonly (readonly [value: bigint, to: string])[];
      readonly otherwise: string;
    }
  | { readonly op: 'return'; readonly value: TypedOperand | undefined }
  | { readonly op: 'unreachable' };

/** An instruction. The last one of a block, and no other, says what comes next. */
export type Instruction = Action & {
  /** Place, for `LlvmModule.describe`. */
  readonly at: number;
  /** Name of the result; undefined if nothing has to know it. */
  readonly result: string | undefined;
  /** Type of the result. */
  readonly type: LlvmType;
};

/** Instructions that run one after the other. */
export interface Block {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** A function with a body. */
export interface LlvmFunction {
  readonly name: string;
  readonly at: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parameters: readonly { readonly name: string; readonly type: LlvmType }[];
  /** The first one is the entry. */
  readonly blocks: readonly Block[];
}

/** A program. */
export interface LlvmModule {
  /** Constants by name. */
  readonly globals: ReadonlyMap<string, TypedOperand>;
  readonly functions: ReadonlyMap<string, LlvmFunction>;
  /** Words for a place: a line and a column, or an instruction of a function. */
  readonly describe: (at: number) => string;
}

/** The type void. */
export const VOID: LlvmType = { kind: 'void' };
/** The type of all pointers. */
export const POINTER: LlvmType = { kind: 'pointer' };
/** The type double. */
export const DOUBLE: LlvmType = { kind: 'double' };

/** Widest integer that is computed. Wider ones are refused. */
export const MAX_INT_WIDTH = 64;

/** Name of a type in messages. */
export function typeName(type: LlvmType): string {
  switch (type.kind) {
    case 'int':
      return `i${type.width}`;
    case 'pointer':
      return 'ptr';
    case 'array':
      return `[${type.length} x ${typeName(type.of)}]`;
    case 'other':
      return type.name;
    case 'void':
    case 'double':
      return type.kind;
  }
}

/** Operators on two operands, as in bitcode: integer names by number, and names of the same number for doubles. */
export const BINARY_OPERATORS: readonly (readonly [whole: string, float: string])[] = [
  ['add', 'fadd'],
  ['sub', 'fsub'],
  ['mul', 'fmul'],
  ['udiv', ''],
  ['sdiv', 'fdiv'],
  ['urem', ''],
  ['srem', 'frem'],
  ['shl', ''],
  ['lshr', ''],
  ['ashr', ''],
  ['and', ''],
  ['or', ''],
  ['xor', ''],
];

/** Conversions, by their numbers in bitcode; an empty name is of a type that no profile has. */
export const CASTS: readonly string[] =
  'trunc zext sext fptoui fptosi uitofp sitofp fptrunc fpext ptrtoint inttoptr bitcast'.split(' ');

/** Predicates of comparisons of doubles, by their numbers in bitcode. */
export const FLOAT_PREDICATES: readonly string[] =
  'false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true'.split(' ');

/** Predicates of comparisons of integers, by their numbers in bitcode, from 32. */
export const WHOLE_PREDICATES: readonly string[] = 'eq ne ugt uge ult ule sgt sge slt sle'.split(
  ' ',
);
