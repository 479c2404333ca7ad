/**
 * Random OpenQASM programs of classical values, with the values that they end with. Each is written twice: with its
 * first values in the text, and with the same ones measured.
 */
import type { RandomStream } from './random-stream.ts';
import {
  angle,
  asAngle,
  asFloat,
  asWhole,
  binary,
  bitsOf,
  isTrue,
  literal,
  NoValue,
  type OracleValue,
  popcount,
  rotl,
  seen,
  truth,
  unary,
  whole,
} from './value-oracle.ts';

type Env = Map<string, OracleValue>;

interface Term {
  readonly text: string;
  of(env: Env): OracleValue;
}

interface Step {
  readonly text: string;
  run(env: Env): void;
}

interface Declared {
  readonly name: string;
  /** As the program writes it. */
  readonly type: string;
  readonly width: number;
  readonly first: bigint;
  /** Converts a value as an assignment does. */
  readonly store: (value: OracleValue) => OracleValue;
}

/** A program and what its variables come to, or the reason why it has no values. */
export interface ValueProgram {
  readonly known: string;
  readonly measured: string;
  /** Bits of each output, the first variable's first, lowest first; undefined where there are no values. */
  readonly outcome: readonly boolean[] | undefined;
  /** Whether a value on the way exceeded what the service holds exactly. */
  readonly mayBeRefused: boolean;
}

/** Qubits of the programs; the widest variable has as many bits. */
export const NUM_QUBITS = 8;

/** Makes a program. */
export function valueProgram(stream: RandomStream): ValueProgram {
  return new Maker(stream).program();
}

class Maker {
  readonly #stream: RandomStream;
  readonly #variables: Declared[] = [];
  readonly #loops: string[] = [];
  readonly #steps: Step[] = [];
  #numNames = 0;

  constructor(stream: RandomStream) {
    this.#stream = stream;
  }

