/**
 * Clifford circuits with Pauli noise and deterministic detectors: detection events and the detector error model
 * against the exact distribution, and the model against Stim's where there is a Python.
 */
import { type Answer, type Area, judged } from '../area.ts';
import { type Circuit, numBits, type Op, run, written } from '../circuits.ts';
import { countsDiffer, probabilitiesDiffer } from '../compare.ts';
import { type Channel, pauliMixture } from '../matrices.ts';
import { askPython, hasPython } from '../python.ts';
import type { Branch } from '../state.ts';
import { randomGate } from './generate.ts';
import { randomChannel } from './noise.ts';

interface DetectorCase {
  readonly circuit: Circuit;
  /** Sets of bits that are tried as detectors: those whose parity is fixed are used. */
  readonly candidates: readonly (readonly number[])[];
  readonly observables: number;
  readonly shots: number;
  readonly seed: number;
}

/** Words of the refusal of a model whose probabilities no independent errors have; right unless Stim makes one. */
const NOT_INDEPENDENT = ['No independent errors have the probabilities'];
/** Digits of the model's text. */
const TOLERANCE = 1e-10;

function parity(bits: readonly number[], list: readonly number[]): number {
  return list.reduce((sum, bit) => sum ^ (bits[bit] ?? 0), 0);
}

/** Distribution of events, D0 leftmost. */
function events(
  branches: readonly Branch<number[]>[],
  lists: readonly (readonly number[])[],
  reference: readonly number[],
) {
  const found = new Map<string, number>();
  for (const { state, memory } of branches) {
    const label = lists.map((list) => parity(memory, list) ^ parity(reference, list)).join('');
    found.set(label, (found.get(label) ?? 0) + state.weight());
  }
  return found;
}

/** Distribution of events by a model's independent errors. */
function modelled(text: string, detectors: number, total: number): Map<string, number> {
  let found = new Map([['0'.repeat(total), 1]]);
  for (const line of text.split('\n')) {
    const [, probability, targets] = /^error\(([^)]+)\)(.*)$/.exec(line.trim()) ?? [];
    if (probability === undefined) continue;
    const p = Number(probability);
    const flips = new Array<number>(total).fill(0);
    for (const [, kind, index] of (targets ?? '').matchAll(/([DL])(\d+)/g)) {
      flips[Number(index) + (kind === 'L' ? detectors : 0)]! ^= 1;
    }
    const next = new Map<string, number>();
    for (const [label, weight] of found) {
      const flipped = [...label].map((bit, i) => Number(bit) ^ flips[i]!).join('');
      next.set(label, (next.get(label) ?? 0) + weight * (1 - p));
      next.set(flipped, (next.get(flipped) ?? 0) + weight * p);
    }
    found = next;
  }
  return found;
}

function countedEvents(answer: unknown, total: number): Record<string, number> {
  const { bytes_per_shot: size, data } = answer as { bytes_per_shot: number; data: string };
  const bytes = Buffer.from(data, 'base64');
  const counts: Record<string, number> = {};
  for (let start = 0; start < bytes.length; start += size) {
    const bits = Array.from({ length: total }, (_, i) => (bytes[start + (i >> 3)]! >> (i & 7)) & 1);
    const label = bits.join('');
    counts[label] = (counts[label] ?? 0) + 1;
  }
  return counts;
}

const STIM: Readonly<Record<string, string>> = {
  ID: 'I',
  SDG: 'S_DAG',
  SX: 'SQRT_X',
  SXDG: 'SQRT_X_DAG',
};
const IN_STIM = [
  'ID',
  'H',
  'X',
  'Y',
  'Z',
  'S',
  'SDG',
  'SX',
  'SXDG',
  'CX',
  'CY',
  'CZ',
  'SWAP',
  'ISWAP',
];

/** Noise of one operation, in Stim's words. */
function stimChannel(channel: Channel, qubits: readonly number[]): string {
  const size = qubits.length;
  const mixture = pauliMixture(channel, channel['num_qubits'] === 1 ? 1 : size)!;
  const width = [...mixture.keys()][0]!.length;
  const places = width === 1 ? qubits.map((qubit) => [qubit]) : [qubits];
  // Stim's PAULI_CHANNEL_2 has the first qubit's letter first.
  const letters =
    width === 1 ? [...'XYZ'] : [...'IXYZ'].flatMap((a) => [...'IXYZ'].map((b) => b + a)).slice(1);
  const p = letters.map((each) => mixture.get(each) ?? 0).join(',');
  return places.map((place) => `PAULI_CHANNEL_${width}(${p}) ${place.join(' ')}`).join('\n');
}

