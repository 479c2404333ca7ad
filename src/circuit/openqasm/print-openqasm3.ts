/**
 * Prints OpenQASM 3: modifiers, global phases, any condition, and noise as pragmas. A `Dialect` is the part that
 * differs between versions; numbers, calls and definitions are the same in both.
 */
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import type {
  Condition,
  DynamicCircuit,
  GateOperation,
  MeasureOperation,
  MisreadOperation,
  NoiseOperation,
  Operation,
  UnitaryOperation,
} from '../circuit.ts';
import { OpenQasmUnprintableError } from '../errors.ts';
import { eulerAngles } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { twoLevelGates } from '../multi-control.ts';
import { type Channel, krausMatrices, type PauliChannel } from '../noise/channel.ts';
import { MAX_KRAUS_QUBITS } from '../noise/channel-object.ts';
import { depolarizingProbability, pauliString } from '../noise/write-channel.ts';

/** A circuit without classical computation. */
export interface PrintableCircuit extends Pick<DynamicCircuit, 'numQubits' | 'numBits'> {
  readonly operations: readonly (Operation | NoiseOperation | MisreadOperation)[];
  /** Inputs that version 3 declares; version 2 has none and prints the angles as numbers. */
  readonly inputs?: PrintedInputs;
}

/** Inputs of a circuit, and the angles that depend on them. */
export interface PrintedInputs {
  /** Names, which are identifiers. */
  readonly names: readonly string[];
  /** Text of each angle of a gate; undefined for an angle that is its number. */
  readonly angles: ReadonlyMap<GateOperation, readonly (string | undefined)[]>;
}

/** A gate or unitary of a circuit. */
export type UnitaryLike = GateOperation | UnitaryOperation;

/** Printing that differs between the versions. */
export interface Dialect {
  /** Text of a qubit as an operand. */
  qubit(index: number): string;
  /** Declarations of the registers. */
  declarations(): readonly string[];
  /** Statements of a gate, without its condition. Adds the definitions that it needs. */
  gate(operation: UnitaryLike): readonly string[];
  /** Statements under a condition. */
  underCondition(
    condition: Condition,
    statements: readonly string[],
    index: number,
  ): readonly string[];
  /** Statements of a measurement. */
  measure(operation: MeasureOperation, index: number): readonly string[];
  /**
   * The statement of a noise channel.
   *
   * @throws {OpenQasmUnprintableError} where the version has none for it.
   */
  noise(operation: NoiseOperation, index: number): string;
}

/** Gate definitions, each once, in the order of first use. */
export class Definitions {
  readonly #names = new Map<string, string>();
  readonly lines: string[] = [];

