/** Random OpenQASM 3 programs with inputs that flow through everything that an angle can come from. */
import type { RandomStream } from './random-stream.ts';

/** Declarations that the values of `openInputs` fit. */
const HEAD = `OPENQASM 3.0; include "stdgates.inc";
input float a; input float b; input angle t; input int n; input uint[2] m; input bool f; input bit[2] w;
qubit[3] q; bit[3] c;`;

/**
 * Values of the inputs at `numPoints` points. The whole ones have four combinations of values at most.
 *
 * @param size - Greatest size of the others.
 */
export function openInputs(
  stream: RandomStream,
  numPoints: number,
  size: number,
): Record<string, unknown> {
  const list = <T>(value: () => T): T[] => Array.from({ length: numPoints }, value);
  const real = () => stream.pick([0, -0, 1, 0.5, stream.uniform() - 0.5, stream.uniform() * size]);
  const combinations = list(() => stream.below(4));
  const few = <T>(values: readonly T[]): T[] => combinations.map((i) => values[i]!);
  return {
    a: list(real),
    b: list(real),
    t: list(real),
    n: few([0, 1, 2, 0]),
    m: few([3, 2, 0, 1]),
    f: few([true, false, false, true]),
    w: stream.below(3) === 0 ? few([0, 1, 2, 3]) : stream.below(4),
  };
}

/** A program, most of whose angles depend on inputs. */
export function openProgram(stream: RandomStream, numStatements = 6): string {
  const maker = new OpenProgramMaker(stream);
  return `${HEAD}\n${maker.definitions()}\n${maker.statements(numStatements, 0, ['a', 'b', 't'])}\nc = measure q;`;
}

class OpenProgramMaker {
  readonly #stream: RandomStream;
  #numNames = 0;

  constructor(stream: RandomStream) {
    this.#stream = stream;
  }

  definitions(): string {
    return `const float k = ${this.#expression(2, ['a', '2.5'])};
gate inner(x, y) p, r { rz(${this.#expression(2, ['x', 'y', 'pi'])}) p; U(x, y, ${this.#expression(1, ['x', 'k'])}) r; cx p, r; }
gate outer(x) p, r { inner(${this.#expression(2, ['x'])}, k) p, r; inv @ inner(x, -x) r, p; pow(2) @ rx(x) p; for int i in [1:2] { rz(x * i) r; } }
def times(float x, float y) -> float { if (w[0]) { return x + y; } return x * y; }
def turn(qubit p, float x) { ry(x) p; float z = x * x; rx(z) p; }
array[float, 2] list = {a, ${this.#expression(1, ['b', 't'])}};`;
  }

