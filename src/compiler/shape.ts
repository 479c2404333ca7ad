/**
 * Compiles a circuit without the values of its angles, so that a circuit that differs in nothing else only has to
 * have its angles put in.
 *
 * The circuit is compiled with angles that satisfy no accidental identity, and every matrix that depends on
 * parameters tells how (`parametric.ts`). Putting in angles computes these matrices again, in the same order and by
 * the same functions, and nothing else. A program so made does not depend on which circuit of the shape came first.
 */
import { allOperations, type DynamicCircuit, type DynamicOperation } from '../circuit/circuit.ts';
import type { GateDefinition } from '../circuit/gate-definition.ts';
import { adjoint, type ComplexMatrix, keepsParity, multiply } from '../math/complex-matrix.ts';
import { uniformDraw } from '../math/philox.ts';
import {
  ACTS_GENERALLY,
  type Block,
  type BlockForm,
  formOf,
  monomialEntries,
  monomialForm,
  type ProductWires,
} from './block.ts';
import { denseProduct, isMonomial, monomialProduct } from './block-product.ts';
import { canonicalParts, pairForm, pairProduct } from './pair-form.ts';
import {
  type AngleKinds,
  CONSTANT,
  isParametric,
  type ParametricGate,
  type ProductSource,
} from './parametric.ts';
import { factsNamed } from './passes/gate-facts.ts';
import { type GateLike, matrixOf } from './passes/gate-like.ts';
import { optimize } from './passes/pipeline.ts';
import type { Program, ProgramShape, TargetProfile } from './program.ts';
import { programHasher } from './program-hash.ts';
import { type CompilationReport, reportOn } from './report.ts';
import { type Scheduled, scheduleOf } from './schedule.ts';

/** A compiled circuit whose parameters have no values yet. */
export interface CompiledShape {
  /** The report on every circuit of the shape. */
  readonly report: CompilationReport;
  /**
   * The program at some angles; undefined if they need a program of another form, which few angles do. The circuit
   * is then compiled by itself.
   *
   * @param values - Radians, as in `AngleKinds`.
   */
  bind(values: ArrayLike<number>): Program | undefined;
}

/**
 * Compiles the shape of a circuit.
 *
 * @param slots - Number of the parameter that each angle of the circuit is, in the order of the operations.
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function compileShape(
  circuit: DynamicCircuit,
  { slots }: Pick<AngleKinds, 'slots'>,
  target: TargetProfile,
  { keepState = true }: { readonly keepState?: boolean } = {},
): CompiledShape {
  const generic = withParameters(circuit, slots);
  const optimized = optimize(generic, { keepState });
  const scheduled = scheduleOf(pairForm(optimized.circuit, target.costs), generic, target);
  return {
    report: reportOn(circuit, optimized, scheduled, target.precision),
    bind: programAt(scheduled),
  };
}

/** The program that a scheduled shape is at some angles, as a function of them; undefined as in `CompiledShape`. */
export function programAt({ program, parametric }: Scheduled): CompiledShape['bind'] {
  const hash = programHasher(program);
  const binder = new Binder();
  const entries = [...parametric].map(
    ([offset, form]) => [2 * offset, binder.formAt(form)] as const,
  );
  const fragile = entries.flatMap(([at, form]) => (binder.isFragile(form) ? [at / 2] : []));
  const shape: ProgramShape = {
    matrices: program.matrices,
    parametric: new Set(parametric.keys()),
    fragile: new Set(fragile),
  };
  return (values) => {
    if (!binder.put(values)) return undefined;
    const matrices = program.matrices.slice();
    for (const [at, form] of entries) {
      // Adding zero turns −0 into 0, as in the pool.
      for (let i = 0; i < form.entries.length; i++) matrices[at + i] = form.entries[i]! + 0;
    }
    return { hash: hash(matrices), ...program, matrices, shape };
  };
}

/** The angles of a circuit, in the order of its operations. */
export function anglesOf({ operations }: DynamicCircuit): readonly number[] {
  const angles: number[] = [];
  for (const operation of allOperations(operations)) {
    if (operation.kind === 'gate') for (const angle of operation.angles) angles.push(angle);
  }
  return angles;
}

/** The circuit with parameters in place of angles. */
export function withParameters(circuit: DynamicCircuit, slots: Int32Array): DynamicCircuit {
  let next = 0;
  const parametricGate = (operation: DynamicOperation): DynamicOperation => {
    if (operation.kind === 'while')
      return { ...operation, body: operation.body.map(parametricGate) };
    if (operation.kind !== 'gate' || operation.angles.length === 0) return operation;
    const own = [...slots.subarray(next, next + operation.angles.length)];
    next += own.length;
    if (own.every((slot) => slot === CONSTANT)) return operation;
    const angles = operation.angles.map((angle, i) =>
      own[i] === CONSTANT ? angle : genericAngle(own[i]!),
    );
    const gate: ParametricGate = { ...operation, angles, slots: own };
    return gate;
  };
  return { ...circuit, operations: circuit.operations.map(parametricGate) };
}

const genericAngles: number[] = [];

