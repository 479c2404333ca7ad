import { describe, expect, test } from 'vitest';
import type { Condition, Operation } from '../../../../src/circuit/circuit.ts';
import { GATES } from '../../../../src/circuit/gates.ts';
import { parseOpenQasm, readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { expectLinearTime } from '../../../support/linear-time.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';
import { unitaryOf } from '../../../support/small-unitary.ts';

const limits = { maxQubits: 30, maxGates: 100_000 };
const HEADER = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';
const parse = (body: string, inputs = {}) => parseOpenQasm(HEADER + body, limits, { inputs });
/** Each gate as its name, qubits and angles, and its condition where there is one. */
const told = (body: string, inputs = {}) => parse(body, inputs).operations.map(tell);
const tell = (o: Operation): string => {
  if (o.kind !== 'gate') return o.kind;
  const under = o.condition === undefined ? '' : ` if ${tellCondition(o.condition)}`;
  const angles = o.angles.length === 0 ? '' : `(${o.angles.map((a) => +a.toFixed(9)).join()})`;
  return `${o.gate}${angles} ${[...o.controls, ...o.targets].join()}${under}`;
};
const tellCondition = ({ bits, value }: Condition) => `${bits.join()}=${value}`;

describe('values known while reading', () => {
  test.each([
    ['const int n = 3; rx(pi / n) q[0];', 'RX(1.047197551) 0'],
    ['const float a = 0.5; const float b = a * 2; rx(b) q[0];', 'RX(1) 0'],
    ['int i = 0; i = i + 2; i += 1; i *= 2; rx(i) q[0];', 'RX(6) 0'],
    ['int i = 7; i %= 4; i <<= 2; rx(i) q[0];', 'RX(12) 0'],
    ['float f; f = 0.25; rx(f) q[0];', 'RX(0.25) 0'],
    ['angle a = pi; rx(a / 2) q[0];', 'RX(1.570796327) 0'],
    ['rx(7 / 2) q[0];', 'RX(3) 0'],
    ['rx(-7 / 2) q[0];', 'RX(-3) 0'],
    ['rx(7 / 2.0) q[0];', 'RX(3.5) 0'],
    ['rx(7 % 4) q[0];', 'RX(3) 0'],
    ['rx(2 ** 3 ** 2) q[0];', 'RX(512) 0'],
    ['rx(2 ** -1) q[0];', 'RX(0.5) 0'],
    ['rx(6 ^ 3) q[0];', 'RX(5) 0'],
    ['rx(6 & 3 | 8) q[0];', 'RX(10) 0'],
    ['rx(1 << 4 >> 1) q[0];', 'RX(8) 0'],
    ['rx(0x1F + 0b11 + 0o17 + 1_000) q[0];', 'RX(1049) 0'],
    ['rx(1.5E1 + .5 + 2.) q[0];', 'RX(17.5) 0'],
    ['rx(int(2.7) + int(-2.7)) q[0];', 'RX(0) 0'],
    ['rx(float(7) / 2) q[0];', 'RX(3.5) 0'],
    ['rx(int("0101")) q[0];', 'RX(5) 0'],
    ['rx(uint[4](bit[4](9))) q[0];', 'RX(9) 0'],
    ['uint[3] i = 7; i += 2; rx(i) q[0];', 'RX(1) 0'],
    ['int[3] i = 3; i += 1; rx(i) q[0];', 'RX(-4) 0'],
    ['rx(tau / 2 + euler) q[0];', 'RX(5.859874482) 0'],
    ['rx(mod(7, 4) + pow(2, 3) + abs(-1)) q[0];', 'RX(12) 0'],
    ['rx(floor(2.5) + ceiling(2.5) + popcount(7)) q[0];', 'RX(8) 0'],
    ['uint[5] v = 2; v = (v << 4) >> 4; rx(v) q[0];', 'RX(0) 0'],
    ['uint[5] v = 2; if (v + 30 == 0) x q[0];', 'X 0'],
    ['uint[8] a = 12; rx(~a) q[0];', 'RX(243) 0'],
    ['uint[6] b = 37; rx(rotl(b, 3) + rotr(b, 3)) q[0];', 'RX(24) 0'],
    ['uint[8] v = 200; rx(v + 300) q[0];', 'RX(500) 0'],
    ['uint[8] v = 200; rx(v + 100) q[0];', 'RX(44) 0'],
    ['int[4] a = -8; rx(-a) q[0];', 'RX(-8) 0'],
    ['int[8] a = -1; uint[8] b = 1; if (a > b) x q[0];', 'X 0'],
    ['int[8] a = -1; uint[4] b = 1; if (a < b) x q[0];', 'X 0'],
    ['int[8] a = -9; rx(a >> 1) q[0];', 'RX(-5) 0'],
    ['uint[64] a = 1; rx((a << 60) >> 58) q[0];', 'RX(4) 0'],
    ['rx(uint[8](12)[2:3]) q[0];', 'RX(3) 0'],
    ['rx(uint[8](0b1010)[1:3] + 0) q[0];', 'RX(5) 0'],
    ['if ("0100"[2]) x q[0];', 'X 0'],
    ['uint[4] n = 1; n[2] = 1; x q[n - 3];', 'X 2'],
    ['duration a = 300ns; float r = a / 150ns; rx(r) q[0];', 'RX(2) 0'],
    ['duration a = 1us; if (2 * a > 1500ns) x q[0];', 'X 0'],
    ['angle[4] a = 3 * pi / 2; angle[4] b = pi; rx(a + b) q[0];', 'RX(1.570796327) 0'],
    ['angle[4] a = 5 * (pi / 4); angle[4] b = pi / 8; rx(a / b) q[0];', 'RX(10) 0'],
    ['angle[4] a = 5 * (pi / 4); uint[4] two = 2; rx(two * a) q[0];', 'RX(1.570796327) 0'],
    ['angle[4] a = pi / 4; rx(-a) q[0];', 'RX(5.497787144) 0'],
    ['angle[4] a = 9 * (pi / 8); rx(a << 2) q[0];', 'RX(1.570796327) 0'],
    ['angle[32] d = pi; if (d == pi) x q[0];', 'X 0'],
    ['angle[8] a = tau * (127. / 512.); rx(uint[8](bit[8](a))) q[0];', 'RX(64) 0'],
    ['rx(arcsin(1) - sqrt(4) + log(1)) q[0];', 'RX(-0.429203673) 0'],
    ['bool b = 3 > 2 && !(1 >= 2) || false; if (b) x q[0]; else y q[0];', 'X 0'],
    ['if (1 == 2) x q[0]; else if (true) y q[0];', 'Y 0'],
    ['if ("01" == 1) x q[0];', 'X 0'],
    ['switch (2) { case 0, 1 { x q[0]; } case 2 { y q[0]; } default { z q[0]; } }', 'Y 0'],
    ['switch (5) { case 0, 1 { x q[0]; } case 2 { y q[0]; } default { z q[0]; } }', 'Z 0'],
    ['int i = 1; { int i = 2; } rx(i) q[0];', 'RX(1) 0'],
    ['const int n = 2; gate g(a) b { rx(a * n) b; } g(3) q[0];', 'RX(6) 0'],
    ['gate g(a) b { for int i in [1:3] { rx(a * i) b; } } g(0.5) q[0]; ', 'RX(0.5) 0', 3],
  ])('%s', (body, expected, count = 1) => {
    const operations = told(`qubit[4] q; ${body}`);
    expect(operations[0]).toBe(expected);
    expect(operations).toHaveLength(count);
  });

  test.each([
    ['for int i in [0:3] x q[i];', ['X 0', 'X 1', 'X 2', 'X 3']],
    ['for int i in [3:-1:1] { x q[i]; }', ['X 3', 'X 2', 'X 1']],
    ['for uint i in [0:2:3] x q[i];', ['X 0', 'X 2']],
    ['for int i in {2, 0, 2} x q[i];', ['X 2', 'X 0', 'X 2']],
    ['for float a in {0.5, pi} rx(a) q[0];', ['RX(0.5) 0', 'RX(3.141592654) 0']],
    ['for int i in [1:0] x q[i];', []],
    [
      'for int i in [0:1] for int j in [i:1] rx(10 * i + j) q[0];',
      ['RX(0) 0', 'RX(1) 0', 'RX(11) 0'],
    ],
    ['for int i in [0:3] { if (i == 1) continue; if (i == 3) break; x q[i]; }', ['X 0', 'X 2']],
    ['int i = 0; while (i < 2) { x q[i]; i += 1; }', ['X 0', 'X 1']],
    [
      'int i = 0; while (true) { if (i == 2) break; x q[i]; i += 1; } y q[0];',
      ['X 0', 'X 1', 'Y 0'],
    ],
    ['for int i in [0:3] { x q[i]; if (i == 1) end; } y q[0];', ['X 0', 'X 1']],
    ['const int n = 2; for int i in [0:n - 1] cx q[i], q[i + 1];', ['CX 0,1', 'CX 1,2']],
  ])('loops: %s', (body, expected) => {
    expect(told(`qubit[4] q; ${body}`)).toEqual(expected);
  });
});

describe('operands', () => {
  test.each([
    ['x q[-1];', ['X 4']],
    ['x q[1:2];', ['X 1', 'X 2']],
    ['x q[0:2:4];', ['X 0', 'X 2', 'X 4']],
    ['x q[4:-2:0];', ['X 4', 'X 2', 'X 0']],
    ['x q[-2:-1];', ['X 3', 'X 4']],
    ['x q[:1];', ['X 0', 'X 1']],
    ['x q[3:];', ['X 3', 'X 4']],
    ['x q[{3, 0, -1}];', ['X 3', 'X 0', 'X 4']],
    ['x q[1:3][1];', ['X 2']],
    ['let a = q[1:2]; x a[1];', ['X 2']],
    ['let a = q[{4, 0}] ++ r ++ q[1]; x a;', ['X 4', 'X 0', 'X 5', 'X 6', 'X 1']],
    ['let a = q[2]; cx a, q[0:1];', ['CX 2,0', 'CX 2,1']],
    ['cx q[0:1], r;', ['CX 0,5', 'CX 1,6']],
    ['qubit s; cx s, r;', ['CX 7,5', 'CX 7,6']],
    ['const int n = 2; qubit[n + 1] s; x s;', ['X 7', 'X 8', 'X 9']],
  ])('%s', (body, expected) => {
    expect(told(`qubit[5] q; qubit[2] r; ${body}`)).toEqual(expected);
  });

  test('of the machine need no declaration', () => {
    const { numQubits, operations } = parse('h $1; cx $1, $3; barrier $0, $1;');
    expect(numQubits).toBe(4);
    expect(operations.map(tell)).toEqual(['H 1', 'CX 1,3', 'barrier']);
  });

  test('are measured into slices, aliases and bits of their own', () => {
    const { numBits, operations } = parse(`qubit[3] q; bit[3] c; let high = c[1:2];
      c[{2, 0}] = measure q[0:1]; high = measure q[{2, 0}]; measure q[1];`);
    expect(numBits).toBe(4);
    expect(operations).toEqual([
      { kind: 'measure', qubits: [0, 1], bits: [2, 0] },
      { kind: 'measure', qubits: [2, 0], bits: [1, 2] },
      { kind: 'measure', qubits: [1], bits: [3] },
    ]);
  });

  test('may be set to zero before they are measured', () => {
    expect(told('qubit q; bit[2] c = "00"; bit d = 0; c = 0; d = false; x q;')).toEqual(['X 0']);
  });
});

describe('conditions on measured bits', () => {
  test.each([
    ['if (c == 2) x q;', ['X 0 if 0,1,2=2']],
    ['if (c == "010") x q;', ['X 0 if 0,1,2=2']],
    ['if (c != 5) x q;', ['X 0 if 0=0', 'X 0 if 0,1,2=1', 'X 0 if 0,1=3']],
    ['if (c < 2) x q;', ['X 0 if 1,2=0']],
    ['if (c >= 6) x q;', ['X 0 if 1,2=3']],
    ['if (c > 3) x q;', ['X 0 if 2=1']],
    ['if (3 < c) x q;', ['X 0 if 2=1']],
    ['if (c <= 3) x q;', ['X 0 if 2=0']],
    ['if (c == 8) x q;', []],
    ['if (c < 8) x q;', ['X 0']],
    ['if (c >= -1) x q;', ['X 0']],
    ['if (c) x q;', ['X 0 if 0,1,2=4', 'X 0 if 0,1=2', 'X 0 if 0=1']],
    ['if (c[0] && !d) x q;', ['X 0 if 0,3=1']],
    ['if (c[0] || d) x q;', ['X 0 if 0,3=2', 'X 0 if 0=1']],
    ['if (c[0] == d) x q;', ['X 0 if 0,3=0', 'X 0 if 0,3=3']],
    ['if (c[0] ^ d) x q;', ['X 0 if 0,3=2', 'X 0 if 0,3=1']],
    ['if (c[0:1] == 1) x q;', ['X 0 if 0,1=1']],
    ['if (c & 6 == 6) x q;', ['X 0 if 0=1']],
    ['if ((c & 6) == 6) x q;', ['X 0 if 1,2=3']],
    ['if ((c >> 1) == 1) x q;', ['X 0 if 1,2=1']],
    ['if ((c << 1) == 4) x q;', ['X 0 if 0,1=2']],
    ['if (~c == 0) x q;', ['X 0 if 0,1,2=7']],
    ['if (uint[3](c) == 1) x q;', ['X 0 if 0,1,2=1']],
    ['if (bool(d)) x q;', ['X 0 if 3=1']],
    ['if (int(c) > 6) x q;', ['X 0 if 0,1,2=7']],
    ['if (d) x q; else y q;', ['X 0 if 3=1', 'Y 0 if 3=0']],
    ['if (d) x q; else if (c[0]) y q; else z q;', ['X 0 if 3=1', 'Y 0 if 0,3=1', 'Z 0 if 0,3=0']],
    ['if (d) { if (c[1]) x q; z q; }', ['X 0 if 1,3=3', 'Z 0 if 3=1']],
    ['if (d) { if (!d) x q; }', []],
    [
      'switch (c[0:1]) { case 0 { x q; } case 1, 2 { y q; } default { z q; } }',
      ['X 0 if 0,1=0', 'Y 0 if 0,1=2', 'Y 0 if 0,1=1', 'Z 0 if 0,1=3'],
    ],
    ['for int i in [0:1] { if (c[i]) rx(i) q; }', ['RX(0) 0 if 0=1', 'RX(1) 0 if 1=1']],
  ])('%s', (body, expected) => {
    expect(told(`qubit q; bit[3] c; bit d; ${body}`)).toEqual(expected);
  });

  test('hold in a loop, in a block with bits of its own, and after a write to their bits', () => {
    const { numBits, operations } = parse(`qubit q; bit d;
      if (d) { bit e; e = measure q; if (e) x q; d = measure q; }`);
    expect(numBits).toBe(2);
    expect(operations).toEqual([
      { kind: 'measure', qubits: [0], bits: [1], condition: { bits: [0], value: 1 } },
      expect.objectContaining({ gate: 'X', condition: { bits: [0, 1], value: 3 } }),
      { kind: 'measure', qubits: [0], bits: [0], condition: { bits: [0], value: 1 } },
    ]);
  });
});

describe('modifiers', () => {
  const unitary = (body: string) => unitaryOf(parse(`qubit[3] q; ${body}`));
  const same = (left: string, right: string) =>
    expect(maxAbsDifference(unitary(left), unitary(right))).toBeLessThan(1e-13);

  test.each([
    ['ctrl @ x q[0], q[1];', ['X 0,1']],
    ['ctrl(2) @ rz(1) q[0], q[1], q[2];', ['RZ(1) 0,1,2']],
    ['ctrl @ cx q[0], q[1], q[2];', ['CX 0,1,2']],
    ['negctrl @ ctrl @ x q[0], q[1], q[2];', ['X 0', 'X 0,1,2', 'X 0']],
    ['inv @ t q[0];', ['TDG 0']],
    ['inv @ U(1, 2, 3) q[0];', ['U(-1,-3,-2) 0']],
    ['pow(3) @ rx(0.5) q[0];', ['RX(1.5) 0']],
    ['pow(-2) @ p(0.5) q[0];', ['P(-1) 0']],
    ['pow(2) @ h q[0];', ['H 0', 'H 0']],
    ['pow(0) @ h q[0];', []],
    ['inv @ inv @ s q[0];', ['S 0']],
    ['ctrl @ gphase(1) q[0];', ['GPHASE(1) 0']],
    ['ctrl @ inv @ ctrl @ s q[0], q[1], q[2];', ['SDG 0,1,2']],
    ['ctrl @ x q[0], q[1:2];', ['X 0,1', 'X 0,2']],
  ])('%s', (body, expected) => {
    expect(told(`qubit[3] q; ${body}`)).toEqual(expected);
  });

  const g = 'gate g(a) x, y { h x; cx x, y; rz(a) y; U(1, a, 2) x; gphase(a); }';
  test.each([
    [`${g} g(0.3) q[0], q[1]; inv @ g(0.3) q[0], q[1];`, ''],
    [`${g} pow(2) @ g(0.3) q[0], q[1];`, `${g} g(0.3) q[0], q[1]; g(0.3) q[0], q[1];`],
    [`${g} pow(0.5) @ g(0.3) q[0], q[1]; pow(0.5) @ g(0.3) q[0], q[1];`, `${g} g(0.3) q[0], q[1];`],
    [
      `${g} for int i in [1:3] pow(1.0 / 3) @ ctrl @ g(0.3) q[2], q[0], q[1];`,
      `${g} ctrl @ g(0.3) q[2], q[0], q[1];`,
    ],
    [`${g} pow(-0.5) @ g(1) q[1], q[2]; pow(0.5) @ g(1) q[1], q[2];`, ''],
    [`${g} inv @ pow(0.5) @ g(1) q[1], q[2]; pow(0.5) @ g(1) q[1], q[2];`, ''],
    ['pow(0.5) @ x q[1];', 'sx q[1];'],
    ['pow(0.5) @ z q[1];', 's q[1];'],
    ['pow(0.25) @ z q[1];', 't q[1];'],
    ['pow(0.5) @ cx q[2], q[1];', 'ctrl @ sx q[2], q[1];'],
    ['pow(0.5) @ rx(1) q[1];', 'rx(0.5) q[1];'],
    ['pow(0.5) @ gphase(1);', 'gphase(0.5);'],
    ['pow(0.5) @ pow(2) @ x q[0];', ''],
    ['pow(0.5) @ negctrl @ x q[0], q[1];', 'negctrl @ sx q[0], q[1];'],
    ['negctrl @ x q[0], q[1];', 'x q[0]; cx q[0], q[1]; x q[0];'],
    [
      'gate k a, b { ctrl @ inv @ t a, b; } ctrl @ k q[0], q[1], q[2];',
      'ctrl(2) @ tdg q[0], q[1], q[2];',
    ],
  ])('%s is %s', same);

  /** A chain of modifiers of a global phase, with its phase and the value at which each control acts. */
  function modifiedPhase(seed: number) {
    const random = new RandomStream(seed);
    const [gate, factor] = random.pick([['gphase', 1] as const, ['twice', 1.5] as const]);
    const angle = random.pick([Math.PI, -Math.PI, 0.7, -2.5, 3 * Math.PI]);
    let phase = angle * factor;
    let chain = `${gate}(${angle})`;
    const controls: number[] = [];
    const length = 1 + random.below(6);
    for (let i = 0; i < length; i++) {
      const modifier = random.pick(['inv', 'pow', 'ctrl', 'negctrl']);
      if (modifier === 'inv') {
        phase = -phase;
        chain = `inv @ ${chain}`;
      } else if (modifier === 'pow') {
        const exponent = random.pick([0.5, -0.5, 2, -3, 1 / 3, 0]);
        // The principal branch: −π < phase ≤ π, where rounding does not leave −π for π.
        const turned = Math.atan2(Math.sin(phase), Math.cos(phase));
        phase = exponent * (turned < -Math.PI + 1e-9 ? turned + 2 * Math.PI : turned);
        chain = `pow(${exponent}) @ ${chain}`;
      } else if (controls.length < 3) {
        controls.unshift(modifier === 'ctrl' ? 1 : 0);
        chain = `${modifier} @ ${chain}`;
      }
    }
    return { chain, phase, controls };
  }

  testSeeds('of a global phase, in any order and nesting, keep it', seeds(400), (seed) => {
    const { chain, phase, controls } = modifiedPhase(seed);
    const named = controls.map((_, i) => `q[${i}]`).join(', ');
    const text = `gate twice(a) { gphase(a); gphase(a / 2); } qubit[3] q; ${chain} ${named};`;
    const found = unitaryOf(parse(text));
    for (let row = 0; row < 8; row++) {
      const acts = controls.every((value, i) => ((row >> i) & 1) === value);
      const at = 2 * (row * 8 + row);
      expect(found[at], `${chain}, ${row}`).toBeCloseTo(acts ? Math.cos(phase) : 1, 12);
      expect(found[at + 1], `${chain}, ${row}`).toBeCloseTo(acts ? Math.sin(phase) : 0, 12);
    }
  });

  test.each(GATES.map((gate) => [gate.name, gate] as const))(
    'of %s: its third power is thrice the gate, its inverse undoes it, its third root thrice is it',
    (_, { openqasm, numControls, numTargets, parameters }) => {
      const angles = parameters.map((_, i) => 0.3 + i / 2).join();
      const qubits = Array.from({ length: numControls + numTargets }, (_, i) => `q[${2 - i}]`);
      const call = `${openqasm.name}${angles && `(${angles})`} ${qubits.join()};`;
      const read = (body: string) =>
        unitaryOf(
          parseOpenQasm(
            `OPENQASM 3; include "qelib1.inc"; include "stdgates.inc"; qubit[3] q; ${body}`,
            limits,
          ),
        );
      const pairs = [
        [`pow(3) @ ${call}`, call.repeat(3)],
        [`${call} inv @ ${call}`, ''],
        [`pow(1.0 / 3) @ ${call}`.repeat(3), call],
      ] as const;
      for (const [left, right] of pairs) {
        expect(maxAbsDifference(read(left), read(right))).toBeLessThan(1e-13);
      }
    },
  );
});

describe('inputs', () => {
  const body =
    'input float a; input angle b; input int n; input bool on; input uint[2] m; qubit[4] q;';
  const inputs = { a: 0.5, b: 1, n: 2, on: true, m: 3 };

  test('are bound by name', () => {
    expect(told(`${body} rx(a + b) q[n]; if (on) x q[m];`, inputs)).toEqual(['RX(1.5) 2', 'X 3']);
  });

  test.each([
    ['missing', { ...inputs, a: undefined }, ['inputs.a']],
    ['all missing', {}, ['a', 'b', 'n', 'on', 'm'].map((name) => `inputs.${name}`)],
    ['of another type', { a: '1', b: null, n: 1.5, on: 1, m: 4 }, 5],
    ['not finite', { ...inputs, a: Number.NaN }, ['inputs.a']],
    ['negative for uint', { ...inputs, m: -1 }, ['inputs.m']],
    ['unknown', { ...inputs, aa: 1 }, ['inputs.aa']],
    ['inherited from every object', { ...inputs, toString: 1 }, ['inputs.toString']],
  ])('are refused by name when %s', (_, given, paths) => {
    const refused = expect(() => parse(`${body} rx(a) q[n];`, given));
    const faults = Array.isArray(paths)
      ? paths.map((path) => expect.objectContaining({ path, code: 'CIRCUIT_OPENQASM_INPUT' }))
      : expect.objectContaining({ length: paths });
    refused.toThrow(expect.objectContaining({ code: 'CIRCUIT_OPENQASM_INPUT', faults }));
  });

  test.each([
    ['OPENQASM 3; qubit q;', 'a'],
    ['OPENQASM 2.0; qreg q[1];', 'a'],
    ['OPENQASM 3; input float b; qubit q; rx(b) q;', 'toString'],
  ])(
    'that the program of a circuit does not declare are ignored with a warning: %s',
    (source, name) => {
      const { warnings } = readOpenQasm(source, limits, { inputs: { b: 1, [name]: 1 } });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatchObject({
        code: 'CIRCUIT_INPUT_IGNORED',
        message: expect.stringContaining(`"${name}"`),
      });
    },
  );
});

test('annotations and pragmas are ignored', () => {
  expect(told('#pragma a { ;\npragma b\n@note "x\nqubit q; if (true) { @c\n x q; @d\n }')).toEqual([
    'X 0',
  ]);
});

describe('tens of thousands of gates are read in time that is linear in their number', () => {
  // A reader in quadratic time took 12 s for 100,000, where this one takes half a second.
  const claim = (size: number, write: (numGates: number) => string) => {
    expectLinearTime(size, (numGates) => {
      const { operations } = parseOpenQasm(HEADER + write(numGates), {
        ...limits,
        maxGates: numGates,
      });
      expect(operations).toHaveLength(numGates);
    });
  };

  test('from as many lines', () => {
    claim(50_000, (numGates) => {
      const line = (_: unknown, i: number) => `ctrl @ rx(pi / ${i + 1}) q[${i % 19}], q[19];`;
      return `qubit[20] q;\n${Array.from({ length: numGates }, line).join('\n')}`;
    });
  });

  test('from a loop', () => {
    claim(
      50_000,
      (numGates) => `qubit[20] q; for int i in [0:${numGates - 1}] { rx(pi / (i + 1)) q[i % 20]; }`,
    );
  });

  test('under conditions on a whole register', () => {
    claim(
      20_000,
      (numGates) => `qubit q; bit[20] c; for int i in [1:${numGates}] { if (c == 7) x q; }`,
    );
  });

  test('under conditions', () => {
    claim(50_000, (numGates) => {
      const line = (_: unknown, i: number) => `if (c[${i % 19}] && !c[19]) { x q; } else { }`;
      const lines = Array.from({ length: numGates / 2 }, line);
      return `qubit q; bit[20] c;\n${lines.join('\n')}\nfor int i in [1:${numGates / 2}] { if (c[i % 20]) x q; }`;
    });
  });
});
