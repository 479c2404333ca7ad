/**
 * Results that a program requests with `#pragma braket result`, and the observables that they name: factors placed on
 * qubits, and their expansion into Pauli strings.
 */

import { hasOddParity, numOnes } from '../../math/basis-index.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import type { BasisState } from '../basis-states.ts';
import type { Qubit } from '../circuit.ts';
import { MAX_UNITARY_QUBITS } from '../circuit-limits.ts';
import { FaultList } from '../errors.ts';
import { hermitianFromRows } from '../matrix-rows.ts';
import type { PauliTermObject } from '../observable.ts';
import { factsOf, outputOfResult } from '../outputs.ts';
import type { Operand } from './actions.ts';
import type { OperandSyntax } from './expressions.ts';
import type { ObservableFactor, ObservableTerm, ResultPragma } from './pragmas.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** A factor on its qubits. Bit i of an index of the matrix of `hermitian` is `qubits[i]`. */
export interface PlacedFactor {
  readonly letter: ObservableFactor['letter'];
  readonly qubits: readonly Qubit[];
  readonly matrix?: ComplexMatrix;
}

/** A term whose factors act on distinct qubits. */
export interface PlacedTerm {
  readonly coefficient: number;
  readonly factors: readonly PlacedFactor[];
}

/** A sum of terms. */
export type PlacedObservable = readonly PlacedTerm[];

/** Observables of one pragma. */
export interface PlacedObservables {
  readonly observables: readonly PlacedObservable[];
  /** Whether the pragma means one observable for each of several qubits. */
  readonly isList: boolean;
}

/** Greatest number of Pauli strings of one observable: those of a matrix on six qubits. */
const MAX_STRINGS = 4 ** MAX_UNITARY_QUBITS;
/** Coefficients below this, next to entries of size 1, are rounding errors. */
const NEGLIGIBLE = 1e-16;

/** Places the observables of pragmas on the qubits of a program. */
export class ObservablePlacement {
  readonly #tokens: TokenStream;
  readonly #allQubits: readonly Qubit[];
  readonly #resolve: (operand: OperandSyntax) => Operand;

  /** @param resolve - Finds the qubits of a name. */
  constructor(
    tokens: TokenStream,
    allQubits: readonly Qubit[],
    resolve: (operand: OperandSyntax) => Operand,
  ) {
    this.#tokens = tokens;
    this.#allQubits = allQubits;
    this.#resolve = resolve;
  }

  /**
   * Places the terms of a pragma. A single factor on one qubit that names several means one observable for each.
   *
   * @throws {OpenQasmError} where the factors of a term do not fit, or an observable has too many Pauli strings.
   */
  place(terms: readonly ObservableTerm[]): PlacedObservables {
    const [only] = terms;
    if (terms.length === 1 && only?.factors.length === 1) {
      const factor = only.factors[0]!;
      const qubits = this.#qubitsOf(factor);
      const { rows, operands } = factor;
      const isOfOneQubit = rows === undefined || rows.length === 2;
      const namesSeveral = operands === undefined || (operands.length === 1 && qubits.length > 1);
      if (isOfOneQubit && namesSeveral) {
        const observables = qubits.map((qubit) => [this.#term(only, [[qubit]])]);
        return { observables, isList: true };
      }
    }
    const placed = terms.map((term) =>
      this.#term(
        term,
        term.factors.map((factor) => this.#qubitsOf(factor)),
      ),
    );
    this.#checkStrings(placed, only?.offset ?? 0);
    return { observables: [placed], isList: false };
  }

  #qubitsOf({ operands }: ObservableFactor): readonly Qubit[] {
    if (operands === undefined) return this.#allQubits;
    return operands.flatMap((operand) => this.#resolve(operand).elements);
  }

  #term(
    { coefficient, factors }: ObservableTerm,
    qubitsOf: readonly (readonly Qubit[])[],
  ): PlacedTerm {
    const seen = new Set<Qubit>();
    const placed = factors.map((factor, i) => {
      const qubits = qubitsOf[i]!;
      for (const qubit of qubits) {
        if (seen.has(qubit)) {
          const problem = 'The factors of a product act on distinct qubits.';
          throw this.#tokens.invalid(factor.offset, problem);
        }
        seen.add(qubit);
      }
      return this.#factor(factor, qubits);
    });
    return { coefficient, factors: placed };
  }

  #factor({ letter, rows, offset }: ObservableFactor, qubits: readonly Qubit[]): PlacedFactor {
    if (rows === undefined) {
      if (qubits.length === 1) return { letter, qubits };
      const problem = `A factor of a product acts on one qubit; ${quoted(letter)} acts on several.`;
      throw this.#tokens.invalid(offset, problem);
    }
    if (qubits.length > MAX_UNITARY_QUBITS) {
      const problem = `A Hermitian matrix on ${qubits.length} qubits; the limit is ${MAX_UNITARY_QUBITS}.`;
      throw this.#tokens.pastLimit(offset, problem);
    }
    const faults = new FaultList();
    const matrix = hermitianFromRows(rows, qubits.length, 'hermitian', faults);
    if (matrix === undefined) {
      throw this.#tokens.invalid(offset, `The matrix of "hermitian": ${faults.kept[0]!.message}`);
    }
    return { letter, qubits: qubits.toReversed(), matrix };
  }

