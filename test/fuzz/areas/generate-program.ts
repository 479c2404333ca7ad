/** Random programs in OpenQASM 3, and their check. */
import { judged, type Service, type Wrong } from '../area.ts';
import { countsDiffer } from '../compare.ts';
import {
  type Expr,
  type Program,
  programDistribution,
  programText,
  type Statement,
  type Subroutine,
  type Type,
  type Variable,
} from '../programs.ts';
import type { Random } from '../random.ts';

/** A program and where it runs. */
export interface ProgramCase {
  readonly program: Program;
  readonly processor: string;
  readonly shots: number;
  readonly seed: number;
}

/** How the text of a program is changed: nothing of its meaning may change. */
export type Rewrite = (text: string) => string;

/** Words of refusals that are limits of the service, not faults. */
const LIMITS = ['depends on more than 10 of them', 'has too many cases'];
const WHOLE: readonly Type['base'][] = ['uint', 'uint', 'int'];
const ONE_QUBIT = ['H', 'X', 'S', 'T', 'SX', 'Z'];
const TWO_QUBIT = ['CX', 'CZ', 'SWAP', 'CH'];

/** Makes statements and expressions over the variables in sight. */
export class ProgramMaker {
  readonly #random: Random;
  readonly #qubits: number;
  readonly #isDynamic: boolean;
  #names = 0;
  subroutines: Subroutine[] = [];
  variables: Variable[] = [];
  scope: Variable[] = [];

  /** @param isDynamic - Whether qubits are measured and gates applied in between. */
  constructor(random: Random, qubits: number, isDynamic: boolean) {
    this.#random = random;
    this.#qubits = qubits;
    this.#isDynamic = isDynamic;
  }

