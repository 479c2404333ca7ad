/** Reads a noise model, and reports its faults. */
import { pathOf } from '../../errors/fault-path.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import type { Qubit } from '../circuit.ts';
import { MAX_DURATION_NS } from '../circuit-limits.ts';
import { counted, type FaultList } from '../errors.ts';
import { GATES_OF_RULE, type LossRule } from '../loss/loss-rule.ts';
import type { Channel } from './channel.ts';
import type { ChannelObject } from './channel-object.ts';
import { type GatePattern, LAYER_END, readPattern } from './gate-pattern.ts';
import type { NoiseModelObject } from './noise-model-schema.ts';
import { ChannelTerms } from './place-channel.ts';
import { checkRelaxationTimes, ownWidth, type ReadChannel, readChannel } from './read-channel.ts';

/** Noise after gates of some names. */
export interface GateRule {
  /** Canonical names, and `*` with or without a number of qubits. */
  readonly names: ReadonlySet<string>;
  /** Operands that the rule holds for, joined by commas; undefined for all. */
  readonly operands: ReadonlySet<string> | undefined;
  /**
   * Returns the channel for gates on `numQubits` qubits; undefined if the rule has none. Reports a channel that cannot
   * act on that number.
   */
  channelFor(numQubits: number, faults: FaultList): Channel | undefined;
}

/** Readout errors of some qubits. */
export interface ReadoutRule {
  /** Undefined for all qubits. */
  readonly qubits: ReadonlySet<Qubit> | undefined;
  readonly p1Given0: number;
  readonly p0Given1: number;
}

/** Relaxation of some qubits while they wait. Times are in nanoseconds. */
export interface IdleRule {
  /** Undefined for all qubits. */
  readonly qubits: ReadonlySet<Qubit> | undefined;
  readonly t1: number;
  readonly t2: number;
  readonly excited: number;
  /** Durations by canonical name, `M`, `RESET`, and `*` with or without a number of qubits. */
  readonly durations: ReadonlyMap<string, number>;
}

/** A valid noise model. */
export interface NoiseModel {
  readonly gates: readonly GateRule[];
  readonly readout: readonly ReadoutRule[];
  readonly idle: readonly IdleRule[];
  readonly loss: readonly LossRule[];
}

/** Models by name. */
export type NoiseModels = ReadonlyMap<string, NoiseModelObject>;

/**
 * Reads a noise model; returns undefined after reporting its faults.
 *
 * @param models - Models that the caller may name.
 * @param path - Path of the model in messages.
 */
export function readNoiseModel(
  object: NoiseModelObject,
  faults: FaultList,
  models: NoiseModels,
  path = 'noise',
): NoiseModel | undefined {
  const { model, ...own } = object;
  if (model === undefined) return readModel(own, path, faults);
  for (const [field, value] of Object.entries(own)) {
    if (value === undefined) continue;
    faults.add(`${path}.${field}`, `\`model\` names a whole model; leave out ${field}.`);
    return undefined;
  }
  const named = models.get(model);
  if (named !== undefined) return readNoiseModel(named, faults, new Map(), path);
  const shown = model.length > 40 ? `${model.slice(0, 40)}…` : model;
  const problem = `There is no noise model called ${JSON.stringify(shown)}.`;
  faults.add(`${path}.model`, `${problem}${didYouMean(model, [...models.keys()])}`);
  return undefined;
}

function readModel(
  { gates = [], readout = [], idle = [], loss = [] }: Omit<NoiseModelObject, 'model'>,
  path: string,
  faults: FaultList,
): NoiseModel | undefined {
  const before = faults.count;
  const terms = new ChannelTerms();
  const model = {
    gates: gates.map((entry, i) => readGateRule(entry, `${path}.gates[${i}]`, terms, faults)),
    readout: readout.map((entry, i) => readReadoutRule(entry, `${path}.readout[${i}]`, faults)),
    idle: idle.map((entry, i) => readIdleRule(entry, `${path}.idle[${i}]`, faults)),
    loss: loss.map((entry, i) => readLossRule(entry, `${path}.loss[${i}]`, faults)),
  };
  if (idle.length > 0 && idle.every(({ durations_ns }) => durations_ns === undefined)) {
    const example = '{"*1": 35, "CX": 300, "M": 1000}';
    const problem = 'Missing; without durations no qubit ever waits.';
    faults.add(`${path}.idle[0].durations_ns`, `${problem} Give some, for example ${example}.`);
  }
  return faults.count === before ? model : undefined;
}

