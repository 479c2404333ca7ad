/**
 * Interpreter of OpenQASM 3: executes the statements of a program and builds its circuit.
 *
 * Everything that is known while reading is resolved: variables, loops, ifs on constants, subroutines. Ifs on
 * measured bits become conditions, and loops on measured bits become loops of the circuit.
 *
 * @see https://openqasm.com/versions/3.1/language/ (OpenQASM live specification, 3.1).
 */
import { type CircuitLimits, MAX_DURATION_NS } from '../circuit-limits.ts';
import type { Operand } from './actions.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { ControlFlow, EarlyExits } from './control-flow.ts';
import { Assignments, Declarations } from './declarations.ts';
import type { DurationPart } from './duration-arithmetic.ts';
import {
  DELAY_IGNORED,
  DELAY_UNKNOWN,
  type DurationSyntax,
  TIMING_IGNORED,
  valueOfDuration,
} from './durations.ts';
import { angleCases, MAX_LISTED_BITS } from './dynamic-angles.ts';
import { Evaluator } from './evaluator.ts';
import { withPlace } from './expressions.ts';
import type { Gates, NamedGate } from './gate-definitions.ts';
import { calledGate, definedMeaning, type Elaborating } from './gate-elaboration.ts';
import { addsAngles, opaqueGate } from './gate-meaning.ts';
import { type Inputs, openOf } from './open-inputs.ts';
import { asScalar } from './operators.ts';
import { ProgramState } from './program-state.ts';
import type { Results } from './results.ts';
import { Subroutines } from './subroutines.ts';
import {
  type Completion,
  expressionOfOperand,
  type GateCall,
  type Statement,
} from './syntax-tree.ts';
import type { TokenStream } from './token-stream.ts';
import { expressionOf, type Value } from './values.ts';

/** Executes the statements of one program. */
export class Interpreter {
  readonly #state: ProgramState;
  readonly #evaluator: Evaluator;
  readonly #assignments: Assignments;
  readonly #declarations: Declarations;
  readonly #exits: EarlyExits;
  readonly #flow: ControlFlow;
  readonly #subroutines: Subroutines;
  readonly #elaborating: Elaborating;

  constructor(tokens: TokenStream, limits: CircuitLimits, inputs: Inputs, version: 2 | 3) {
    const state = new ProgramState(tokens, limits, inputs, version === 2);
    const evaluator = new Evaluator(state, (...call) => this.#subroutines.run(...call));
    this.#state = state;
    this.#evaluator = evaluator;
    this.#assignments = new Assignments(state, evaluator);
    this.#declarations = new Declarations(state, evaluator, this.#assignments);
    this.#exits = new EarlyExits(state);
    this.#flow = new ControlFlow(state, evaluator, this.#exits, (next) => this.#run(next));
    this.#subroutines = new Subroutines(state, evaluator, this.#exits, this.#flow);
    this.#elaborating = {
      tokens,
      gates: state.gates,
      constant: (operand) => evaluator.constant(operand),
      scalar: (expression) => evaluator.scalar(expression),
      whole: (expression) => evaluator.whole(expression),
      takeSteps: (count, offset) => state.takeSteps(count, offset),
      loop: (loop, run) => this.#flow.unroll(loop, run),
    };
  }

  /** Gates that the program can call. */
  get gates(): Gates {
    return this.#state.gates;
  }

  /** Results that the program requests by pragmas. */
  get results(): Results {
    return this.#state.results;
  }

  /** Builder of the circuit. */
  get builder(): CircuitBuilder {
    return this.#state.builder;
  }

  /** Executes one statement outside all blocks; returns whether it ends the program. */
  runNext(statement: Statement): boolean {
    return this.#flow.body([statement]) === 'end';
  }

  /** Ends the program: writes output numbers into the outcome. */
  finish(): void {
    this.#declarations.finish();
  }

