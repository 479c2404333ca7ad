/** Gates that a program can call at a place in its text, and definitions of further ones. */
import { didYouMean } from '../../errors/nearest-names.ts';
import { scalar } from '../classical-expression.ts';
import { counted } from '../errors.ts';
import { ExpressionParser } from './expression-parser.ts';
import {
  bindParameters,
  type Expression,
  evaluateAngle,
  literal,
  NO_PARAMETERS,
  type Parameters,
} from './expressions.ts';
import {
  BUILTINS_2,
  BUILTINS_3,
  COMPOSITES_TEXT,
  equalTableGate,
  type GateScope,
  LIBRARIES,
  TABLE_GATES,
} from './gate-library.ts';
import { type BodyStatement, definedGate, type GateMeaning, opaqueGate } from './gate-meaning.ts';
import { quoted, TokenStream } from './token-stream.ts';

/** A gate's name in a program, with its meaning there. */
export interface NamedGate {
  readonly name: string;
  readonly gate: GateMeaning;
  readonly offset: number;
}

/** No angles, for all calls without any. */
const NONE: readonly never[] = [];

/** Gates in scope. A program's own definition hides a library's gate of the same name. */
export class Gates {
  readonly #tokens: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #version: 2 | 3;
  readonly #defined = new Map<string, GateMeaning>();
  readonly #otherMeaning: (name: string) => string | undefined;
  #library: GateScope;

  /**
   * @param library - Gates in scope before any include; by default those built into the version.
   * @param otherMeaning - Describes a name that is no gate: `a classical register`.
   */
  constructor(
    version: 2 | 3,
    tokens: TokenStream,
    library = builtins(version),
    otherMeaning: (name: string) => string | undefined = () => undefined,
  ) {
    this.#otherMeaning = otherMeaning;
    this.#tokens = tokens;
    this.#expressions = new ExpressionParser(tokens, 2);
    this.#version = version;
    this.#library = library;
  }

  /** Brings the gates of a library into scope; false where there is no such library. */
  include(library: string): boolean {
    if (!LIBRARIES.has(library)) return false;
    this.#library = allGates();
    return true;
  }

  /**
   * Finds the gate of a name at `offset`.
   *
   * @throws {OpenQasmMeaningError} if it is not in scope.
   */
  named(name: string, offset: number): NamedGate {
    const gate = this.#defined.get(name) ?? this.#library.get(name);
    if (gate === undefined) throw this.#tokens.invalid(offset, this.#unknown(name));
    return { name, gate, offset };
  }

  /** Reads the name of a gate in scope. */
  readName(): NamedGate {
    const { text: name, offset } = this.#tokens.expectWord('a statement');
    return this.named(name, offset);
  }

  /**
   * Reads the angles of a call, `(…)` or nothing; as many as the gate takes.
   *
   * An angle that the gate's body does not use may be any text: Qiskit exports `initialize(0.5,0.5j)` and
   * `pauli(XYZ)` with bodies that do not use their parameters.
   */
  readAngles(called: NamedGate): readonly number[] {
    return this.#readEachAngle(called, () => this.#readAngle(), 0);
  }

  #readEachAngle<T>(called: NamedGate, read: () => T, skipped: T): readonly T[] {
    const { gate } = called;
    if (gate.numParameters === 0 && !this.#tokens.isSymbol('(')) return NONE;
    const angles: T[] = [];
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      do {
        const isRead = gate.kind !== 'defined' || gate.usedParameters.has(angles.length);
        if (!isRead) this.#skipAngle();
        angles.push(isRead ? read() : skipped);
      } while (this.#tokens.accept(','));
      this.#tokens.expect(')');
    }
    this.checkNumAngles(called, angles.length);
    return angles;
  }

  #skipAngle(): void {
    let depth = 0;
    const isEnd = () => depth === 0 && (this.#tokens.isSymbol(',') || this.#tokens.isSymbol(')'));
    if (isEnd()) throw this.#tokens.unexpected('an angle');
    while (!isEnd()) {
      if (this.#tokens.isSymbol(';') || this.#tokens.current.kind === 'end') {
        throw this.#tokens.unexpected('")"');
      }
      const { kind, text } = this.#tokens.next();
      if (kind === 'symbol') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    }
  }