type GateEntry = NonNullable<NoiseModelObject['gates']>[number];

type WrittenPattern = GatePattern & { readonly written: string };

function readPatterns(
  gates: readonly string[],
  path: string,
  faults: FaultList,
): readonly WrittenPattern[] {
  if (gates.length === 0) {
    faults.add(`${path}.gates`, 'Name at least one gate; "*" stands for all.');
  }
  return gates.flatMap((name, i) => {
    if (faults.isFull) return [];
    const pattern = readPattern(name, 'noise');
    if (typeof pattern !== 'string') return [{ ...pattern, written: name }];
    faults.add(`${path}.gates[${i}]`, pattern);
    return [];
  });
}

type LossEntry = NonNullable<NoiseModelObject['loss']>[number];

function readLossRule({ gates, rule }: LossEntry, path: string, faults: FaultList): LossRule {
  const patterns = readPatterns(gates, path, faults);
  for (const [i, { name, numQubits, written }] of patterns.entries()) {
    if (name === LAYER_END) {
      const problem = `${written} is not a gate, and has no rule for loss.`;
      faults.add(`${path}.gates[${i}]`, problem);
    } else if (GATES_OF_RULE[rule]?.includes(name) === false) {
      const problem = `${rule} is for ${GATES_OF_RULE[rule].join(', ')} alone, not for ${written}.`;
      faults.add(`${path}.rule`, problem);
    } else if (numQubits === 1) {
      const problem = `${written} acts on one qubit, and a gate on a lost qubit is left out.`;
      faults.add(`${path}.gates[${i}]`, problem);
    }
  }
  return { names: new Set(patterns.map(({ name }) => name)), rule };
}

function readGateRule(
  { gates, qubits, channel: object }: GateEntry,
  path: string,
  terms: ChannelTerms,
  faults: FaultList,
): GateRule {
  const before = faults.count;
  const patterns = readPatterns(gates, path, faults);
  const channels = channelsByWidth(object, `${path}.channel`, terms, faults);
  const own = ownWidth(object);
  if (faults.count === before && own !== undefined && own > 1) {
    checkWidths(patterns, own, path, faults);
    if (qubits === undefined && patterns.some(({ name }) => name === LAYER_END)) {
      const problem = `Missing; the channel acts on ${own} qubits, and a barrier does not say which.`;
      faults.add(`${path}.qubits`, problem);
    }
  }
  return {
    names: new Set(patterns.map(({ name }) => name)),
    operands: qubits && readOperands(qubits, patterns, `${path}.qubits`, faults),
    channelFor: channels,
  };
}

/** Reports named gates that a channel on several qubits cannot follow. */
function checkWidths(
  patterns: readonly WrittenPattern[],
  width: number,
  path: string,
  faults: FaultList,
): void {
  for (const { numQubits, written } of patterns) {
    if (numQubits === undefined || numQubits === width) continue;
    const gate = `${written} acts on ${counted(numQubits, 'qubit')}`;
    faults.add(`${path}.channel`, `The channel acts on ${width} qubits, but ${gate}.`);
    return;
  }
}

/** Channel for each number of qubits, after reporting the faults that it has for all of them. */
function channelsByWidth(
  object: ChannelObject,
  path: string,
  terms: ChannelTerms,
  faults: FaultList,
): GateRule['channelFor'] {
  const own = ownWidth(object);
  const byWidth = new Map<number, ReadChannel | undefined>();
  const read = (numQubits: number, list: FaultList) => {
    if (terms.isFull) return;
    const found = readChannel(object, numQubits, path, list);
    byWidth.set(numQubits, found);
    terms.add(found?.channel, path, list);
  };
  read(own ?? 1, faults);
  return (numQubits, laterFaults) => {
    // A channel on one qubit goes to each operand.
    const width = own === 1 ? 1 : numQubits;
    if (own !== undefined && own !== width) return undefined;
    if (!byWidth.has(width)) read(width, laterFaults);
    return byWidth.get(width)?.channel;
  };
}

