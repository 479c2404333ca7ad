/**
 * Programs in QIR. Outcomes of the programs in test/data/qir are held to those of qir-runner 0.9.7, by its own simulator,
 * with seed 5; arithmetic is held to that of bigints.
 */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../../src/circuit/circuit.ts';
import { QirError } from '../../../../src/circuit/errors.ts';
import { type QirProgram, readQir } from '../../../../src/circuit/qir/read-qir.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { chiSquaredBound } from '../../../support/chi-squared.ts';
import { runCircuit } from '../../../support/engine-runs.ts';
import { mutatedBytes, mutatedText } from '../../../support/mutated-qir.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { numCases, seeds, testSeeds } from '../../../support/seeds.ts';

const LIMITS = { maxQubits: 8, maxGates: 10_000 };
const FOLDER = new URL('../../../data/qir/', import.meta.url);
const engine = openReferenceEngine({ maxQubits: 8 });
afterAll(() => engine.close());

const bytesOf = (file: string): Buffer => readFileSync(new URL(file, FOLDER));
const sourceOf = (file: string): string =>
  bytesOf(file).toString(file.endsWith('.bc') ? 'base64' : 'utf8');

/** Counts of a run, by what qir-runner would print of an outcome. */
async function countsOf({ circuit, recorded }: QirProgram, shots: number) {
  const { counts } = await runCircuit(engine, circuit, { shots, seed: 9 });
  const found = new Map<string, number>();
  const { outcomes, occurrences, wordsPerOutcome } = counts!;
  for (const [i, count] of occurrences.entries()) {
    const bit = (place: number) =>
      BigInt((outcomes[i * wordsPerOutcome + (place >> 5)]! >>> (place & 31)) & 1);
    const values = recorded.map(({ type, label, size, bit: first = 0, width = 0 }) => {
      const bits = Array.from({ length: width }, (_, j) => bit(first + j) << BigInt(j));
      const value = bits.reduce((sum, each) => sum + each, 0n);
      return `${type.toUpperCase()} ${size ?? textOf(type, value)}${label === '' ? '' : ` ${label}`}`;
    });
    const text = values.join('; ');
    found.set(text, (found.get(text) ?? 0) + count);
  }
  return found;
}

function textOf(type: string, value: bigint): string {
  if (type === 'int') return String(BigInt.asIntN(64, value));
  if (type === 'bool') return String(value === 1n);
  if (type !== 'double') return String(value);
  return String(new Float64Array(BigUint64Array.of(value).buffer)[0]);
}

describe('outcomes are those of qir-runner', () => {
  // Checked: the file holds counts by outcome, by program.
  const peers = JSON.parse(bytesOf('qir-runner-counts.json').toString()) as Readonly<
    Record<string, Readonly<Record<string, number>>>
  >;
  test.each(Object.keys(peers))('%s', async (file) => {
    const theirs = new Map(Object.entries(peers[file]!).map(([key, n]) => [plain(key), n]));
    const shots = numCases(2000);
    const ours = new Map(
      [...(await countsOf(readQir(sourceOf(file), LIMITS), shots))].map(([key, n]) => [
        plain(key),
        n,
      ]),
    );
    const all = [...theirs.values()].reduce((sum, count) => sum + count, 0);
    let [statistic, numCells] = [0, 0];
    const rare = [0, 0];
    const add = (a: number, b: number) => {
      const share = (a + b) / (shots + all);
      statistic += (a - shots * share) ** 2 / (shots * share);
      statistic += (b - all * share) ** 2 / (all * share);
      numCells++;
    };
    for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
      const [a, b] = [ours.get(key) ?? 0, theirs.get(key) ?? 0];
      if (a + b >= 20) add(a, b);
      else for (const [i, count] of [a, b].entries()) rare[i]! += count;
    }
    if (rare[0]! + rare[1]! > 0) add(rare[0]!, rare[1]!);
    expect(statistic).toBeLessThan(chiSquaredBound(Math.max(1, numCells - 1)));
  });
});

/** An outcome with doubles written in one way. */
const plain = (text: string): string =>
  text.replaceAll(/DOUBLE (\S+)/g, (_, value: string) => `DOUBLE ${Number(value)}`);

