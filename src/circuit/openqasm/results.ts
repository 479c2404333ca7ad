/** Results that a program requests with `#pragma braket result`. */
import type { Qubit } from '../circuit.ts';
import type { PauliTermObject } from '../observable.ts';
import { factsOf, outputOfResult } from '../outputs.ts';
import type { OperandSyntax } from './expressions.ts';
import { ObservablePlacement, type PlacedTerm, pauliTermsOf } from './observables.ts';
import type { ObservableTerm, ResultPragma } from './pragmas.ts';
import type { Operand } from './registers.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** A basis state: its label as the caller wrote it, which in a program has qubit 0 leftmost, and its index. */
export interface BasisState {
  readonly label: string;
  readonly index: bigint;
}

/** Observables `first` to `first + count − 1` of the program. */
export interface ObservableSpan {
  readonly first: number;
  readonly count: number;
  /** Whether the pragma means one observable for each of several qubits. */
  readonly isList: boolean;
}

/** One requested result; `line` is that of its pragma. */
export type ProgramResult = { readonly line: number } & (
  | { readonly type: 'state_vector' }
  | { readonly type: 'amplitude'; readonly states: readonly BasisState[] }
  /** Bit i of an outcome is `qubits[i]`; undefined for all qubits. */
  | { readonly type: 'probability'; readonly qubits: readonly Qubit[] | undefined }
  /** Bit i of an index is `qubits[i]`; undefined for all qubits. */
  | { readonly type: 'density_matrix'; readonly qubits: readonly Qubit[] | undefined }
  | ({ readonly type: 'expectation' | 'variance' } & ObservableSpan)
  | {
      readonly type: 'sample';
      readonly observables: readonly PlacedTerm[];
      readonly isList: boolean;
    }
  | {
      readonly type: 'adjoint_gradient';
      /** Number of the observable. */
      readonly observable: number;
      /** Names of inputs; undefined for all that are numbers. */
      readonly inputs: readonly string[] | undefined;
    }
);

/** Results that a program requests, in the order of its pragmas, and their observables. */
export interface ProgramResults {
  readonly results: readonly ProgramResult[];
  readonly observables: readonly (readonly PauliTermObject[])[];
}

/** Results of a circuit without pragmas. */
export const NO_RESULTS: ProgramResults = { results: [], observables: [] };

/** Collects requests while a program is read. */
export class Results {
  readonly #tokens: TokenStream;
  readonly #results: ProgramResult[] = [];
  readonly #observables: (readonly PauliTermObject[])[] = [];
  /** Offset of each result's pragma. */
  readonly #offsets: number[] = [];

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
    const placement = new ObservablePlacement(this.#tokens, allQubits, resolve);
    const line = this.#tokens.lineAt(offset);
    this.#results.push({ line, ...this.#resultOf(pragma, placement, resolve) });
    this.#offsets.push(offset);
  }

  /** Throws if results are requested and the caller does not accept them. */
  refuse(): void {
    if (this.#offsets[0] === undefined) return;
    const what = '"#pragma braket result" where the request itself lists the results';
    throw this.#tokens.unsupported(this.#offsets[0], what);
  }

  /** Requests of the program, once it has been read. */
  of({
    numQubits,
    operations,
  }: {
    readonly numQubits: number;
    readonly operations: readonly { readonly kind: string }[];
  }): ProgramResults {
    const isMeasured = operations.some(({ kind }) => kind === 'measure' || kind === 'while');
    for (const [i, result] of this.#results.entries()) {
      const offset = this.#offsets[i]!;
      const { type } = result;
      if (isMeasured && factsOf(outputOfResult(type)).pragma?.mayMeasure === false) {
        const what = `The result "${type}" of a program that measures (leave the measurements out)`;
        throw this.#tokens.unsupported(offset, what);
      }
      if (type !== 'amplitude') continue;
      for (const { label } of result.states) {
        if (label.length === numQubits) continue;
        const problem = `The basis state ${quoted(label)} has ${label.length} bits; the program has ${numQubits} qubits.`;
        throw this.#tokens.invalid(offset, problem);
      }
    }
    return { results: this.#results, observables: this.#observables };
  }

  #resultOf(
    pragma: ResultPragma,
    placement: ObservablePlacement,
    resolve: (operand: OperandSyntax) => Operand,
  ) {
    const { of: type } = pragma;
    switch (type) {
      case 'state_vector':
        return { type };
      case 'amplitude':
        return { type, states: pragma.labels.map((label) => ({ label, index: indexOf(label) })) };
      case 'probability':
      case 'density_matrix':
        return { type, qubits: this.#qubits(pragma.operands, pragma.offset, resolve) };
      case 'expectation':
      case 'variance': {
        const first = this.#observables.length;
        const { observables, isList } = placement.place(pragma.terms);
        this.#observables.push(...observables.map(pauliTermsOf));
        return { type, first, count: observables.length, isList };
      }
      case 'sample':
        return { type, ...this.#sampled(pragma.terms, pragma.offset, placement) };
      case 'adjoint_gradient': {
        const { observables, isList } = placement.place(pragma.terms);
        if (this.#results.some((other) => other.type === type)) {
          throw this.#tokens.invalid(pragma.offset, 'A program has one "adjoint_gradient".');
        }
        if (isList) {
          const problem = 'The gradient is that of one observable; name one qubit.';
          throw this.#tokens.invalid(pragma.offset, problem);
        }
        const observable = this.#observables.push(pauliTermsOf(observables[0]!)) - 1;
        return { type, observable, inputs: pragma.inputs };
      }
    }
  }

  /** Qubits of an outcome; undefined where none is named. */
  #qubits(
    operands: readonly OperandSyntax[],
    offset: number,
    resolve: (operand: OperandSyntax) => Operand,
  ): readonly Qubit[] | undefined {
    if (operands.length === 0) return undefined;
    const qubits = operands.flatMap((operand) => resolve(operand).elements);
    if (new Set(qubits).size === qubits.length) return qubits;
    throw this.#tokens.invalid(offset, 'The qubits of an outcome are distinct.');
  }

  #sampled(terms: readonly ObservableTerm[], offset: number, placement: ObservablePlacement) {
    const { observables, isList } = placement.place(terms);
    const sampled = observables.map(([term, ...others]) => {
      if (term !== undefined && others.length === 0) return term;
      const what = 'A sample of a sum (its terms have no common measurement)';
      throw this.#tokens.unsupported(offset, what);
    });
    return { observables: sampled, isList };
  }
}

/** Index of a basis state whose label has qubit 0 leftmost. */
function indexOf(label: string): bigint {
  return BigInt(`0b${Array.from(label).reverse().join('')}`);
}
