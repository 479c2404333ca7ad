/**
 * Programs in OpenQASM 3 that compute while they run: a syntax tree, its text, and what the oracle makes of it. A value has the
 * width of its type at every step; whole numbers convert as in C99 without its promotion, and a literal takes the type of the
 * other operand. It shares no code with src/.
 */
import { GATES } from './matrices.ts';
import { type Branch, joined, measured, reset, State } from './state.ts';

/** Type of a variable or value. */
export interface Type {
  readonly base: 'uint' | 'int' | 'bit' | 'bool' | 'angle';
  /** Bits; 1 for a bool or a single bit. */
  readonly width: number;
}

/** An expression. */
export type Expr =
  | { readonly e: 'literal'; readonly value: number }
  | { readonly e: 'variable'; readonly name: string }
  | { readonly e: 'element'; readonly name: string; readonly index: number }
  | { readonly e: 'cast'; readonly type: Type; readonly of: Expr }
  | { readonly e: 'unary'; readonly operator: '~' | '-' | '!'; readonly of: Expr }
  | {
      readonly e: 'rotate';
      readonly operator: 'rotl' | 'rotr';
      readonly of: Expr;
      readonly by: number;
    }
  | { readonly e: 'binary'; readonly operator: string; readonly left: Expr; readonly right: Expr };