test.each(['loops-and-calls', 'nested-loops', 'measured-angles'])(
  'the bitcode that LLVM makes of a text is the same program: %s',
  (name) => {
    expect(readQir(sourceOf(`${name}.bc`), LIMITS)).toEqual(
      readQir(sourceOf(`${name}.ll`), LIMITS),
    );
  },
);

const q = (n: number) => `ptr inttoptr (i64 ${n} to ptr)`;
const QIS = '@__quantum__qis__';
const RT = '@__quantum__rt__';

/** A program with these instructions, which may measure two qubits and more. */
const program = (body: string, before = '', attributes = '"entry_point"'): string =>
  `${before}\ndefine void @main() #0 {\n${body}\n}\nattributes #0 = { ${attributes} }\n`;

describe('arithmetic on measured integers', () => {
  const BINARY: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
    add: (x, y) => x + y,
    sub: (x, y) => x - y,
    mul: (x, y) => x * y,
    and: (x, y) => x & y,
    or: (x, y) => x | y,
    xor: (x, y) => x ^ y,
    udiv: (x, y) => x / y,
    urem: (x, y) => x % y,
    sdiv: (x, y) => BigInt.asIntN(8, x) / BigInt.asIntN(8, y),
    srem: (x, y) => BigInt.asIntN(8, x) % BigInt.asIntN(8, y),
    shl: (x, y) => x << (y & 7n),
    lshr: (x, y) => x >> (y & 7n),
    ashr: (x, y) => BigInt.asIntN(8, x) >> (y & 7n),
  };
  const COMPARE: Readonly<Record<string, (x: bigint, y: bigint) => boolean>> = {
    eq: (x, y) => x === y,
    ne: (x, y) => x !== y,
    ugt: (x, y) => x > y,
    uge: (x, y) => x >= y,
    ult: (x, y) => x < y,
    ule: (x, y) => x <= y,
    sgt: (x, y) => BigInt.asIntN(8, x) > BigInt.asIntN(8, y),
    sge: (x, y) => BigInt.asIntN(8, x) >= BigInt.asIntN(8, y),
    slt: (x, y) => BigInt.asIntN(8, x) < BigInt.asIntN(8, y),
    sle: (x, y) => BigInt.asIntN(8, x) <= BigInt.asIntN(8, y),
  };

  /** Instructions that measure a number that the reader cannot know, bit by bit, and name it. */
  function measured(name: string, value: number): string {
    let text = '';
    for (let i = 0; i < 8; i++) {
      if ((value >> i) & 1) text += `call void ${QIS}x__body(${q(0)})\n`;
      text += `call void ${QIS}mresetz__body(${q(0)}, ${q(i)})\n`;
      text += `%${name}${i} = call i1 ${RT}read_result(${q(i)})\n`;
      text += `%${name}w${i} = zext i1 %${name}${i} to i8\n`;
      text += `%${name}s${i} = shl i8 %${name}w${i}, ${i}\n`;
      text += `%${name}o${i} = or i8 ${i === 0 ? '0' : `%${name}o${i - 1}`}, %${name}s${i}\n`;
    }
    return text;
  }

  testSeeds('equals that of bigints', seeds(30), async (seed) => {
    const random = new RandomStream(seed);
    const [x, y] = [random.below(256), 1 + random.below(255)];
    let body = measured('x', x) + measured('y', y);
    const expected: bigint[] = [];
    const record = (name: string, value: bigint) => {
      body += `%${name}r = sext i8 %${name} to i64\n`;
      body += `call void ${RT}int_record_output(i64 %${name}r, ptr null)\n`;
      expected.push(BigInt.asIntN(8, value));
    };
    body += '%low = and i8 %yo7, 7\n';
    for (const [name, result] of Object.entries(BINARY)) {
      if (seed % 3 !== Object.keys(BINARY).indexOf(name) % 3) continue;
      const right =
        name.endsWith('sh') || name.endsWith('shl') || name.endsWith('shr') ? 'low' : 'yo7';
      body += `%${name} = ${name} i8 %xo7, %${right}\n`;
      record(name, result(BigInt(x), BigInt(y)));
    }
    for (const [name, result] of Object.entries(COMPARE)) {
      body += `%${name} = icmp ${name} i8 %xo7, %yo7\n`;
      body += `%${name}c = select i1 %${name}, i8 %xo7, i8 %yo7\n`;
      record(`${name}c`, BigInt(result(BigInt(x), BigInt(y)) ? x : y));
    }
    const read = readQir(program(`${body}ret void`), LIMITS);
    const [[outcome, count] = [], ...others] = await countsOf(read, 3);
    expect(others).toEqual([]);
    expect(count).toBe(3);
    expect(outcome).toBe(expected.map((value) => `INT ${value}`).join('; '));
  });
});

