/**
 * Random OpenQASM 3 programs with subroutines, loops on measured bits and assignments, each with what
 * it means: the exact distribution of its outcomes, interpreted from the program itself. Nothing of the
 * service's reader, compiler or engines takes part in that; gates act by the state oracle.
 */
import type { RandomStream } from './random-stream.ts';
import { applied, probabilitiesOf, zeroState } from './state-oracle.ts';

const NUM_QUBITS = 3;
/** Bits of the register c, which is the outcome. */
export const NUM_OUTCOME_BITS = 3;
/** The variable n is a uint[3]. */
const N_VALUES = 8;
/** Branches that are less likely are not followed: a loop may go on for ever. */
const NEGLIGIBLE = 1e-10;

/** One way that a run has gone so far. */
interface Branch {
  readonly weight: number;
  readonly state: Float64Array;
  /** Bits of c by index, n, and what else is declared. */
  readonly values: Readonly<Record<string, number>>;
  /** The qubits that names stand for here. */
  readonly qubits: Readonly<Record<string, number>>;
  readonly leaving?: 'break' | 'continue' | 'return';
}

/** A fragment of text, and what it does. */
interface Statement {
  readonly text: string;
  readonly run: (branch: Branch) => readonly Branch[];
}

interface Value {
  readonly text: string;
  readonly of: (values: Branch['values']) => number;
}

interface Subroutine {
  readonly name: string;
  readonly text: string;
  readonly body: Statement;
}

/** A program and its meaning. */
export interface RandomProgram {
  readonly text: string;
  /** The probability of each value of c, its highest bit first. */
  outcomes(): ReadonlyMap<string, number>;
}

/** A program on three qubits. */
export function randomProgram(stream: RandomStream): RandomProgram {
  const maker = new ProgramMaker(stream);
  const subroutines = [maker.subroutine('first'), maker.subroutine('second')];
  const qubits = Array.from({ length: NUM_QUBITS }, (_, q) => `q[${q}]`);
  const start = qubits.map((name) => maker.rotation('ry', name));
  const body = [...start, maker.block({ qubits, subroutines, depth: 0, inLoop: false }, 7)];
  const end = [0, 1].map((i) => maker.measurement(`q[${i}]`, i));
  const whole = sequence([...body, ...end]);
  const text = [
    'OPENQASM 3.0;',
    'include "stdgates.inc";',
    `bit[${NUM_OUTCOME_BITS}] c;`,
    `qubit[${NUM_QUBITS}] q;`,
    'uint[3] n = 5;',
    ...maker.counters.map((name) => `uint[4] ${name} = 0;`),
    ...subroutines.map((subroutine) => subroutine.text),
    whole.text,
  ].join('\n');
  return { text, outcomes: () => outcomesOf(whole, maker.counters) };
}

function outcomesOf(whole: Statement, counters: readonly string[]): ReadonlyMap<string, number> {
  const zeros = [0, 1, 2].map((bit) => [`c${bit}`, 0] as const);
  const values = Object.fromEntries([...zeros, ['n', 5], ...counters.map((name) => [name, 0])]);
  const qubits = Object.fromEntries([0, 1, 2].map((q) => [`q[${q}]`, q]));
  const outcomes = new Map<string, number>();
  for (const end of whole.run({ weight: 1, state: zeroState(NUM_QUBITS), values, qubits })) {
    const label = [2, 1, 0].map((bit) => end.values[`c${bit}`]).join('');
    outcomes.set(label, (outcomes.get(label) ?? 0) + end.weight);
  }
  return outcomes;
}

/** Statements one after the other; what leaves a loop or a subroutine skips the rest. */
function sequence(statements: readonly Statement[]): Statement {
  return {
    text: statements.map(({ text }) => text).join('\n'),
    run: (branch) =>
      statements.reduce<readonly Branch[]>(
        (branches, { run }) => branches.flatMap((b) => (b.leaving === undefined ? run(b) : [b])),
        [branch],
      ),
  };
}

const set = (branch: Branch, name: string, value: number): Branch => ({
  ...branch,
  values: { ...branch.values, [name]: value },
});

