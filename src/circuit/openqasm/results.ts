/** Results that a program requests with `#pragma braket result`. */
import type { Qubit } from '../circuit.ts';
import type { PauliTermObject } from '../observable.ts';
import type { OperandSyntax } from './expressions.ts';
import type { ObservableFactor, ResultPragma } from './pragmas.ts';
import type { Operand } from './registers.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** Kinds of results that an answer may have beside counts. */
type ResultKind = 'statevector' | 'probabilities' | 'expectation';

/** Results that a program requests; the observables are those of `expectation`, in order. */
export interface ProgramResults {
  readonly outputs: readonly ResultKind[];
  readonly observables: readonly (readonly PauliTermObject[])[];
}

/** Most factors h of an observable: each one doubles its terms. */
const MAX_HADAMARDS = 10;

/** Collects requests while a program is read. */
export class Results {
  readonly #tokens: TokenStream;
  readonly #outputs = new Set<ResultKind>();
  readonly #observables: PauliTermObject[][] = [];
  #firstOffset: number | undefined;
  #probabilityOffset: number | undefined;

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  /** Adds a request; `resolve` finds the qubits of a name. */
  add(
    pragma: ResultPragma,
    allQubits: readonly Qubit[],
    resolve: (operand: OperandSyntax) => Operand,
  ): void {
    const { offset } = pragma;
    this.#firstOffset ??= offset;
    switch (pragma.of) {
      case 'state_vector':
        this.#outputs.add('statevector');
        return;
      case 'probability': {
        const named = pragma.operands.flatMap((operand) => resolve(operand).elements);
        if (named.length > 0 && new Set(named).size < allQubits.length) {
          const what = 'The result "probability" of some of the qubits (measure those instead)';
          throw this.#tokens.unsupported(offset, what);
        }
        this.#probabilityOffset = offset;
        this.#outputs.add('probabilities');
        return;
      }
      case 'expectation':
        this.#outputs.add('expectation');
        this.#addObservables(pragma.factors, allQubits, resolve);
    }
  }

  /** Throws if results are requested and the caller does not accept them. */
  refuse(): void {
    if (this.#firstOffset === undefined) return;
    const what = '"#pragma braket result" where the request itself lists the results';
    throw this.#tokens.unsupported(this.#firstOffset, what);
  }

  /** Requests of the program, once it has been read. */
  of({
    operations,
  }: {
    readonly operations: readonly { readonly kind: string }[];
  }): ProgramResults {
    const isMeasured = operations.some(({ kind }) => kind === 'measure' || kind === 'while');
    if (this.#probabilityOffset !== undefined && isMeasured) {
      const what =
        'The result "probability" of a program that measures (leave the measurements out)';
      throw this.#tokens.unsupported(this.#probabilityOffset, what);
    }
    return { outputs: [...this.#outputs], observables: this.#observables };
  }

  #addObservables(
    factors: readonly ObservableFactor[],
    allQubits: readonly Qubit[],
    resolve: (operand: OperandSyntax) => Operand,
  ): void {
    const qubitsOf = ({ operand }: ObservableFactor) =>
      operand === undefined ? allQubits : resolve(operand).elements;
    const [first] = factors;
    if (factors.length === 1 && first !== undefined) {
      // A single factor on several qubits means one observable for each.
      for (const qubit of qubitsOf(first)) {
        this.#observables.push(termsOf([{ letter: first.letter, qubit }]));
      }
      return;
    }
    const placed = factors.map((factor) => {
      const [qubit, ...others] = qubitsOf(factor);
      if (qubit !== undefined && others.length === 0) return { letter: factor.letter, qubit };
      const problem = `A factor of a product acts on one qubit; ${quoted(factor.letter)} acts on several.`;
      throw this.#tokens.invalid(factor.offset, problem);
    });
    for (const [i, { qubit }] of placed.entries()) {
      if (placed.findIndex((other) => other.qubit === qubit) < i) {
        const problem = 'The factors of a product act on distinct qubits.';
        throw this.#tokens.invalid(factors[i]!.offset, problem);
      }
    }
    if (placed.filter(({ letter }) => letter === 'h').length > MAX_HADAMARDS) {
      const problem = `An observable has at most ${MAX_HADAMARDS} factors h.`;
      throw this.#tokens.pastLimit(factors[0]!.offset, problem);
    }
    this.#observables.push(termsOf(placed));
  }
}

/** Expands a product of observables into a sum of Pauli strings. */
function termsOf(
  factors: readonly { readonly letter: string; readonly qubit: Qubit }[],
): PauliTermObject[] {
  let terms = [{ words: [] as readonly string[], coefficient: 1 }];
  for (const { letter, qubit } of factors) {
    if (letter === 'i') continue;
    const letters = letter === 'h' ? ['X', 'Z'] : [letter.toUpperCase()];
    const scale = letter === 'h' ? Math.SQRT1_2 : 1;
    terms = terms.flatMap(({ words, coefficient }) =>
      letters.map((pauli) => ({
        words: [...words, `${pauli}${qubit}`],
        coefficient: coefficient * scale,
      })),
    );
  }
  return terms.map(({ words, coefficient }) => ({ pauli: words.join(' ') || 'I', coefficient }));
}