/** An angle like no other, radians: neither it nor its half is near a multiple of π/2. */
function genericAngle(slot: number): number {
  for (let next = genericAngles.length; next <= slot; next++) {
    const size = 0.4 + 0.8 * uniformDraw(0, next, 0, 0);
    genericAngles.push(uniformDraw(0, next, 1, 0) < 0.5 ? -size : size);
  }
  return genericAngles[slot]!;
}

/** A matrix that is computed again for each set of values. */
interface Cell {
  matrix: ComplexMatrix;
  /** Whether it may take another form than a smooth function of the angles would. */
  readonly isFragile: boolean;
}

/** In place of a matrix before the first values. */
const NOTHING: ComplexMatrix = new Float64Array(0);

/** A form whose entries are computed again for each set of values. */
type LiveForm = BlockForm & { entries: Float64Array };

/** Computes something from the values; returns whether it has the form that it had at generic angles. */
type Computation = (values: ArrayLike<number>) => boolean;

/** The computations that lead from values to the entries of forms, in order. */
class Binder {
  readonly #computations: Computation[] = [];
  /** Matrices of gates with one angle, by gate and parameter: most circuits use few, often. */
  readonly #leaves = new Map<string, Map<number, Cell>>();
  readonly #canonical = new Map<ProductSource, readonly Cell[]>();
  readonly #cells = new Map<GateLike, Cell>();
  readonly #forms = new Map<BlockForm, LiveForm>();
  /** Number of the members of each product that have their computations. */
  readonly #looked = new Map<readonly GateLike[], number>();
  readonly #fragile = new Set<BlockForm>();

  /** Puts in values; returns whether all matrices have the forms that they had at generic angles. */
  put(values: ArrayLike<number>): boolean {
    for (const compute of this.#computations) if (!compute(values)) return false;
    return true;
  }

  /** Whether a form that `put` sets may be another than a smooth function of the angles would be. */
  isFragile(form: BlockForm): boolean {
    return this.#fragile.has(form);
  }

  /** The form with entries that `put` sets. */
  formAt(form: BlockForm): BlockForm {
    // A stack instead of recursion: a form may be a product of as many forms as the circuit has gates.
    const open: (BlockForm | GateLike)[] = [form];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const missing = this.#missingFor(top);
      if (missing !== undefined) {
        open.push(missing);
        continue;
      }
      if ('entries' in top) this.#liveForm(top);
      else this.#cellOf(top);
      open.pop();
    }
    return this.#liveForm(form);
  }

  /** Something that a form or a matrix is computed from, and that has no computation yet. */
  #missingFor(top: BlockForm | GateLike): BlockForm | GateLike | undefined {
    if (!('entries' in top)) {
      if (this.#cells.has(top) || !isParametric(top) || top.kind === 'gate') return undefined;
      if (top.source.kind === 'adjoint') {
        return this.#isMissing(top.source.of) ? top.source.of : undefined;
      }
      const { members } = top.source.kind === 'product' ? top.source : top.source.of;
      let next = this.#looked.get(members) ?? 0;
      while (next < members.length && !this.#isMissing(members[next]!)) next++;
      // The next look begins where this one ended: a run may have as many members as the circuit has gates.
      this.#looked.set(members, next);
      return members[next];
    }
    const { source } = top;
    if (source === undefined || this.#forms.has(top)) return undefined;
    if (source.kind === 'operation') {
      return this.#cells.has(source.operation) ? undefined : source.operation;
    }
    const factor = source.factors.find(
      ({ form }) => form.source !== undefined && !this.#forms.has(form),
    );
    return factor?.form;
  }

  #isMissing(member: GateLike): boolean {
    return member.kind === 'unitary' && !this.#cells.has(member);
  }

  /** The form with entries that `put` sets, once all that it is computed from has its computation. */
  #liveForm(form: BlockForm): BlockForm {
    const { source } = form;
    if (source === undefined) return form;
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    const live: LiveForm = { ...form };
    this.#forms.set(form, live);
    if (source.kind === 'operation') this.#addEntries(live, this.#cellOf(source.operation));
    else this.#addProduct(live, source.factors, source.wires);
    return live;
  }