  statements(count: number, depth: number, names: readonly string[]): string {
    const known = [...names];
    const lines: string[] = [];
    for (let i = 0; i < count; i++) lines.push(this.#statement(depth, known));
    return lines.join('\n');
  }

  #statement(depth: number, names: string[]): string {
    const angle = (size = 2) => this.#expression(size, names);
    const p = this.#stream.below(3);
    const r = (p + 1 + this.#stream.below(2)) % 3;
    const inner = (more: readonly string[] = []) =>
      `{ ${this.statements(2, depth + 1, [...names, ...more])} }`;
    const nested = depth < 2 ? 8 : 0;
    switch (this.#stream.below(14 + nested)) {
      case 0:
        return `rx(${angle()}) q[${p}]; ry(times(${angle(1)}, a)) q[${r}];`;
      case 1:
        return `U(${angle()}, ${angle(1)}, ${angle(1)}) q;`;
      case 2:
        return `outer(${angle()}) q[${p}], q[${r}];`;
      case 3:
        return `inner(${angle()}, ${angle()}) q[${p}], q[${r}];`;
      case 4:
        return `inv @ u2(${angle()}, ${angle()}) q[${p}]; inv @ cu(${angle(1)}, ${angle(1)}, a, b) q[${p}], q[${r}];`;
      case 5:
        return `pow(${this.#stream.pick(['3', '-2', '0', '1000001'])}) @ rz(${angle()}) q[${p}];`;
      case 6:
        return `ctrl @ inv @ outer(${angle()}) q[${p}], q[${r}], q[${3 - p - r}];`;
      case 7:
        return `turn(q[${p}], ${angle()});`;
      case 8: {
        const name = `v${this.#numNames++}`;
        const type = this.#stream.pick(['float', 'angle', 'const float', 'float[64]']);
        const text = `${type} ${name} = ${angle()};`;
        names.push(name);
        return text;
      }
      case 9:
        return `rz(n * ${angle(1)} + m * pi / 4) q[${p}]; ry(f * a) q[${p}];`;
      case 10:
        return `gphase(${angle()}); cp(${angle()}) q[${p}], q[${r}]; xy(t) q[${p}], q[${r}];`;
      case 11:
        return this.#stream.pick([
          `pow(0.5) @ rx(${angle(1)}) q[${p}];`,
          `angle[8] s${this.#numNames} = t; rz(s${this.#numNames++}) q[${p}];`,
          `rx(int(b)) q[${p}];`,
          `rx(floor(a) * t) q[${p}];`,
        ]);
      case 12:
        return `list[${this.#stream.below(2)}] = ${angle(1)}; rx(list[m % 2]) q[${p}];`;
      case 13:
        return `c[0] = measure q[0]; if (c[0]) { rx(${angle()}) q[1]; } rz(${angle(1)} * c[0]) q[2];`;
      case 14:
        return `for int i in [0:n] ${inner(['i'])}`;
      case 15:
        return `for int i in [1:3] ${inner(['i'])}`;
      case 16:
        return `if (${angle(1)} > 0.5) ${inner()} else ${inner()}`;
      case 17:
        return `if (f && n != 1) ${inner()}`;
      case 18:
        return `switch (m) { case 0 ${inner()} case 1, 2 ${inner()} default ${inner()} }`;
      case 19:
        return `for float x in {a, 0.5, ${angle(1)}} ${inner(['x'])}`;
      case 20:
        return `for uint i in [0:1] { if (w[i]) ${inner()} }`;
      default:
        return `x q[n];`;
    }
  }

  #expression(size: number, names: readonly string[]): string {
    if (size === 0) {
      const constant = this.#stream.pick(['pi', '0.25', '2', '-1.5', 'tau']);
      return this.#stream.below(4) === 0 ? constant : this.#stream.pick(names);
    }
    const part = () => this.#expression(size - 1, names);
    // A few expressions have no value at some points.
    if (this.#stream.below(200) === 0) {
      return `${this.#stream.pick(['ln', 'sqrt', 'arcsin', '1 / '])}(${part()})`;
    }
    switch (this.#stream.below(14)) {
      case 0:
      case 1:
        return `(${part()} + ${part()})`;
      case 2:
        return `(${part()} - ${part()})`;
      case 3:
      case 4:
        return `(${part()} * ${part()})`;
      case 5:
        return `(${part()} / ${this.#stream.pick(['2', '3.0', `(1.5 + sin(${part()}))`])})`;
      case 6:
        return `-${part()}`;
      case 7:
        return `${this.#stream.pick(['sin', 'cos', 'tan', 'arctan'])}(${part()})`;
      case 8:
        return `sqrt(${part()} ** 2 + 0.5)`;
      case 9:
        return this.#stream.pick([
          `abs(${part()})`,
          `exp(cos(${part()}))`,
          `ln(1.5 + sin(${part()}))`,
          `arcsin(0.5 * cos(${part()}))`,
          `arccos(0.5 * sin(${part()}))`,
        ]);
      case 10:
        return this.#stream.pick([
          `(${part()} ** 2)`,
          `(${part()} ** 3.0)`,
          `((1.5 + sin(${part()})) ** ${part()})`,
          `pow(2.5 + cos(${part()}), -0.5)`,
        ]);
      case 11:
        return `mod(${part()}, 1.5)`;
      default:
        return this.#expression(0, names);
    }
  }
}