/** A statement. */
export type Statement =
  | {
      readonly s: 'gate';
      readonly gate: string;
      readonly qubits: readonly number[];
      readonly angle?: AngleSum | string;
    }
  | {
      readonly s: 'measure';
      readonly name: string;
      readonly index?: number;
      readonly qubit: number;
    }
  | { readonly s: 'reset'; readonly qubit: number }
  | { readonly s: 'declare'; readonly name: string; readonly type: Type; readonly value?: Expr }
  | {
      readonly s: 'assign';
      readonly name: string;
      readonly index?: number;
      readonly operator: string;
      readonly value: Expr;
    }
  | {
      readonly s: 'if';
      readonly test: Expr;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly s: 'while';
      readonly counter: string;
      readonly limit: number;
      readonly test: Expr;
      readonly body: readonly Statement[];
    }
  | {
      readonly s: 'for';
      readonly name: string;
      readonly to: number;
      readonly body: readonly Statement[];
    }
  | {
      readonly s: 'switch';
      readonly on: Expr;
      readonly cases: readonly {
        readonly values: readonly number[];
        readonly body: readonly Statement[];
      }[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly s: 'call';
      readonly name: string;
      readonly qubit: number;
      readonly argument: Expr;
      readonly target: string;
    };

/** offset + Σ factor · variable, in radians. */
export interface AngleSum {
  readonly offset: number;
  readonly terms: readonly (readonly [string, number])[];
}

/** A variable of the whole program. */
export interface Variable {
  readonly name: string;
  readonly type: Type;
  /** Number of elements of an array. */
  readonly length?: number;
  readonly isOutput: boolean;
  /** Value before the program; 0 unless given. */
  readonly value?: number;
}

/** `def name(qubit a, TYPE p) -> TYPE { body return value; }`; qubit 0 of its body is the argument. */
export interface Subroutine {
  readonly name: string;
  readonly parameter: { readonly name: string; readonly type: Type };
  readonly body: readonly Statement[];
  readonly returns: Type;
  readonly value: Expr;
}

/** A program. */
export interface Program {
  readonly qubits: number;
  readonly variables: readonly Variable[];
  readonly subroutines: readonly Subroutine[];
  readonly body: readonly Statement[];
  /** How initial values come about: written, or measured. */
  readonly isMeasured: boolean;
}

// ---- Text ----

function typeText({ base, width }: Type): string {
  return base === 'bool' || (base === 'bit' && width === 1) ? base : `${base}[${width}]`;
}

/** Elements of registers and single bits are written alike. */
function exprText(expr: Expr): string {
  switch (expr.e) {
    case 'literal':
      return String(expr.value);
    case 'variable':
      return expr.name;
    case 'element':
      return `${expr.name}[${expr.index}]`;
    case 'cast':
      return `${typeText(expr.type)}(${exprText(expr.of)})`;
    case 'unary':
      return `${expr.operator}(${exprText(expr.of)})`;
    case 'rotate':
      return `${expr.operator}(${exprText(expr.of)}, ${expr.by})`;
    case 'binary':
      return `(${exprText(expr.left)} ${expr.operator} ${exprText(expr.right)})`;
  }
}

function angleText(angle: AngleSum | string): string {
  if (typeof angle === 'string') return angle;
  return [String(angle.offset), ...angle.terms.map(([name, factor]) => `${factor} * ${name}`)].join(
    ' + ',
  );
}

function placeText(name: string, index: number | undefined): string {
  return index === undefined ? name : `${name}[${index}]`;
}

/** Lines of a block; `qubit` names qubits. */
function lines(body: readonly Statement[], qubit: (index: number) => string): string[] {
  const block = (statements: readonly Statement[]) =>
    lines(statements, qubit).map((line) => `  ${line}`);
  const text = (st: Statement): string[] => {
    switch (st.s) {
      case 'gate': {
        const angle = st.angle === undefined ? '' : `(${angleText(st.angle)})`;
        return [`${st.gate.toLowerCase()}${angle} ${st.qubits.map(qubit).join(', ')};`];
      }
      case 'measure':
        return [`${placeText(st.name, st.index)} = measure ${qubit(st.qubit)};`];
      case 'reset':
        return [`reset ${qubit(st.qubit)};`];
      case 'declare':
        return [`${typeText(st.type)} ${st.name}${st.value ? ` = ${exprText(st.value)}` : ''};`];
      case 'assign':
        return [`${placeText(st.name, st.index)} ${st.operator} ${exprText(st.value)};`];
      case 'if': {
        const rest = st.otherwise.length > 0 ? ['} else {', ...block(st.otherwise), '}'] : ['}'];
        return [`if (${exprText(st.test)}) {`, ...block(st.body), ...rest];
      }
      case 'while': {
        const test = `while ((${st.counter} < ${st.limit}) && ${exprText(st.test)}) {`;
        return [test, `  ${st.counter} += 1;`, ...block(st.body), '}'];
      }
      case 'for':
        return [`for uint[4] ${st.name} in [0:${st.to}] {`, ...block(st.body), '}'];
      case 'switch':
        return [
          `switch (${exprText(st.on)}) {`,
          ...st.cases.flatMap(({ values, body: part }) => [
            `case ${values.join(', ')} {`,
            ...block(part),
            '}',
          ]),
          'default {',
          ...block(st.otherwise),
          '}',
          '}',
        ];
      case 'call':
        return [`${st.target} = ${st.name}(${qubit(st.qubit)}, ${exprText(st.argument)});`];
    }
  };
  return body.flatMap(text);
}

/** The program as a text. */
export function programText({ qubits, variables, subroutines, body, isMeasured }: Program): string {
  const initial = variables.filter(({ value }) => value !== undefined);
  const declared = variables.flatMap(({ name, type, length, isOutput, value }) => {
    const text = length === undefined ? typeText(type) : `array[${typeText(type)}, ${length}]`;
    const isKnown = value !== undefined && !isMeasured;
    const half = 2 ** (type.width - 1);
    const known =
      type.base === 'angle'
        ? `${value} * pi / ${half}`
        : type.base === 'bit' && type.width > 1
          ? `"${(value ?? 0).toString(2).padStart(type.width, '0')}"`
          : value;
    const zeros = length === undefined ? '' : ` = {${new Array(length).fill(0).join(', ')}}`;
    // An output takes its value in a statement of its own.
    if (isOutput) return [`output ${text} ${name};`, ...(isKnown ? [`${name} = ${known};`] : [])];
    return [`${text} ${name}${isKnown ? ` = ${known}` : zeros};`];
  });
  const measuredLines = (isMeasured ? initial : []).flatMap(({ name, type, value = 0 }) => [
    ...Array.from({ length: type.width }, (_, bit) => {
      const flip = (value >> bit) & 1 ? ' x q[0];' : '';
      return `reset q[0];${flip} source_${name}[${bit}] = measure q[0];`;
    }),
    `reset q[0];`,
    `${name} = ${['int', 'angle'].includes(type.base) ? `${typeText(type)}(source_${name})` : `source_${name}`};`,
  ]);
  return [
    'OPENQASM 3.0;',
    'include "stdgates.inc";',
    ...subroutines.flatMap(({ name, parameter, body: part, returns, value }) => [
      `def ${name}(qubit a, ${typeText(parameter.type)} ${parameter.name}) -> ${typeText(returns)} {`,
      ...lines(part, () => 'a').map((line) => `  ${line}`),
      `  return ${exprText(value)};`,
      '}',
    ]),
    `qubit[${qubits}] q;`,
    ...declared,
    ...(isMeasured ? initial : []).map(({ name, type }) => `bit[${type.width}] source_${name};`),
    ...measuredLines,
    ...lines(body, (index) => `q[${index}]`),
  ].join('\n');
}

// ---- The oracle ----

interface Value extends Type {
  readonly value: bigint;
  readonly isLiteral?: boolean;
}
/** Values of variables as they are stored: bits as a whole number without sign. */
type Memory = Readonly<Record<string, number>>;
type Types = ReadonlyMap<string, Type>;

const unsigned = (value: bigint, width: number): number => Number(BigInt.asUintN(width, value));

/** A value in a type: bits are kept, a sign is extended. */
function converted({ value }: Value, { base, width }: Type): Value {
  if (base === 'bool') return { base, width: 1, value: value === 0n ? 0n : 1n };
  return {
    base,
    width,
    value: base === 'int' ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value),
  };
}

