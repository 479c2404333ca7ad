/**
 * Parser of OpenQASM 3 without pulses: tokens become statements. Constructs that no circuit can express are
 * rejected by name.
 *
 * @see https://openqasm.com/versions/3.1/grammar/ (OpenQASM live specification, 3.1).
 */
import { DurationParser } from './durations.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { Expression, OperandSyntax, ValueType, WrittenType } from './expressions.ts';
import { isPragma, readPragma, skipIgnored } from './pragmas.ts';
import type {
  ArrayParameter,
  ArrayValues,
  ForLoop,
  GateCall,
  Modifier,
  RegisterDeclaration,
  Statement,
  SubroutineParameter,
} from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** Keywords of unsupported constructs. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['complex']);

/** Keywords of constructs for control hardware, with advice for a simulator. */
const OF_HARDWARE: ReadonlyMap<string, string> = new Map([
  ['extern', '"extern", a function that is defined outside the text (write it as a def),'],
  ['defcal', '"defcal", a pulse of one machine (define the gate by other gates),'],
  ['cal', '"cal", instructions for the pulses of one machine (leave them out),'],
  ['defcalgrammar', '"defcalgrammar", a language for pulses (leave it out),'],
]);

const NUMBER_TYPES: ReadonlySet<string> = new Set(['int', 'uint', 'float', 'angle', 'bool']);
const isNumberType = (text: string): text is 'int' | 'uint' | 'float' | 'angle' | 'bool' =>
  NUMBER_TYPES.has(text);

const MODIFIERS: ReadonlySet<string> = new Set(['ctrl', 'negctrl', 'inv', 'pow']);
const isModifier = (text: string): text is Modifier['kind'] => MODIFIERS.has(text);

/** Words that begin a statement other than a gate call or an assignment. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...UNSUPPORTED,
  ...OF_HARDWARE.keys(),
  ...NUMBER_TYPES,
  ...MODIFIERS,
  ...['qubit', 'bit', 'array', 'def', 'return', 'qreg', 'creg', 'gate', 'opaque', 'const', 'input'],
  ...['output', 'let', 'if', 'switch', 'for', 'while', 'break', 'continue', 'end', 'measure'],
  ...['reset', 'barrier', 'delay', 'nop', 'duration', 'stretch', 'box', 'include'],
]);

/** Words that begin a statement other than a gate call or an assignment in Quantinuum's version 2. */
const KEYWORDS_2: ReadonlySet<string> = new Set([
  ...['extern', 'qreg', 'creg', 'gate', 'opaque', 'if', 'measure', 'reset', 'barrier', 'include'],
]);

/** Operators that may precede `=` in an assignment. */
const ASSIGNING: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>'],
]);

/** Nesting of blocks; deeper text is rejected before the stack overflows. */
const MAX_DEPTH = 256;

/** Most modifiers of one call; several controls need only one, `ctrl(5) @`. */
const MAX_MODIFIERS = 64;

/** Parses the statements of one program. */
export class StatementParser {
  readonly #tokens: TokenStream;
  readonly #version: 2 | 3;
  readonly #keywords: ReadonlySet<string>;
  readonly #expressions: ExpressionParser;
  readonly #angles: ExpressionParser;
  readonly #durations: DurationParser;
  #depth = 0;

  /** @param version - 2 is version 2 with the assignments and conditions of Quantinuum's hqslib1.inc. */
  constructor(tokens: TokenStream, version: 2 | 3) {
    this.#tokens = tokens;
    this.#version = version;
    this.#keywords = version === 2 ? KEYWORDS_2 : KEYWORDS;
    this.#expressions = new ExpressionParser(tokens, 3, version === 2);
    this.#angles = version === 2 ? new ExpressionParser(tokens, 2) : this.#expressions;
    this.#durations = new DurationParser(tokens, this.#expressions, () => void this.#block());
  }