function stimText(
  { circuit }: DetectorCase,
  lists: readonly (readonly number[])[],
  detectors: number,
): string {
  const lines: string[] = [];
  const last: number[] = [];
  let measurements = 0;
  for (const op of circuit.ops) {
    if (op.op === 'gate') lines.push(`${STIM[op.gate] ?? op.gate} ${op.qubits.join(' ')}`);
    if (op.op === 'reset') lines.push(`R ${op.qubits.join(' ')}`);
    if (op.op === 'noise') lines.push(stimChannel(op.channel, op.qubits));
    if (op.op !== 'measure') continue;
    lines.push(`M ${op.qubits.join(' ')}`);
    for (const bit of op.bits) last[bit] = measurements++;
  }
  lists.forEach((list, i) => {
    const records = list.map((bit) => `rec[${last[bit]! - measurements}]`).join(' ');
    lines.push(
      i < detectors ? `DETECTOR ${records}` : `OBSERVABLE_INCLUDE(${i - detectors}) ${records}`,
    );
  });
  return lines.join('\n');
}

/** The area. */
export const detectorsArea: Area<DetectorCase> = {
  name: 'detectors',
  generate(random) {
    const qubits = random.between(1, 4);
    const ops: Op[] = [];
    let bits = 0;
    const numOps = random.between(3, 14);
    for (let i = 0; i < numOps; i++) {
      const choice = random.uniform();
      const qubit = random.below(qubits);
      if (choice < 0.3) {
        const size = qubits > 1 && random.chance(0.4) ? 2 : 1;
        const channel = randomChannel(random, size, true);
        const width = channel.type === 'depolarizing' || channel.type === 'pauli' ? size : 1;
        ops.push({ op: 'noise', qubits: random.distinct(width, qubits), channel });
      } else if (choice < 0.5 && bits < 4)
        ops.push({ op: 'measure', qubits: [qubit], bits: [bits++] });
      else if (choice < 0.55) ops.push({ op: 'reset', qubits: [qubit] });
      else ops.push(randomGate(random, qubits, { clifford: true, names: IN_STIM }));
    }
    const all = Array.from({ length: qubits }, (_, i) => i);
    ops.push({ op: 'measure', qubits: all, bits: all.map((i) => i + bits) });
    const total = bits + qubits;
    const candidates = Array.from({ length: 40 }, () =>
      random.distinct(random.between(1, Math.min(4, total)), total),
    );
    const readout = { p1_given_0: 0.03, p0_given_1: 0.03 };
    return {
      circuit: {
        form: 'json',
        qubits,
        ops,
        ...(random.chance(0.3) && { noise: { readout: [readout] } }),
      },
      candidates,
      observables: random.below(2),
      shots: 4000,
      seed: random.below(1e9),
    };
  },
  async check(each, service) {
    const { circuit, candidates, shots, seed } = each;
    const quiet = {
      ...circuit,
      ops: circuit.ops.filter((op) => op.op !== 'noise'),
      noise: undefined,
    };
    const clean = run(quiet, true).filter(({ state }) => state.weight() > 1e-9);
    const reference = clean[0]?.memory ?? [];
    const written_ = numBits(circuit);
    const isFixed = (list: readonly number[]) =>
      list.length > 0 &&
      list.every((bit) => bit < written_) &&
      clean.every(({ memory }) => parity(memory, list) === parity(reference, list));
    const lists = candidates.filter(isFixed).slice(0, 5);
    if (lists.length === 0) return undefined;
    const detectors = Math.max(1, lists.length - each.observables);
    const exact = events(run(circuit, true), lists, reference);
    const body = {
      ...written(circuit),
      target_processor: 'qvm',
      shots,
      seed,
      detectors: lists.slice(0, detectors),
      ...(lists.length > detectors && { logical_observables: lists.slice(detectors) }),
    };
    const expected = Object.fromEntries(exact);
    const ofEvents = (data: Answer['data']) =>
      countsDiffer(countedEvents(data['detection_events'], lists.length), exact, shots);
    const wrong = await judged(
      service,
      'circuits',
      { ...body, return: ['detection_events'] },
      ofEvents,
      expected,
    );
    if (wrong) return wrong;
    const text = stimText(each, lists, detectors);
    const stim =
      hasPython('Stim') && !circuit.noise
        ? ((await askPython('stim', { text })) as string | null)
        : null;
    const ofModel = (data: Answer['data']) => {
      const model = String(data['detector_error_model']);
      const found = probabilitiesDiffer(
        Object.fromEntries(modelled(model, detectors, lists.length)),
        exact,
        TOLERANCE,
      );
      if (found || stim === null) return found;
      const theirs = modelled(stim, detectors, lists.length);
      return probabilitiesDiffer(
        Object.fromEntries(modelled(model, detectors, lists.length)),
        theirs,
        TOLERANCE,
      );
    };
    const dem = { ...body, return: ['detector_error_model'] };
    return judged(
      service,
      'circuits',
      dem,
      ofModel,
      { ...expected, stim },
      stim === null ? NOT_INDEPENDENT : [],
    );
  },
};
