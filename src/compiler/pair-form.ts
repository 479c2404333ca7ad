/**
 * Rewrites runs of gates on one pair of qubits into one unitary that keeps the parity of the pair, between
 * one-qubit unitaries, where the cost model says that this is cheaper.
 *
 * A run is one two-qubit unitary, however it was written. One-qubit unitaries after a run join the next run
 * on their qubit, so that a circuit of many runs has about one for each qubit and run. A run that does not
 * gain is left unchanged.
 */
import {
  type DynamicCircuit,
  type DynamicOperation,
  type InitializeOperation,
  type NoiseOperation,
  notByStabilizers,
  type Operation,
  operationQubits,
  type Qubit,
  type SaveOperation,
  type UnitaryOperation,
  type WhileOperation,
} from '../circuit/circuit.ts';
import { type ComplexMatrix, keepsParity } from '../math/complex-matrix.ts';
import { ACTS_GENERALLY, type BlockForm, formOf } from './block.ts';
import { withoutRounding } from './block-product.ts';
import { canonicalForm } from './canonical-form.ts';
import { costOf, DEFAULT_COSTS, denseCost } from './cost-model.ts';
import { derivedUnitary, productSource } from './parametric.ts';
import { type GateLike, matrixOf } from './passes/gate-like.ts';
import type { KernelCosts } from './program.ts';

/** Returns the same unitary; the circuit itself if the target has no kernel for pairs. */
export function pairForm<C extends DynamicCircuit>(circuit: C, costs = DEFAULT_COSTS): C {
  if (costs.pair === undefined) return circuit;
  const operations = rewritten(circuit.operations, circuit.numQubits, costs);
  // Checked: no kind of operation is new.
  return { ...circuit, operations } as C;
}

function rewritten(
  operations: readonly DynamicOperation[],
  numQubits: number,
  costs: KernelCosts,
): readonly DynamicOperation[] {
  const rewriter = new Rewriter(numQubits, costs);
  for (const operation of operations) {
    if (operation.kind === 'while') {
      rewriter.addLoop({ ...operation, body: rewritten(operation.body, numQubits, costs) });
    } else rewriter.add(operation);
  }
  return rewriter.finish();
}

/** Part of the cost of unitaries after a run that counts: most join the next run, or a gate on their qubit. */
const PART_AFTER = 0.4;

/** Gates on two qubits that no other operation on either of them interrupts. */
interface Run {
  readonly qubits: readonly [low: Qubit, high: Qubit];
  readonly members: Member[];
  /** Position of the first gate on both qubits: the whole run can move there. */
  readonly at: number;
  /** Indices of the first member on both qubits, and after the last one. */
  readonly innerBegin: number;
  innerEnd: number;
  numPairGates: number;
}

interface Member {
  readonly gate: GateLike;
  readonly position: number;
}

class Rewriter {
  /**
   * Operations at each position, in order. Each operation of the circuit has three positions: its own, and one on
   * each qubit for the unitary after a run that was rewritten.
   */
  readonly #out: (DynamicOperation | readonly DynamicOperation[] | undefined)[] = [];
  readonly #runs: (Run | undefined)[];
  /** One-qubit gates that no run has yet, by qubit. */
  readonly #waiting: Member[][];
  readonly #costs: KernelCosts;
  /** Costs of named gates, whatever their angles. */
  readonly #costOf = new Map<string, number>();

  constructor(numQubits: number, costs: KernelCosts) {
    this.#runs = new Array<Run | undefined>(numQubits).fill(undefined);
    this.#waiting = Array.from({ length: numQubits }, () => []);
    this.#costs = costs;
  }