/** Both ways that measuring a qubit turns out. */
function measured(branch: Branch, name: string): readonly (readonly [number, Branch])[] {
  const qubit = branch.qubits[name]!;
  return [0, 1].flatMap((outcome) => {
    const kept = branch.state.map((part, i) => ((((i >> 1) >> qubit) & 1) === outcome ? part : 0));
    const share = probabilitiesOf(kept).reduce((sum, part) => sum + part, 0);
    const weight = branch.weight * share;
    if (weight < NEGLIGIBLE) return [];
    const state = kept.map((part) => part / Math.sqrt(share));
    return [[outcome, { ...branch, weight, state }] as const];
  });
}

const gate = (
  branch: Branch,
  name: string,
  targets: readonly string[],
  angles: number[],
): Branch => {
  const indices = targets.map((target) => branch.qubits[target]!);
  const own = { CX: 1, SWAP: 0 }[name] ?? 0;
  const controls = indices.slice(0, own);
  const operation = {
    kind: 'gate',
    gate: name,
    controls,
    targets: indices.slice(own),
    angles,
  } as const;
  return { ...branch, state: applied(branch.state, operation) };
};

/** Names and nesting that a block may use. */
interface Place {
  readonly qubits: readonly string[];
  readonly subroutines: readonly Subroutine[];
  readonly depth: number;
  readonly inLoop: boolean;
}

class ProgramMaker {
  readonly counters: string[] = [];
  readonly #stream: RandomStream;
  #numNames = 0;

  constructor(stream: RandomStream) {
    this.#stream = stream;
  }

