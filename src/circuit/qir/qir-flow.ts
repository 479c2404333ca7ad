/**
 * Follows the paths of a program in QIR. A branch that depends on measured bits follows both ways, each where its
 * condition holds, and joins them where they meet. Calls are written out. Loops are written out, too, while it is known
 * how many rounds they take, or while few rounds depend on measurements; others become loops of the circuit.
 */
import { LIMIT_EXCEEDED, QirError } from '../errors.ts';
import {
  ALWAYS,
  type BitFunction,
  DiagramTooLargeError,
  NEVER,
} from '../openqasm/decision-diagram.ts';
import { type BlockOrder, blockOrder } from './block-order.ts';
import { rowOf, UNDEFINED, type Value } from './classical-values.ts';
import { ValueTrouble } from './known-values.ts';
import type { Block, Instruction, LlvmFunction, Operand, TypedOperand } from './llvm-module.ts';
import type { QirFunctions } from './qir-functions.ts';
import { computed } from './qir-instructions.ts';
import { type Arrival, type Arrivals, addLoop, type Call, type MeasuredLoop } from './qir-loops.ts';
import type { QirState } from './qir-state.ts';

/** Calls that may be open at a time. */
const MAX_CALLS = 64;
/** Steps that entering a block counts as. */
const STEPS_PER_BLOCK = 8;
/** Rounds of a loop that are written out though whether they run depends on measurements, before it becomes a loop. */
const MEASURED_ROUNDS = 8;
/** The same for a loop that the circuit cannot have. */
const MAX_MEASURED_ROUNDS = 256;
/** Stands for the end of a function among the blocks that paths lead to; no block has this name. */
const END = '\0end';
const RETURNED = 'value';

/** Rounds of a loop so far. */
interface Rounds {
  /** Where the latest round ran. */
  holds: BitFunction;
  numMeasured: number;
  /** Returns to the first round that depends on measurements. */
  goBack?: () => void;
  /** Why no loop of the circuit can be made of it. */
  problem?: QirError;
}

/** Runs functions. */
export class QirFlow {
  readonly #state: QirState;
  readonly #functions: QirFunctions;
  readonly #orders = new Map<string, BlockOrder>();
  /** Loops that have become loops of the circuit, by function and head. */
  readonly #turned = new Set<string>();
  #numFrames = 0;
  #numOpen = 0;

  constructor(state: QirState, functions: QirFunctions) {
    this.#state = state;
    this.#functions = functions;
  }

  /** Runs a function where the current instruction runs, and returns its value. */
  call(called: LlvmFunction, args: readonly Value[]): Value | undefined {
    const state = this.#state;
    if (args.length !== called.parameters.length) {
      throw state.fault(
        `@${called.name} takes ${called.parameters.length} arguments, not ${args.length}.`,
      );
    }
    if (++this.#numOpen > MAX_CALLS) {
      throw state.fault(`calls nest deeper than ${MAX_CALLS}; does @${called.name} call itself?`);
    }
    const outer = { frame: state.frame, holds: state.holds, at: state.at };
    state.frame = ++this.#numFrames;
    const order = this.#orders.get(called.name) ?? blockOrder(called.blocks);
    this.#orders.set(called.name, order);
    const blocks = new Map(called.blocks.map((block) => [block.name, block]));
    const call = { called, frame: state.frame, blocks, order };
    for (const [i, { name }] of called.parameters.entries()) {
      state.values.set(state.variable(name), args[i]!);
    }
    const arrivals: Arrivals = new Map([
      [called.blocks[0]!.name, { holds: outer.holds, values: new Map() }],
    ]);
    this.#follow(call, arrivals);
    const end = arrivals.get(END);
    state.frame = call.frame;
    for (const { name } of called.parameters) state.values.delete(state.variable(name));
    for (const { instructions } of called.blocks) {
      for (const { result } of instructions) {
        if (result !== undefined) state.values.delete(state.variable(result));
      }
    }
    this.#numOpen--;
    Object.assign(state, outer);
    return end?.values.get(RETURNED);
  }

