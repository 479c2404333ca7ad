/**
 * Loops of the circuit, of loops whose end depends on measurements. Values that change from round to round have bits,
 * which every round reads at its beginning and writes at its end.
 */
import { type BitFunction, NEVER } from '../openqasm/decision-diagram.ts';
import type { BlockOrder } from './block-order.ts';
import { isKnown, knownRow, rowOf, UNDEFINED, type Value } from './classical-values.ts';
import type { Block, Instruction, LlvmFunction } from './llvm-module.ts';
import { expressionOfBits } from './qir-circuit.ts';
import type { QirState } from './qir-state.ts';

/** A way into a block: where it is taken, and the values that it brings. */
export interface Arrival {
  readonly holds: BitFunction;
  readonly values: ReadonlyMap<string, Value>;
}

/** Ways that are still to be followed, by block. */
export type Arrivals = Map<string, Arrival>;

/** A call that is being followed. */
export interface Call {
  readonly called: LlvmFunction;
  readonly frame: number;
  readonly blocks: ReadonlyMap<string, Block>;
  readonly order: BlockOrder;
}

/** A loop of a function. */
export interface MeasuredLoop {
  readonly call: Call;
  readonly head: string;
  readonly blocks: ReadonlySet<string>;
}

/** A way out of a loop, and the block to which it leads. */
type Exit = readonly [to: string, Arrival];

/** Bits of a value that changes from round to round, and its functions before the first one. */
interface Home {
  readonly start: readonly BitFunction[];
  readonly bits: readonly number[];
}

/** What is known of a loop before its rounds. */
interface LoopFacts {
  readonly homes: ReadonlyMap<string, Home>;
  readonly before: ReadonlyMap<string, Value>;
  readonly holds: BitFunction;
}

/**
 * Makes a loop of the circuit. Values that change from round to round have bits, which every round reads at its
 * beginning and writes at its end; which values these are is found by reading the loop again until no further one
 * changes.
 */
export function addLoop(
  state: QirState,
  { call, head, blocks }: MeasuredLoop,
  arrival: Arrival,
  runRound: () => Arrivals,
): readonly Exit[] {
  const { circuit } = state;
  state.frame = call.frame;
  state.at = call.blocks.get(head)!.instructions[0]!.at;
  const { holds } = arrival;
  state.holds = holds;
  for (const [name, value] of arrival.values) state.set(state.variable(name), value);
  const before = state.values;
  const mark = circuit.mark();
  const isKept = keptBy(call, blocks, head);
  const homes = new Map<string, Home>();
  for (;;) {
    state.values = new Map(before);
    for (const [key, home] of homes) {
      const bits = circuit.newBits(home.start.length);
      homes.set(key, { ...home, bits });
      state.values.set(key, { kind: 'row', bits: bits.map((bit) => circuit.diagrams.bit(bit)) });
    }
    const atStart = new Map(state.values);
    circuit.begin();
    const ways = runRound();
    state.frame = call.frame;
    const again = ways.get(head);
    ways.delete(head);
    for (const [name, value] of again?.values ?? []) {
      state.set(state.variable(name), value, again!.holds);
    }
    const changed = changedValues(state, atStart, isKept, homes);
    if (changed.size === 0) {
      return endLoop(state, ways, again?.holds ?? NEVER, { homes, before, holds });
    }
    circuit.end();
    circuit.goBack(mark);
    for (const [key, width] of changed) {
      const value = before.get(key) ?? UNDEFINED;
      const start = value.kind === 'row' ? value.bits : rowOf(0n, width).bits;
      homes.set(key, { start, bits: [] });
    }
  }
}

