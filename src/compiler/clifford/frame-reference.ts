/**
 * What the shots of a stabilizer program are compared with, so that Pauli frames sample them: a run without noise and
 * Pauli gates whose random outcomes are 0, and which takes the same branches as the shot.
 *
 * Where gates have conditions, as after a loss of qubits, there is one such run for each choice of branches. Its
 * outcomes are known without a tableau if the program is of CSS type: its stabilizers then are products of X alone or
 * of Z alone, with a plus whatever branches are taken, so that all outcomes are 0.
 *
 * @see Calderbank & Shor, "Good quantum error-correcting codes exist", 1996, for codes of this type.
 */
import { type AssignOperation, assignedBits, type Condition } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { type FrameReference, STABILIZER_OPS as OPS } from '../program.ts';

interface Tables {
  readonly code: Int32Array;
  readonly conditions: readonly Condition[];
  readonly assignments: readonly AssignOperation[];
}

/** Instructions of a condition, with what it holds for. */
interface Branch {
  readonly from: number;
  readonly to: number;
}

/** The reference of a program's frames, and the conditions on which it depends. */
export function frameReference(tables: Tables): {
  readonly reference: FrameReference;
  readonly branches: readonly number[];
} {
  const { code } = tables;
  const branches = branchesOf(code);
  const places = branches.map(({ from }) => from);
  if (has(code, OPS.again) || has(code, OPS.maybeReset)) {
    return { reference: 'none', branches: places };
  }
  if (branches.length === 0) return { reference: 'shared', branches: places };
  // Loops and observables of Pauli operators know one reference sample alone.
  const isSimple = !has(code, OPS.repeat) && !has(code, OPS.track);
  if (isSimple && isCss(code, branches)) return { reference: 'zero', branches: places };
  const known = isSimple && areKnownBefore(tables, places);
  return { reference: known ? 'pattern' : 'none', branches: places };
}

function has(code: Int32Array, op: number): boolean {
  for (let at = 0; at < code.length; at += 4) if (code[at] === op) return true;
  return false;
}

/** The conditions of gates other than Paulis, of measurements and of resets. */
function branchesOf(code: Int32Array): readonly Branch[] {
  const branches: Branch[] = [];
  for (let from = 0; 4 * from < code.length; from++) {
    if (code[4 * from] !== OPS.unless) continue;
    const to = code[4 * from + 2]!;
    for (let place = from + 1; place < to; place++) {
      const op = code[4 * place]!;
      if (op < OPS.h || op > OPS.reset) continue;
      branches.push({ from, to });
      break;
    }
  }
  return branches;
}

/**
 * Whether a program is of CSS type with and without its branches. Each qubit has a basis between a reset or measurement
 * and the next one, Z or X: products of X on qubits of the one basis and Z on those of the other are of one type. CX
 * keeps the types if both qubits have the same basis, CZ if they do not, and H changes the basis of its qubit.
 */
function isCss(code: Int32Array, branches: readonly Branch[]): boolean {
  const bases = new Bases();
  let [next, branchEnd] = [0, 0];
  for (let place = 0; 4 * place < code.length; place++) {
    if (place === branches[next]?.from) branchEnd = branches[next++]!.to;
    const isInBranch = place < branchEnd;
    const at = 4 * place;
    const [op, a, b] = [code[at]!, code[at + 1]!, code[at + 2]!];
    switch (op) {
      case OPS.h:
        if (isInBranch) return false;
        bases.turn(a);
        break;
      case OPS.s:
      case OPS.sdg:
        return false;
      case OPS.cx:
        if (!bases.relate(a, b, 0)) return false;
        break;
      case OPS.cz:
        if (!bases.relate(a, b, 1)) return false;
        break;
      case OPS.swap:
        if (isInBranch) {
          if (!bases.relate(a, b, 0)) return false;
        } else bases.exchange(a, b);
        break;
      case OPS.measure:
      case OPS.reset:
        // A qubit in |0⟩ has either basis.
        if (!isInBranch) bases.begin(a);
        break;
    }
  }
  return true;
}

/** Bases of qubits: a forest of stretches of qubits between resets, with whether each has the basis of its parent. */
class Bases {
  readonly #parents: number[] = [];
  readonly #differs: number[] = [];
  /** By qubit: its stretch, and whether its basis is the other one. */
  readonly #current = new Map<number, { stretch: number; turned: number }>();

  /** Begins another stretch of a qubit. */
  begin(qubit: number): void {
    this.#current.set(qubit, { stretch: this.#parents.length, turned: 0 });
    this.#parents.push(this.#parents.length);
    this.#differs.push(0);
  }

  turn(qubit: number): void {
    this.#of(qubit).turned ^= 1;
  }

  exchange(a: number, b: number): void {
    const [ofA, ofB] = [this.#of(a), this.#of(b)];
    this.#current.set(a, ofB);
    this.#current.set(b, ofA);
  }

  /** Notes whether the bases of two qubits differ; false if they cannot. */
  relate(a: number, b: number, differ: number): boolean {
    const [first, second] = [this.#rootOf(this.#of(a)), this.#rootOf(this.#of(b))];
    const turned = first.turned ^ second.turned ^ differ;
    if (first.stretch === second.stretch) return turned === 0;
    this.#parents[first.stretch] = second.stretch;
    this.#differs[first.stretch] = turned;
    return true;
  }

  #of(qubit: number): { stretch: number; turned: number } {
    if (!this.#current.has(qubit)) this.begin(qubit);
    return this.#current.get(qubit)!;
  }

  #rootOf({ stretch, turned }: { readonly stretch: number; readonly turned: number }) {
    let [at, differs] = [stretch, turned];
    while (this.#parents[at] !== at) {
      const parent = this.#parents[at]!;
      // Halves the path, so that later walks are short.
      this.#differs[at]! ^= this.#differs[parent]!;
      this.#parents[at] = this.#parents[parent]!;
      differs ^= this.#differs[at]!;
      at = this.#parents[at]!;
    }
    return { stretch: at, turned: differs };
  }
}

/** Whether conditions depend on no measured bit, so that they are known before anything is measured. */
function areKnownBefore(
  { code, conditions, assignments }: Tables,
  branches: readonly number[],
): boolean {
  const measured = new Set<Bit>();
  for (let size = -1; size < measured.size; ) {
    size = measured.size;
    let [conditionEnd, isMeasured] = [0, false];
    for (let place = 0; 4 * place < code.length; place++) {
      const at = 4 * place;
      const [op, a, b] = [code[at]!, code[at + 1]!, code[at + 2]!];
      if (op === OPS.unless) {
        conditionEnd = b;
        isMeasured = conditions[a]!.bits.some((bit) => measured.has(bit));
      } else if (op === OPS.measure) measured.add(b);
      else if (op === OPS.misread) {
        if (place < conditionEnd && isMeasured) measured.add(b);
      } else if (op === OPS.assign) {
        const assignment = assignments[a]!;
        if (!assignedBits(assignment).some((bit) => measured.has(bit))) continue;
        for (const bit of assignment.bits) measured.add(bit);
      }
    }
  }
  return branches.every((place) =>
    conditions[code[4 * place + 1]!]!.bits.every((bit) => !measured.has(bit)),
  );
}