  /** Turns a qubit, measures another, acts on what it read, and may return early. */
  subroutine(name: string): Subroutine {
    const [a, b, r] = [`${name}_a`, `${name}_b`, `${name}_r`];
    const k = `${name}_k`;
    const turn = this.rotation('rx', b);
    const flip = sequence([this.#call('CX', 'cx', [b, a]), this.rotation('ry', b)]);
    const limit = this.#stream.below(N_VALUES);
    const isEarly = this.#stream.below(2) === 0;
    const returned = (branch: Branch, value: number): Branch => ({
      ...set(branch, 'returned', value),
      leaving: 'return',
    });
    const run = (branch: Branch): readonly Branch[] =>
      turn.run(branch).flatMap((turned) =>
        measured(turned, a).flatMap(([outcome, after]) => {
          if (isEarly && outcome === 1) return [returned(after, Number(after.values[k]! < limit))];
          return flip
            .run(after)
            .map((end) => returned(end, outcome ^ Number(end.values[k]! > limit)));
        }),
      );
    const text = [
      `def ${name}(qubit ${a}, qubit ${b}, uint[3] ${k}) -> bit {`,
      turn.text,
      `bit ${r} = measure ${a};`,
      ...(isEarly ? [`if (${r}) { return ${k} < ${limit}; }`] : []),
      flip.text,
      `return ${r} ^ (${k} > ${limit});`,
      '}',
    ].join('\n');
    return { name, text, body: { text, run } };
  }

  rotation(name: 'rx' | 'ry', qubit: string): Statement {
    const angle = Number((0.2 + 2.7 * this.#stream.uniform()).toFixed(3));
    return {
      text: `${name}(${angle}) ${qubit};`,
      run: (branch) => [gate(branch, name.toUpperCase(), [qubit], [angle])],
    };
  }

  measurement(qubit: string, bit: number): Statement {
    return {
      text: `c[${bit}] = measure ${qubit};`,
      run: (branch) => measured(branch, qubit).map(([outcome, b]) => set(b, `c${bit}`, outcome)),
    };
  }

  block(place: Place, numStatements: number): Statement {
    return sequence(Array.from({ length: numStatements }, () => this.#statement(place)));
  }

  #statement(place: Place): Statement {
    const stream = this.#stream;
    const { qubits, subroutines, depth, inLoop } = place;
    const inner: Place = { ...place, depth: depth + 1 };
    const [qubit, other] = [...stream.distinct(2, qubits.length)].map((i) => qubits[i]!);
    const bit = stream.below(NUM_OUTCOME_BITS);
    switch (stream.below(depth < 2 ? 14 : 8)) {
      case 0:
        return this.rotation(stream.pick(['rx', 'ry']), qubit!);
      case 1:
        return this.#call('CX', 'cx', [qubit!, other!]);
      case 2:
        return this.#turnedByNumber(qubit!);
      case 3:
        return this.measurement(qubit!, bit);
      case 4:
        return this.#reset(qubit!);
      case 5:
        return this.#assignedBit(bit);
      case 6:
        return this.#assignedNumber();
      case 7:
        return inLoop ? this.#leave() : this.#assignedNumber();
      case 8:
      case 9:
        return this.#conditional(inner);
      case 10:
        return this.#countedLoop(inner);
      case 11:
        return this.#untilRead(inner, qubit!, bit);
      case 12:
        return this.#forLoop(inner, qubit!);
      default:
        return this.#called(stream.pick(subroutines), [qubit!, other!], bit);
    }
  }

  #call(name: string, written: string, qubits: readonly string[]): Statement {
    const text = `${written} ${qubits.join(', ')};`;
    return { text, run: (branch) => [gate(branch, name, qubits, [])] };
  }

  #turnedByNumber(qubit: string): Statement {
    return {
      text: `ry(0.3 * n) ${qubit};`,
      run: (branch) => [gate(branch, 'RY', [qubit], [0.3 * branch.values['n']!])],
    };
  }

  #reset(qubit: string): Statement {
    const run = (branch: Branch) =>
      measured(branch, qubit).map(([outcome, b]) =>
        outcome === 1 ? gate(b, 'X', [qubit], []) : b,
      );
    return { text: `reset ${qubit};`, run };
  }

  #assignedBit(bit: number): Statement {
    const truth = this.#truth();
    return {
      text: `c[${bit}] = ${truth.text};`,
      run: (branch) => [set(branch, `c${bit}`, truth.of(branch.values))],
    };
  }

  #assignedNumber(): Statement {
    const stream = this.#stream;
    const m = stream.below(N_VALUES);
    const read = (values: Branch['values']) =>
      values['c0']! + 2 * values['c1']! + 4 * values['c2']!;
    const { text, of } = stream.pick<Value>([
      { text: `n = ${m};`, of: () => m },
      { text: 'n = uint[3](c);', of: read },
      { text: `n += ${m};`, of: (v) => v['n']! + m },
      { text: `n ^= ${m};`, of: (v) => v['n']! ^ m },
      { text: 'n = n & uint[3](c);', of: (v) => v['n']! & read(v) },
      { text: 'n = n * 3 + c[1];', of: (v) => v['n']! * 3 + v['c1']! },
      { text: 'n = n >> 1;', of: (v) => v['n']! >> 1 },
      { text: 'n <<= 1;', of: (v) => v['n']! << 1 },
    ]);
    return { text, run: (branch) => [set(branch, 'n', of(branch.values) % N_VALUES)] };
  }

  #truth(depth = 0): Value {
    const stream = this.#stream;
    const bit = stream.below(NUM_OUTCOME_BITS);
    const m = stream.below(N_VALUES);
    const plain: readonly Value[] = [
      { text: `c[${bit}]`, of: (v) => v[`c${bit}`]! },
      { text: `!c[${bit}]`, of: (v) => 1 - v[`c${bit}`]! },
      { text: `c == ${m}`, of: (v) => Number(v['c0']! + 2 * v['c1']! + 4 * v['c2']! === m) },
      { text: `n < ${m}`, of: (v) => Number(v['n']! < m) },
      { text: `n != ${m}`, of: (v) => Number(v['n'] !== m) },
      { text: `n[${bit}] == 1`, of: (v) => (v['n']! >> bit) & 1 },
    ];
    if (depth > 1 || stream.below(3) > 0) return stream.pick(plain);
    const [left, right] = [this.#truth(depth + 1), this.#truth(depth + 1)];
    return stream.below(2) === 0
      ? { text: `(${left.text}) && (${right.text})`, of: (v) => left.of(v) & right.of(v) }
      : { text: `(${left.text}) || (${right.text})`, of: (v) => left.of(v) | right.of(v) };
  }