/** Values that a round has changed and that have no bits yet, with their widths. */
function changedValues(
  state: QirState,
  atStart: ReadonlyMap<string, Value>,
  isKept: (key: string) => boolean,
  homes: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, number> {
  const changed = new Map<string, number>();
  for (const [key, value] of state.values) {
    const old = atStart.get(key) ?? UNDEFINED;
    if (old === value || homes.has(key) || !isKept(key) || areSame(old, value)) continue;
    // Memory that the round itself has made ends with it.
    if (key.includes('[') && !atStart.has(key)) continue;
    if (value.kind === 'row') changed.set(key, value.bits.length);
    else if (old.kind !== 'undefined' || !isKnown(value)) {
      const problem = 'a loop whose end depends on measurements changes a double or a pointer.';
      throw state.fault(problem);
    }
  }
  return changed;
}

/** Ends the body of a loop and adds it, with what is assigned before it and at the end of each round. */
function endLoop(
  state: QirState,
  ways: Arrivals,
  again: BitFunction,
  { homes, before, holds }: LoopFacts,
): readonly Exit[] {
  const { circuit } = state;
  const bits: number[] = [];
  const first: BitFunction[] = [];
  const next: BitFunction[] = [];
  const keep = (start: BitFunction, later: BitFunction, bit = circuit.newBits(1)[0]!) => {
    bits.push(bit);
    first.push(start);
    next.push(later);
    return circuit.diagrams.bit(bit);
  };
  for (const [key, home] of homes) {
    const value = state.values.get(key)!;
    if (value.kind !== 'row') throw state.fault('a value has different types from round to round.');
    for (const [i, bit] of home.bits.entries()) keep(home.start[i]!, value.bits[i]!, bit);
  }
  const flag = keep(holds, again);
  if (ways.size === 0) throw state.fault('this loop never ends.');
  // The last way out is taken where no other one is.
  let rest = holds;
  const exits = [...ways].map(([to, way], i): [string, Arrival] => {
    const values = new Map<string, Value>();
    for (const [name, value] of way.values) {
      if (value.kind !== 'row' && !isKnown(value)) {
        throw state.fault('a double or a pointer depends on the rounds of a loop.');
      }
      if (value.kind !== 'row' || knownRow(value) !== undefined) values.set(name, value);
      else values.set(name, { kind: 'row', bits: value.bits.map((bit) => keep(NEVER, bit)) });
    }
    if (i === ways.size - 1) return [to, { holds: rest, values }];
    const taken = circuit.diagrams.and(holds, keep(NEVER, way.holds));
    rest = circuit.diagrams.and(rest, circuit.diagrams.not(taken));
    return [to, { holds: taken, values }];
  });
  circuit.push({ kind: 'assign', bits, value: expressionOfBits(next) });
  const body = circuit.end();
  circuit.push({ kind: 'assign', bits, value: expressionOfBits(first) });
  const [flagBit] = [...(flag.kind === 'choice' ? [flag.bit] : [])];
  circuit.push({ kind: 'while', condition: { bits: [flagBit!], value: 1 }, body });
  const after = new Map(before);
  for (const [key, home] of homes) {
    const kept = home.bits.map((bit) => circuit.diagrams.bit(bit));
    after.set(key, { kind: 'row', bits: kept });
  }
  for (const [key, value] of state.values) {
    // Values that are the same in every round, and first known in the loop.
    if (!after.has(key) && isKnown(value)) after.set(key, value);
  }
  state.values = after;
  return exits;
}

/** Whether values are the same function of the same bits. */
function areSame(left: Value, right: Value): boolean {
  if (left.kind === 'row' && right.kind === 'row') {
    return left.bits.every((bit, i) => bit === right.bits[i]);
  }
  if (left.kind !== 'cases' || right.kind !== 'cases') return false;
  return (
    left.cases.length === right.cases.length &&
    left.cases.every(({ holds, value }, i) => {
      const other = right.cases[i]!;
      if (other.holds !== holds) return false;
      return JSON.stringify(other.value) === JSON.stringify(value);
    })
  );
}

/** Whether a value has to outlast a round: memory, results, values of the head, and variables that others read. */
function keptBy(call: Call, blocks: ReadonlySet<string>, head: string): (key: string) => boolean {
  const local = new Set<string>();
  for (const name of blocks) {
    for (const { op, result } of call.blocks.get(name)!.instructions) {
      const isOfHead = op === 'phi' && name === head;
      if (result !== undefined && !isOfHead) local.add(`${call.frame}%${result}`);
    }
  }
  for (const { name, instructions } of call.called.blocks) {
    if (blocks.has(name)) continue;
    for (const instruction of instructions) {
      for (const used of localsOf(instruction)) local.delete(`${call.frame}%${used}`);
    }
  }
  return (key) => !local.has(key);
}

/** Names of variables in an instruction. */
function localsOf(instruction: Instruction): readonly string[] {
  const found: string[] = [];
  const look = (part: unknown): void => {
    if (part instanceof Map) for (const each of part.values()) look(each);
    else if (Array.isArray(part)) part.forEach(look);
    else if (typeof part === 'object' && part !== null) {
      if ('kind' in part && part.kind === 'local' && 'name' in part) found.push(String(part.name));
      Object.values(part).forEach(look);
    }
  };
  look(instruction);
  return found;
}