  #readAngle(): number {
    const angle = this.#expressions.parseOrNumber();
    if ('value' in angle) return angle.value;
    const known = evaluateAngle(this.#bound(angle, NO_PARAMETERS), [], this.#tokens);
    if (typeof known === 'number') return known;
    throw new Error('unreachable: a program of version 2 has no inputs');
  }

  #bound(angle: Expression, parameters: Parameters): Expression {
    return bindParameters(angle, parameters, ({ name, offset }) => {
      const known = [...parameters.keys(), 'pi'].slice(0, 8).join(', ');
      throw this.#tokens.invalid(offset, `${name} is not defined here; known are ${known}.`);
    });
  }

  /** Checks that a call has as many angles as the gate takes. */
  checkNumAngles({ name, gate, offset }: NamedGate, numAngles: number): void {
    if (gate.numParameters === numAngles) return;
    const takes = `${name} takes ${counted(gate.numParameters, 'parameter')}`;
    throw this.#tokens.invalid(offset, `${takes}, not ${numAngles}.`);
  }

  /**
   * Returns the operands of a call that its gate acts on.
   *
   * `gphase(x) q[0], q[1];`, as PennyLane writes it, is a global phase whatever it names.
   *
   * @throws {OpenQasmMeaningError} unless there are as many as the gate takes.
   */
  actingOperands<T>({ name, gate, offset }: NamedGate, operands: readonly T[]): readonly T[] {
    if (gate.numQubits === operands.length) return operands;
    if (gate.kind === 'table' && gate.numQubits === 0) return [];
    const takesMore = gate.kind === 'table' && gate.takesMoreControls === true;
    if (takesMore && operands.length > gate.numQubits) return operands;
    const atLeast = takesMore ? 'at least ' : '';
    const takes = `${name} acts on ${atLeast}${counted(gate.numQubits, 'qubit')}`;
    throw this.#tokens.invalid(offset, `${takes}, not ${operands.length}.`);
  }

  /** Reads `gate name(a, b) q, r { … }`, or `opaque name(a, b) q, r;`. */
  readDefinition(): void {
    const { text: kind } = this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the gate's name");
    this.checkNew(name, offset);
    let parameters: Parameters = NO_PARAMETERS;
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      parameters = this.#readNames('a parameter');
      this.#tokens.expect(')');
    }
    if (kind === 'opaque') {
      const qubits = this.#readNames('a qubit');
      this.#tokens.expect(';');
      this.define(name, opaqueGate(name, parameters.size, qubits.size));
      return;
    }
    // OpenQASM 3 allows gates on no qubits, which are global phases.
    const qubits = this.#tokens.isSymbol('{') ? new Map() : this.#readNames('a qubit');
    const body = this.#readBody(parameters, qubits);
    this.define(name, definedGate(parameters.size, qubits.size, body));
  }

  /** Checks that the program has not defined a gate of that name. */
  checkNew(name: string, offset: number): void {
    if (this.#defined.has(name)) {
      throw this.#tokens.invalid(offset, `The gate ${quoted(name)} is defined twice.`);
    }
  }

  /** Brings a program's own gate into scope. */
  define(name: string, gate: GateMeaning): void {
    this.#defined.set(name, equalTableGate(name, gate, this.#tokens) ?? gate);
  }

  /** Gates that the program defined. */
  get definitions(): GateScope {
    return this.#defined;
  }

  /** Reads distinct names, separated by commas; returns their positions. */
  #readNames(what: string): ReadonlyMap<string, number> {
    const names = new Map<string, number>();
    do {
      const { text: name, offset } = this.#tokens.expectWord(what);
      if (names.has(name)) throw this.#tokens.invalid(offset, `${quoted(name)} is named twice.`);
      names.set(name, names.size);
    } while (this.#tokens.accept(','));
    return names;
  }

  #readBody(parameters: Parameters, qubits: ReadonlyMap<string, number>): BodyStatement[] {
    const body: BodyStatement[] = [];
    this.#tokens.expect('{');
    while (!this.#tokens.accept('}')) {
      if (this.#tokens.current.kind === 'end') throw this.#tokens.unexpected('"}"');
      body.push(this.#readBodyStatement(parameters, qubits));
      this.#tokens.expect(';');
    }
    return body;
  }

  #readBodyStatement(parameters: Parameters, qubits: ReadonlyMap<string, number>): BodyStatement {
    if (this.#tokens.isWord('barrier')) return this.#readBodyBarrier(qubits);
    if (!this.#tokens.isWord('reset')) {
      return this.#readBodyCall(parameters, qubits);
    }
    this.#tokens.next();
    return { kind: 'reset', qubits: this.#readBodyQubits(qubits) };
  }

  #readBodyBarrier(qubits: ReadonlyMap<string, number>): BodyStatement {
    this.#tokens.next();
    const isBare = this.#tokens.isSymbol(';');
    return {
      kind: 'barrier',
      qubits: isBare ? [...qubits.values()] : this.#readBodyQubits(qubits),
    };
  }

  #readBodyCall(parameters: Parameters, qubits: ReadonlyMap<string, number>): BodyStatement {
    const called = this.readName();
    const angles = this.#readEachAngle(
      called,
      () => this.#bound(this.#expressions.parse(), parameters),
      literal(scalar('float', 0), called.offset),
    );
    const named = this.#tokens.isSymbol(';') ? [] : this.#readBodyQubits(qubits);
    const acting = this.actingOperands(called, named);
    return { kind: 'call', name: called.name, gate: called.gate, angles, qubits: acting };
  }

  #readBodyQubits(qubits: ReadonlyMap<string, number>): readonly number[] {
    const named = new Set<number>();
    do {
      const { text: name, offset } = this.#tokens.expectWord("one of the gate's qubits");
      const position = qubits.get(name);
      if (position === undefined) {
        throw this.#tokens.invalid(offset, `${quoted(name)} is not a qubit of this gate.`);
      }
      if (named.has(position)) {
        throw this.#tokens.invalid(offset, `${quoted(name)} is named twice.`);
      }
      named.add(position);
    } while (this.#tokens.accept(','));
    return [...named];
  }

  #unknown(name: string): string {
    const other = this.#otherMeaning(name);
    if (other !== undefined) {
      const assigning =
        this.#version === 2
          ? '; version 2 has assignments only after include "hqslib1.inc"'
          : '; an assignment has "=" after the name';
      return `${quoted(name)} is ${other}, not a gate${assigning}.`;
    }
    const problem = `There is no gate called ${quoted(name)} here`;
    if (this.#library !== allGates() && allGates().has(name)) {
      const library = this.#version === 2 ? 'qelib1.inc' : 'stdgates.inc';
      return `${problem}; include "${library}" defines it.`;
    }
    const known = [...this.#defined.keys(), ...this.#library.keys()];
    return `${problem}.${didYouMean(name, known)}`;
  }
}

