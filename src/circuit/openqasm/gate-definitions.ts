/** The gates a program can call at a place in its text, and how it defines further ones. */

import { didYouMean } from '../../errors/nearest-names.ts';
import { counted } from '../fault-list.ts';
import { ExpressionParser } from './expression-parser.ts';
import { bindParameters, type Expression, NO_PARAMETERS, type Parameters } from './expressions.ts';
import { BUILTINS, EXTENSIONS, LIBRARIES, QELIB1_TEXT } from './gate-library.ts';
import { type BodyStatement, definedGate, type GateMeaning } from './gate-meaning.ts';
import { quoted, TokenStream } from './token-stream.ts';

/** A gate's name as a program writes it, with what it means there. */
export interface NamedGate {
  readonly name: string;
  readonly gate: GateMeaning;
  readonly offset: number;
}

/** The gates in scope; a program's own definition hides a library's gate of the same name. */
export class Gates {
  readonly #tokens: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #inScope: Map<string, GateMeaning>;
  readonly #included = new Set<string>();
  readonly #defined = new Set<string>();

  constructor(version: 2 | 3, tokens: TokenStream) {
    this.#tokens = tokens;
    this.#expressions = new ExpressionParser(tokens, 2);
    this.#inScope = new Map(BUILTINS[version]);
  }