  add(operation: Exclude<DynamicOperation, WhileOperation>): void {
    const position = this.#out.length;
    this.#out.push(operation, undefined, undefined);
    if (operation.kind === 'assign' || operation.kind === 'misread') return;
    if (operation.kind === 'track' || operation.kind === 'repeat')
      throw notByStabilizers(operation);
    const qubits = operationQubits(operation);
    const [a, b] = qubits;
    if (isPlain(operation) && a !== undefined && qubits.length <= 2) {
      if (b === undefined) {
        (this.#runs[a]?.members ?? this.#waiting[a]!).push({ gate: operation, position });
      } else this.#addPair({ gate: operation, position }, a, b);
      return;
    }
    for (const qubit of qubits) this.#interrupt(qubit);
  }

  addLoop(operation: WhileOperation): void {
    for (const qubit of this.#runs.keys()) this.#interrupt(qubit);
    this.#out.push(operation, undefined, undefined);
  }

  finish(): readonly DynamicOperation[] {
    for (const qubit of this.#runs.keys()) this.#interrupt(qubit);
    const operations: DynamicOperation[] = [];
    for (const here of this.#out) {
      if (here === undefined) continue;
      if ('kind' in here) operations.push(here);
      else for (const operation of here) operations.push(operation);
    }
    return operations;
  }

  #addPair(member: Member, a: Qubit, b: Qubit): void {
    let run = this.#runs[a];
    if (run === undefined || run !== this.#runs[b]) {
      this.#close(a);
      this.#close(b);
      const members = [...this.#waiting[a]!.splice(0), ...this.#waiting[b]!.splice(0)];
      const innerBegin = members.length;
      const at = member.position;
      run = { qubits: [a, b], members, at, innerBegin, innerEnd: 0, numPairGates: 0 };
      this.#runs[a] = run;
      this.#runs[b] = run;
    }
    run.innerEnd = run.members.push(member);
    run.numPairGates++;
  }

  #interrupt(qubit: Qubit): void {
    this.#close(qubit);
    this.#waiting[qubit]!.length = 0;
  }

  /** Ends the run on a qubit. */
  #close(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    for (const each of run.qubits) this.#runs[each] = undefined;
    if (this.#splits(run)) return;
    for (const member of run.members.slice(run.innerEnd)) {
      this.#waiting[member.gate.targets[0]!]!.push(member);
    }
  }

  /**
   * Rewrites a run if that is cheaper; returns whether gates after the last one on both qubits became part of it.
   */
  #splits({ qubits, members, at, innerBegin, innerEnd, numPairGates }: Run): boolean {
    const costs = this.#costs;
    const before = this.#costOfAll(members);
    // Two gates on a pair may cancel; a single one only becomes cheaper where it is a general matrix.
    if (numPairGates < 2 && before < denseCost(2, costs)) return false;
    const inner = members.slice(innerBegin, innerEnd);
    const matrix = pairProduct(gatesOf(inner), qubits[0]);
    if (keepsParity(matrix)) {
      const form = formOf(matrix);
      const cost = form === undefined ? 0 : costOf(form, 0, costs);
      if (cost < this.#costOfAll(inner)) {
        const source = productSource(gatesOf(inner), qubits);
        if (form !== undefined) this.#replace(inner, at, [derivedUnitary(matrix, qubits, source)]);
        // Gates that cancel at some angles may not cancel at others.
        else if (source === undefined) this.#replace(inner, at, []);
      }
      return false;
    }
    if (costs.kernel + costs.pair! >= before) return false;
    const whole = pairProduct(gatesOf(members), qubits[0]);
    // A permutation of basis states is one kernel already.
    if (formOf(whole)?.kind !== 'dense') return false;
    const parts = canonicalParts(whole);
    const forms = parts.map(formOf);
    const of = productSource(gatesOf(members), qubits);
    // With parts of a special form, gates that depend on parameters would have other ones at other angles.
    if (of !== undefined && !forms.every(isGeneral)) return false;
    const operations: UnitaryOperation[] = [];
    let after = 0;
    let [numInPlace, inPlace] = [0, 0];
    for (const [part, matrix] of parts.entries()) {
      const form = forms[part];
      if (form !== undefined) {
        after += costOf(form, 0, costs);
        const targets = part === MIDDLE ? qubits : [qubits[part < MIDDLE ? part : part - 3]!];
        const source = of && ({ kind: 'canonical part', of, part } as const);
        operations.push(derivedUnitary(matrix, targets, source));
      }
      if (part === MIDDLE) [numInPlace, inPlace] = [operations.length, after];
    }
    if (inPlace + PART_AFTER * (after - inPlace) >= before) return false;
    this.#replace(members, at, operations.slice(0, numInPlace));
    for (const gate of operations.slice(numInPlace)) {
      const qubit = gate.targets[0]!;
      const position = at + (qubit === qubits[0] ? 1 : 2);
      this.#out[position] = gate;
      this.#waiting[qubit]!.push({ gate, position });
    }
    return true;
  }

  #replace(members: readonly Member[], at: number, operations: readonly GateLike[]): void {
    for (const { position } of members) this.#out[position] = undefined;
    this.#out[at] = operations;
  }

  #costOfAll(members: readonly Member[]): number {
    let cost = 0;
    for (const { gate } of members) cost += this.#costOfGate(gate);
    return cost;
  }

  #costOfGate(gate: GateLike): number {
    if (gate.kind === 'unitary') return this.#costOfMatrix(gate);
    const known = this.#costOf.get(gate.gate);
    if (known !== undefined) return known;
    const cost = this.#costOfMatrix(gate);
    this.#costOf.set(gate.gate, cost);
    return cost;
  }

  /** A gate between others that it does not commute with has a trip through the tile, as a rotation has. */
  #costOfMatrix(gate: GateLike): number {
    const costs = this.#costs;
    const form = formOf(matrixOf(gate));
    if (form === undefined) return 0;
    const cost = costOf(form, gate.controls.length, costs);
    return form.kind === 'diagonal' ? cost : Math.max(cost, costs.kernel + denseCost(1, costs));
  }
}

