/**
 * Reads texts in LLVM's intermediate representation. What the profiles of QIR do not have is refused, except for
 * metadata, attributes of parameters and hints for optimisation, which mean nothing for a run.
 *
 * @see LLVM Language Reference Manual, https://llvm.org/docs/LangRef.html
 */
import {
  type Action,
  BINARY_OPERATORS,
  type Block,
  CASTS,
  FLOAT_PREDICATES,
  type Instruction,
  type LlvmFunction,
  type LlvmModule,
  type LlvmType,
  type Operand,
  POINTER,
  type TypedOperand,
  VOID,
  WHOLE_PREDICATES,
} from './llvm-module.ts';
import { HINTS, OperandParser, TYPE_WORDS } from './llvm-operands.ts';
import { LlvmTokens } from './llvm-tokens.ts';

const OPERATORS = new Set(BINARY_OPERATORS.flat().filter((name) => name !== ''));
/**
 * Reads a text.
 *
 * @throws {QirError} at the first fault, with its line and column.
 */
export function parseLlvm(text: string): LlvmModule {
  return new LlvmParser(text).read();
}

class LlvmParser {
  readonly #tokens: LlvmTokens;
  readonly #operands: OperandParser;
  readonly #globals = new Map<string, TypedOperand>();
  readonly #functions = new Map<string, LlvmFunction>();
  readonly #groups = new Map<string, ReadonlyMap<string, string>>();

  constructor(text: string) {
    this.#tokens = new LlvmTokens(text);
    this.#operands = new OperandParser(this.#tokens);
  }

  read(): LlvmModule {
    const tokens = this.#tokens;
    const grouped: [LlvmFunction, readonly string[]][] = [];
    while (tokens.peek().kind !== 'end') {
      const { kind } = tokens.peek();
      if (kind === 'global') this.#global();
      else if (kind === 'metadata' || kind === 'local') this.#skipDefinition();
      else if (tokens.takes('source_filename')) tokens.skipLine();
      else if (tokens.takes('target')) tokens.skipLine();
      else if (tokens.takes('declare')) this.#declaration();
      else if (tokens.takes('define')) grouped.push(this.#definition());
      else if (tokens.takes('attributes')) this.#group();
      else throw tokens.unexpected('a function, a constant, attributes or metadata');
    }
    for (const [read, groups] of grouped) {
      const own = groups.map((name) => [...(this.#groups.get(name) ?? [])]);
      const attributes = new Map([...read.attributes, ...own.flat()]);
      this.#functions.set(read.name, { ...read, attributes });
    }
    return {
      globals: this.#globals,
      functions: this.#functions,
      describe: (at) => tokens.describe(at),
    };
  }

  /** `%Qubit = type opaque`, `!0 = !{…}`: types are told by their names, and metadata mean nothing here. */
  #skipDefinition(): void {
    const tokens = this.#tokens;
    tokens.take();
    tokens.expect('=');
    tokens.skipLine();
  }

  #global(): void {
    const tokens = this.#tokens;
    const name = tokens.take().text;
    tokens.expect('=');
    let isConstant = false;
    while (tokens.peek().kind === 'word' && !TYPE_WORDS.test(tokens.peek().text)) {
      const { text } = tokens.take();
      isConstant ||= text === 'constant';
      if (tokens.peek().text === '(') tokens.skipBrackets();
    }
    if (!isConstant) throw tokens.fault(`@${name} is no constant; the profiles have no others.`);
    this.#globals.set(name, this.#operands.typed());
    tokens.skipLine();
  }

  #group(): void {
    const tokens = this.#tokens;
    const name = tokens.expectKind('group', 'a number such as #0');
    tokens.expect('=');
    tokens.expect('{');
    const attributes = new Map<string, string>();
    while (!tokens.takes('}')) this.#attribute(attributes);
    this.#groups.set(name, attributes);
  }

  /** An attribute; those in quotes are kept. */
  #attribute(attributes: Map<string, string>): void {
    const tokens = this.#tokens;
    const { kind, text } = tokens.peek();
    if (kind === 'end') throw tokens.unexpected('an attribute');
    tokens.skipBrackets();
    const value = tokens.takes('=') ? tokens.take().text : '';
    if (kind === 'string') attributes.set(text, value);
  }

