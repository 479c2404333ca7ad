/** Draws a circuit as text: time goes right, qubit 0 is at the top, and bits are named below the wires. */
import type { Condition, DynamicOperation, GateOperation, NoiseOperation } from './circuit.ts';
import { type Bit, bitsRead } from './classical-expression.ts';
import { counted } from './errors.ts';
import { gateNamed } from './gates.ts';
import type { Qubit } from './qubit.ts';

/** Most columns and qubits that are drawn. The drawing ends before the first operation beyond; its last line says what is left out. */
const MAX_COLUMNS = 400;
const MAX_QUBITS = 64;
/** More operations than these are not looked at. */
const MAX_OPERATIONS = MAX_COLUMNS * MAX_QUBITS;

/** A symbol on a wire. */
type Mark = readonly [qubit: Qubit, text: string];

/** An operation as it is drawn. */
interface Sign {
  readonly marks: readonly Mark[];
  /** Written below the wires: bits that it writes or reads. */
  readonly note?: string;
  /** Bits that it writes or reads; it comes after what did so before. */
  readonly bits?: readonly Bit[];
}

/** A column: signs that do not overlap. */
type Column = Sign[];

/**
 * The drawing, as lines joined by line feeds.
 *
 * @param width - Characters of a line; a wider drawing is continued below.
 */
export function drawText(
  { numQubits, operations }: { numQubits: number; operations: readonly DynamicOperation[] },
  width = 100,
): string {
  const qubits = Math.min(numQubits, MAX_QUBITS);
  const { placed, numOperations } = columnsOf(operations, qubits);
  const columns = placed.map((column) => linesOf(column, qubits));
  const names = Array.from({ length: qubits }, (_, qubit) => `q${qubit}: `);
  const margin = Math.max(3, ...names.map(({ length }) => length));
  const margins = [...names.flatMap((name) => [name, '']), 'c: '].map((each) =>
    each.padStart(margin),
  );
  const parts: string[] = [];
  for (let first = 0; first < Math.max(1, columns.length); ) {
    const lines = [...margins];
    do {
      for (const [row, text] of (columns[first] ?? margins.map(() => '')).entries()) {
        lines[row] += text;
      }
      first++;
    } while (lines[0]!.length + (columns[first]?.[0]?.length ?? 0) <= width && columns[first]);
    const isBlank = (line: string, row: number) =>
      row % 2 === 1 ? line.trim() === '' : row === 2 * qubits && line.trim() === 'c:';
    parts.push(
      lines
        .filter((line, row) => !isBlank(line, row))
        .map((line) => line.trimEnd())
        .join('\n'),
    );
  }
  const left = [
    ...(operations.length > numOperations
      ? [`the last ${counted(operations.length - numOperations, 'operation')}`]
      : []),
    ...(numQubits > qubits ? [counted(numQubits - qubits, 'qubit')] : []),
  ];
  if (left.length > 0) parts.push(`Left out: ${left.join(' and ')}.`);
  return parts.join('\n\n');
}

/** The first operations in columns, each as far left as those before it on its wires and bits allow, and how many there are. */
function columnsOf(operations: readonly DynamicOperation[], numQubits: number) {
  const next = new Array<number>(numQubits).fill(0);
  const nextOfBit = new Map<Bit, number>();
  const placed: Column[] = [];
  const limit = Math.min(operations.length, MAX_OPERATIONS);
  for (let numOperations = 0; numOperations < limit; numOperations++) {
    const into: Column[] = [];
    for (const sign of signsOf(operations[numOperations]!, numQubits)) {
      const on = sign.marks.map(([qubit]) => qubit);
      const top = Math.min(...on);
      if (top >= numQubits) continue;
      const bottom = Math.min(numQubits - 1, Math.max(...on));
      const { bits = [] } = sign;
      const ofBits = bits.map((bit) => nextOfBit.get(bit) ?? 0);
      const at = Math.max(...next.slice(top, bottom + 1), ...ofBits);
      if (at >= MAX_COLUMNS) {
        // No operation is drawn in part.
        for (const column of into) column.pop();
        return { placed, numOperations };
      }
      next.fill(at + 1, top, bottom + 1);
      for (const bit of bits) nextOfBit.set(bit, at + 1);
      placed[at] ??= [];
      placed[at].push(sign);
      into.push(placed[at]);
    }
  }
  return { placed, numOperations: limit };
}

/** A column as text: for each qubit its wire and the space below it, then the notes. All are equally long. */
function linesOf(signs: Column, numQubits: number): readonly string[] {
  const wires = new Array<string>(numQubits).fill('');
  const below = new Array<string>(numQubits).fill('');
  for (const { marks } of signs) {
    const on = marks.map(([qubit]) => qubit);
    // What concerns bits alone takes a column of its own and no place on a wire.
    if (marks.every(([, text]) => text === '')) continue;
    const bottom = Math.max(...on);
    for (let qubit = Math.min(...on); qubit <= bottom && qubit < numQubits; qubit++) {
      wires[qubit] = '┼';
      if (qubit < bottom) below[qubit] = '│';
    }
    for (const [qubit, text] of marks) if (qubit < numQubits) wires[qubit] = text;
  }
  const note = signs.flatMap((sign) => sign.note ?? []).join(' ');
  const width = Math.max(note.length, ...wires.map(({ length }) => length));
  const centred = (text: string, filling: string) => {
    const before = (width - text.length) >> 1;
    return (
      filling.repeat(before + 1) + text + filling.repeat(width - text.length - before) + filling
    );
  };
  return [
    ...wires.flatMap((wire, qubit) => [centred(wire, '─'), centred(below[qubit]!, ' ')]),
    centred(note, ' '),
  ];
}