  #conditional(inner: Place): Statement {
    const truth = this.#truth();
    const whenTrue = this.block(inner, 1 + this.#stream.below(3));
    const whenFalse = this.block(inner, this.#stream.below(3));
    return {
      text: `if (${truth.text}) {\n${whenTrue.text}\n} else {\n${whenFalse.text}\n}`,
      run: (branch) => (truth.of(branch.values) === 1 ? whenTrue : whenFalse).run(branch),
    };
  }

  /** Leaves the loop, or its round, if something holds. */
  #leave(): Statement {
    const truth = this.#truth();
    const how = this.#stream.pick(['break', 'continue'] as const);
    return {
      text: `if (${truth.text}) { ${how}; }`,
      run: (branch) => [truth.of(branch.values) === 1 ? { ...branch, leaving: how } : branch],
    };
  }

  #countedLoop(inner: Place): Statement {
    const truth = this.#truth();
    const name = this.#name('k');
    this.counters.push(name);
    const body = this.block({ ...inner, inLoop: true }, 1 + this.#stream.below(3));
    const round = (branch: Branch) => body.run(set(branch, name, branch.values[name]! + 1));
    const goesOn = ({ values }: Branch) => truth.of(values) === 1 && values[name]! < 3;
    return {
      text: `${name} = 0;\nwhile ((${truth.text}) && ${name} < 3) {\n${name} += 1;\n${body.text}\n}`,
      run: (branch) => looped([set(branch, name, 0)], goesOn, round),
    };
  }

  /** Goes on until a qubit reads 0, for as long as it takes. */
  #untilRead(inner: Place, qubit: string, bit: number): Statement {
    const turned = sequence([
      this.block({ ...inner, depth: 2, inLoop: false }, 1),
      this.#reset(qubit),
      this.rotation('ry', qubit),
      this.measurement(qubit, bit),
    ]);
    return {
      text: `while (c[${bit}]) {\n${turned.text}\n}`,
      run: (branch) => looped([branch], ({ values }) => values[`c${bit}`] === 1, turned.run),
    };
  }

  #forLoop(inner: Place, qubit: string): Statement {
    const name = this.#name('i');
    const rest = this.block({ ...inner, inLoop: true }, 1);
    const body = (branch: Branch, i: number) => rest.run(gate(branch, 'RX', [qubit], [0.4 * i]));
    return {
      text: `for uint ${name} in [0:2] {\nrx(0.4 * ${name}) ${qubit};\n${rest.text}\n}`,
      run: (branch) => {
        let round = 0;
        return looped(
          [branch],
          () => round < 3,
          (b) => body(b, round),
          () => round++,
        );
      },
    };
  }

  #called({ name, body }: Subroutine, qubits: readonly string[], bit: number): Statement {
    const run = (branch: Branch) => {
      const [a, b] = qubits.map((qubit) => branch.qubits[qubit]!);
      const inside = { [`${name}_a`]: a!, [`${name}_b`]: b! };
      const entered = { ...set(branch, `${name}_k`, branch.values['n']!), qubits: inside };
      return body.run(entered).map(({ leaving: _, ...end }) => ({
        ...set(end, `c${bit}`, end.values['returned']!),
        qubits: branch.qubits,
      }));
    };
    return { text: `c[${bit}] = ${name}(${qubits.join(', ')}, n);`, run };
  }

  #name(prefix: string): string {
    return `${prefix}${this.#numNames++}`;
  }
}

/** Rounds for all branches together, as long as any of them goes on. */
function looped(
  start: readonly Branch[],
  goesOn: (branch: Branch) => boolean,
  round: (branch: Branch) => readonly Branch[],
  afterRound: () => void = () => {},
): readonly Branch[] {
  const done: Branch[] = [];
  let going = start;
  for (;;) {
    done.push(...going.filter((branch) => !goesOn(branch)));
    going = going.filter(goesOn);
    if (going.length === 0) return done;
    const ended = going.flatMap(round);
    afterRound();
    going = [];
    for (const { leaving, ...branch } of ended) {
      if (leaving === 'break') done.push(branch);
      else going = [...going, branch];
    }
  }
}