  #declaration(): void {
    const tokens = this.#tokens;
    while (tokens.peek().kind !== 'global') {
      if (tokens.peek().kind === 'end') throw tokens.unexpected('the name of a function');
      tokens.take();
    }
    tokens.take();
    tokens.skipBrackets();
    tokens.skipLine();
  }

  #definition(): [LlvmFunction, readonly string[]] {
    const tokens = this.#tokens;
    while (tokens.peek().kind !== 'global') {
      if (tokens.peek().kind === 'end') throw tokens.unexpected('the name of a function');
      tokens.take();
    }
    const { text: name, at } = tokens.take();
    if (this.#functions.has(name)) throw tokens.fault(`@${name} is defined twice.`, at);
    const parameters: { name: string; type: LlvmType }[] = [];
    let numUnnamed = 0;
    this.#operands.list('(', ')', () => {
      if (tokens.peek().text === '...') throw tokens.unexpected('a type');
      const type = this.#operands.type();
      this.#operands.skipAttributes();
      const given = tokens.peek().kind === 'local' ? tokens.take().text : undefined;
      parameters.push({ name: given ?? String(numUnnamed++), type });
    });
    const attributes = new Map<string, string>();
    const groups: string[] = [];
    while (!tokens.takes('{')) {
      if (tokens.peek().kind === 'group') groups.push(tokens.take().text);
      else this.#attribute(attributes);
    }
    const blocks: Block[] = [];
    do {
      const isNamed = tokens.peek().kind === 'label';
      if (!isNamed && blocks.length > 0) throw tokens.unexpected('a label, such as "next:"');
      blocks.push(this.#block(isNamed ? tokens.take().text : String(numUnnamed)));
    } while (!tokens.takes('}'));
    const read = { name, at, attributes, parameters, blocks };
    this.#functions.set(name, read);
    return [read, groups];
  }

  #block(name: string): Block {
    const instructions: Instruction[] = [];
    for (;;) {
      if (this.#tokens.peek().kind === 'group') {
        // A record for debuggers, such as #dbg_value(…).
        this.#tokens.take();
        this.#tokens.skipLine();
        continue;
      }
      const instruction = this.#instruction();
      instructions.push(instruction);
      if (isLast(instruction)) return { name, instructions };
    }
  }

  #instruction(): Instruction {
    const tokens = this.#tokens;
    let result: string | undefined;
    if (tokens.peek().kind === 'local') {
      result = tokens.take().text;
      tokens.expect('=');
    }
    while (tokens.peek().kind === 'word' && HINTS.has(tokens.peek().text)) tokens.take();
    const { at } = tokens.peek();
    const name = tokens.expectKind('word', 'an instruction');
    while (tokens.peek().kind === 'word' && HINTS.has(tokens.peek().text)) tokens.take();
    const [type, action] = this.#action(name, at);
    // Alignments and metadata follow after commas.
    if (tokens.takes(',')) tokens.skipLine();
    return { ...action, at, result, type };
  }

  /** The rest of an instruction after its name, with the type of its result. */
  #action(name: string, at: number): [LlvmType, Action] {
    const tokens = this.#tokens;
    if (OPERATORS.has(name)) {
      const of = this.#operands.type();
      const [left, right] = this.#pair(of);
      return [of, { op: 'binary', operator: name, left, right, of }];
    }
    if (CASTS.includes(name)) {
      const from = this.#operands.typed();
      tokens.expect('to');
      return [this.#operands.type(), { op: 'cast', operator: name, from }];
    }
    switch (name) {
      case 'call':
        return this.#call();
      case 'icmp':
      case 'fcmp': {
        const predicate = tokens.expectKind('word', 'a predicate, such as "eq"');
        const known = name === 'icmp' ? WHOLE_PREDICATES : FLOAT_PREDICATES;
        if (!known.includes(predicate)) throw tokens.fault(`${name} has no ${predicate}.`);
        const of = this.#operands.type();
        const [left, right] = this.#pair(of);
        const type = { kind: 'int', width: 1 } as const;
        return [type, { op: 'compare', operator: `${name} ${predicate}`, left, right, of }];
      }
      case 'fneg':
      case 'freeze': {
        const { type, operand } = this.#operands.typed();
        return [type, { op: name === 'fneg' ? 'negate' : 'freeze', operand }];
      }
      case 'select': {
        const test = this.#operands.typed();
        tokens.expect(',');
        const { type, operand: whenTrue } = this.#operands.typed();
        tokens.expect(',');
        const { operand: whenFalse } = this.#operands.typed();
        return [type, { op: 'select', test: test.operand, whenTrue, whenFalse }];
      }
      case 'phi':
        return this.#phi();
      case 'alloca':
        return [POINTER, this.#allocation()];
      case 'load': {
        const type = this.#operands.type();
        tokens.expect(',');
        return [type, { op: 'load', address: this.#operands.typed().operand }];
      }
      case 'store': {
        const value = this.#operands.typed();
        tokens.expect(',');
        return [VOID, { op: 'store', value, address: this.#operands.typed().operand }];
      }
      case 'getelementptr':
        return [POINTER, { op: 'element', ...this.#operands.elementAddress() }];
      case 'br':
        return [VOID, this.#branch()];
      case 'switch':
        return [VOID, this.#switch()];
      case 'ret': {
        if (tokens.takes('void')) return [VOID, { op: 'return', value: undefined }];
        return [VOID, { op: 'return', value: this.#operands.typed() }];
      }
      case 'unreachable':
        return [VOID, { op: 'unreachable' }];
      default:
        throw tokens.fault(`the instruction ${name} is in no profile of QIR.`, at);
    }
  }

  #pair(type: LlvmType): [Operand, Operand] {
    const left = this.#operands.operand(type);
    this.#tokens.expect(',');
    return [left, this.#operands.operand(type)];
  }

  #call(): [LlvmType, Action] {
    const tokens = this.#tokens;
    this.#operands.skipAttributes();
    const type = this.#operands.type();
    // The type of the function, in older texts.
    if (tokens.peek().text === '(') tokens.skipBrackets();
    while (tokens.takes('*'));
    const callee = tokens.expectKind('global', 'the name of a function, such as @f');
    const args: TypedOperand[] = [];
    this.#operands.list('(', ')', () => {
      if (tokens.takes('metadata')) {
        while (tokens.peek().text !== ',' && tokens.peek().text !== ')') tokens.skipBrackets();
        return;
      }
      const ofArgument = this.#operands.type();
      this.#operands.skipAttributes();
      args.push({ type: ofArgument, operand: this.#operands.operand(ofArgument) });
    });
    if (tokens.peek().text === '[') throw tokens.fault('a call with operand bundles.');
    tokens.skipLine();
    return [type, { op: 'call', callee, args }];
  }

  #phi(): [LlvmType, Action] {
    const tokens = this.#tokens;
    const type = this.#operands.type();
    const incoming = new Map<string, Operand>();
    do {
      // A comma before metadata, not before a further value.
      if (tokens.peek().kind === 'metadata') break;
      tokens.expect('[');
      const operand = this.#operands.operand(type);
      tokens.expect(',');
      incoming.set(tokens.expectKind('local', 'a label, such as %next'), operand);
      tokens.expect(']');
    } while (tokens.takes(','));
    if (tokens.peek().kind === 'metadata') tokens.skipLine();
    return [type, { op: 'phi', incoming }];
  }

  #allocation(): Action {
    const tokens = this.#tokens;
    const of = this.#operands.type();
    if (tokens.takes(',')) {
      const { kind, text } = tokens.peek();
      if (kind === 'word' && TYPE_WORDS.test(text)) {
        throw tokens.fault('alloca with a number of elements; write an array, such as [4 x i64].');
      }
      tokens.skipLine();
    }
    return { op: 'allocate', of };
  }

  #label(): string {
    this.#tokens.expect('label');
    return this.#tokens.expectKind('local', 'a label, such as %next');
  }

  #branch(): Action {
    const tokens = this.#tokens;
    if (tokens.peek().text === 'label') return { op: 'jump', to: this.#label() };
    const { operand: test } = this.#operands.typed();
    tokens.expect(',');
    const whenTrue = this.#label();
    tokens.expect(',');
    return { op: 'branch', test, whenTrue, whenFalse: this.#label() };
  }

  #switch(): Action {
    const tokens = this.#tokens;
    const subject = this.#operands.typed();
    tokens.expect(',');
    const otherwise = this.#label();
    const cases: [bigint, string][] = [];
    tokens.expect('[');
    while (!tokens.takes(']')) {
      const { operand } = this.#operands.typed();
      if (operand.kind !== 'int') throw tokens.fault('a case of a switch is an integer.');
      tokens.expect(',');
      cases.push([operand.value, this.#label()]);
    }
    return { op: 'switch', subject, cases, otherwise };
  }
}

/** Whether an instruction ends its block. */
export function isLast({ op }: Instruction): boolean {
  return ['jump', 'branch', 'switch', 'return', 'unreachable'].includes(op);
}