function loaded(memory: Memory, types: Types, name: string, index?: number): Value {
  const stored = memory[name];
  const element = memory[`${name}.${index}`];
  const type = types.get(name);
  if (type === undefined || (stored === undefined && element === undefined))
    throw new Error(`no ${name}`);
  if (index !== undefined && element === undefined) {
    if (index >= type.width) throw new Error('no such bit');
    return { base: 'uint', width: 1, value: BigInt((stored! >> index) & 1) };
  }
  const raw = BigInt(index === undefined ? stored! : element!);
  return converted({ ...type, value: raw }, type);
}

/** A literal takes the type of the other operand where it fits, and is an int of 64 bits otherwise. */
function settled(operand: Value, other: Value): Type {
  if (!operand.isLiteral) return operand;
  return converted(operand, other).value === operand.value ? other : { base: 'int', width: 64 };
}

/** The type that two whole numbers are converted to: the wider one, and at equal width `uint`. */
function common(left: Value, right: Value): Type {
  if (left.isLiteral && right.isLiteral) throw new Error('two literals');
  const [a, b] = [settled(left, right), settled(right, left)];
  if (a.width === b.width) return a.base === 'int' ? b : a;
  return a.width > b.width ? a : b;
}

function evaluated(expr: Expr, memory: Memory, types: Types): Value {
  const inner = (each: Expr) => evaluated(each, memory, types);
  const truth = (yes: boolean): Value => ({ base: 'bool', width: 1, value: yes ? 1n : 0n });
  switch (expr.e) {
    case 'literal':
      return { base: 'int', width: 64, value: BigInt(expr.value), isLiteral: true };
    case 'variable':
      return loaded(memory, types, expr.name);
    case 'element':
      return loaded(memory, types, expr.name, expr.index);
    case 'cast':
      return converted(inner(expr.of), expr.type);
    case 'unary': {
      const of = inner(expr.of);
      if (expr.operator === '!') return truth(of.value === 0n);
      return converted({ ...of, value: expr.operator === '~' ? ~of.value : -of.value }, of);
    }
    case 'rotate': {
      const of = inner(expr.of);
      const width = BigInt(of.width);
      const by = BigInt(expr.operator === 'rotl' ? expr.by : -expr.by);
      const left = ((by % width) + width) % width;
      const bits = BigInt.asUintN(of.width, of.value);
      return converted({ ...of, value: (bits << left) | (bits >> (width - left)) }, of);
    }
    case 'binary': {
      const [a, b] = [inner(expr.left), inner(expr.right)];
      switch (expr.operator) {
        case '&&':
          return truth(a.value !== 0n && b.value !== 0n);
        case '||':
          return truth(a.value !== 0n || b.value !== 0n);
        case '<<':
          return converted({ ...a, value: a.value << b.value }, a);
        case '>>':
          return converted({ ...a, value: BigInt.asUintN(a.width, a.value) >> b.value }, a);
        default:
          return ofTwo(expr.operator, a, b, truth);
      }
    }
  }
}