  program(): ValueProgram {
    const numVariables = 3 + this.#stream.below(4);
    for (let i = 0; i < numVariables; i++) this.#variables.push(this.#declared(`v${i}`));
    const numSteps = 2 + this.#stream.below(6);
    for (let i = 0; i < numSteps; i++) this.#steps.push(this.#step(2));
    const body = this.#steps.map(({ text }) => text).join('\n');
    const helper = 'def twice(uint[5] x) -> uint[6] { x += 1; return uint[6](x) * 2; }';
    const head = `OPENQASM 3.0;\ninclude "stdgates.inc";\n${helper}\nqubit[${NUM_QUBITS}] q;\n`;
    const outputs = this.#variables.map(({ name, type }) => {
      const base = type.startsWith('bit') ? 'bit' : type;
      return `output ${type} o_${name}; o_${name} = ${base === 'bit' ? name : name};`;
    });
    const write = (declarations: readonly string[]) =>
      [head, ...declarations, body, ...outputs].join('\n');
    const known = write(this.#variables.map((variable) => knownText(variable)));
    const measured = write(this.#variables.map((variable) => measuredText(variable)));
    return { known, measured, ...this.#outcome() };
  }

  #outcome() {
    seen.isPast53 = false;
    const env: Env = new Map(
      this.#variables.map(({ name, store, first, type, width }) => [
        name,
        type.startsWith('angle') ? angle(width, first) : store(whole('uint', width, first)),
      ]),
    );
    let outcome: readonly boolean[] | undefined;
    try {
      for (const step of this.#steps) step.run(env);
      outcome = this.#variables.flatMap(({ name, width }) => bitsOf(env.get(name)!, width));
    } catch (error) {
      if (!(error instanceof NoValue)) throw error;
    }
    return { outcome, mayBeRefused: seen.isPast53 };
  }

  #declared(name: string): Declared {
    const width = 1 + this.#stream.below(NUM_QUBITS);
    const first = BigInt(this.#stream.below(2 ** width));
    switch (this.#stream.below(7)) {
      case 0:
      case 1:
        return {
          name,
          type: `uint[${width}]`,
          width,
          first,
          store: (x) => asWhole('uint', width, x),
        };
      case 2:
      case 3:
        return {
          name,
          type: `int[${width}]`,
          width,
          first,
          store: (x) => asWhole('int', width, x),
        };
      case 4:
        return { name, type: 'bool', width: 1, first: first % 2n, store: (x) => truth(isTrue(x)) };
      case 5: {
        const sized = Math.max(2, width);
        return {
          name,
          type: `angle[${sized}]`,
          width: sized,
          first,
          store: (x) => asAngle(sized, x),
        };
      }
      default:
        return { name, type: 'int', width: 32, first, store: (x) => asWhole('int', 32, x) };
    }
  }

  #step(depth: number): Step {
    const kind = this.#stream.below(depth > 0 ? 12 : 7);
    if (kind < 4) return this.#assignment();
    if (kind < 6) return this.#compound();
    if (kind < 7) return this.#bitAssignment();
    if (kind < 10) return this.#conditional(depth);
    return this.#loop(depth);
  }

  #target(): Declared {
    return this.#stream.pick(this.#variables);
  }

  #valueFor({ type }: Declared): Term {
    if (type.startsWith('angle'))
      return this.#stream.below(4) === 0 ? this.#float(1) : this.#angle(2);
    if (type === 'bool') return this.#stream.below(4) === 0 ? this.#whole(2) : this.#bool(2);
    if (this.#stream.below(8) === 0) {
      const f = this.#float(1);
      const width = 1 + this.#stream.below(12);
      return term(`int[${width}](${f.text})`, (env) => asWhole('int', width, f.of(env)));
    }
    return this.#whole(3);
  }

  #assignment(): Step {
    const target = this.#target();
    const value = this.#valueFor(target);
    return {
      text: `${target.name} = ${value.text};`,
      run: (env) => void env.set(target.name, target.store(value.of(env))),
    };
  }

  #compound(): Step {
    const target = this.#target();
    const isAngle = target.type.startsWith('angle');
    const isBool = target.type === 'bool';
    const operator = this.#stream.pick(
      isBool ? ['&', '|', '^'] : isAngle ? ['+', '-', '<<', '>>'] : [...OPERATORS, '<<', '>>'],
    );
    const value =
      operator.length === 2 && operator !== '**'
        ? this.#distance()
        : isBool
          ? this.#bool(1)
          : isAngle
            ? this.#angle(1)
            : operator === '**'
              ? this.#distance()
              : this.#whole(1);
    return {
      text: `${target.name} ${operator}= ${value.text};`,
      run: (env) => {
        const result = binary(operator, env.get(target.name)!, value.of(env));
        // Without a cast only whole floats are stored, so that no powers with a fraction are made here.
        env.set(target.name, target.store(result));
      },
    };
  }

  #bitAssignment(): Step {
    const target = this.#target();
    if (target.type === 'bool') return this.#assignment();
    const bit = this.#stream.below(target.width);
    const value = this.#bool(1);
    return {
      text: `${target.name}[${bit}] = ${value.text};`,
      run: (env) => {
        const old = env.get(target.name) as Extract<OracleValue, { v: bigint }>;
        const mask = 1n << BigInt(bit);
        const raw = BigInt.asUintN(target.width, old.v);
        const next = isTrue(value.of(env)) ? raw | mask : raw & ~mask;
        env.set(
          target.name,
          target.type.startsWith('angle')
            ? angle(target.width, next)
            : target.store(whole('uint', target.width, next)),
        );
      },
    };
  }

  #conditional(depth: number): Step {
    const test = this.#bool(2);
    const [yes, no] = [this.#step(depth - 1), this.#step(depth - 1)];
    return {
      text: `if (${test.text}) { ${yes.text} } else { ${no.text} }`,
      run: (env) => {
        const [taken, other] = isTrue(test.of(env)) ? [yes, no] : [no, yes];
        const before = new Map(env);
        taken.run(env);
        // What is wrong with a branch may be found although it is not taken.
        try {
          other.run(before);
        } catch (error) {
          if (!(error instanceof NoValue)) throw error;
          seen.isPast53 = true;
        }
      },
    };
  }

  #loop(depth: number): Step {
    const name = `i${this.#numNames++}`;
    const last = this.#stream.below(3);
    this.#loops.push(name);
    const body = this.#step(depth - 1);
    this.#loops.pop();
    return {
      text: `for uint[4] ${name} in [0:${last}] { ${body.text} }`,
      run: (env) => {
        for (let i = 0; i <= last; i++) {
          env.set(name, whole('uint', 4, BigInt(i)));
          body.run(env);
        }
      },
    };
  }

  #literal(bound: number): Term {
    const value = BigInt(this.#stream.below(bound)) * (this.#stream.below(4) === 0 ? -1n : 1n);
    return term(value < 0n ? `(${value})` : `${value}`, () => literal(value));
  }

  /** A number of places to shift by, or a small exponent. */
  #distance(): Term {
    if (this.#stream.below(2) === 0) {
      const places = BigInt(this.#stream.below(10));
      return term(`${places}`, () => literal(places));
    }
    const value = this.#whole(0);
    return term(`uint[3](${value.text})`, (env) => asWhole('uint', 3, value.of(env)));
  }

  #variable(is: (type: string) => boolean): Term | undefined {
    const fit = this.#variables.filter(({ type }) => is(type));
    if (fit.length === 0) return undefined;
    const { name } = this.#stream.pick(fit);
    return term(name, (env) => env.get(name)!);
  }

  #whole(depth: number): Term {
    const stream = this.#stream;
    if (depth === 0) {
      const kind = stream.below(6);
      if (kind === 0 && this.#loops.length > 0) {
        const name = stream.pick(this.#loops);
        return term(name, (env) => env.get(name)!);
      }
      if (kind < 2) return this.#literal(stream.below(3) === 0 ? 300 : 20);
      return this.#variable((type) => /int/.test(type)) ?? this.#literal(20);
    }
    const [a, b] = [this.#whole(depth - 1), this.#whole(depth - 1)];
    const width = 1 + stream.below(12);
    switch (stream.below(12)) {
      case 0: {
        const base = stream.pick(['int', 'uint'] as const);
        return term(`${base}[${width}](${a.text})`, (env) => asWhole(base, width, a.of(env)));
      }
      case 1: {
        const operator = stream.pick(['-', '~']);
        return term(`(${operator}${a.text})`, (env) => unary(operator, a.of(env)));
      }
      case 2: {
        const operator = stream.pick(['<<', '>>']);
        const by = this.#distance();
        return term(`(${a.text} ${operator} ${by.text})`, (env) =>
          binary(operator, a.of(env), by.of(env)),
        );
      }
      case 3:
        return term(`popcount(uint[${width}](${a.text}))`, (env) =>
          popcount(asWhole('uint', width, a.of(env))),
        );
      case 4: {
        const by = BigInt(stream.below(15));
        const isLeft = stream.below(2) === 0;
        return term(`${isLeft ? 'rotl' : 'rotr'}(uint[${width}](${a.text}), ${by})`, (env) =>
          rotl(asWhole('uint', width, a.of(env)), isLeft ? by : -by),
        );
      }
      case 5: {
        const [low, high] = [stream.below(width), stream.below(width)].sort((x, y) => x - y);
        return term(`uint[${width}](${a.text})[${low}:${high}]`, (env) => {
          const { v } = asWhole('uint', width, a.of(env)) as { v: bigint };
          return whole('uint', high! - low! + 1, v >> BigInt(low!));
        });
      }
      case 6: {
        const test = this.#bool(depth - 1);
        const operator = stream.pick(['+', '*', '<<']);
        return term(`(${test.text} ${operator} ${operator === '<<' ? '2' : a.text})`, (env) =>
          binary(operator, test.of(env), operator === '<<' ? literal(2n) : a.of(env)),
        );
      }
      case 7:
        return term(`twice(${a.text})`, (env) => {
          const x = asWhole('uint', 5, a.of(env));
          const next = asWhole('uint', 5, binary('+', x, literal(1n)));
          return binary('*', asWhole('uint', 6, next), literal(2n));
        });
      case 8: {
        const angle = this.#sizedAngle(1);
        return term(`uint[${angle.width}](bit[${angle.width}](${angle.text}))`, (env) =>
          whole('uint', angle.width, angle.of(env).v as bigint),
        );
      }
      default: {
        const operator = stream.pick(OPERATORS);
        if (operator === '**') {
          const by = this.#distance();
          return term(`(${a.text} ** ${by.text})`, (env) => binary('**', a.of(env), by.of(env)));
        }
        return term(`(${a.text} ${operator} ${b.text})`, (env) =>
          binary(operator, a.of(env), b.of(env)),
        );
      }
    }
  }

  #bool(depth: number): Term {
    const stream = this.#stream;
    if (depth === 0) {
      const isTrueText = stream.below(2) === 0;
      return (
        this.#variable((type) => type === 'bool') ?? term(`${isTrueText}`, () => truth(isTrueText))
      );
    }
    switch (stream.below(7)) {
      case 0: {
        const [p, q] = [this.#bool(depth - 1), this.#bool(depth - 1)];
        const operator = stream.pick(['&&', '||', '&', '|', '^', '==', '!=']);
        return term(`(${p.text} ${operator} ${q.text})`, (env) =>
          binary(operator, p.of(env), q.of(env)),
        );
      }
      case 1: {
        const p = this.#bool(depth - 1);
        const operator = stream.pick(['!', '~']);
        return term(`(${operator}${p.text})`, (env) => unary(operator, p.of(env)));
      }
      case 2: {
        const [a, b] = [this.#angle(depth - 1), this.#angle(depth - 1)];
        const operator = stream.pick(COMPARISONS);
        return term(`(${a.text} ${operator} ${b.text})`, (env) =>
          binary(operator, a.of(env), b.of(env)),
        );
      }
      case 3: {
        const a = this.#whole(depth - 1);
        return term(`bool(${a.text})`, (env) => truth(isTrue(a.of(env))));
      }
      case 4: {
        const a = this.#float(depth - 1);
        const b = this.#whole(depth - 1);
        const operator = stream.pick(COMPARISONS);
        return term(`(${a.text} ${operator} ${b.text})`, (env) =>
          binary(operator, a.of(env), b.of(env)),
        );
      }
      default: {
        const [a, b] = [this.#whole(depth - 1), this.#whole(depth - 1)];
        const operator = stream.pick(COMPARISONS);
        return term(`(${a.text} ${operator} ${b.text})`, (env) =>
          binary(operator, a.of(env), b.of(env)),
        );
      }
    }
  }

  #float(depth: number): Term {
    const a = this.#whole(depth);
    const eighths = this.#stream.below(64);
    const operator = this.#stream.pick(['+', '-', '*']);
    return term(`(float(${a.text}) ${operator} ${(eighths / 8).toFixed(3)})`, (env) =>
      binary(operator, asFloat(a.of(env)), { k: 'float', v: eighths / 8 }),
    );
  }

  #sizedAngle(depth: number): Term & { readonly width: number } {
    const width = 2 + this.#stream.below(8);
    const a = this.#angle(depth);
    return { ...term(`angle[${width}](${a.text})`, (env) => asAngle(width, a.of(env))), width };
  }

  #angle(depth: number): Term {
    const stream = this.#stream;
    if (depth === 0) {
      const variable = this.#variable((type) => type.startsWith('angle'));
      if (variable !== undefined && stream.below(4) > 0) return variable;
      const width = 2 + stream.below(8);
      const a = this.#whole(0);
      return term(`angle[${width}](bit[${width}](uint[${width}](${a.text})))`, (env) =>
        angle(width, (asWhole('uint', width, a.of(env)) as { v: bigint }).v),
      );
    }
    const [a, b] = [this.#angle(depth - 1), this.#angle(depth - 1)];
    switch (stream.below(8)) {
      case 0:
        return this.#sizedAngle(depth - 1);
      case 1: {
        const operator = stream.pick(['-', '~']);
        return term(`(${operator}${a.text})`, (env) => unary(operator, a.of(env)));
      }
      case 2: {
        const operator = stream.pick(['<<', '>>']);
        const by = this.#distance();
        return term(`(${a.text} ${operator} ${by.text})`, (env) =>
          binary(operator, a.of(env), by.of(env)),
        );
      }
      case 3: {
        const n = this.#whole(depth - 1);
        const operator = stream.pick(['*', '/']);
        return term(`(${a.text} ${operator} ${n.text})`, (env) =>
          binary(operator, a.of(env), n.of(env)),
        );
      }
      case 4: {
        const by = BigInt(stream.below(9));
        return term(`rotl(${a.text}, ${by})`, (env) => rotl(a.of(env), by));
      }
      default: {
        const operator = stream.pick(['+', '-', '&', '|', '^']);
        return term(`(${a.text} ${operator} ${b.text})`, (env) =>
          binary(operator, a.of(env), b.of(env)),
        );
      }
    }
  }
}

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const OPERATORS = ['+', '-', '*', '/', '%', '&', '|', '^', '**'];

const term = (text: string, of: (env: Env) => OracleValue): Term => ({ text, of });

/** The first bits of a variable as a label, the highest first. */
const label = ({ width, first }: Declared): string => first.toString(2).padStart(width, '0');

function knownText(variable: Declared): string {
  const { name, type, width, first } = variable;
  if (type === 'bool') return `bool ${name} = ${first === 1n};`;
  if (type.startsWith('angle')) return `angle[${width}] ${name} = "${label(variable)}";`;
  if (type.startsWith('int[')) return `${type} ${name} = ${BigInt.asIntN(width, first)};`;
  return `${type} ${name} = ${first};`;
}

function measuredText(variable: Declared): string {
  const { name, type } = variable;
  const bits = [...label(variable)].reverse().slice(0, NUM_QUBITS);
  const flips = bits.flatMap((bit, i) => (bit === '1' ? [`x q[${i}];`] : [])).join(' ');
  const size = bits.length;
  const measure = `bit[${size}] m_${name}; ${flips} m_${name} = measure q[0:${size - 1}]; ${flips}`;
  const from = type === 'bool' ? `m_${name}[0]` : `m_${name}`;
  return `${measure} ${type} ${name} = ${from};`;
}
