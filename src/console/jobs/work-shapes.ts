/** Drawings of the results of agents and TPU jobs, read from their fields: graphs, curves, and the protocol BB84. */

import type { GraphEdge, GraphNode, Point } from '../drawing/graph-layout.ts';
import type { Axis, Series } from '../drawing/plot-data.ts';
import { percent } from '../numbers.ts';
import { type Fields, isFields, isTable, observableInWords, type Value } from './result-shape.ts';

type Pair = readonly [number, number];

/** Edges of the Petersen graph: the default of a TPU job that optimises. */
const PETERSEN: readonly Pair[] = Array.from({ length: 5 }, (_, i): readonly Pair[] => [
  [i, (i + 1) % 5],
  [i, i + 5],
  [i + 5, ((i + 2) % 5) + 5],
]).flat();

/** A graph to draw. */
export interface GraphShape {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Undefined where nodes have no places of their own. */
  readonly places?: readonly Point[];
  readonly words: string;
}

/** Curves to draw. */
export interface CurveShape {
  readonly label: string;
  readonly x: Axis;
  readonly series: readonly Series[];
}

/** The cut of a graph: its two groups, and the edges between them. */
export function cutOf(result: Fields, input: Fields): GraphShape | undefined {
  const best = isFields(result['best']) ? result['best'] : {};
  const groups = numbersIn(best['groups']);
  if (result['problem'] !== 'maxcut' || groups.length === 0) return undefined;
  const edges = pairsIn(input['edges']) ?? PETERSEN;
  const first = groups.filter((group) => group === 0).length;
  return {
    nodes: groups.map((group, i) => ({
      label: String(i),
      group: group === 0 ? 'first' : 'second',
    })),
    edges: edges.map((ends) => ({ ends, isStrong: groups[ends[0]] !== groups[ends[1]] })),
    words:
      `The best cut found: ${first} nodes in the round group, ${groups.length - first} in the square one, ` +
      `weight ${String(best['cut_weight'])}.`,
  };
}

/** The tour of a routing task, at the places that the input gives. */
export function tourOf(result: Fields, input: Fields): GraphShape | undefined {
  const route = numbersIn(result['route']);
  const places = pairsIn(input['coordinates']);
  if (places === undefined || route.length < 2) return undefined;
  return {
    nodes: places.map((_, i) => ({ label: String(i), group: i === route[0] ? 'second' : 'first' })),
    edges: route.slice(1).map((to, i) => ({ ends: [route[i] ?? 0, to], isStrong: true })),
    // North is up.
    places: places.map(([x, y]) => ({ x, y: -y })),
    words: `The route ${route.join(', ')}, of length ${String(result['length'])}.`,
  };
}

/** Qubits of a device with its couplers, and which of them hold the circuit's qubits at the start. */
export function layoutOf(result: Fields, couplers: readonly Pair[]): GraphShape | undefined {
  const layout = numbersIn(result['initial_layout']);
  const numQubits = Number(result['device_qubits']);
  if (layout.length === 0 || !(numQubits > 0)) return undefined;
  const seen = new Set<string>();
  const edges = couplers.flatMap(([a, b]): readonly GraphEdge[] => {
    const name = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ ends: [a, b], isStrong: layout.includes(a) && layout.includes(b) }];
  });
  return {
    nodes: Array.from({ length: numQubits }, (_, i) => {
      const own = layout.indexOf(i);
      return own < 0
        ? { label: String(i), group: 'plain' as const }
        : { label: `q${own}`, group: 'second' as const };
    }),
    edges,
    words: `${numQubits} qubits of the device. ${layout.map((at, own) => `q${own} starts on ${at}`).join(', ')}.`,
  };
}

/** Expectation values of a sweep of one parameter. */
export function sweepOf(result: Fields, input: Fields): CurveShape | undefined {
  const { points, parameters } = result;
  if (!Array.isArray(parameters) || parameters.length !== 1 || !isTable(points ?? null))
    return undefined;
  const rows = points as readonly Fields[];
  const names = Array.isArray(input['observables'])
    ? input['observables'].map(observableInWords)
    : [];
  const width = numbersIn(rows[0]?.['expectations']).length;
  const label = String(parameters[0]);
  return {
    label: `Expectation values by ${label}`,
    x: { label, values: rows.map(({ values }) => numbersIn(values)[0] ?? Number.NaN) },
    series: Array.from({ length: width }, (_, i) => ({
      label: names[i] ?? `Observable ${i}`,
      values: rows.map(({ expectations }) => numbersIn(expectations)[i] ?? Number.NaN),
    })),
  };
}

/** Fidelity and distance by the strength of the noise. */
export function noiseScanOf(result: Fields): CurveShape | undefined {
  const { levels = null } = result;
  if (!isTable(levels) || levels.length < 2) return undefined;
  const of = (name: string) => levels.map((level) => Number(level[name]));
  return {
    label: 'Fidelity and distance by the scale of the noise',
    x: { label: 'scale of the noise', values: of('scale_factor') },
    series: [
      { label: 'Classical fidelity', values: of('classical_fidelity') },
      { label: 'Total variation distance', values: of('total_variation_distance') },
    ],
  };
}

function numbersIn(value: Value | undefined): readonly number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number') ? value : [];
}

function pairsIn(value: Value | undefined): readonly Pair[] | undefined {
  const isPairs = Array.isArray(value) && value.every((each) => numbersIn(each).length === 2);
  return isPairs ? (value as readonly Pair[]) : undefined;
}

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
  /** Qubit that Eve read and sent on; undefined if she let it pass. */
  readonly eve: Sent | undefined;
  readonly bob: Sent;
  /** Whether both bases agree, so that the bit is kept; then whether the bits agree, too. */
  readonly outcome: 'dropped' | 'same' | 'error';
}

/** Drawing of a run of BB84. */
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