/** Operands that a rule holds for, as text. */
function readOperands(
  lists: readonly (readonly Qubit[])[],
  patterns: readonly GatePattern[],
  path: string,
  faults: FaultList,
): ReadonlySet<string> {
  const widths = new Set(patterns.map(({ numQubits }) => numQubits));
  for (const [i, list] of lists.entries()) {
    checkQubits(list, `${path}[${i}]`, faults);
    if (widths.size === 0 || widths.has(undefined) || widths.has(list.length)) continue;
    const wanted = [...widths].join(' or ');
    const named = `these gates act on ${wanted} qubit${wanted === '1' ? '' : 's'}`;
    faults.add(`${path}[${i}]`, `${counted(list.length, 'qubit')}, but ${named}.`);
  }
  return new Set(lists.map((list) => list.join()));
}

function checkQubits(qubits: readonly Qubit[], path: string, faults: FaultList): void {
  const seen = new Set<Qubit>();
  for (const [i, qubit] of qubits.entries()) {
    if (!Number.isInteger(qubit) || qubit < 0) {
      faults.add(`${path}[${i}]`, `${qubit} is not a qubit; qubits are whole numbers from 0.`);
    } else if (seen.has(qubit)) {
      faults.add(`${path}[${i}]`, `Qubit ${qubit} is named twice.`);
    }
    seen.add(qubit);
  }
}

function readQubits(
  qubits: readonly Qubit[] | undefined,
  path: string,
  faults: FaultList,
): ReadonlySet<Qubit> | undefined {
  if (qubits === undefined) return undefined;
  checkQubits(qubits, `${path}.qubits`, faults);
  return new Set(qubits);
}

type ReadoutEntry = NonNullable<NoiseModelObject['readout']>[number];

function readReadoutRule(entry: ReadoutEntry, path: string, faults: FaultList): ReadoutRule {
  checkFraction(entry, 'p1_given_0', path, faults);
  checkFraction(entry, 'p0_given_1', path, faults);
  return {
    qubits: readQubits(entry.qubits, path, faults),
    p1Given0: entry.p1_given_0,
    p0Given1: entry.p0_given_1,
  };
}

function checkFraction<Field extends string>(
  entry: { readonly [F in Field]?: number | undefined },
  field: Field,
  path: string,
  faults: FaultList,
): void {
  const value: number | undefined = entry[field];
  if (value === undefined || (value >= 0 && value <= 1)) return;
  faults.add(`${path}.${field}`, `${field} must be from 0 to 1, not ${value}.`);
}

type IdleEntry = NonNullable<NoiseModelObject['idle']>[number];

function readIdleRule(entry: IdleEntry, path: string, faults: FaultList): IdleRule {
  checkRelaxationTimes(entry.t1_us, entry.t2_us, path, faults);
  checkFraction(entry, 'excited', path, faults);
  const durations = new Map<string, number>();
  for (const [name, duration] of Object.entries(entry.durations_ns ?? {})) {
    const pattern = readPattern(name, 'duration');
    const place = pathOf(`${path}.durations_ns`, name);
    if (typeof pattern === 'string') {
      faults.add(place, pattern);
    } else if (!(duration >= 0 && duration <= MAX_DURATION_NS)) {
      faults.add(place, `A duration is from 0 to ${MAX_DURATION_NS} ns, not ${duration}.`);
    } else if (durations.has(pattern.name)) {
      faults.add(place, `${pattern.name} is named twice.`);
    } else {
      durations.set(pattern.name, duration);
    }
  }
  return {
    qubits: readQubits(entry.qubits, path, faults),
    t1: 1000 * entry.t1_us,
    t2: 1000 * entry.t2_us,
    excited: entry.excited ?? 0,
    durations,
  };
}