  /** Whether a statement follows rather than the end of the text. */
  isNext(): boolean {
    skipIgnored(this.#tokens, this.#version);
    return this.#tokens.current.kind !== 'end';
  }

  /** Parses one statement other than `include`, which is allowed at the top level only. */
  statement(): Statement {
    skipIgnored(this.#tokens, this.#version);
    if (isPragma(this.#tokens)) return readPragma(this.#tokens) ?? this.#box(true);
    const { kind, text, offset } = this.#tokens.current;
    if (kind === 'symbol' && text === '{')
      return {
        kind: 'block',
        duration: undefined,
        isVerbatim: false,
        body: this.#block(),
        offset,
      };
    if (kind !== 'identifier') throw this.#tokens.unexpected('a statement');
    // Most statements are gate calls.
    if (!this.#keywords.has(text)) return this.#callOrAssignment();
    if (UNSUPPORTED.has(text)) throw this.#tokens.unsupported(offset, `"${text}" of OpenQASM 3`);
    const ofHardware = OF_HARDWARE.get(text);
    if (ofHardware !== undefined) throw this.#tokens.unsupported(offset, ofHardware);
    switch (text) {
      case 'qubit':
      case 'bit':
        return this.#register(text, 'plain');
      case 'array':
        return this.#array();
      case 'def':
        return this.#subroutine();
      case 'return': {
        this.#tokens.next();
        const value = this.#tokens.isSymbol(';') ? undefined : this.#expressions.parse();
        this.#tokens.expect(';');
        return { kind: 'return', value, offset };
      }
      case 'qreg':
      case 'creg':
        return this.#oldRegister(text === 'qreg' ? 'qubit' : 'bit');
      case 'gate':
      case 'opaque':
        return this.#gateDefinition(text);
      case 'const':
      case 'input':
      case 'output':
        this.#tokens.next();
        if (text === 'output' && this.#tokens.isWord('bit')) return this.#register('bit', text);
        return this.#variable(text, offset);
      case 'let':
        return this.#alias();
      case 'if':
        return this.#conditional();
      case 'switch':
        return this.#switch();
      case 'for':
        return this.#forLoop();
      case 'while':
        this.#tokens.next();
        return { kind: 'while', condition: this.#inParentheses(), body: this.#body(), offset };
      case 'break':
      case 'continue':
      case 'end':
        this.#tokens.next();
        this.#tokens.expect(';');
        return { kind: text, offset };
      case 'measure':
        return this.#measureArrow();
      case 'reset': {
        this.#tokens.next();
        const operand = this.#expressions.operand('a quantum register');
        this.#tokens.expect(';');
        return { kind: 'reset', operand, offset };
      }
      case 'barrier': {
        this.#tokens.next();
        const operands = this.#operandsUntilSemicolon();
        return { kind: 'barrier', operands, offset };
      }
      case 'delay': {
        this.#tokens.next();
        if (!this.#tokens.isSymbol('[')) throw this.#tokens.unexpected('"[" and a duration');
        const duration = this.#durations.inBrackets();
        return { kind: 'delay', duration, operands: this.#operandsUntilSemicolon(), offset };
      }
      case 'nop':
        this.#tokens.next();
        return {
          kind: 'delay',
          duration: undefined,
          operands: this.#operandsUntilSemicolon(),
          offset,
        };
      case 'duration':
      case 'stretch':
        return this.#durationDeclaration();
      case 'box':
        return this.#box(false);
      case 'include':
        throw this.#tokens.unexpected('a statement that may stand in a block');
    }
    if (isNumberType(text)) return this.#variable('plain', offset);
    if (isModifier(text)) return this.#modifiedCall();
    throw new Error(`unreachable: the keyword ${text} has no statement`);
  }

  #box(isVerbatim: boolean): Statement {
    const { offset } = this.#tokens.next();
    const duration = this.#durations.inBrackets();
    return { kind: 'block', duration, isVerbatim, body: this.#block(), offset };
  }

  #type(base: ValueType['base']): WrittenType {
    this.#tokens.next();
    return { base, width: this.#expressions.width() };
  }

  #register(of: 'qubit' | 'bit', role: RegisterDeclaration['role']): RegisterDeclaration {
    this.#tokens.next();
    const size = this.#expressions.width();
    const { text: name, offset } = this.#tokens.expectWord("the register's name");
    const declared = { kind: 'register', role, of, name, size, offset } as const;
    if (of === 'qubit' || !this.#tokens.accept('=')) {
      this.#tokens.expect(';');
      return { ...declared, measured: undefined, value: undefined };
    }
    if (this.#tokens.isWord('measure')) {
      return { ...declared, measured: this.#measured(), value: undefined };
    }
    const value = this.#expressions.parse();
    this.#tokens.expect(';');
    return { ...declared, measured: undefined, value };
  }

  #oldRegister(of: 'qubit' | 'bit'): RegisterDeclaration {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the register's name");
    let size: Expression | undefined;
    if (this.#tokens.accept('[')) {
      size = this.#expressions.parse();
      this.#tokens.expect(']');
    }
    this.#tokens.expect(';');
    const declared = { kind: 'register', role: 'plain', of, name, size, offset } as const;
    return { ...declared, measured: undefined, value: undefined };
  }

  /** Parses `array[int[8], 4] a = {1, 2, 3, 4};`. */
  #array(): Statement {
    this.#tokens.next();
    this.#tokens.expect('[');
    const type = this.#elementType();
    this.#tokens.expect(',');
    const sizes = this.#sizes();
    this.#tokens.expect(']');
    const { text: name, offset } = this.#tokens.expectWord("the array's name");
    const values = this.#tokens.accept('=') ? this.#arrayValues() : undefined;
    this.#tokens.expect(';');
    return { kind: 'array', type, sizes, name, values, offset };
  }

  #elementType(): WrittenType {
    const { kind, text, offset } = this.#tokens.current;
    if (kind === 'identifier' && (isNumberType(text) || text === 'bit')) return this.#type(text);
    if (UNSUPPORTED.has(text)) throw this.#tokens.unsupported(offset, `"${text}" of OpenQASM 3`);
    throw this.#tokens.unexpected('a type: int, uint, float, angle, bool or bit');
  }

  #arrayValues(): ArrayValues {
    if (!this.#tokens.isSymbol('{')) return this.#expressions.parse();
    const { offset } = this.#tokens.next();
    if (++this.#depth > MAX_DEPTH) {
      throw this.#tokens.pastLimit(offset, `Lists nest at most ${MAX_DEPTH} deep.`);
    }
    const list: ArrayValues[] = [];
    this.#tokens.separated('}', () => list.push(this.#arrayValues()));
    this.#tokens.expect('}');
    this.#depth--;
    return { list };
  }

  /** Parses `def f(qubit[2] q, int[8] n) -> bit { … }`. */
  #subroutine(): Statement {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the subroutine's name");
    this.#tokens.expect('(');
    const parameters: SubroutineParameter[] = [];
    if (!this.#tokens.isSymbol(')')) {
      this.#tokens.separated(')', () => parameters.push(this.#parameter()));
    }
    this.#tokens.expect(')');
    let returns: WrittenType | undefined;
    if (this.#tokens.accept('->')) {
      returns = this.#elementType();
    }
    return { kind: 'def', name, parameters, returns, body: this.#block(), offset };
  }

  #parameter(): SubroutineParameter {
    const { kind, text, offset } = this.#tokens.current;
    const named = (of: SubroutineParameter['of'], type: WrittenType) => ({
      of,
      type,
      name: this.#tokens.expectWord("the parameter's name").text,
      offset,
    });
    if (kind !== 'identifier') throw this.#tokens.unexpected('the type of a parameter');
    switch (text) {
      case 'qubit':
        this.#tokens.next();
        return named('qubit', { base: 'bit', width: this.#expressions.width() });
      case 'bit':
        return named('bit', this.#type(text));
      case 'qreg':
      case 'creg': {
        this.#tokens.next();
        const { text: name } = this.#tokens.expectWord("the parameter's name");
        const type = { base: 'bit', width: this.#expressions.width() } as const;
        return { of: text === 'qreg' ? 'qubit' : 'bit', type, name, offset };
      }
      case 'readonly':
      case 'mutable': {
        this.#tokens.next();
        if (!this.#tokens.isWord('array')) throw this.#tokens.unexpected('"array"');
        this.#tokens.next();
        this.#tokens.expect('[');
        const type = this.#elementType();
        this.#tokens.expect(',');
        const sizes = this.#arraySizes();
        this.#tokens.expect(']');
        return { ...named('array', type), array: { isMutable: text === 'mutable', sizes } };
      }
    }
    return named('number', this.#elementType());
  }

  /** Parses `2, 3` or `#dim = 2`. */
  #arraySizes(): ArrayParameter['sizes'] {
    if (this.#tokens.accept('#')) {
      if (!this.#tokens.isWord('dim')) throw this.#tokens.unexpected('"dim"');
      this.#tokens.next();
      this.#tokens.expect('=');
      return { count: this.#expressions.parse() };
    }
    return this.#sizes();
  }

  #sizes(): readonly Expression[] {
    const sizes: Expression[] = [];
    this.#tokens.separated(']', () => sizes.push(this.#expressions.parse()));
    return sizes;
  }

  #variable(role: 'const' | 'input' | 'output' | 'plain', offset: number): Statement {
    const { text } = this.#tokens.current;
    if (text === 'duration' && role === 'const') return this.#durationDeclaration();
    if (['array', 'duration', 'stretch'].includes(text)) {
      throw this.#tokens.unsupported(offset, `"${role} ${text}" of OpenQASM 3`);
    }
    const type = this.#elementType();
    const { text: name, offset: nameOffset } = this.#tokens.expectWord("the variable's name");
    let value: Expression | undefined;
    if (role === 'const') this.#tokens.expect('=');
    if (role === 'const' || (role === 'plain' && this.#tokens.accept('='))) {
      value = this.#expressions.parse();
    }
    this.#tokens.expect(';');
    return { kind: 'variable', role, type, name, value, offset: nameOffset };
  }

  /** Parses `duration d = 10ns;` or `stretch s;`. */
  #durationDeclaration(): Statement {
    const { text: kind } = this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the duration's name");
    const value =
      kind === 'duration' && this.#tokens.accept('=') ? this.#durations.parse() : undefined;
    this.#tokens.expect(';');
    return { kind: 'duration', name, value, offset };
  }

  #alias(): Statement {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the alias's name");
    this.#tokens.expect('=');
    const value = this.#expressions.parse();
    this.#tokens.expect(';');
    return { kind: 'alias', name, value, offset };
  }

  #gateDefinition(kind: 'gate' | 'opaque'): Statement {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the gate's name");
    let parameters: ReadonlyMap<string, number> = new Map();
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      parameters = this.#names('a parameter', ')');
      this.#tokens.expect(')');
    }
    if (kind === 'opaque') {
      const { size: numQubits } = this.#names('a qubit', ';');
      this.#tokens.expect(';');
      return { kind, name, numParameters: parameters.size, numQubits, offset };
    }
    // OpenQASM 3 allows gates on no qubits, which are global phases.
    const qubits = this.#tokens.isSymbol('{') ? new Map() : this.#names('a qubit', '{');
    return { kind, name, parameters, qubits, body: this.#block(), offset };
  }

  /** Parses distinct names, separated by commas, up to the symbol `close`; returns their positions. */
  #names(what: string, close: string): ReadonlyMap<string, number> {
    const names = new Map<string, number>();
    this.#tokens.separated(close, () => {
      const { text: name, offset } = this.#tokens.expectWord(what);
      if (names.has(name)) {
        throw this.#tokens.invalid(offset, `${quoted(name)} is named twice.`);
      }
      names.set(name, names.size);
    });
    return names;
  }

  #block(): readonly Statement[] {
    const { offset } = this.#tokens.expect('{');
    if (++this.#depth > MAX_DEPTH) {
      throw this.#tokens.pastLimit(offset, `Blocks nest at most ${MAX_DEPTH} deep.`);
    }
    const statements: Statement[] = [];
    for (;;) {
      skipIgnored(this.#tokens, this.#version);
      if (this.#tokens.accept('}')) break;
      if (this.#tokens.current.kind === 'end') throw this.#tokens.unexpected('"}"');
      statements.push(this.statement());
    }
    this.#depth--;
    return statements;
  }

  /** Parses a block, or one statement without braces. */
  #body(): readonly Statement[] {
    if (this.#tokens.isSymbol('{')) return this.#block();
    const { offset } = this.#tokens.current;
    if (++this.#depth > MAX_DEPTH) {
      throw this.#tokens.pastLimit(offset, `Blocks nest at most ${MAX_DEPTH} deep.`);
    }
    const statement = this.statement();
    this.#depth--;
    return [statement];
  }

  #inParentheses(): Expression {
    this.#tokens.expect('(');
    const expression = this.#expressions.parse();
    this.#tokens.expect(')');
    return expression;
  }

  #conditional(): Statement {
    const { offset } = this.#tokens.next();
    const condition = this.#inParentheses();
    const whenTrue = this.#body();
    let whenFalse: readonly Statement[] = [];
    if (this.#tokens.isWord('else')) {
      this.#tokens.next();
      whenFalse = this.#body();
    }
    return { kind: 'if', condition, whenTrue, whenFalse, offset };
  }

  #switch(): Statement {
    const { offset } = this.#tokens.next();
    const subject = this.#inParentheses();
    const cases: { labels: readonly Expression[]; body: readonly Statement[] }[] = [];
    let otherwise: readonly Statement[] = [];
    this.#tokens.expect('{');
    while (this.#tokens.isWord('case')) {
      this.#tokens.next();
      const labels: Expression[] = [];
      this.#tokens.separated('{', () => labels.push(this.#expressions.parse()));
      cases.push({ labels, body: this.#block() });
    }
    if (this.#tokens.isWord('default')) {
      this.#tokens.next();
      otherwise = this.#block();
    }
    if (!this.#tokens.isSymbol('}')) throw this.#tokens.unexpected('"case", "default" or "}"');
    this.#tokens.next();
    return { kind: 'switch', subject, cases, otherwise, offset };
  }

  #forLoop(): ForLoop {
    const { offset } = this.#tokens.next();
    const { text } = this.#tokens.current;
    if (!isNumberType(text) && text !== 'bit') {
      throw this.#tokens.unexpected("the type of the loop's variable");
    }
    const type = this.#type(text);
    const { text: variable, offset: variableOffset } =
      this.#tokens.expectWord("the loop's variable");
    if (!this.#tokens.isWord('in')) throw this.#tokens.unexpected('"in"');
    this.#tokens.next();
    const shared = { kind: 'for', type, variable, variableOffset, offset } as const;
    if (this.#tokens.isSymbol('{')) {
      const members = this.#expressions.set();
      return { ...shared, values: { kind: 'set', members }, body: this.#body() };
    }
    if (!this.#tokens.accept('[')) {
      const of = this.#expressions.parse();
      return { ...shared, values: { kind: 'elements', of }, body: this.#body() };
    }
    const values = this.#expressions.indexOrRange();
    if (values.kind === 'index') throw this.#tokens.unexpected('":"');
    this.#tokens.expect(']');
    return { ...shared, values, body: this.#body() };
  }

  /** Parses `measure q -> c;`, or `measure q;`, which discards the outcome. */
  #measureArrow(): Statement {
    const { offset } = this.#tokens.next();
    const from = this.#expressions.operand('a quantum register');
    const to = this.#tokens.accept('->')
      ? this.#expressions.operand('a classical register')
      : undefined;
    if (to === undefined && !this.#tokens.isSymbol(';')) throw this.#tokens.unexpected('"->"');
    this.#tokens.expect(';');
    return { kind: 'measure', from, to, offset };
  }

  /** Parses `measure q;` after `=`. */
  #measured(): OperandSyntax {
    this.#tokens.next();
    const from = this.#expressions.operand('a quantum register');
    this.#tokens.expect(';');
    return from;
  }

  #modifiedCall(): GateCall {
    const { offset } = this.#tokens.current;
    const modifiers: Modifier[] = [];
    for (;;) {
      const { text: kind, offset: place } = this.#tokens.current;
      if (this.#tokens.current.kind !== 'identifier' || !isModifier(kind)) break;
      if (modifiers.length === MAX_MODIFIERS) {
        throw this.#tokens.pastLimit(place, `A gate has at most ${MAX_MODIFIERS} modifiers.`);
      }
      this.#tokens.next();
      const hasArgument = kind !== 'inv' && (kind === 'pow' || this.#tokens.isSymbol('('));
      modifiers.push({
        kind,
        argument: hasArgument ? this.#inParentheses() : undefined,
        offset: place,
      });
      this.#tokens.expect('@');
    }
    return this.#call(modifiers, this.#tokens.expectWord("a gate's name"), offset);
  }

  #call(
    modifiers: readonly Modifier[],
    { text: name, offset: nameOffset }: { readonly text: string; readonly offset: number },
    offset: number,
  ): GateCall {
    const angles: Expression[] = [];
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      this.#tokens.separated(')', () => angles.push(this.#angles.parse()));
      this.#tokens.expect(')');
    }
    const duration = this.#durations.inBrackets();
    const operands = this.#operandsUntilSemicolon();
    return { kind: 'call', modifiers, name, nameOffset, angles, duration, operands, offset };
  }

  #operandsUntilSemicolon(): readonly OperandSyntax[] {
    const operands: OperandSyntax[] = [];
    if (!this.#tokens.isSymbol(';')) {
      this.#tokens.separated(';', () => {
        operands.push(this.#expressions.operand('a quantum register'));
      });
    }
    this.#tokens.expect(';');
    return operands;
  }

  /** Parses a statement that begins with a name: `h q;`, `c = measure q;`, `c[0] = 0;`, `i += 1;`. */
  #callOrAssignment(): Statement {
    const word = this.#tokens.next();
    const { kind, text } = this.#tokens.current;
    const isAssignment = kind === 'symbol' && (text === '=' || text === '[' || ASSIGNING.has(text));
    if (!isAssignment) return this.#call([], word, word.offset);
    const selectors = this.#expressions.selectors();
    const target = { name: word.text, selectors, offset: word.offset };
    const { text: operator } = this.#tokens.current;
    const isCompound = this.#tokens.current.kind === 'symbol' && ASSIGNING.has(operator);
    if (isCompound) this.#tokens.next();
    this.#tokens.expect('=');
    const { offset } = word;
    if (!isCompound && this.#tokens.isWord('measure')) {
      return { kind: 'measure', from: this.#measured(), to: target, offset };
    }
    const value = this.#expressions.parse();
    this.#tokens.expect(';');
    return { kind: 'assign', target, operator: isCompound ? operator : undefined, value, offset };
  }
}
