/** The protocol BB84 in the result of its task: the first qubits, and the error rate beside its limit. */
import { percent } from '../numbers.ts';
import { type Fields, isTable } from './result-shape.ts';

/** A bit in a basis, as a state of a qubit. */
export interface Sent {
  readonly ket: '|0⟩' | '|1⟩' | '|+⟩' | '|−⟩';
  /** Direction on the Bloch sphere: z up, x to the right. */
  readonly x: number;
  readonly up: number;
}

/** One qubit on its way from Alice to Bob. */
export interface SentQubit {
  readonly alice: Sent;
  /** What Eve read and sent on; undefined if she let it pass. */
  readonly eve: Sent | undefined;
  readonly bob: Sent;
  /** Whether both bases agree, so that the bit is kept; then whether the bits agree, too. */
  readonly outcome: 'dropped' | 'same' | 'error';
}

/** What is drawn. */
export interface Bb84Shape {
  readonly qubits: readonly SentQubit[];
  /** Share of errors in the sample and its 95 % interval; undefined if nothing was compared. */
  readonly rate:
    | { readonly value: number; readonly low: number; readonly high: number }
    | undefined;
  readonly expected: number | undefined;
  /** The protocol aborts above this rate. */
  readonly limit: number;
  readonly isAborted: boolean;
  /** All of it in words. */
  readonly words: string;
}

/** Reads a result; undefined if it is not one of this protocol. */
export function bb84Of(result: Fields): Bb84Shape | undefined {
  const { first_qubits: rows = null, error_rate: value, abort_above: limit, aborted } = result;
  if (!isTable(rows) || typeof limit !== 'number') return undefined;
  const qubits = rows.map(qubitOf);
  const [low, high] = numbersIn(result['error_rate_interval_95']);
  const rate =
    typeof value === 'number' ? { value, low: low ?? value, high: high ?? value } : undefined;
  const expected = result['error_rate_expected'];
  const isAborted = aborted === true;
  return {
    qubits,
    rate,
    expected: typeof expected === 'number' ? expected : undefined,
    limit,
    isAborted,
    words: inWords(qubits, rate?.value, limit, isAborted),
  };
}

function qubitOf(row: Fields): SentQubit {
  const alice = sent(row['alice_basis'], row['alice_bit']);
  const bob = sent(row['bob_basis'], row['bob_bit']);
  const isSame = row['alice_bit'] === row['bob_bit'];
  return {
    alice,
    eve: row['intercepted'] === true ? sent(row['eve_basis'], row['eve_bit']) : undefined,
    bob,
    outcome: row['sifted'] !== true ? 'dropped' : isSame ? 'same' : 'error',
  };
}

function sent(basis: unknown, bit: unknown): Sent {
  if (basis === 'Z') {
    return bit === 0 ? { ket: '|0⟩', x: 0, up: 1 } : { ket: '|1⟩', x: 0, up: -1 };
  }
  return bit === 0 ? { ket: '|+⟩', x: 1, up: 0 } : { ket: '|−⟩', x: -1, up: 0 };
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
}

function inWords(
  qubits: readonly SentQubit[],
  rate: number | undefined,
  limit: number,
  isAborted: boolean,
): string {
  const of = (outcome: SentQubit['outcome']) =>
    qubits.filter((each) => each.outcome === outcome).length;
  const caught = qubits.filter(({ eve }) => eve !== undefined).length;
  const errors = rate === undefined ? 'No bits were compared' : `Error rate ${percent(rate)}`;
  return (
    `Of the first ${qubits.length} qubits Eve measured ${caught}; bases agreed for ${of('same') + of('error')}, ` +
    `of which ${of('error')} had different bits. ${errors}; the limit is ${percent(limit)}: ` +
    `${isAborted ? 'the key is given up' : 'the key is kept'}.`
  );
}