const H = `call void ${QIS}h__body(${q(0)})`;
const MEASURE = `call void ${QIS}mresetz__body(${q(0)}, ${q(0)})\n%m = call i1 ${RT}read_result(${q(0)})`;
const kinds = ({ operations }: DynamicCircuit) => operations.map(({ kind }) => kind);

test('bits of the outcome are those of recorded values, in the order in which they are recorded', () => {
  const body = `call void ${QIS}mz__body(${q(0)}, ${q(0)})
call void ${QIS}mz__body(${q(1)}, ${q(1)})
call void ${RT}array_record_output(i64 2, ptr @a)
call void ${RT}result_record_output(${q(1)}, ptr @b)
call void ${RT}result_record_output(${q(0)}, ptr null)
ret void`;
  const labels =
    '@a = internal constant [4 x i8] c"all\\00"\n@b = internal constant [2 x i8] c"b\\00"';
  const { circuit, recorded } = readQir(program(body, labels), LIMITS);
  expect(recorded).toEqual([
    { type: 'array', label: 'all', size: 2 },
    { type: 'result', label: 'b', bit: 0, width: 1 },
    { type: 'result', label: '', bit: 1, width: 1 },
  ]);
  expect(circuit.operations).toEqual([
    { kind: 'measure', qubits: [0], bits: [1] },
    { kind: 'measure', qubits: [1], bits: [0] },
  ]);
  expect(circuit.control).toBeUndefined();
});

test('a program that records nothing has its results as bits, by number', () => {
  const body = `call void ${QIS}mz__body(${q(0)}, ${q(2)})\nret void`;
  const { circuit } = readQir(program(body), LIMITS);
  expect(circuit).toEqual({
    numQubits: 1,
    numBits: 3,
    operations: [{ kind: 'measure', qubits: [0], bits: [2] }],
  });
});

test('loops of known length are written out, and others are loops of the circuit', () => {
  const loop = (test: string) => `br label %head
head:
%i = phi i64 [ 0, %0 ], [ %next, %head ]
${H}
${MEASURE}
%next = add i64 %i, 1
${test}
br i1 %again, label %head, label %end
end:
call void ${RT}int_record_output(i64 %next, ptr null)
ret void`;
  const known = readQir(program(loop('%again = icmp slt i64 %next, 40')), LIMITS).circuit;
  expect(kinds(known).filter((kind) => kind === 'gate')).toHaveLength(40);
  expect(kinds(known)).not.toContain('while');
  const bounded = readQir(
    program(loop('%more = icmp slt i64 %next, 6\n%again = and i1 %m, %more')),
    LIMITS,
  ).circuit;
  expect(kinds(bounded)).not.toContain('while');
  const open = readQir(program(loop('%again = xor i1 %m, true')), LIMITS).circuit;
  expect(kinds(open).filter((kind) => kind === 'while')).toHaveLength(1);
});

test('a loop on measurements gives its geometric distribution', async () => {
  const counts = await countsOf(readQir(sourceOf('repeat-until.ll'), LIMITS), 4000);
  const rounds = (n: number) =>
    [...counts].reduce((sum, [key, count]) => sum + (key.includes(`INT ${n} `) ? count : 0), 0);
  for (const n of [1, 2, 3, 4]) expect(Math.abs(rounds(n) / 4000 - 2 ** -n)).toBeLessThan(0.04);
});

test('qubits that a program allocates come after those that it needs', () => {
  const body = `%a = call ptr ${RT}qubit_allocate()
call void ${QIS}x__body(ptr %a)
call void ${RT}qubit_release(ptr %a)
%b = call ptr ${RT}qubit_allocate()
call void ${QIS}cnot__body(${q(1)}, ptr %b)
ret void`;
  const text = program(body, '', '"entry_point" "required_num_qubits"="2"');
  expect(readQir(text, LIMITS).circuit).toMatchObject({
    numQubits: 3,
    operations: [
      { gate: 'X', targets: [2] },
      { kind: 'reset', qubits: [2] },
      { gate: 'CX', controls: [1], targets: [2] },
    ],
  });
});