/** Whether an operation is a gate with targets and without a condition. */
function isPlain(
  operation: Operation | NoiseOperation | InitializeOperation | SaveOperation,
): operation is GateLike {
  const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
  return isGate && operation.condition === undefined && operation.targets.length > 0;
}

/** Whether a form is dense and commutes with nothing in particular. */
function isGeneral(form: BlockForm | undefined): boolean {
  return form?.kind === 'dense' && form.actions.every((action) => action === ACTS_GENERALLY);
}

function gatesOf(members: readonly Member[]): readonly GateLike[] {
  return members.map(({ gate }) => gate);
}

/** Index of the middle among the parts of a canonical form. */
const MIDDLE = 2;

/** The parts of the canonical form of a two-qubit unitary, in the order in which they are applied. */
export function canonicalParts(unitary: ComplexMatrix): readonly ComplexMatrix[] {
  const { before, middle, after } = canonicalForm(unitary);
  return [...before, middle, ...after];
}

/** Product of gates so far; written anew for each run. */
const product = new Float64Array(32);
const column = new Float64Array(8);

/** Product of gates on two qubits, of which the first is bit 0 of an index. */
export function pairProduct(
  gates: readonly GateLike[],
  low: Qubit,
  matrixOfGate: (gate: GateLike, i: number) => ComplexMatrix = matrixOf,
  out: ComplexMatrix = new Float64Array(32),
): ComplexMatrix {
  for (let i = 0; i < 32; i++) product[i] = i % 10 === 0 ? 1 : 0;
  for (let i = 0; i < gates.length; i++) {
    const gate = gates[i]!;
    const matrix = matrixOfGate(gate, i);
    const [target, other] = gate.targets;
    const bit = target === low ? 1 : 2;
    if (other !== undefined) {
      if (i === 0) placePair(matrix, bit);
      else applyPair(matrix, bit);
    } else applyOne(matrix, bit, gate.controls.length === 0 ? 0 : 3 - bit);
  }
  for (let i = 0; i < 32; i++) out[i] = withoutRounding(product[i]!);
  return out;
}

/** Multiplies by a matrix on one bit of the row index, in the rows that have all bits of `controls`. */
function applyOne(m: ComplexMatrix, bit: number, controls: number): void {
  for (let row = 0; row < 4; row++) {
    if ((row & bit) !== 0 || (row & controls) !== controls) continue;
    const p = 8 * row;
    const q = 8 * (row | bit);
    for (let i = 0; i < 8; i += 2) {
      const pr = product[p + i]!;
      const pi = product[p + i + 1]!;
      const qr = product[q + i]!;
      const qi = product[q + i + 1]!;
      product[p + i] = m[0]! * pr - m[1]! * pi + m[2]! * qr - m[3]! * qi;
      product[p + i + 1] = m[0]! * pi + m[1]! * pr + m[2]! * qi + m[3]! * qr;
      product[q + i] = m[4]! * pr - m[5]! * pi + m[6]! * qr - m[7]! * qi;
      product[q + i + 1] = m[4]! * pi + m[5]! * pr + m[6]! * qi + m[7]! * qr;
    }
  }
}

/** Sets the product to a matrix on both bits. */
function placePair(m: ComplexMatrix, bit: number): void {
  for (let row = 0; row < 4; row++) {
    const at = 8 * placed(row, bit);
    for (let col = 0; col < 4; col++) {
      product[at + 2 * placed(col, bit)] = m[8 * row + 2 * col]!;
      product[at + 2 * placed(col, bit) + 1] = m[8 * row + 2 * col + 1]!;
    }
  }
}

/** Multiplies by a matrix on both bits; `bit` is that of its first target. */
function applyPair(m: ComplexMatrix, bit: number): void {
  for (let i = 0; i < 8; i += 2) {
    for (let row = 0; row < 4; row++) {
      const at = 8 * placed(row, bit) + i;
      column[2 * row] = product[at]!;
      column[2 * row + 1] = product[at + 1]!;
    }
    for (let row = 0; row < 4; row++) {
      let re = 0;
      let im = 0;
      for (let k = 0; k < 8; k += 2) {
        const a = 8 * row + k;
        // Most such gates keep parity, which makes half of their entries 0.
        if (m[a] === 0 && m[a + 1] === 0) continue;
        re += m[a]! * column[k]! - m[a + 1]! * column[k + 1]!;
        im += m[a]! * column[k + 1]! + m[a + 1]! * column[k]!;
      }
      const at = 8 * placed(row, bit) + i;
      product[at] = re;
      product[at + 1] = im;
    }
  }
}

/** Index of a matrix's row in a product whose bit `bit` is the matrix's bit 0. */
function placed(row: number, bit: number): number {
  return bit === 1 ? row : ((row & 1) << 1) | (row >> 1);
}