  #run(statement: Statement): Completion {
    const { offset } = statement;
    this.#state.takeSteps(1 + this.#state.diagrams.takeWork(), offset);
    if (this.#state.frames.depth === 0 && this.#state.memory.isEmpty) this.#state.diagrams.tidy();
    switch (statement.kind) {
      case 'call':
        this.#callGate(statement);
        return 'next';
      case 'measure':
        this.#assignments.measure(
          this.#evaluator.operand(statement.from, 'qubit'),
          statement.to,
          offset,
        );
        return 'next';
      case 'reset': {
        const operand = this.#evaluator.operand(statement.operand, 'qubit');
        this.#state.actions.reset(operand, this.#state.frames.conditions(offset), offset);
        return 'next';
      }
      case 'barrier': {
        const operands = statement.operands.map((operand) =>
          this.#evaluator.operand(operand, 'qubit'),
        );
        this.#state.actions.barrier(operands, offset);
        return 'next';
      }
      case 'if':
        return this.#flow.conditional(statement);
      case 'switch':
        return this.#flow.switch(statement);
      case 'for':
        return this.#flow.for(statement);
      case 'while':
        return this.#flow.while(statement.condition, statement.body, offset);
      case 'unitary': {
        const operands = statement.operands.map((operand) =>
          this.#evaluator.operand(operand, 'qubit'),
        );
        const conditions = this.#state.frames.conditions(offset);
        this.#state.actions.unitary(statement.rows, operands, conditions, offset);
        return 'next';
      }
      case 'noise': {
        const operands = statement.operands.map((operand) =>
          this.#evaluator.operand(operand, 'qubit'),
        );
        const conditions = this.#state.frames.conditions(offset);
        this.#state.actions.noise(statement.channel, operands, conditions, offset);
        return 'next';
      }
      case 'result':
        this.#state.results.add(statement, this.#state.builder.allQubits, (operand) =>
          this.#evaluator.operand(operand, 'qubit'),
        );
        return 'next';
      case 'delay':
        this.#delay(statement);
        return 'next';
      case 'duration': {
        const value = this.#valueOf(statement.value);
        this.#state.scopes.declare(statement.name, { kind: 'duration', value }, offset);
        return 'next';
      }
      case 'block':
        this.#ignoreDuration('A box', statement.duration);
        return this.#state.builder.inBox(statement.isVerbatim, () =>
          this.#flow.inBlock(() => this.#flow.body(statement.body)),
        );
      case 'register':
        this.#declarations.register(statement);
        return 'next';
      case 'variable':
        this.#declarations.variable(statement);
        return 'next';
      case 'alias':
        this.#declarations.alias(statement.name, statement.value, offset);
        return 'next';
      case 'assign':
        this.#assignments.assign(statement);
        return 'next';
      case 'array':
        this.#declarations.array(statement);
        return 'next';
      case 'def':
        if (!this.#state.scopes.isGlobal) {
          throw this.#state.tokens.unsupported(offset, 'A subroutine defined inside a block');
        }
        this.#state.scopes.declare(
          statement.name,
          { kind: 'subroutine', definition: statement },
          offset,
        );
        return 'next';
      case 'return':
        return this.#subroutines.return(statement.value, offset);
      case 'gate':
        if (!this.#state.scopes.isGlobal) {
          throw this.#state.tokens.unsupported(offset, 'A gate defined inside a block');
        }
        this.#state.gates.checkNew(statement.name, offset);
        this.#state.gates.define(statement.name, definedMeaning(this.#elaborating, statement));
        return 'next';
      case 'opaque': {
        const { name, numParameters, numQubits } = statement;
        this.#state.gates.checkNew(name, offset);
        this.#state.gates.define(name, opaqueGate(name, numParameters, numQubits));
        return 'next';
      }
      case 'break':
      case 'continue':
      case 'end':
        return this.#exits.exit(statement.kind, offset);
    }
  }

  #callGate(call: GateCall): void {
    const { name, offset } = call;
    if (this.#state.scopes.find(name)?.kind === 'subroutine' && call.modifiers.length === 0) {
      // `f(1) q;` is how examples of the specification write `f(1, q);`.
      this.#subroutines.run(
        name,
        [...call.angles, ...call.operands.map(expressionOfOperand)],
        offset,
      );
      return;
    }
    this.#ignoreDuration('A gate', call.duration);
    const called = calledGate(this.#elaborating, call);
    const angles: Value[] = [];
    for (const angle of call.angles) angles.push(this.#evaluator.evaluate(angle));
    const operands: Operand[] = [];
    for (const operand of call.operands) operands.push(this.#evaluator.operand(operand, 'qubit'));
    const acting = this.#state.gates.actingOperands(called, operands);
    if (angles.every(isKnown)) {
      const conditions = this.#state.frames.conditions(offset);
      if (angles.length === 0) {
        this.#state.actions.callGate(called, NO_ANGLES, acting, conditions);
        return;
      }
      const known = angles.map(asScalar);
      const open = known.map(openOf);
      const numbers = known.map((angle, i) => open[i]?.held ?? angle.value);
      const isOpen = open.some((angle) => angle !== undefined);
      this.#state.actions.callGate(called, numbers, acting, conditions, isOpen ? open : undefined);
    } else {
      this.#callAtRunTime(called, angles, acting, offset);
    }
  }

  /** Calls a gate whose angles depend on measured bits: one gate for each case, under its condition. */
  #callAtRunTime(
    called: NamedGate,
    angles: readonly Value[],
    operands: readonly Operand[],
    offset: number,
  ): void {
    const cases = withPlace(this.#state.tokens, offset, () =>
      angleCases(this.#state.diagrams, angles.map(expressionOf), addsAngles(called.gate)),
    );
    if (cases === undefined) {
      const construct = `An angle of ${called.name} that is no sum over measured bits and depends on more than ${MAX_LISTED_BITS} of them,`;
      throw this.#state.tokens.unsupported(offset, construct);
    }
    for (const { angles: known, holds, role } of cases) {
      this.#state.frames.where(holds, () => {
        this.#state.actions.callGate(
          called,
          known,
          operands,
          this.#state.frames.conditions(offset),
          undefined,
          role,
        );
      });
    }
  }

  /** Makes qubits wait, where it is known for how long. `nop` has no duration. */
  #delay({ duration, operands: named, offset }: Extract<Statement, { kind: 'delay' }>): void {
    const { actions, frames, tokens } = this.#state;
    const value = this.#valueOf(duration);
    const operands = named.map((operand) => this.#evaluator.operand(operand, 'qubit'));
    if (duration === undefined) return;
    if (value !== undefined && !(value >= 0 && value <= MAX_DURATION_NS)) {
      const problem = `A delay takes 0 to ${MAX_DURATION_NS / 1e9} s, and this one ${value} ns.`;
      throw tokens.invalid(duration.offset, problem);
    }
    const isConditional = frames.conditions(offset).some((condition) => condition !== undefined);
    if (value === undefined || isConditional) {
      const why = isConditional
        ? 'A delay under a condition on measured bits has no effect.'
        : 'A delay has no effect whose length depends on the device: in dt, with a stretch, or with durationof.';
      tokens.warn(DELAY_UNKNOWN, offset, why, true);
      return;
    }
    const why = 'Delays have an effect only under a noise model with idle qubits.';
    tokens.warn(DELAY_IGNORED, offset, why, true);
    actions.delay(operands, value, offset);
  }

  /** Checks the duration of something that lasts as long as the noise model says. */
  #ignoreDuration(of: string, duration: DurationSyntax | undefined): void {
    if (duration === undefined) return;
    this.#valueOf(duration);
    const why = `${of} lasts as long as its operations under the noise model; the duration in brackets has no effect. Write a delay where qubits wait.`;
    this.#state.tokens.warn(TIMING_IGNORED, duration.offset, why, true);
  }

  /** Nanoseconds of a duration, which is checked; undefined where they are not known. */
  #valueOf(duration: DurationSyntax | undefined): number | undefined {
    if (duration === undefined) return undefined;
    this.#state.takeSteps(duration.instructions.length, duration.offset);
    return valueOfDuration(duration, this.#state.tokens, (operand): DurationPart => {
      const symbol = this.#state.scopes.find(operand.name);
      if (symbol === undefined) throw this.#state.scopes.undeclared(operand.name, operand.offset);
      if (symbol.kind === 'duration') return { type: 'duration', value: symbol.value };
      const value = this.#evaluator.evaluate(expressionOfOperand(operand));
      return { type: 'number', value: knownNumber(value) };
    });
  }
}

/** A number that depends neither on measured bits nor on the point of a sweep. */
function knownNumber(value: Value): number | undefined {
  if (!isKnown(value)) return undefined;
  const scalar = asScalar(value);
  return openOf(scalar) === undefined ? scalar.value : undefined;
}

const NO_ANGLES: readonly number[] = [];

/** Whether a value does not depend on measured bits. */
const isKnown = (value: Value): boolean =>
  value.kind === 'scalar' ||
  (value.kind === 'bits' && value.bits.every(({ kind }) => kind === 'constant'));
