import { describe, expect, test } from 'vitest';
import { OpenQasmError } from '../../../../src/circuit/errors.ts';
import { parseOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';

const limits = { maxQubits: 5, maxGates: 100 };

/** The error that a text is refused with. */
function refusal(source: string, maxQubits = limits.maxQubits): OpenQasmError {
  try {
    parseOpenQasm(source, { ...limits, maxQubits });
  } catch (error) {
    if (error instanceof OpenQasmError) return error;
    throw error;
  }
  throw new Error('the program was accepted');
}

/** A second line, whose columns the tables below count from 1. */
const in2 = (line: string) =>
  refusal(`OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; qreg r[2]; creg c[2];\n${line}`);
const WIDE = 'gate wide a, b, c, d, e, f, g { cx a, b; }';
const in3 = (line: string) => {
  const names = line.includes('wide') ? `${WIDE} qubit[4] r;` : '';
  return refusal(
    `OPENQASM 3.0; include "stdgates.inc"; ${names} qubit[3] q; bit[2] c; bit d;\n${line}`,
    30,
  );
};

describe('broken grammar has the code CIRCUIT_OPENQASM_SYNTAX, a place and what was expected:', () => {
  const code = 'CIRCUIT_OPENQASM_SYNTAX';
  test.each([
    ['h q[0]', 7, 'expected ";", found the end of the text'],
    ['h q[0] h q[1];', 8, 'expected ";", found "h"'],
    ['h q[a];', 5, 'expected an index, a whole number, found "a"'],
    ['h q[0;', 6, 'expected "]", found ";"'],
    ['rx(1 q[0];', 6, 'expected ")", found "q"'],
    ['rx(1 +) q[0];', 7, 'expected an angle, found ")"'],
    ['rx("1") q[0];', 4, 'expected an angle, found "1"'],
    ['measure q c;', 11, 'expected "->", found "c"'],
    ['if (c = 1) h q;', 7, 'expected "==", found "="'],
    ['if (c == 1) if (c == 1) h q;', 13, 'expected a gate, measure, reset or barrier, found "if"'],
    ['qreg 3[2];', 6, 'expected the register\'s name, found "3"'],
    ['qreg a[1.5];', 8, 'expected the register\'s size, a whole number, found "1.5"'],
    ['gate g a { h a; ', 17, 'expected "}", found the end of the text'],
    ['gate g(1) a { }', 8, 'expected a parameter, found "1"'],
    ['include qelib1;', 9, 'expected the name of a file in quotes, found "qelib1"'],
    ['include "qelib1', 9, 'expected a closing " on the same line, found none'],
    ['include "qelib1\n.inc";', 9, 'expected a closing " on the same line, found none'],
    ['/* open', 1, 'expected a closing */, found none'],
    ['h q[0]; €', 9, 'expected a word, a number or a symbol, found "€"'],
    ['3;', 1, 'expected a statement, found "3"'],
    ['}', 1, 'expected a statement, found "}"'],
    ['h @;', 3, 'expected a quantum register, found "@"'],
  ])('%s', (line, column, problem) => {
    const error = in2(line);
    expect(error.message).toContain(problem);
    expect({ line: error.line, column: error.column }).toEqual({ line: 2, column });
    expect(error.code).toBe(code);
    expect(error.faults).toEqual([{ path: 'qasm', message: error.message, code }]);
  });

  test('a message stays short, whatever the text holds', () => {
    const name = 'n'.repeat(100_000);
    expect(in2(`qreg ${name}[1]; h ${name}[2];`).message.length).toBeLessThan(400);
    expect(in2(`${name} q;`).message.length).toBeLessThan(400);
  });

  test('a place counts lines with either line end', () => {
    const error = refusal('OPENQASM 2.0;\r\nqreg q[1];\n\n  U(0,0,0) q[0] q;');
    expect(error).toMatchObject({ line: 4, column: 17 });
  });
});

describe('broken grammar of OpenQASM 3 likewise:', () => {
  test.each([
    ['for int i [0:1] { }', 11, 'expected "in", found "["'],
    ['for i in [0:1] { }', 5, 'expected the type of the loop\'s variable, found "i"'],
    ['for int i in [3] { }', 16, 'expected ":", found "]"'],
    ['if d x q;', 4, 'expected "(", found "d"'],
    ['if (d { x q; }', 7, 'expected ")", found "{"'],
    ['ctrl x q[0], q[1];', 6, 'expected "@", found "x"'],
    ['pow @ x q[0];', 5, 'expected "(", found "@"'],
    ['const n = 3;', 7, 'expected a type: int, uint, float, angle, bool or bit, found "n"'],
    ['const int n;', 12, 'expected "=", found ";"'],
    ['switch (c) { x q; }', 14, 'expected "case", "default" or "}", found "x"'],
    ['if (d) { include "stdgates.inc"; }', 10, 'expected a statement that may stand in a block'],
    ['{ x q;', 7, 'expected "}", found the end of the text'],
    ['rx("12") q;', 4, 'expected a value, found "12"'],
    ['i = = 1;', 5, 'expected a value, found "="'],
    ['delay q[0];', 7, 'expected "[" and a duration, found "q"'],
    ['delay[] q[0];', 7, 'expected a duration, such as 100ns, found "]"'],
    ['delay[5min] q[0];', 8, 'expected a unit of time: ns, us, ms, s or dt, found "min"'],
    ['box[1us] x q[0];', 10, 'expected "{", found "x"'],
  ])('%s', (line, column, problem) => {
    const error = in3(line);
    expect(error.message).toContain(problem);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_SYNTAX', line: 2, column });
  });
});

describe('invalid OpenQASM 3 has the code CIRCUIT_OPENQASM_INVALID and a place:', () => {
  test.each([
    ['x q[-4];', 5, 'q[-4] is out of range; q has indices 0 to 2'],
    ['x q[0:3];', 7, 'q[3] is out of range'],
    ['x q[2:0];', 5, 'selects nothing of q'],
    ['x q[0:0:2];', 5, 'a step other than 0'],
    ['x q[{0, 0}];', 6, 'An element of q is selected twice'],
    ['x q[0][0];', 3, 'a single qubit, which has no elements'],
    ['let a = q ++ q;', 5, 'would name an element twice'],
    ['let a = q ++ c;', 14, '"c" is a classical register'],
    ['x q[0.5];', 5, 'A whole number is needed here'],
    ['int i = 0.5;', 9, '0.5 is not a whole number'],
    ['uint i = -1;', 10, 'uint holds no negative number'],
    ['const int i = 0; i = 1;', 18, '"i" is constant'],
    ['int i = 0; int i = 1;', 16, '"i" is declared twice'],
    ['int i = 1 / 0;', 11, 'divided by zero'],
    ['int i = 9007199254740993;', 9, 'exceeds 2^53'],
    ['int i = 2 ** 60;', 11, 'exceeds 2^53'],
    ['x n;', 3, '"n" is not declared'],
    ['int n = 0; x n;', 14, '"n" is a number; a qubit or a quantum register is needed here'],
    ['delay[5] q[0];', 7, 'A duration has a unit'],
    ['delay[2 * 3ns * 1us] q[0];', 15, '"*" cannot combine a duration and a duration'],
    ['delay[5 / 1us] q[0];', 9, '"/" cannot combine a number and a duration'],
    ['delay[5 + 1us] q[0];', 9, '"+" cannot combine a number and a duration'],
    ['delay[t] q[0];', 7, '"t" is not declared'],
    ['int n = 3; delay[n] q[0];', 18, 'A duration has a unit'],
    ['delay[1us] c;', 12, '"c" is a classical register'],
    ['duration t = 3;', 14, 'A duration has a unit'],
    ['stretch t; x t;', 14, '"t" is a duration; a qubit or a quantum register is needed here'],
    ['delay[1ns - 3ns] q[0];', 7, 'A delay takes 0 to 1000 s, and this one -2 ns'],
    ['delay[1e7s] q[0];', 7, 'A delay takes 0 to 1000 s'],
    ['box[3] { }', 5, 'A duration has a unit'],
    ['rx(1)[5] q[0];', 7, 'A duration has a unit'],
    ['break;', 1, 'no loop here for "break"'],
    ['return;', 1, 'no subroutine here for "return"'],
    ['for int i in [0:1] { def_(); }', 22, 'There is no gate called "def_"'],
    ['int i = f(1);', 9, '"f" is not declared'],
    ['int i = c(1);', 9, '"c" is neither a function nor a subroutine'],
    ['def f(int n) { } int i = f(1);', 26, '"f" returns nothing, but a value is needed here'],
    ['def f(int n) -> int { } int i = f(1);', 33, '"f" returned nothing here'],
    ['def f() { return 3; } f();', 11, '"f" is declared without "->"'],
    ['def f(int n) { } f();', 18, '"f" takes 1 arguments, not 0'],
    ['def f(qubit a) { } f(c[0]);', 22, '"c" is a classical register'],
    ['def f(qubit a) { } f(3);', 22, 'Qubits are needed here, for "a"'],
    ['def f(qubit[2] a) { } f(q[0]);', 25, '"a" takes 2 elements, not 1'],
    ['int n = 2; def f() { n = 3; } f();', 22, '"n" is declared outside the subroutine'],
    ['const int n = 2; n = 3;', 18, '"n" is constant'],
    ['array[int, 2] a = {1, 2, 3};', 15, 'A list of 2 values is needed here'],
    ['array[int, 2] a; a[2] = 1;', 20, 'a[2] is out of range'],
    ['float t = 1; d = t[0];', 18, 'A float has no bits to select'],
    ['angle t = 1; d = t[0];', 18, 'An angle has bits where its declaration says how many'],
    ['d = 2.5;', 1, 'Only a whole number can be assigned'],
    ['rx(10ns) q[0];', 1, 'A number is needed here, not a duration'],
    ['duration t = 10ns; d = t;', 20, 'A number is needed here, not a duration'],
    ['float f = 10ns + 3;', 16, '"+" cannot combine a duration and a number'],
    ['uint[4] n = c; n = n << -1;', 22, '<< shifts by a whole number that is at least 0'],
    ['int n = 5000000000;', 9, '5000000000 needs more than the 32 bits of int without a width'],
    ['d = (5)[0];', 5, 'A number has bits where its type says how many'],
    ['angle[64] a = 1; d = a[3];', 22, 'An angle has bits where its declaration says how many'],
    ['angle[3] a = 1; c = bit[2](a);', 21, 'angle[3] has 3 bits, and 2 are needed here'],
    ['angle[3] a = c;', 14, 'bit[2] has the bits of angle[2], not of angle[3]'],
    ['d = int[4](1) / 0;', 15, 'A whole number is divided by zero'],
    ['uint[4] n = c; n = -1.5;', 16, '-1.5 is not a whole number'],
    ['c = "1111111111";', 1, '2 bits cannot hold the value of 10 bits'],
    ['let a = q + q;', 9, 'An alias names registers, or parts of them'],
    ['if (d) { input int n; }', 20, 'An input stands outside all blocks'],
    ['for int i in [0:0:3] { }', 1, 'a step other than 0'],
    ['ctrl(0) @ x q[0];', 1, 'ctrl takes 1 to 1024 controls, not 0'],
    ['ctrl @ x q[0];', 8, 'x acts on 2 qubits, not 1'],
    ['ctrl @ x q[0], q[0];', 16, 'distinct qubits'],
    ['pow(1.0 / 0) @ x q[0];', 5, 'A power is finite'],
    ['int n = 2; gate g a { rx(n) a; }', 26, '"n" is not a constant'],
    ['gate g a { rx(n) a; }', 15, '"n" is not declared'],
    ['gate g a { x a[0]; }', 14, '"a" is not a qubit of this gate'],
  ])('%s', (line, column, problem) => {
    const error = in3(line);
    expect(error.message).toContain(problem);
    expect(error).toMatchObject({ line: 2, column });
  });
});

describe('an invalid program has the code CIRCUIT_OPENQASM_INVALID and a place:', () => {
  test.each([
    ['h ;', 1, 'h acts on 1 qubit, not 0'],
    ['gate g a { measure a; }', 12, 'no gate called "measure"'],
    ['hh q[0];', 1, 'no gate called "hh" here. Did you mean h or ch?'],
    ['h s[0];', 3, '"s" is not declared'],
    ['h c[0];', 3, '"c" is a classical register; a quantum one is needed here'],
    ['measure q[0] -> q[1];', 17, '"q" is a quantum register; a classical one is needed here'],
    ['h q[3];', 5, 'q[3] is out of range; q has indices 0 to 2'],
    ['h q[99999999999999999999];', 5, 'out of range'],
    ['cx q[0], q[0];', 10, 'distinct qubits'],
    ['cx q, q[1];', 7, 'distinct qubits'],
    ['cx q, r;', 7, 'q has 3 qubits and r 2'],
    ['cx q[0];', 1, 'cx acts on 2 qubits, not 1'],
    ['h(1) q[0];', 1, 'h takes 0 parameters, not 1'],
    ['rx q[0];', 1, 'rx takes 1 parameter, not 0'],
    ['rx(1,2) q[0];', 1, 'rx takes 1 parameter, not 2'],
    ['rx(1/0) q[0];', 1, 'An angle of rx is Infinity'],
    ['rx(ln(-1)) q[0];', 1, 'An angle of rx is NaN'],
    ['gate g(a) x { rx(1/a) x; } g(0) q[0];', 28, 'An angle of rx is Infinity'],
    ['rx(alpha) q[0];', 4, 'alpha is not defined here'],
    ['rx(negate(1)) q[0];', 4, 'negate is not defined here'],
    ['measure q -> c;', 1, 'q has 3 qubits and c 2 bits'],
    ['qreg q[1];', 6, '"q" is declared twice'],
    ['creg q[1];', 6, '"q" is declared twice'],
    ['qreg a[0];', 8, 'at least one element'],
    ['gate g a { } gate g a { }', 19, '"g" is defined twice'],
    ['gate g a, a { }', 11, '"a" is named twice'],
    ['gate g a { h b; }', 14, '"b" is not a qubit of this gate'],
    ['gate g a, b { cx a, a; }', 21, '"a" is named twice'],
    ['gate g a { g a; }', 12, 'no gate called "g"'],
    ['gate g a { cx a; }', 12, 'cx acts on 2 qubits, not 1'],
    ['gate g a { rx(b) a; }', 15, 'b is not defined here'],
  ])('%s', (line, column, problem) => {
    const error = in2(line);
    expect(error.message).toContain(problem);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_INVALID', line: 2, column });
  });

  test('a library gate without its include names the include', () => {
    const { code, message } = refusal('OPENQASM 2.0; qreg q[1]; h q[0];');
    expect(code).toBe('CIRCUIT_OPENQASM_INVALID');
    expect(message).toContain('include "qelib1.inc" defines it');
  });

  test.each(['', '   ', '// only a comment', 'OPENQASM 2.0;', 'OPENQASM 3.0; bit c;'])(
    'no qubits in %j',
    (source) => {
      expect(refusal(source).message).toContain('declares no qubits');
    },
  );
});

describe('an unsupported construct has the code CIRCUIT_OPENQASM_UNSUPPORTED and is named:', () => {
  const code = 'CIRCUIT_OPENQASM_UNSUPPORTED';
  test.each([
    ['opaque g a; g q[0];', 'Running g, which is declared "opaque", without a definition,'],
    ['opaque h a; h q[0];', 'Running h, which is declared "opaque"'],
    ['opaque g(t) a; gate f a { g(1) a; } f q[0];', 'Running g, which is declared "opaque"'],
    ['include "other.inc";', '"other.inc"'],
  ])('%s in OpenQASM 2.0', (line, name) => {
    const error = in2(line);
    expect(error.message).toContain(name);
    expect(error).toMatchObject({ code, line: 2 });
  });

  test.each([
    ['extern f(int) -> int;', '"extern", a function that is defined outside the text'],
    ['cal { }', '"cal", instructions for the pulses of one machine'],
    ['defcal x $0 { }', '"defcal", a pulse of one machine'],
    ['defcalgrammar "openpulse";', '"defcalgrammar", a language for pulses'],
    ['input duration t;', '"input duration"'],
    ['complex a;', '"complex"'],
    ['array[complex[float], 3] a;', '"complex" of OpenQASM 3'],
    [
      'int n = 3; if (rotl(n, 1) == 2) x q;',
      'rotl() of anything but bits, a uint or an angle[n] is not supported',
    ],
    [
      'float t = 3; if (~t == 2) x q;',
      '~ of anything but bits, a whole number or an angle[n] is not supported',
    ],
    ['array[int, 3] a; a[0:1] += a[1:2];', '"+=" of arrays'],
    ['float t = 0; while (d) { t = t * 2; rx(t) q[0]; }', 'An angle of rx that is no sum'],
    ['gate g(t) a { rx(f(t)) a; }', 'A subroutine or measurement in a gate body'],
    ['def f() { def g() { } } f();', 'A subroutine defined inside a block'],
    ['rx(10im) q[0];', 'The duration or imaginary 10im'],
    ['float f = 10dt / 5dt;', 'A number made of durations whose length depends on the device'],
    ['x $0;', 'Declaring qubits beside those of the machine'],
    ['if (d) { qubit r; }', 'A qubit declared inside a block'],
    ['if (d) { gate g a { } }', 'A gate defined inside a block'],
    ['opaque g a, b; ctrl @ g q[0], q[1], q[2];', 'Running g, which is declared "opaque"'],
    ['gate g a { reset a; } inv @ g q[0];', 'a gate whose body has a reset'],
    ['gate g a { reset a; } ctrl @ g q[0], q[1];', 'a gate whose body has a reset'],
    ['gate g a { reset a; } pow(0.5) @ g q[0];', 'a gate whose body has a reset'],
    ['pow(0.5) @ wide q[0], q[1], q[2], r[0], r[1], r[2], r[3];', 'A fractional power of wide'],
    ['gate g a { if (true) x a; }', '"if" in the body of a gate'],
  ])('%s in OpenQASM 3', (line, name) => {
    const error = in3(line);
    expect(error.message).toContain(name);
    expect(error).toMatchObject({ code, line: 2 });
  });

  test.each(['1.0', '2.1', '4', '3.7'])('version %s', (version) => {
    expect(refusal(`OPENQASM ${version}; qreg q[1];`)).toMatchObject({ code, line: 1, column: 10 });
  });
});

describe('a limit that is passed has the code CIRCUIT_LIMIT_EXCEEDED and is named:', () => {
  const definitions = (n: number, body: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => `gate g${i + 1} a { ${body(i)} }`).join('\n');
  const twice = (i: number) => `g${i} a; g${i} a;`;

  test.each([
    ['qubits', 'qreg a[1];', 'declares 6 qubits; the limit max_qubits is 5'],
    ['a register of 10^20 qubits', 'qreg a[100000000000000000000];', 'the limit max_qubits is 5'],
    ['bits', 'creg a[65535];', 'declares 65537 classical bits; the limit is 65536'],
    ['gates', 'h q[0];'.repeat(101), 'the limit max_gates is 100'],
    ['gates over a register', 'h q;'.repeat(34), 'the limit max_gates is 100'],
    ['measurements', 'measure r -> c;'.repeat(101), 'the limit max_gates is 100'],
    ['barriers', 'barrier q;'.repeat(101), 'more barriers than gates'],
    [
      'gates that double 7 times',
      `gate g0 a { h a; } ${definitions(7, twice)} g7 q[0];`,
      'more gates than are allowed; the limit max_gates is 100',
    ],
    [
      'gates that double 2,000 times',
      `gate g0 a { h a; } ${definitions(2000, twice)} g60 q[0];`,
      'max_gates is 100',
    ],
    [
      'barriers that double 60 times',
      `gate g0 a { barrier a; } ${definitions(60, twice)} g60 q[0];`,
      'max_gates is 100',
    ],
    [
      'definitions in one another',
      `gate g0 a { h a; } ${definitions(300, (i) => `g${i} a;`)} g300 q[0];`,
      'nest 301 deep; the limit is 256',
    ],
    [
      'steps',
      `gate g0 a { h a; } ${definitions(200, (i) => `g${i} a;`)} ${'g200 q[0];'.repeat(90)}`,
      'too many steps: the limit is 12928 and 128 more for each gate',
    ],
    ['parentheses', `rx(${'('.repeat(300)}1${')'.repeat(300)}) q[0];`, 'nest at most 256 deep'],
    ['100,000 parentheses', `rx(${'('.repeat(100_000)}`, 'nest at most 256 deep'],
    ['100,000 functions', `rx(${'sin('.repeat(100_000)}`, 'nest at most 256 deep'],
    ['100,000 powers', `rx(${'2^'.repeat(100_000)}1) q[0];`, 'nest at most 256 deep'],
  ])('%s', (_, line, problem) => {
    const error = in2(line);
    expect(error.message).toContain(problem);
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
    expect(error.line).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['iterations of nothing', 'for int i in [0:1000000000] { }', 'too many steps'],
    ['comparisons', 'for int i in [0:1000000000] { if (f[0:30] < i) { } }', 'too many steps'],
    ['rounds of a while', 'while (true) { }', 'too many steps'],
    ['powers', 'pow(1000) @ h q[0];', 'the limit max_gates is 100'],
    ['nested powers', 'pow(1e9) @ pow(1e9) @ h q[0];', 'the limit max_gates is 100'],
    ['matrices of fractional powers', 'for int i in [0:99] { pow(0.5) @ h q[0]; }', 'steps'],
    [
      'a wide fractional power',
      'pow(0.5) @ six q[0], q[1], q[2], r[0], r[1], r[2];',
      'too many steps',
    ],
    ['blocks', '{'.repeat(300), 'Blocks nest at most 256 deep'],
    ['durations', `delay[${'('.repeat(100_000)}`, 'Durations nest at most 256 deep'],
    ['signs of durations', `delay[${'-'.repeat(100_000)}`, 'Durations nest at most 256 deep'],
    ['100,000 ifs', 'if (d) '.repeat(100_000), 'Blocks nest at most 256 deep'],
    ['modifiers', `${'ctrl @ inv @ '.repeat(100_000)} x q;`, 'at most 64 modifiers'],
    ['cases of a condition', 'if (f[0:19] == f[20:39]) x q;', 'has too many cases'],
    [
      'bits in a loop',
      'for int i in [0:99] { bit[1000] b; }',
      'classical bits; the limit is 65536',
    ],
  ])('in OpenQASM 3, %s', (_, line, problem) => {
    const six = 'gate six a, b, c, d, e, f { ctrl(5) @ x a, b, c, d, e, f; } qubit[3] r;';
    const source = `OPENQASM 3; include "stdgates.inc"; ${six} qubit[3] q; bit d; bit[12] e; bit[40] f;`;
    const error = refusal(`${source}\n${line}`, 30);
    expect(error.message).toContain(problem);
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
  });

  // Each of these, 16 MiB long, once took more than 2 GB of memory before anything refused it.
  const many = (part: string) => part.repeat(300_000);
  const names = (count: number, write = (name: string) => name) =>
    Array.from({ length: count }, (_, i) => write(`a${i}`));
  test.each([
    ['an alias of many parts', `let z = q[{0${many(',0')}}];`],
    ['a loop over many values', `for int i in {0${many(',0')}} { }`],
    ['a gate of many calls', `gate g a { ${many('x a;')} }`],
    ['many signs', `const float f = ${many('-')}1;`],
    ['many angles', `U(0${many(',0')}) q[0];`],
    ['many operands', `barrier q${many(',q')};`],
    ['many indices', `x q${many('[0]')};`],
    ['many parts of a sum', `float a = 1; float b = a${many('+a')};`],
    ['many parameters', `gate g(${names(300_000).join(',')}) a { }`],
    ['many qubits of a gate', `gate g ${names(300_000).join(',')} { }`],
    ['many cases', `switch (d) { ${many('case 0 { } ')} }`],
    ['many labels', `switch (d) { case 0${many(',0')} { } }`],
    ['a block that never runs', `if (false) { ${many('x q[0];')} }`],
  ])('%s', (_, line) => {
    const error = refusal(`OPENQASM 3; include "stdgates.inc"; qubit[3] q; bit d;\n${line}`);
    expect(error.message).toContain('more than 251200 words and symbols');
    expect(error.message).toContain('max_gates, which is 100.');
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
    expect(error.line).toBe(2);
  });

  test.each([
    ['a gate of many calls', `gate g a { ${many('x a;')} }`],
    ['many angles', `u(0${many(',0')}) q[0];`],
    ['many operands', `barrier q${many(',q')};`],
    ['many gates', names(300_000, (g) => `gate ${g} a { }`).join('')],
  ])('in OpenQASM 2, %s', (_, line) => {
    const error = in2(line);
    expect(error.message).toContain('more than 251200 words and symbols');
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
  });

  test.each([
    ['many variables:', names(300_000, (a) => `int ${a};`).join('')],
    ['many gates:', names(300_000, (g) => `gate ${g} a { }`).join('')],
    ['a gate whose loop makes', 'gate g a { for int i in [1:200000] { x a; } }'],
    [
      'gates whose loops make',
      names(4, (g) => `gate ${g} a { for int i in [1:50000] { x a; } }`).join(''),
    ],
  ])('%s many calls', (_, line) => {
    const source = `OPENQASM 3; include "stdgates.inc"; qubit q; ${line}`;
    const refuse = () => parseOpenQasm(source, { ...limits, maxGates: 10_000 });
    expect(refuse).toThrow('more than 370000 words and symbols');
  });

  test('300,000 short statements are within all limits', () => {
    const source = `OPENQASM 3; qubit q; ${many('{ } ')}`;
    const generous = { ...limits, maxGates: 3000 };
    expect(parseOpenQasm(source, generous).operations).toEqual([]);
  });

  test('a range of more rounds than allowed is refused before its first round', () => {
    // The first round is at fault, too: the limit is what is named.
    const line = 'for int i in [10:-1:-1000000000] { x q[7]; }';
    const error = refusal(`OPENQASM 3; include "stdgates.inc"; qubit[3] q;\n${line}`);
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
  });

  test('a long range that is left early is not refused', () => {
    const loop = 'for int i in [0:1000000000] { if (i == 2) break; x q; }';
    const source = `OPENQASM 3; include "stdgates.inc"; qubit q; ${loop}`;
    expect(parseOpenQasm(source, limits).operations).toHaveLength(2);
  });

  test('a number of a million digits is broken grammar', () => {
    const error = refusal(`OPENQASM 3; float f = 1${'_1'.repeat(1_000_000)};`);
    expect(error.code).toBe('CIRCUIT_OPENQASM_SYNTAX');
    expect(error.message).toContain('a number of at most 1000 characters');
  });

  test('20 of many missing inputs are named', () => {
    const source = `OPENQASM 3; qubit q; ${names(1000, (a) => `input float ${a};`).join('')}`;
    try {
      parseOpenQasm(source, { ...limits, maxGates: 1000 });
      expect.unreachable('inputs without values');
    } catch (error) {
      expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_INPUT' });
      expect((error as OpenQasmError).faults).toHaveLength(20);
    }
  });

  test('100,000 signs and sums are within all limits', () => {
    const source = (angle: string) => `OPENQASM 2.0; qreg q[1]; U(${angle},0,0) q[0];`;
    for (const angle of [`${'-'.repeat(100_000)}1`, `1${'-1'.repeat(100_000)}`]) {
      expect(parseOpenQasm(source(angle), limits).operations).toHaveLength(1);
    }
  });

  test('empty definitions that double are within all limits', () => {
    const source = `OPENQASM 2.0; qreg q[1]; gate g0 a { } ${definitions(60, twice)} g60 q[0];`;
    expect(parseOpenQasm(source, limits).operations).toEqual([]);
  });
});