  name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #of(...bases: Type['base'][]): Variable[] {
    return this.scope.filter(
      ({ type, length }) => length === undefined && bases.includes(type.base),
    );
  }

  /** A whole number that is no literal. */
  whole(depth: number): Expr {
    const random = this.#random;
    const found = this.#of('uint', 'int');
    const leaf = (): Expr => {
      const array = this.scope.find(({ length }) => length !== undefined);
      if (array && random.chance(0.2))
        return { e: 'element', name: array.name, index: random.below(array.length!) };
      if (found.length === 0)
        return {
          e: 'cast',
          type: { base: 'uint', width: 4 },
          of: { e: 'literal', value: random.below(16) },
        };
      return { e: 'variable', name: random.pick(found).name };
    };
    if (depth <= 0 || random.chance(0.25)) return leaf();
    const left = this.whole(depth - 1);
    const small = (): Expr => ({ e: 'literal', value: random.below(4) });
    const choice = random.below(9);
    const type: Type = { base: random.pick(WHOLE), width: random.pick([3, 4, 5, 8]) };
    const asUint = (of: Expr): Expr => ({
      e: 'cast',
      type: { base: 'uint', width: random.pick([4, 8]) },
      of,
    });
    switch (choice) {
      case 0:
        return { e: 'binary', operator: '<<', left, right: small() };
      case 1:
        return { e: 'binary', operator: '>>', left: asUint(left), right: small() };
      case 2:
        return { e: 'unary', operator: '~', of: left };
      case 3:
        return {
          e: 'rotate',
          operator: random.pick(['rotl', 'rotr']),
          of: asUint(left),
          by: random.between(0, 5),
        };
      case 4:
        return { e: 'cast', type, of: random.chance(0.3) ? this.truth(depth - 1) : left };
      case 5: {
        const registers = this.#of('bit').filter(({ type: { width } }) => width > 1);
        if (registers.length === 0) return left;
        const { name, type: register } = random.pick(registers);
        return {
          e: 'cast',
          type: { base: 'uint', width: register.width },
          of: { e: 'variable', name },
        };
      }
      case 6: {
        const operator = random.pick(['/', '%']);
        return {
          e: 'binary',
          operator,
          left: asUint(left),
          right: { e: 'literal', value: random.between(1, 7) },
        };
      }
      default: {
        const right = random.chance(0.4)
          ? small()
          : random.chance(0.2)
            ? (this.bit() ?? small())
            : this.whole(depth - 1);
        return { e: 'binary', operator: random.pick(['+', '-', '*', '&', '|', '^']), left, right };
      }
    }
  }

  /** A single bit, of a register or a variable. */
  bit(): Expr | undefined {
    const found = this.#of('bit');
    if (found.length === 0) return undefined;
    const { name, type } = this.#random.pick(found);
    return type.width === 1
      ? { e: 'variable', name }
      : { e: 'element', name, index: this.#random.below(type.width) };
  }

  /** A condition. */
  truth(depth: number): Expr {
    const random = this.#random;
    const bit = this.bit();
    if (bit && (depth <= 0 || random.chance(0.4))) return bit;
    const choice = depth <= 0 ? 3 : random.below(5);
    if (choice === 0) return { e: 'unary', operator: '!', of: this.truth(depth - 1) };
    if (choice === 1) {
      const operator = random.pick(['&&', '||']);
      return { e: 'binary', operator, left: this.truth(depth - 1), right: this.truth(depth - 1) };
    }
    const operator = random.pick(['==', '!=', '<', '<=', '>', '>=']);
    const right: Expr = random.chance(0.5)
      ? { e: 'literal', value: random.below(5) }
      : this.whole(depth - 1);
    return { e: 'binary', operator, left: this.whole(depth - 1), right };
  }

  /** A statement that changes a variable. */
  assignment(): Statement {
    const random = this.#random;
    const targets = this.scope.filter(
      ({ type, name }) => type.base !== 'angle' && !name.startsWith('k') && !name.startsWith('i'),
    );
    const variable = random.pick(targets);
    const { name, type, length } = variable;
    const index = length === undefined ? {} : { index: random.below(length) };
    if (type.base === 'bit' && type.width > 1) {
      if (random.chance(0.7))
        return {
          s: 'assign',
          name,
          index: random.below(type.width),
          operator: '=',
          value: this.truth(1),
        };
      const value: Expr = {
        e: 'cast',
        type,
        of: { e: 'cast', type: { base: 'uint', width: type.width }, of: this.whole(1) },
      };
      return { s: 'assign', name, operator: '=', value };
    }
    if (type.base === 'bit' || type.base === 'bool') {
      return {
        s: 'assign',
        name,
        operator: '=',
        value: { e: 'cast', type: { base: 'bool', width: 1 }, of: this.truth(1) },
      };
    }
    if (random.chance(0.5))
      return { s: 'assign', name, ...index, operator: '=', value: this.whole(3) };
    const operator = random.pick([
      '+=',
      '-=',
      '*=',
      '|=',
      '&=',
      '^=',
      '<<=',
      type.base === 'uint' ? '>>=' : '+=',
    ]);
    const isShift = operator.includes('<<') || operator.includes('>>');
    const bit = random.chance(0.3) && !isShift ? this.bit() : undefined;
    const literal: Expr = { e: 'literal', value: random.below(4) };
    return {
      s: 'assign',
      name,
      ...index,
      operator,
      value: isShift ? literal : (bit ?? (random.chance(0.3) ? literal : this.whole(2))),
    };
  }

  #gate(): Statement {
    const random = this.#random;
    const qubits = this.#qubits;
    const choice = random.uniform();
    const one = [random.below(qubits)];
    if (choice < 0.3 && qubits > 1)
      return { s: 'gate', gate: random.pick(TWO_QUBIT), qubits: random.distinct(2, qubits) };
    if (choice < 0.6) return { s: 'gate', gate: random.pick(ONE_QUBIT), qubits: one };
    const gate = random.pick(['RX', 'RY', 'RZ', 'P']);
    const angles = this.#of('angle');
    if (angles.length > 0 && random.chance(0.3))
      return { s: 'gate', gate, qubits: one, angle: random.pick(angles).name };
    const narrow = this.#of('uint', 'bit').filter(
      ({ type }) => type.width === 1 || (type.base === 'uint' && type.width <= 4),
    );
    const terms =
      narrow.length > 0 && random.chance(0.6)
        ? [[random.pick(narrow).name, random.pick([Math.PI, 0.7, Math.PI / 4])] as const]
        : [];
    return {
      s: 'gate',
      gate,
      qubits: one,
      angle: { offset: random.chance(0.5) ? 0 : random.angle(), terms },
    };
  }

  #measure(): Statement {
    const bits = this.#of('bit');
    if (bits.length === 0) return this.#gate();
    const { name, type } = this.#random.pick(bits);
    const index = type.width === 1 ? {} : { index: this.#random.below(type.width) };
    return { s: 'measure', name, ...index, qubit: this.#random.below(this.#qubits) };
  }

  /** Some statements. */
  block(length: number, depth: number): Statement[] {
    return Array.from({ length }, () => this.#statement(depth));
  }

  #statement(depth: number): Statement {
    const random = this.#random;
    const choice = random.uniform();
    if (this.#isDynamic && choice < 0.25) return this.#gate();
    if (this.#isDynamic && choice < 0.42) return this.#measure();
    if (this.#isDynamic && choice < 0.46) return { s: 'reset', qubit: random.below(this.#qubits) };
    if (depth <= 0 || choice < 0.65) return this.assignment();
    const body = () => this.block(random.between(1, 3), depth - 1);
    if (choice < 0.78)
      return {
        s: 'if',
        test: this.truth(2),
        body: body(),
        otherwise: random.chance(0.5) ? body() : [],
      };
    if (choice < 0.82) {
      const name = this.name('i');
      const outer = this.scope;
      this.scope = [...outer, { name, type: { base: 'uint', width: 4 }, isOutput: false }];
      const loop: Statement = { s: 'for', name, to: random.between(0, 2), body: body() };
      this.scope = outer;
      return loop;
    }
    if (choice < 0.88) {
      const bases = this.#of('uint');
      if (bases.length === 0) return this.assignment();
      const values = random.distinct(3, 4);
      const cases = [
        { values: values.slice(0, 2), body: body() },
        { values: values.slice(2), body: body() },
      ];
      return {
        s: 'switch',
        on: { e: 'variable', name: random.pick(bases).name },
        cases,
        otherwise: body(),
      };
    }
    if (choice < 0.94 && this.#isDynamic && depth === 2) {
      const counter = this.name('k');
      this.variables.push({
        name: counter,
        type: { base: 'uint', width: 4 },
        isOutput: false,
        value: 0,
      });
      return {
        s: 'while',
        counter,
        limit: random.between(1, 3),
        test: this.truth(1),
        body: body(),
      };
    }
    const [first] = this.subroutines;
    const fitting = this.scope.filter(
      ({ type, length, name }) =>
        length === undefined &&
        first &&
        type.base === first.returns.base &&
        type.width === first.returns.width &&
        !name.startsWith('i'),
    );
    if (!first || fitting.length === 0) return this.assignment();
    return {
      s: 'call',
      name: first.name,
      qubit: random.below(this.#qubits),
      argument: this.whole(1),
      target: random.pick(fitting).name,
    };
  }

  /** A subroutine with bits of its own. */
  subroutine(): Subroutine {
    const random = this.#random;
    const parameter = { name: 'p', type: { base: 'uint', width: random.pick([3, 4, 8]) } as Type };
    const local: Type = { base: 'bit', width: 1 };
    const names = [this.name('t'), this.name('t')];
    this.scope = [
      { ...parameter, isOutput: false },
      ...names.map((name) => ({ name, type: local, isOutput: false })),
    ];
    const maker = new ProgramMaker(random, 1, this.#isDynamic);
    maker.scope = this.scope;
    const declares: Statement[] = names.map((name) => ({
      s: 'declare',
      name,
      type: local,
      ...(random.chance(0.5) && { value: { e: 'literal', value: random.below(2) } }),
    }));
    const body = [...declares, ...maker.block(random.between(1, 4), 1)];
    const isBit = random.chance(0.5);
    const returns: Type = isBit ? local : { base: 'uint', width: 4 };
    const value: Expr = isBit ? { e: 'variable', name: names[0]! } : this.whole(1);
    return { name: 'f', parameter, body, returns, value };
  }
}

/** Sends a program and compares its counts. */
export async function checkProgram(
  { program, processor, shots, seed }: ProgramCase,
  service: Service,
  rewrite: Rewrite = (text) => text,
): Promise<Wrong | undefined> {
  const exact = programDistribution(program);
  const body = { qasm: rewrite(programText(program)), target_processor: processor, shots, seed };
  return judged(
    service,
    'circuits',
    body,
    ({ counts, label_format }) => {
      const got = counts as Record<string, number>;
      const width = [...exact.keys()][0]?.length ?? 0;
      const binary = Object.entries(got).map(([label, count]) => [
        label_format === 'hex' ? BigInt(label).toString(2).padStart(width, '0') : label,
        count,
      ]);
      return countsDiffer(Object.fromEntries(binary), exact, shots);
    },
    Object.fromEntries([...exact].filter(([, p]) => p > 1e-12)),
    LIMITS,
  );
}