  /** Brings a library's gates into scope; false when there is no such library. */
  include(library: string): boolean {
    const gates = LIBRARIES.get(library);
    if (gates === undefined) return false;
    if (this.#included.has(library)) return true;
    this.#included.add(library);
    const composites = library === 'qelib1.inc' ? qelib1Composites() : new Map();
    for (const [name, gate] of [...EXTENSIONS, ...gates, ...composites]) {
      if (!this.#defined.has(name)) this.#inScope.set(name, gate);
    }
    return true;
  }

  /** Whether a gate of that name is in scope. */
  has(name: string): boolean {
    return this.#inScope.has(name);
  }

  /** The gate of a name that the text has at `offset`; it must be in scope. */
  named(name: string, offset: number): NamedGate {
    const gate = this.#inScope.get(name);
    if (gate === undefined) throw this.#tokens.meaningless(offset, this.#unknown(name));
    return { name, gate, offset };
  }

  /** Reads a gate's name; it must be in scope. */
  readName(): NamedGate {
    const { text: name, offset } = this.#tokens.expectWord('a statement');
    return this.named(name, offset);
  }

  /** Reads the angles of a call, `(…)` or nothing; as many as the gate takes. */
  readAngles(called: NamedGate, parameters: Parameters): readonly Expression[] {
    const angles: Expression[] = [];
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      do angles.push(this.#readAngle(parameters));
      while (this.#tokens.accept(','));
      this.#tokens.expect(')');
    }
    this.checkNumAngles(called, angles.length);
    return angles;
  }

  #readAngle(parameters: Parameters): Expression {
    return bindParameters(this.#expressions.parse(), parameters, ({ name, offset }) => {
      const known = [...parameters.keys(), 'pi'].slice(0, 8).join(', ');
      throw this.#tokens.meaningless(offset, `${name} is not defined here; known are ${known}.`);
    });
  }

  /** Throws unless a call gives as many angles as the gate takes. */
  checkNumAngles({ name, gate, offset }: NamedGate, numAngles: number): void {
    if (gate.numParameters === numAngles) return;
    const takes = `${name} takes ${counted(gate.numParameters, 'parameter')}`;
    throw this.#tokens.meaningless(offset, `${takes}, not ${numAngles}.`);
  }

  /** Throws unless a call names as many operands as the gate takes. */
  checkNumQubits({ name, gate, offset }: NamedGate, numQubits: number): void {
    if (gate.numQubits === numQubits) return;
    const takes = `${name} acts on ${counted(gate.numQubits, 'qubit')}`;
    throw this.#tokens.meaningless(offset, `${takes}, not ${numQubits}.`);
  }

  /** Reads `gate name(a, b) q, r { … }`. */
  readDefinition(): void {
    this.#tokens.next();
    const { text: name, offset } = this.#tokens.expectWord("the gate's name");
    this.checkNew(name, offset);
    let parameters: Parameters = NO_PARAMETERS;
    if (this.#tokens.accept('(') && !this.#tokens.accept(')')) {
      parameters = this.#readNames('a parameter');
      this.#tokens.expect(')');
    }
    // OpenQASM 3 has gates on no qubits: phases of the whole state.
    const qubits = this.#tokens.isSymbol('{') ? new Map() : this.#readNames('a qubit');
    const body = this.#readBody(parameters, qubits);
    this.define(name, definedGate(parameters.size, qubits.size, body));
  }

  /** Throws when the program has defined a gate of that name. */
  checkNew(name: string, offset: number): void {
    if (this.#defined.has(name)) {
      throw this.#tokens.meaningless(offset, `The gate ${quoted(name)} is defined twice.`);
    }
  }

  /** Brings a program's own gate into scope. */
  define(name: string, gate: GateMeaning): void {
    this.#defined.add(name);
    this.#inScope.set(name, gate);
  }

  /** The gates in scope that a program defined. */
  definitions(): ReadonlyMap<string, GateMeaning> {
    return new Map([...this.#inScope].filter(([name]) => this.#defined.has(name)));
  }

  /** Distinct names with commas between, with their positions. */
  #readNames(what: string): ReadonlyMap<string, number> {
    const names = new Map<string, number>();
    do {
      const { text: name, offset } = this.#tokens.expectWord(what);
      if (names.has(name))
        throw this.#tokens.meaningless(offset, `${quoted(name)} is named twice.`);
      names.set(name, names.size);
    } while (this.#tokens.accept(','));
    return names;
  }

  #readBody(parameters: Parameters, qubits: ReadonlyMap<string, number>): BodyStatement[] {
    const body: BodyStatement[] = [];
    this.#tokens.expect('{');
    while (!this.#tokens.accept('}')) {
      if (this.#tokens.current.kind === 'end') throw this.#tokens.unexpected('"}"');
      const statement = this.#tokens.isWord('barrier')
        ? this.#readBodyBarrier(qubits)
        : this.#readBodyCall(parameters, qubits);
      this.#tokens.expect(';');
      body.push(statement);
    }
    return body;
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
    const angles = this.readAngles(called, parameters);
    const acting = this.#tokens.isSymbol(';') ? [] : this.#readBodyQubits(qubits);
    this.checkNumQubits(called, acting.length);
    return { kind: 'call', name: called.name, gate: called.gate, angles, qubits: acting };
  }

  #readBodyQubits(qubits: ReadonlyMap<string, number>): readonly number[] {
    const named = new Set<number>();
    do {
      const { text: name, offset } = this.#tokens.expectWord("one of the gate's qubits");
      const position = qubits.get(name);
      if (position === undefined) {
        throw this.#tokens.meaningless(offset, `${quoted(name)} is no qubit of this gate.`);
      }
      if (named.has(position)) {
        throw this.#tokens.meaningless(offset, `${quoted(name)} is named twice.`);
      }
      named.add(position);
    } while (this.#tokens.accept(','));
    return [...named];
  }

  #unknown(name: string): string {
    const problem = `There is no gate called ${quoted(name)} here`;
    for (const [library, gates] of LIBRARIES) {
      if (gates.has(name) && this.#included.size === 0) {
        return `${problem}; include "${library}" defines it.`;
      }
    }
    return `${problem}.${didYouMean(name, this.#inScope.keys())}`;
  }
}

let composites: ReadonlyMap<string, GateMeaning> | undefined;

/** What qelib1.inc builds out of several gates; read once. */
function qelib1Composites(): ReadonlyMap<string, GateMeaning> {
  if (composites === undefined) {
    const tokens = new TokenStream(QELIB1_TEXT);
    const gates = new Gates(3, tokens);
    gates.include('stdgates.inc');
    while (tokens.current.kind !== 'end') gates.readDefinition();
    composites = gates.definitions();
  }
  return composites;
}