function ofTwo(operator: string, left: Value, right: Value, truth: (yes: boolean) => Value): Value {
  const type = common(left, right);
  const [a, b] = [converted(left, type).value, converted(right, type).value];
  const whole = (value: bigint): Value => converted({ ...type, value }, type);
  switch (operator) {
    case '+':
      return whole(a + b);
    case '-':
      return whole(a - b);
    case '*':
      return whole(a * b);
    case '/':
      return whole(a / b);
    case '%':
      return whole(a % b);
    case '&':
      return whole(a & b);
    case '|':
      return whole(a | b);
    case '^':
      return whole(a ^ b);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    default:
      throw new Error(`the oracle has no ${operator}`);
  }
}

/** Types of all names: those in subroutines differ from all others. */
function typesOf({ variables, subroutines, body }: Program): Map<string, Type> {
  const types = new Map(variables.map(({ name, type }) => [name, type]));
  const visit = (statements: readonly Statement[]): void => {
    for (const st of statements) {
      if (st.s === 'declare') types.set(st.name, st.type);
      if (st.s === 'for') types.set(st.name, { base: 'uint', width: 4 });
      if ('body' in st) visit(st.body);
      if ('otherwise' in st) visit(st.otherwise);
      if (st.s === 'switch') for (const each of st.cases) visit(each.body);
    }
  };
  visit(body);
  for (const { parameter, body: part } of subroutines) {
    types.set(parameter.name, parameter.type);
    visit(part);
  }
  return types;
}