  #addEntries(live: LiveForm, cell: Cell): void {
    if (cell.isFragile) this.#fragile.add(live);
    const put = entriesOf(live, cell.isFragile);
    this.#computations.push(() => put(cell.matrix));
  }

  #addProduct(live: LiveForm, factors: readonly Block[], wires: ProductWires): void {
    const blocks = factors.map((block) => ({ ...block, form: this.#liveForm(block.form) }));
    const isFragile = blocks.some(({ form }) => this.#fragile.has(form));
    if (isFragile) this.#fragile.add(live);
    if (isMonomial(factors)) {
      this.#computations.push(() => {
        const { rows, entries } = monomialProduct(blocks, wires);
        live.entries = entries;
        return !isFragile || fits(monomialForm(rows, entries), live);
      });
      return;
    }
    const put = entriesOf(live, isFragile);
    this.#computations.push(() => put(denseProduct(blocks, wires)));
  }

  #cellOf(operation: GateLike): Cell {
    const known = this.#cells.get(operation);
    if (known !== undefined) return known;
    const cell = this.#newCell(operation);
    this.#cells.set(operation, cell);
    return cell;
  }

  #newCell(operation: GateLike): Cell {
    if (!isParametric(operation)) return { matrix: matrixOf(operation), isFragile: false };
    if (operation.kind === 'gate') return this.#leafOf(operation);
    const { source } = operation;
    if (source.kind === 'product') return this.#productOf(source);
    if (source.kind === 'adjoint') return this.#adjointOf(source.of);
    let parts = this.#canonical.get(source.of);
    if (parts === undefined) {
      parts = this.#partsOf(source.of);
      this.#canonical.set(source.of, parts);
    }
    return parts[source.part]!;
  }

  #leafOf({ gate, angles, slots }: ParametricGate): Cell {
    const [slot] = slots;
    const isOnly = slots.length === 1 && slot !== undefined;
    const known = isOnly ? this.#leaves.get(gate)?.get(slot) : undefined;
    if (known !== undefined) return known;
    const cell: Cell = { matrix: NOTHING, isFragile: false };
    this.#computations.push(leaf(cell, factsNamed(gate).definition, [...angles], slots));
    if (!isOnly) return cell;
    const ofGate = this.#leaves.get(gate);
    if (ofGate === undefined) this.#leaves.set(gate, new Map([[slot, cell]]));
    else ofGate.set(slot, cell);
    return cell;
  }

  #productOf({ members, qubits }: ProductSource): Cell {
    const cells = members.map((member) => this.#cellOf(member));
    const isFragile = cells.some((cell) => cell.isFragile);
    const cell: Cell = { matrix: NOTHING, isFragile };
    if (qubits.length === 1) {
      this.#computations.push(() => {
        let product = cells[0]!.matrix;
        for (let i = 1; i < cells.length; i++) product = multiply(cells[i]!.matrix, product);
        cell.matrix = product;
        return true;
      });
      return cell;
    }
    cell.matrix = new Float64Array(32);
    const matrixAt = (_: GateLike, i: number) => cells[i]!.matrix;
    this.#computations.push(() => {
      pairProduct(members, qubits[0]!, matrixAt, cell.matrix);
      return true;
    });
    return cell;
  }

  #adjointOf(operation: GateLike): Cell {
    const of = this.#cellOf(operation);
    const cell: Cell = { matrix: NOTHING, isFragile: of.isFragile };
    this.#computations.push(() => {
      cell.matrix = adjoint(of.matrix);
      return true;
    });
    return cell;
  }

  #partsOf(product: ProductSource): readonly Cell[] {
    const whole = this.#productOf(product);
    const cells = Array.from({ length: 5 }, (): Cell => ({ matrix: NOTHING, isFragile: true }));
    this.#computations.push(() => {
      for (const [i, part] of canonicalParts(whole.matrix).entries()) cells[i]!.matrix = part;
      return true;
    });
    return cells;
  }
}

function leaf(
  cell: Cell,
  definition: GateDefinition,
  angles: number[],
  slots: readonly number[],
): Computation {
  return (values) => {
    for (let i = 0; i < slots.length; i++) if (slots[i]! >= 0) angles[i] = values[slots[i]!]!;
    cell.matrix = definition.matrix(angles, cell.matrix === NOTHING ? undefined : cell.matrix);
    return true;
  };
}

/** Sets the entries of a form to those of a matrix; returns whether the matrix has them where the form has. */
function entriesOf(live: LiveForm, isFragile: boolean): (matrix: ComplexMatrix) => boolean {
  const expected: BlockForm = { ...live };
  const keptParity = isPair(expected) && keepsParity(expected.entries);
  const fitsMatrix = (matrix: ComplexMatrix) =>
    fits(formOf(matrix), expected) && (!keptParity || keepsParity(matrix));
  if (live.kind === 'dense') {
    return (matrix) => {
      live.entries = matrix;
      return !isFragile || fitsMatrix(matrix);
    };
  }
  const numColumns = live.entries.length / 2;
  const rows = 'rows' in live ? live.rows : Array.from({ length: numColumns }, (_, j) => j);
  return (matrix) => {
    live.entries = monomialEntries(matrix, rows);
    return !isFragile || fitsMatrix(matrix);
  };
}

function isPair({ kind, actions }: BlockForm): boolean {
  return kind === 'dense' && actions.length === 2;
}

/**
 * Whether a form can stand where another one was expected: it acts on each qubit in the same way, or in a special way
 * where nothing special was expected.
 *
 * @param form - Undefined for the identity.
 */
function fits(form: BlockForm | undefined, expected: BlockForm): boolean {
  if (expected.kind === 'permutation') {
    return form?.kind === 'permutation' && isSame(form.rows, expected.rows) && acts(form, expected);
  }
  if (form === undefined) return true;
  if (expected.kind === 'diagonal') return form.kind === 'diagonal';
  return acts(form, expected);
}

function acts(form: BlockForm, expected: BlockForm): boolean {
  return expected.actions.every(
    (action, i) => action === ACTS_GENERALLY || form.actions[i] === action,
  );
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}