/** The signs of an operation; a loop has one for its beginning and one for its end. */
function signsOf(operation: DynamicOperation, numQubits: number): readonly Sign[] {
  const tested = 'condition' in operation ? operation.condition : undefined;
  const condition = tested && `if ${conditionText(tested)}`;
  const sign = (marks: readonly Mark[], note?: string, written: readonly Bit[] = []) => {
    const text = [condition, note].filter((each) => each !== undefined).join(' ');
    const bits = [...(tested?.bits ?? []), ...written];
    return [{ marks, bits, ...(text !== '' && { note: text }) }];
  };
  const on = (qubits: readonly Qubit[], text: string) => qubits.map((qubit): Mark => [qubit, text]);
  const everywhere = (text: string, note: string): Sign => ({
    marks: Array.from({ length: numQubits }, (_, qubit): Mark => [qubit, text]),
    note,
  });
  const loop = (begin: string, body: readonly DynamicOperation[]) => [
    everywhere('[', begin),
    ...body.flatMap((each) => signsOf(each, numQubits)),
    everywhere(']', 'end'),
  ];
  switch (operation.kind) {
    case 'gate': {
      const marks = [...on(operation.controls, '●'), ...targetMarks(operation)];
      // A global phase is on no wire.
      if (marks.length === 0) return [everywhere('', gateText(operation))];
      return sign(marks);
    }
    case 'unitary':
      return sign([...on(operation.controls, '●'), ...numbered(operation.targets, 'U')]);
    case 'measure':
      return operation.qubits.flatMap((qubit, i) => {
        const bit = operation.bits[i]!;
        return sign([[qubit, operation.readsLoss ? 'lost?' : 'M']], `c${bit}`, [bit]);
      });
    case 'reset':
      return operation.qubits.flatMap((qubit) => sign([[qubit, '|0⟩']]));
    case 'barrier':
      return sign(
        on(operation.qubits, operation.duration === undefined ? '░' : `${operation.duration} ns`),
      );
    case 'noise':
      return sign(numbered(operation.qubits, noiseText(operation)));
    case 'initialize':
      return sign(on(operation.qubits, '|ψ⟩'));
    case 'save':
      return sign(on(operation.qubits, '◇'), operation.label);
    case 'misread':
      return [everywhere('', `misread ${bitsText(operation.bits)}`)];
    case 'assign':
      return [
        everywhere(
          '',
          `${condition === undefined ? '' : `${condition} `}${bitsText(operation.bits)} := f(${bitsText([...bitsRead(operation.value)])})`,
        ),
      ];
    case 'track':
      return sign(on([...new Set([...operation.flips, ...operation.signs])], '?'));
    case 'while':
      return loop(`while ${conditionText(operation.condition)}`, operation.body);
    case 'repeat':
      return loop(`${operation.count} times`, operation.body);
    default:
      return operation satisfies never;
  }
}

/** A gate's name without its controls, and its angles. */
function gateText({ gate, angles }: GateOperation): string {
  const name = gate.slice(gateNamed(gate).numControls);
  return angles.length === 0 ? name : `${name}(${angles.map(angleText).join(',')})`;
}

/** A gate's symbols on its targets. */
function targetMarks(operation: GateOperation): readonly Mark[] {
  const { controls, targets } = operation;
  const name = gateText(operation);
  if (name === 'SWAP') return targets.map((qubit) => [qubit, '×']);
  if (controls.length > 0 && name === 'X') return targets.map((qubit) => [qubit, '⊕']);
  if (controls.length > 0 && name === 'Z') return targets.map((qubit) => [qubit, '●']);
  return numbered(targets, name);
}

/** One name on several qubits, whose order it states: the first one is the least significant. */
const numbered = (qubits: readonly Qubit[], name: string): readonly Mark[] =>
  qubits.map((qubit, i) => [qubit, qubits.length === 1 ? name : `${name}:${i}`]);

const bitsText = (bits: readonly number[]): string => bits.map((bit) => `c${bit}`).join(',');

const conditionText = ({ bits, value }: Condition): string =>
  bits.map((bit, i) => `c${bit}=${Math.floor(value / 2 ** i) % 2}`).join(',');

function noiseText({ channel }: NoiseOperation): string {
  if (channel.kind === 'kraus') return 'noise';
  const probabilities =
    channel.kind === 'loss'
      ? [channel.probability]
      : channel.errors.map(({ probability }) => probability);
  const total = probabilities.reduce((sum, each) => sum + each, 0);
  return `${channel.kind === 'loss' ? 'loss' : 'noise'}(${Number(total.toPrecision(3))})`;
}

/** An angle as a fraction of π where it is a simple one, else with four digits. */
function angleText(radians: number): string {
  for (const denominator of [1, 2, 3, 4, 6, 8, 16]) {
    const numerator = (radians * denominator) / Math.PI;
    const whole = Math.round(numerator);
    if (whole === 0 || Math.abs(whole) > 32 || Math.abs(numerator - whole) > 1e-9) continue;
    const factor = Math.abs(whole) === 1 ? (whole < 0 ? '-' : '') : `${whole}`;
    return `${factor}π${denominator === 1 ? '' : `/${denominator}`}`;
  }
  return `${Number(radians.toPrecision(4))}`;
}