  #checkStrings(observable: PlacedObservable, offset: number): void {
    const numStrings = observable.reduce((sum, { factors }) => {
      return sum + factors.reduce((product, factor) => product * mostStringsOf(factor), 1);
    }, 0);
    if (numStrings <= MAX_STRINGS) return;
    const problem = `The observable has up to ${numStrings} Pauli strings; the limit is ${MAX_STRINGS}.`;
    throw this.#tokens.pastLimit(offset, problem);
  }
}

/** Factors `h` have two strings, matrices up to 4^k. */
function mostStringsOf({ letter, qubits }: PlacedFactor): number {
  if (letter === 'hermitian') return 4 ** qubits.length;
  return letter === 'h' ? 2 : 1;
}

/** One Pauli string and its coefficient; no words stand for the identity. */
interface WordTerm {
  readonly words: readonly string[];
  readonly coefficient: number;
}

/** Expands an observable into a sum of Pauli strings, at least one. */
function pauliTermsOf(observable: PlacedObservable): readonly PauliTermObject[] {
  const terms = observable.flatMap(({ coefficient, factors }) => {
    let strings: readonly WordTerm[] = [{ words: [], coefficient }];
    for (const factor of factors) {
      const ofFactor = stringsOf(factor);
      strings = strings.flatMap((left) =>
        ofFactor.map((right) => ({
          words: [...left.words, ...right.words],
          coefficient: left.coefficient * right.coefficient,
        })),
      );
    }
    return strings;
  });
  if (terms.length === 0) return [{ pauli: 'I', coefficient: 0 }];
  return terms.map(({ words, coefficient }) => ({ pauli: words.join(' ') || 'I', coefficient }));
}

function stringsOf({ letter, qubits, matrix }: PlacedFactor): readonly WordTerm[] {
  if (matrix !== undefined) return stringsOfMatrix(matrix, qubits);
  if (letter === 'i') return [{ words: [], coefficient: 1 }];
  const letters = letter === 'h' ? ['X', 'Z'] : [letter.toUpperCase()];
  const coefficient = letter === 'h' ? Math.SQRT1_2 : 1;
  return letters.map((pauli) => ({ words: [`${pauli}${qubits[0]}`], coefficient }));
}

const LETTERS = ['I', 'X', 'Z', 'Y'] as const;

/** Pauli strings of a Hermitian matrix; those whose coefficients are 0 are left out. */
function stringsOfMatrix(matrix: ComplexMatrix, qubits: readonly Qubit[]): readonly WordTerm[] {
  const d = 2 ** qubits.length;
  const largest = matrix.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const terms: WordTerm[] = [];
  for (let flips = 0; flips < d; flips++) {
    for (let signs = 0; signs < d; signs++) {
      const coefficient = coefficientOf(matrix, d, flips, signs);
      if (Math.abs(coefficient) <= NEGLIGIBLE * largest) continue;
      const words = qubits.flatMap((qubit, i) => {
        const letter = LETTERS[((flips >> i) & 1) + 2 * ((signs >> i) & 1)]!;
        return letter === 'I' ? [] : [`${letter}${qubit}`];
      });
      terms.push({ words, coefficient });
    }
  }
  return terms;
}

/**
 * tr(P·M)/d of the Pauli string that flips the bits `flips` and has the signs `signs`: it sends |i⟩ to
 * i^numY · (−1)^|i & signs| · |i ^ flips⟩. The trace is real, because both are Hermitian.
 */
function coefficientOf(matrix: ComplexMatrix, d: number, flips: number, signs: number): number {
  const numY = numOnes(flips & signs) % 4;
  let sum = 0;
  for (let i = 0; i < d; i++) {
    const at = 2 * (i * d + (i ^ flips));
    // Real part of i^numY · M[i][i ^ flips].
    const part = numY % 2 === 0 ? matrix[at]! : -matrix[at + 1]!;
    sum += hasOddParity(i & signs) ? -part : part;
  }
  return (numY < 2 ? sum : -sum) / d;
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