describe('refused by name and place', () => {
  test.each<[what: string, body: string, message: string]>([
    [
      'a gate',
      `call void ${QIS}foo__body(${q(0)})\nret void`,
      'line 3, column 1: @__quantum__qis__foo__body is not supported.',
    ],
    [
      'a gate under controls',
      `call void ${QIS}h__ctl(${q(0)}, ${q(1)})\nret void`,
      '@__quantum__qis__h__ctl is not supported.',
    ],
    [
      'too few qubits',
      `call void ${QIS}cnot__body(${q(0)})\nret void`,
      'takes 0 angles and 2 qubits, not 1 arguments',
    ],
    [
      'one qubit twice',
      `call void ${QIS}cnot__body(${q(1)}, ${q(1)})\nret void`,
      'acts on distinct qubits, not on 1, 1',
    ],
    [
      'an infinite angle',
      `call void ${QIS}rx__body(double 0x7FF0000000000000, ${q(0)})\nret void`,
      'an angle is Infinity',
    ],
    ['an instruction', 'fence seq_cst\nret void', 'the instruction fence is in no profile of QIR.'],
    ['a wide integer', '%x = add i128 1, 2\nret void', 'i128 is too wide'],
    ['a value that is not there', '%x = add i64 %y, 2\nret void', '%y has no value here.'],
    ['a loop without end', 'br label %a\na:\nbr label %a', 'Does a loop never end?'],
    ['a call of itself', `${H}\ncall void @main()\nret void`, 'does @main call itself?'],
    ['a block that is not there', 'br label %a', 'there is no block %a.'],
    [
      'an output under a condition',
      `${H}\n${MEASURE}\nbr i1 %m, label %a, label %b\na:\ncall void ${RT}result_record_output(${q(0)}, ptr null)\nbr label %b\nb:\nret void`,
      'line 8, column 1: whether a value is recorded depends on measurements.',
    ],
    [
      'memory that is undefined',
      '%p = alloca i64\n%x = load i64, ptr %p\n%y = add i64 %x, 1\nret void',
      'this value is undefined',
    ],
    [
      'an address outside of its array',
      '%p = alloca [2 x i64]\n%e = getelementptr [2 x i64], ptr %p, i64 0, i64 2\n%x = load i64, ptr %e\nret void',
      'outside of its array',
    ],
    ['too many qubits', `call void ${QIS}h__body(${q(8)})\nret void`, 'the limit max_qubits is 8'],
    ['an exit code', '', 'exit code other than 0'],
  ])('%s', (what, body, message) => {
    const text =
      what === 'an exit code'
        ? `define i64 @main() #0 {\n${H}\nret i64 7\n}\nattributes #0 = { "entry_point" }`
        : program(body);
    expect(() => readQir(text, LIMITS)).toThrow(QirError);
    expect(() => readQir(text, LIMITS)).toThrow(message);
  });

  test('a program without an entry point, and what is no program', () => {
    expect(() => readQir('', LIMITS)).toThrow('no function with a body has the attribute');
    expect(() => readQir('QkPA3g==', LIMITS)).toThrow('QIR bitcode: there is no module.');
    expect(() => readQir('qubit q;', LIMITS)).toThrow('QIR line 1, column 1: expected a function');
  });
});

describe('mutated programs are read or refused', () => {
  const files = [
    ...new Set(['loops-and-calls.bc', 'nested-loops.bc', 'registers.bc', 'results.bc']),
  ];
  testSeeds('as bitcode', seeds(60), (seed) => {
    const random = new RandomStream(seed);
    expectRead(mutatedBytes(bytesOf(random.pick(files)), random).toString('base64'));
  });
  testSeeds('as text', seeds(60), (seed) => {
    const random = new RandomStream(seed);
    const file = random.pick([
      'integers.ll',
      'loops-and-calls.ll',
      'bounded-search.ll',
      'typed-pointers.ll',
    ]);
    expectRead(mutatedText(sourceOf(file), random));
  });

  function expectRead(source: string): void {
    try {
      readQir(source, LIMITS);
    } catch (error) {
      expect(error).toBeInstanceOf(QirError);
    }
  }
});