  /** Follows all ways, or those within some blocks but for the ways to their head. */
  #follow(
    call: Call,
    arrivals: Arrivals,
    within?: { blocks: ReadonlySet<string>; head: string },
  ): void {
    const { places, loops } = call.order;
    const rounds = new Map<string, Rounds>();
    for (;;) {
      let name: string | undefined;
      for (const each of arrivals.keys()) {
        if (each === END || (within && (!within.blocks.has(each) || each === within.head)))
          continue;
        if (name === undefined || places.get(each)! < places.get(name)!) name = each;
      }
      if (name === undefined) return;
      const arrival = arrivals.get(name)!;
      arrivals.delete(name);
      const loop = loops.get(name);
      if (loop !== undefined && this.#isTurned(call, arrivals, name, loop, arrival, rounds))
        continue;
      this.#enter(call, name, arrival, arrivals);
      // The rounds of loops inside are counted anew.
      for (const [head, inner] of loops) {
        if (head !== name && loop?.has(head) && inner.size < loop.size) rounds.delete(head);
      }
    }
  }

  /** Counts a round of a loop; true if the loop has become one of the circuit. */
  #isTurned(
    call: Call,
    arrivals: Arrivals,
    head: string,
    loop: ReadonlySet<string>,
    arrival: Arrival,
    rounds: Map<string, Rounds>,
  ): boolean {
    const known = rounds.get(head);
    if (known === undefined) {
      rounds.set(head, { holds: arrival.holds, numMeasured: 0 });
      return false;
    }
    if (known.holds === arrival.holds) return false;
    known.holds = arrival.holds;
    known.numMeasured++;
    if (known.goBack === undefined) {
      const goBack = this.#snapshot(arrivals);
      known.goBack = () => {
        goBack();
        this.#addLoop({ call, head, blocks: loop }, arrival, arrivals);
      };
    }
    // A loop that became one of the circuit before does so at once.
    const place = `${call.called.name} ${head}`;
    const isDue = known.numMeasured === MEASURED_ROUNDS || this.#turned.has(place);
    if (known.problem === undefined && isDue) {
      const goOn = this.#snapshot(arrivals);
      try {
        this.#guarded(known.goBack);
        rounds.delete(head);
        this.#turned.add(place);
        return true;
      } catch (error) {
        if (!(error instanceof QirError)) throw error;
        known.problem = error;
        goOn();
      }
    }
    if (known.problem !== undefined && known.numMeasured > MAX_MEASURED_ROUNDS) throw known.problem;
    return false;
  }

  /** Keeps the state of the program, and returns what restores it. */
  #snapshot(arrivals: Arrivals): () => void {
    const state = this.#state;
    const { frame, holds, at, circuit } = state;
    const mark = circuit.mark();
    const [values, waiting, numOpen] = [new Map(state.values), new Map(arrivals), this.#numOpen];
    return () => {
      circuit.goBack(mark);
      state.values = new Map(values);
      Object.assign(state, { frame, holds, at });
      this.#numOpen = numOpen;
      arrivals.clear();
      for (const [name, each] of waiting) arrivals.set(name, each);
    };
  }

  /** Gives the place of the current instruction to what goes wrong with values. */
  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof ValueTrouble) throw this.#state.fault(error.message);
      if (!(error instanceof DiagramTooLargeError)) throw error;
      const problem = 'conditions and values depend on too many measured bits in too many ways.';
      throw this.#state.fault(problem, LIMIT_EXCEEDED);
    }
  }

  /** Runs a block. */
  #enter(call: Call, name: string, { holds, values }: Arrival, arrivals: Arrivals): void {
    const state = this.#state;
    state.frame = call.frame;
    const block = call.blocks.get(name);
    if (block === undefined) throw state.fault(`there is no block ${name}.`);
    state.at = block.instructions[0]!.at;
    state.holds = holds;
    for (const [key, value] of values) state.set(state.variable(key), value);
    state.circuit.takeSteps(STEPS_PER_BLOCK + block.instructions.length);
    for (const instruction of block.instructions) {
      state.at = instruction.at;
      this.#guarded(() => this.#run(call, block, instruction, arrivals));
    }
  }

  #run(call: Call, block: Block, instruction: Instruction, arrivals: Arrivals): void {
    const state = this.#state;
    const go = (to: string, holds: BitFunction) => this.#go(call, block, to, holds, arrivals);
    const { diagrams } = state.circuit;
    switch (instruction.op) {
      case 'phi':
        return;
      case 'jump':
        go(instruction.to, state.holds);
        return;
      case 'branch': {
        const [test] = state.row({
          type: { kind: 'int', width: 1 },
          operand: instruction.test,
        }).bits;
        const { whenTrue, whenFalse } = instruction;
        const isTrue = state.circuit.settled(test!);
        go(whenTrue, diagrams.and(state.holds, isTrue));
        go(whenFalse, diagrams.and(state.holds, diagrams.not(isTrue)));
        return;
      }
      case 'switch': {
        const subject = state.row(instruction.subject);
        let rest = state.holds;
        for (const [value, to] of instruction.cases) {
          const same = rowOf(value, subject.bits.length);
          const isEqual = state.circuit.settled(state.arithmetic.compareRows('eq', subject, same));
          go(to, diagrams.and(rest, isEqual));
          rest = diagrams.and(rest, diagrams.not(isEqual));
        }
        go(instruction.otherwise, rest);
        return;
      }
      case 'return':
        this.#arrive(arrivals, END, {
          holds: state.holds,
          values: new Map(
            instruction.value && [[RETURNED, state.read(instruction.value)] as const],
          ),
        });
        return;
      case 'unreachable':
        throw state.fault('this place is reached, which the program says is impossible.');
      case 'call':
        this.#define(instruction, this.#called(instruction.callee, instruction.args));
        return;
      default:
        this.#define(instruction, computed(state, instruction));
    }
  }

  #define({ result, type }: Instruction, value: Value | undefined): void {
    if (result === undefined) return;
    if (value === undefined) throw this.#state.fault('this has no value.');
    if (value.kind === 'row' && (type.kind !== 'int' || type.width !== value.bits.length)) {
      throw this.#state.fault('the value is of another type than the instruction.');
    }
    this.#state.set(this.#state.variable(result), value);
  }

  #called(name: string, args: readonly TypedOperand[]): Value | undefined {
    const called = this.#state.module.functions.get(name);
    if (called === undefined) return this.#functions.call(name, args);
    return this.call(
      called,
      args.map((one) => this.#state.read(one)),
    );
  }

  /** Takes a way from a block to another where a function holds. */
  #go(call: Call, from: Block, to: string, holds: BitFunction, arrivals: Arrivals): void {
    if (holds === NEVER) return;
    const state = this.#state;
    const block = call.blocks.get(to);
    if (block === undefined) throw state.fault(`there is no block %${to}.`);
    const values = new Map<string, Value>();
    const here = state.holds;
    state.holds = holds;
    for (const instruction of block.instructions) {
      if (instruction.op !== 'phi') break;
      const operand: Operand | undefined = instruction.incoming.get(from.name);
      if (operand === undefined) {
        state.at = instruction.at;
        throw state.fault(`phi has no value for %${from.name}.`);
      }
      if (instruction.result === undefined) continue;
      values.set(instruction.result, state.read({ type: instruction.type, operand }));
    }
    state.holds = here;
    this.#arrive(arrivals, to, { holds, values });
  }

  #arrive(arrivals: Arrivals, to: string, { holds, values }: Arrival): void {
    const { circuit, arithmetic } = this.#state;
    const other = arrivals.get(to);
    const joined = new Map(values);
    if (other !== undefined) {
      for (const [name, value] of other.values) {
        joined.set(name, arithmetic.choose(holds, values.get(name) ?? UNDEFINED, value));
      }
    }
    const either = other === undefined ? holds : circuit.diagrams.or(other.holds, holds);
    arrivals.set(to, { holds: either, values: joined });
  }

  /** Makes a loop of the circuit of what is left of a loop. */
  #addLoop(loop: MeasuredLoop, arrival: Arrival, arrivals: Arrivals): void {
    const { call, head, blocks } = loop;
    const exits = addLoop(this.#state, loop, arrival, () => {
      const ways: Arrivals = new Map();
      this.#enter(call, head, { holds: ALWAYS, values: new Map() }, ways);
      this.#follow(call, ways, { blocks, head });
      return ways;
    });
    for (const [to, exit] of exits) this.#arrive(arrivals, to, exit);
  }
}
