/**
 * Compiles a circuit to be run on sparse states. Each gate becomes one kernel, in the order in which gates were written:
 * fusing or moving them could make amplitudes non-zero that the circuit itself never does.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  isNoisy,
  notByStabilizers,
  type Qubit,
} from '../../circuit/circuit.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { type BlockForm, formOf } from '../block.ts';
import { MatrixPool } from '../matrix-pool.ts';
import { trajectoryProgram } from '../noise/compile-trajectories.ts';
import { lastReadings } from '../noise/last-readings.ts';
import {
  RESCALING_FACTOR,
  type SegmentOperation,
  type SegmentPrograms,
} from '../noise/section-programs.ts';
import type { GateLike } from '../passes/gate-like.ts';
import type { MatrixKernel, Program, SparseProgram, Step } from '../program.ts';
import { hashProgram } from '../program-hash.ts';

/** Compiles a circuit for sparse states; global phases are exact. */
export function compileSparse(circuit: DynamicCircuit): SparseProgram {
  const builder = new SparseBuilder(circuit);
  if (isNoisy(circuit)) return trajectoryProgram(circuit, builder);
  const { operations, measures, assignments } = lastReadings(circuit.operations);
  return builder.program([...operations, ...measures, ...assignments]);
}

/** Programs of one circuit and of its segments. */
class SparseBuilder implements SegmentPrograms {
  readonly #circuit: DynamicCircuit;
  readonly #forms = new GateForms();

  constructor(circuit: DynamicCircuit) {
    this.#circuit = circuit;
  }

  program(operations: readonly (DynamicOperation | SegmentOperation)[]): Program {
    const { numQubits, numBits, control } = this.#circuit;
    const list = new StepList(this.#forms);
    list.add(operations);
    const program = {
      numQubits,
      numBits,
      ...(control === undefined ? {} : { control }),
      ...list.finish(),
      finalLayout: Array.from({ length: numQubits }, (_, qubit) => qubit),
    };
    return { hash: hashProgram(program), ...program };
  }

  compile(operations: readonly SegmentOperation[]): Program {
    return { ...this.program(operations), startsAnywhere: true };
  }

  operator(qubits: readonly Qubit[], matrix: ComplexMatrix): Program {
    return this.compile([{ kind: 'operator', qubits, matrix }]);
  }

  rescaling(): Program {
    return this.operator([], Float64Array.of(RESCALING_FACTOR, 0));
  }
}

/** Forms of matrices; most circuits use few gates without angles, each of them often. */
export class GateForms {
  readonly #known = new Map<string, BlockForm | undefined>();

  /** Undefined for the identity. */
  of(operation: GateLike): BlockForm | undefined {
    if (operation.kind === 'unitary' || operation.angles.length > 0) {
      return formOf(targetMatrix(operation));
    }
    const { gate } = operation;
    if (!this.#known.has(gate)) this.#known.set(gate, formOf(targetMatrix(operation)));
    return this.#known.get(gate);
  }
}

/** Collects the steps of a program. */
class StepList {
  readonly #forms: GateForms;
  readonly #steps: Step[] = [];
  readonly #pool = new MatrixPool();
  #kernels: MatrixKernel[] = [];

  constructor(forms: GateForms) {
    this.#forms = forms;
  }

  finish(): Pick<Program, 'steps' | 'matrices'> {
    this.#endSweep();
    return { steps: this.#steps, matrices: this.#pool.entries() };
  }

  add(operations: readonly (DynamicOperation | SegmentOperation)[]): void {
    for (const operation of operations) {
      switch (operation.kind) {
        case 'gate':
        case 'unitary': {
          const form = this.#forms.of(operation);
          if (form !== undefined) {
            this.#addKernel(form, operation.targets, operation.controls, operation.condition);
          }
          break;
        }
        case 'operator': {
          const form = formOf(operation.matrix);
          if (form !== undefined) this.#addKernel(form, operation.qubits, [], operation.condition);
          break;
        }
        case 'barrier':
          break;
        case 'save':
        case 'measure':
        case 'reset':
        case 'assign':
        case 'misread':
          this.#endSweep();
          this.#steps.push(operation);
          break;
        case 'while':
          this.#addLoop(operation);
          break;
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
        case 'initialize': {
          const { kind, state, qubits } = operation;
          this.#endSweep();
          this.#steps.push({ kind, state, places: qubits });
          break;
        }
        case 'noise':
          throw new Error('unreachable: noise in a program without noise');
      }
    }
  }

  #addKernel(
    form: BlockForm,
    targets: readonly Qubit[],
    controls: readonly Qubit[],
    condition: Condition | undefined,
  ): void {
    if (condition !== undefined) this.#endSweep();
    const place = { targets, controls, offset: this.#pool.add(form.entries) };
    const { kind } = form;
    if (kind === 'permutation') this.#kernels.push({ kind, ...place, rows: form.rows });
    else if (kind === 'dense' || kind === 'diagonal') this.#kernels.push({ kind, ...place });
    if (condition !== undefined) this.#endSweep(condition);
  }

  #endSweep(condition?: Condition): void {
    const kernels = this.#kernels;
    if (kernels.length === 0) return;
    this.#kernels = [];
    const resident = [...new Set(kernels.flatMap(({ targets }) => targets))].sort((a, b) => a - b);
    const under = condition === undefined ? {} : { condition };
    this.#steps.push({ kind: 'sweep', resident, kernels, ...under });
  }

  #addLoop({ condition, body }: DynamicOperation & { kind: 'while' }): void {
    this.#endSweep();
    const head = this.#steps.length;
    // Replaced once the end is known.
    this.#steps.push({ kind: 'loop', condition, end: 0 });
    this.add(body);
    this.#endSweep();
    this.#steps.push({ kind: 'again', head });
    this.#steps[head] = { kind: 'loop', condition, end: this.#steps.length };
  }
}