class Interpreter {
  readonly #types: Types;
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
    this.#types = typesOf(program);
  }

  run(): Branch<Memory>[] {
    const { variables, qubits, body } = this.#program;
    const memory = Object.fromEntries(
      variables.flatMap(({ name, length, type, value = 0 }) =>
        length === undefined
          ? [[name, unsigned(BigInt(value), type.width)]]
          : Array.from({ length }, (_, i) => [`${name}.${i}`, 0]),
      ),
    );
    return this.#block(body, [{ state: new State(qubits, true), memory }], (index) => index);
  }

  #block(
    body: readonly Statement[],
    start: readonly Branch<Memory>[],
    qubit: (index: number) => number,
  ): Branch<Memory>[] {
    return body.reduce<Branch<Memory>[]>(
      (branches, st) => joined(branches.flatMap((branch) => this.#step(st, branch, qubit))),
      [...start],
    );
  }

  #stored(memory: Memory, name: string, index: number | undefined, value: Value): Memory {
    const type = this.#types.get(name);
    if (type === undefined) throw new Error(`no ${name}`);
    const place = `${name}.${index}`;
    if (index === undefined || place in memory) {
      const bits = unsigned(converted(value, type).value, type.width);
      return { ...memory, [index === undefined ? name : place]: bits };
    }
    const old = memory[name];
    if (old === undefined || index >= type.width) throw new Error('no such bit');
    const bit = value.value === 0n ? 0 : 1;
    return { ...memory, [name]: (old & ~(1 << index)) | (bit << index) };
  }

  #step(st: Statement, branch: Branch<Memory>, qubit: (index: number) => number): Branch<Memory>[] {
    const { state, memory } = branch;
    const of = (expr: Expr) => evaluated(expr, memory, this.#types);
    switch (st.s) {
      case 'gate': {
        const { controls, matrix } = GATES.get(st.gate)!;
        const places = st.qubits.map(qubit);
        if (new Set(places).size < places.length || places.some((q) => q >= state.qubits))
          throw new Error('qubits');
        const angles = st.angle === undefined ? [] : [this.#angle(st.angle, memory)];
        const on = places.slice(0, controls).map((each) => ({ qubit: each, value: 1 }));
        state.apply(matrix(...angles), places.slice(controls), on);
        return [branch];
      }
      case 'measure':
        return measured(branch, qubit(st.qubit), (m, outcome) =>
          this.#stored(m, st.name, st.index, { base: 'bit', width: 1, value: BigInt(outcome) }),
        );
      case 'reset':
        return reset(branch, qubit(st.qubit));
      case 'declare': {
        const value = st.value ? of(st.value) : { ...st.type, value: 0n };
        return [
          { state, memory: this.#stored({ ...memory, [st.name]: 0 }, st.name, undefined, value) },
        ];
      }
      case 'assign': {
        const { operator, name, index, value } = st;
        const place: Expr =
          index === undefined ? { e: 'variable', name } : { e: 'element', name, index };
        const whole =
          operator === '='
            ? value
            : { e: 'binary' as const, operator: operator.slice(0, -1), left: place, right: value };
        return [{ state, memory: this.#stored(memory, name, index, of(whole)) }];
      }
      case 'if':
        return this.#block(of(st.test).value === 0n ? st.otherwise : st.body, [branch], qubit);
      case 'while': {
        const goesOn = ({ memory: m }: Branch<Memory>) =>
          m[st.counter]! < st.limit && evaluated(st.test, m, this.#types).value !== 0n;
        const done: Branch<Memory>[] = [];
        let running = [branch];
        while (running.length > 0) {
          done.push(...running.filter((each) => !goesOn(each)));
          const counted = running.filter(goesOn).map(({ state: s, memory: m }) => ({
            state: s,
            memory: { ...m, [st.counter]: m[st.counter]! + 1 },
          }));
          running = this.#block(st.body, counted, qubit);
        }
        return joined(done);
      }
      case 'for': {
        let branches = [branch];
        for (let i = 0; i <= st.to; i++) {
          const entered = branches.map(({ state: s, memory: m }) => ({
            state: s,
            memory: { ...m, [st.name]: i },
          }));
          branches = this.#block(st.body, entered, qubit);
        }
        return branches;
      }
      case 'switch': {
        const value = Number(of(st.on).value);
        const found = st.cases.find(({ values }) => values.includes(value));
        return this.#block(found?.body ?? st.otherwise, [branch], qubit);
      }
      case 'call': {
        const sub = this.#program.subroutines.find(({ name }) => name === st.name);
        if (!sub) throw new Error(`no ${st.name}`);
        const given = this.#stored(
          { ...memory, [sub.parameter.name]: 0 },
          sub.parameter.name,
          undefined,
          of(st.argument),
        );
        const after = this.#block(sub.body, [{ state, memory: given }], () => qubit(st.qubit));
        return after.map(({ state: s, memory: m }) => {
          const result = converted(evaluated(sub.value, m, this.#types), sub.returns);
          const kept = Object.fromEntries(Object.entries(m).filter(([name]) => name in memory));
          return { state: s, memory: this.#stored(kept, st.target, undefined, result) };
        });
      }
    }
  }

  #angle(angle: AngleSum | string, memory: Memory): number {
    if (typeof angle === 'string') {
      const { base, width, value } = loaded(memory, this.#types, angle);
      if (base !== 'angle') throw new Error('not an angle');
      return (2 * Math.PI * Number(value)) / 2 ** width;
    }
    return angle.terms.reduce((sum, [name, factor]) => {
      const [, variable = name, index] = /^(\w+)\[(\d+)\]$/.exec(name) ?? [];
      const { value } = loaded(
        memory,
        this.#types,
        variable,
        index === undefined ? undefined : Number(index),
      );
      return sum + factor * Number(value);
    }, angle.offset);
  }
}

/** Exact distribution of what a program returns: its outputs, or its bits, or all qubits where it measures nothing. */
export function programDistribution(program: Program): Map<string, number> {
  const outputs = program.variables.filter(({ isOutput }) => isOutput);
  const bits = program.variables.filter(({ type }) => type.base === 'bit');
  const found = new Map<string, number>();
  const count = (label: string, probability: number) =>
    found.set(label, (found.get(label) ?? 0) + probability);
  const isRead =
    outputs.length > 0 ||
    JSON.stringify([program.body, program.subroutines]).includes('"s":"measure"') ||
    (program.isMeasured && program.variables.some(({ value }) => value !== undefined));
  for (const { state, memory } of new Interpreter(program).run()) {
    if (!isRead) {
      state.diagonal().forEach((probability, i) => {
        if (probability > 0) count(i.toString(2).padStart(state.qubits, '0'), probability);
      });
      continue;
    }
    const shown = outputs.length > 0 ? outputs : bits;
    const label = shown.map(({ name, type }) =>
      memory[name]!.toString(2).padStart(type.width, '0'),
    );
    count(label.reverse().join(''), state.weight());
  }
  return found;
}