let everything: GateScope | undefined;

/** Gates that an include brings into scope. The text of gates built from others is parsed once. */
export function allGates(): GateScope {
  if (everything === undefined) {
    const tokens = new TokenStream(COMPOSITES_TEXT);
    const gates = new Gates(3, tokens, TABLE_GATES);
    while (tokens.current.kind !== 'end') gates.readDefinition();
    everything = new Map([...TABLE_GATES, ...gates.definitions]);
  }
  return everything;
}

const ofVersion = new Map<2 | 3, GateScope>();

/** Gates of a program without includes. */
export function builtins(version: 2 | 3): GateScope {
  let known = ofVersion.get(version);
  if (known === undefined) {
    const names = version === 2 ? BUILTINS_2 : BUILTINS_3;
    known = new Map(names.map((name) => [name, allGates().get(name)!]));
    ofVersion.set(version, known);
  }
  return known;
}

/** Reads an include statement. Libraries are known by name; no file is opened. */
export function readInclude(tokens: TokenStream, gates: Gates): void {
  tokens.next();
  const { kind, text, offset } = tokens.current;
  if (kind !== 'string') throw tokens.unexpected('the name of a file in quotes');
  if (!gates.include(text)) {
    const known = 'only "qelib1.inc" and "stdgates.inc" are known, and including another file';
    throw tokens.unsupported(offset, `The file ${quoted(text)} is not there: ${known}`);
  }
  tokens.next();
  tokens.expect(';');
}