  /** Returns the name of the definition with a key, which is made at its first use. */
  define(key: string, name: (count: number) => string, lines: (name: string) => readonly string[]) {
    let known = this.#names.get(key);
    if (known === undefined) {
      known = name(this.#names.size);
      this.#names.set(key, known);
      this.lines.push(...lines(known));
    }
    return known;
  }
}

/** Prints a number exactly, as both versions read it. */
function number(value: number): string {
  const text = `${value}`;
  // Version 2 requires a decimal point before an exponent.
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Prints `rx(0.5) q[0];`. Angles that are texts are printed unchanged. */
export function call(
  name: string,
  angles: readonly (number | string)[],
  operands: readonly string[],
): string {
  const texts = angles.map((angle) => (typeof angle === 'string' ? angle : number(angle)));
  const inParentheses = angles.length === 0 ? '' : `(${texts.join(', ')})`;
  const after = operands.length === 0 ? '' : ` ${operands.join(', ')}`;
  return `${name}${inParentheses}${after};`;
}

/** Prints `q[3]`. */
export const qubit = (index: number): string => `q[${index}]`;

/** Phases below this, in radians, change no amplitude. */
const NEGLIGIBLE = 1e-16;

/** Prints OpenQASM 3. */
export class OpenQasm3Dialect implements Dialect {
  readonly #circuit: PrintableCircuit;
  readonly #definitions: Definitions;
  readonly #isPhysical: boolean;

  /** @param isPhysical - Whether the qubits are those of a machine, which are not declared. */
  constructor(circuit: PrintableCircuit, definitions: Definitions, isPhysical: boolean) {
    this.#circuit = circuit;
    this.#definitions = definitions;
    this.#isPhysical = isPhysical;
  }

  qubit(index: number): string {
    return this.#isPhysical ? `$${index}` : qubit(index);
  }

  declarations(): readonly string[] {
    const { numQubits, numBits, inputs } = this.#circuit;
    const declared = (inputs?.names ?? []).map((name) => `input float ${name};`);
    const bits = numBits > 0 ? [`bit[${numBits}] c;`] : [];
    const qubits = this.#isPhysical ? [] : [`qubit[${numQubits}] q;`];
    return [...declared, ...bits, ...qubits];
  }

  gate(operation: UnitaryLike): readonly string[] {
    const controls = operation.controls.map((q) => this.qubit(q));
    const operands = [...controls, ...operation.targets.map((q) => this.qubit(q))];
    if (operation.kind === 'unitary') {
      if (operation.targets.length === 1) {
        return euler(operation.matrix, controls, [], operands.at(-1)!);
      }
      return [
        call(`${controlled('ctrl', controls.length)}${this.#unitary(operation)}`, [], operands),
      ];
    }
    const { openqasm, numControls } = gateNamed(operation.gate);
    defineGate(this.#definitions, openqasm.name, 3);
    const modifier = controlled('ctrl', controls.length - numControls);
    const open = this.#circuit.inputs?.angles.get(operation);
    const angles = operation.angles.map((angle, i) => open?.[i] ?? angle);
    return [call(`${modifier}${openqasm.name}`, angles, operands)];
  }

  underCondition(condition: Condition, statements: readonly string[]): readonly string[] {
    const { numBits } = this.#circuit;
    const reads = condition.bits.map((bit, i) => ({
      bit,
      isOne: Math.floor(condition.value / 2 ** i) % 2 === 1,
    }));
    const isWhole = reads.length === numBits && reads.every(({ bit }, i) => bit === i);
    const tests = reads.map(({ bit, isOne }) => `${isOne ? '' : '!'}c[${bit}]`);
    const text = isWhole && numBits > 1 ? `c == ${condition.value}` : tests.join(' && ');
    return [`if (${text}) {`, ...statements.map((statement) => `  ${statement}`), '}'];
  }

  measure({ qubits, bits, condition }: MeasureOperation): readonly string[] {
    const { numQubits, numBits } = this.#circuit;
    const isAll = !this.#isPhysical && qubits.length === numQubits && bits.length === numBits;
    if (isAll && qubits.every((q, i) => q === i && bits[i] === i)) return ['c = measure q;'];
    // A measurement that writes bits of its own condition must be one statement, because a block tests the
    // condition again.
    if (bits.length > 1 && condition?.bits.some((bit) => bits.includes(bit))) {
      return [`c[{${bits.join(', ')}}] = measure q[{${qubits.join(', ')}}];`];
    }
    return qubits.map((q, i) => `c[${bits[i]}] = measure ${this.qubit(q)};`);
  }

  noise({ qubits, channel }: NoiseOperation, index: number): string {
    const operands = qubits.map((q) => this.qubit(q));
    const pragma = noisePragma(channel, operands);
    if (pragma !== undefined) return pragma;
    throw new OpenQasmUnprintableError(
      `Operation ${index} is a noise channel on ${qubits.length} qubits`,
      `the widest that OpenQASM can express here acts on ${MAX_KRAUS_QUBITS}.`,
    );
  }

  /** Name of a definition for a matrix on several qubits. */
  #unitary({ matrix, targets }: Extract<UnitaryLike, { kind: 'unitary' }>): string {
    return this.#definitions.define(
      matrix.join(),
      (count) => `unitary_${count}`,
      (name) => {
        const names = targets.map((_, i) => `a${i}`);
        const body = twoLevelGates(matrix).flatMap(({ matrix: two, controls, target }) => {
          const on = controls.filter(({ value }) => value === 1).map((c) => names[c.position]!);
          const off = controls.filter(({ value }) => value === 0).map((c) => names[c.position]!);
          return euler(two, on, off, names[target]!).map((line) => `  ${line}`);
        });
        return [`gate ${name} ${names.join(', ')} {`, ...body, '}'];
      },
    );
  }
}

const controlled = (modifier: 'ctrl' | 'negctrl', count: number): string => {
  if (count === 0) return '';
  return count === 1 ? `${modifier} @ ` : `${modifier}(${count}) @ `;
};

/** Prints a one-qubit matrix where controls `on` read 1 and `off` read 0: its U, then its phase. */
function euler(
  matrix: Float64Array,
  on: readonly string[],
  off: readonly string[],
  target: string,
): readonly string[] {
  const { theta, phi, lambda, gamma } = eulerAngles(matrix);
  const modifiers = controlled('ctrl', on.length) + controlled('negctrl', off.length);
  const turn = call(`${modifiers}U`, [theta, phi, lambda], [...on, ...off, target]);
  const phase = call(`${modifiers}gphase`, [gamma], [...on, ...off]);
  return Math.abs(gamma) < NEGLIGIBLE ? [turn] : [turn, phase];
}

/** Adds the definition of a gate, and those it needs, if the version's library lacks the gate. */
export function defineGate(definitions: Definitions, name: string, version: 2 | 3): void {
  const found = GATE_TEXTS.get(name);
  if (found === undefined || (version === 2 && QELIB1_ONLY.has(name))) return;
  for (const needed of found.needs) defineGate(definitions, needed, version);
  definitions.define(
    name,
    () => name,
    () => [found.text[version]],
  );
}

const QELIB1_ONLY: ReadonlySet<string> = new Set(['sxdg', 'csx', 'cu3', 'rxx', 'rzz']);

/** A gate's definition in both versions; in version 2 up to a global phase. */
interface GateText {
  /** Gates whose definitions must come before. */
  readonly needs: readonly string[];
  readonly text: { readonly 2: string; readonly 3: string };
}

const both = (text: string, ...needs: readonly string[]): GateText => ({
  needs,
  text: { 2: text, 3: text },
});
const apart = (two: string, three: string): GateText => ({
  needs: [],
  text: { 2: two, 3: three },
});

/**
 * Definitions of gates that a standard library lacks, by their OpenQASM names. Parameters are not called theta, phi or
 * lambda, because Qiskit 2 confuses the angles of a definition that passes parameters of those names to U.
 */
const GATE_TEXTS: ReadonlyMap<string, GateText> = new Map([
  // Gates of qelib1.inc, which version 2 need not define.
  ['sxdg', both('gate sxdg a { inv @ sx a; }')],
  ['csx', both('gate csx a, b { ctrl @ sx a, b; }')],
  ['cu3', both('gate cu3(t1, t2, t3) a, b { ctrl @ U(t1, t2, t3) a, b; }')],
  ['rxx', both('gate rxx(t1) a, b { h a; h b; cx a, b; rz(t1) b; cx a, b; h a; h b; }')],
  ['rzz', both('gate rzz(t1) a, b { cx a, b; rz(t1) b; cx a, b; }')],
  // Gates of no library.
  ['prx', both('gate prx(t1, t2) a { rz(-t2) a; rx(t1) a; rz(t2) a; }')],
  ['cs', apart('gate cs a, b { cu1(pi/2) a, b; }', 'gate cs a, b { ctrl @ s a, b; }')],
  ['ccz', both('gate ccz a, b, c { h c; ccx a, b, c; h c; }')],
  ['iswap', both('gate iswap a, b { s a; s b; h a; cx a, b; cx b, a; h b; }')],
  ['dcx', both('gate dcx a, b { cx a, b; cx b, a; }')],
  [
    'ryy',
    both(
      'gate ryy(t1) a, b { rx(pi/2) a; rx(pi/2) b; cx a, b; rz(t1) b; cx a, b; rx(-pi/2) a; rx(-pi/2) b; }',
    ),
  ],
  ['rzx', both('gate rzx(t1) a, b { h b; cx a, b; rz(t1) b; cx a, b; h b; }')],
  ['ecr', both('gate ecr a, b { rzx(pi/4) a, b; x a; rzx(-pi/4) a, b; }', 'rzx')],
  [
    'xx_plus_yy',
    both(
      'gate xx_plus_yy(t1, t2) a, b { p(-t2) b; rxx(t1/2) a, b; ryy(t1/2) a, b; p(t2) b; }',
      'rxx',
      'ryy',
    ),
  ],
  [
    'xx_minus_yy',
    both(
      'gate xx_minus_yy(t1, t2) a, b { p(-t2) b; rxx(t1/2) a, b; ryy(-t1/2) a, b; p(t2) b; }',
      'rxx',
      'ryy',
    ),
  ],
  ['sqrtiswap', both('gate sqrtiswap a, b { rxx(-pi/4) a, b; ryy(-pi/4) a, b; }', 'rxx', 'ryy')],
  [
    'fsim',
    both('gate fsim(t1, t2) a, b { rxx(t1) a, b; ryy(t1) a, b; cp(-t2) a, b; }', 'rxx', 'ryy'),
  ],
]);

/**
 * Prints a noise channel as Amazon Braket's pragma, which reads back to the same channel, such as
 * `#pragma braket noise bit_flip(0.1) q[0]`; undefined for a channel on too many qubits.
 *
 * @param operands - Qubits of the channel as text; the first is the least significant.
 */
function noisePragma(channel: Channel, operands: readonly string[]): string | undefined {
  if (channel.numQubits > MAX_KRAUS_QUBITS) return undefined;
  const named =
    channel.kind === 'pauli'
      ? namedPauli(channel)
      : channel.kind === 'loss'
        ? `loss(${number(channel.probability)})`
        : undefined;
  const call = named ?? `kraus(${krausMatrices(channel).map(rows).join(', ')})`;
  // The first operand of a pragma is the most significant.
  return `#pragma braket noise ${call} ${operands.toReversed().join(', ')}`;
}

/** Prints a Pauli channel by its name in Braket; undefined where it has none. */
function namedPauli(channel: PauliChannel): string | undefined {
  const { numQubits, errors } = channel;
  const depolarized = depolarizingProbability(channel);
  if (depolarized !== undefined && numQubits <= 2) {
    return `${numQubits === 1 ? '' : 'two_qubit_'}depolarizing(${number(depolarized)})`;
  }
  const byLetters = new Map(
    errors.map((error) => [pauliString(error, numQubits), error.probability]),
  );
  const of = (letters: string) => byLetters.get(letters) ?? 0;
  if (numQubits === 1) {
    if (errors.length === 1 && of('X') > 0) return `bit_flip(${number(of('X'))})`;
    if (errors.length === 1 && of('Z') > 0) return `phase_flip(${number(of('Z'))})`;
    return `pauli_channel(${['X', 'Y', 'Z'].map((letter) => number(of(letter))).join(', ')})`;
  }
  const each = of('ZZ');
  const isDephasing =
    numQubits === 2 && each > 0 && errors.length === 3 && of('IZ') === each && of('ZI') === each;
  return isDephasing ? `two_qubit_dephasing(${number(3 * each)})` : undefined;
}

/** Prints `[[1, 0], [0, 0.5 - 0.5im]]`. */
function rows(matrix: ComplexMatrix): string {
  const d = dimension(matrix);
  const entry = (at: number) => complex(matrix[at]!, matrix[at + 1]!);
  const row = (i: number) => Array.from({ length: d }, (_, j) => entry(2 * (i * d + j))).join(', ');
  return `[${Array.from({ length: d }, (_, i) => `[${row(i)}]`).join(', ')}]`;
}

function complex(re: number, im: number): string {
  if (im === 0) return number(re + 0);
  const imaginary = `${number(Math.abs(im))}im`;
  return `${number(re + 0)} ${im < 0 ? '-' : '+'} ${imaginary}`;
}
