/**
 * Reads EVOLVE, the evolution exp(−i·t·H) under a Hamiltonian H, as the gates that it stands for.
 *
 * Terms that share no qubits evolve by themselves. Those that all commute are one rotation each, and a Hamiltonian on
 * few qubits is one unitary, both without error; others need a product formula. If the time depends on an input, the
 * unitary is V·D·V†, with the eigenvectors V, and the phases of D are gates whose angles are multiples of the time.
 *
 * A reader that has gates has all that follows from gates: engines, noise, devices, gradients. An operation of its own
 * would have to be known by each of them.
 */
import { adjoint } from '../../math/complex-matrix.ts';
import type { Eigenvectors } from '../../math/hermitian-eigenvectors.ts';
import { CONSTANT } from '../angle-formulas.ts';
import type { GateOperation, Qubit, UnitaryOperation } from '../circuit.ts';
import { type CircuitLimits, MAX_UNITARY_QUBITS, StepsSpentError } from '../circuit-limits.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from '../errors.ts';
import type { GateAngle, GateObject, HamiltonianTermObject } from '../gate-object.ts';
import { constant, type GateObjectInputs, type OpenNumber } from '../gate-object-inputs.ts';
import { errorConstant } from './error-bound.ts';
import { eigenvectorsOf, exponentialOf, ratesOfSets } from './exact-evolution.ts';
import { type Component, componentsOf, inWords, readHamiltonian } from './hamiltonian.ts';
import { rotationGates } from './pauli-rotation.ts';
import {
  FORMULA_ORDERS,
  type FormulaOrder,
  formulaSteps,
  type Stage,
  stagesOf,
} from './product-formula.ts';

/** Gates of an evolution that follow each other a number of times. */
export interface EvolutionPart {
  readonly gates: readonly (GateOperation | UnitaryOperation)[];
  /** The angles of all gates, in order. */
  readonly angles: readonly OpenNumber[];
  readonly times: number;
}

/** Bound on the error of a formula: `scale` · |time|^`power`, in spectral norm. */
export interface FormulaError {
  readonly scale: number;
  readonly power: number;
  readonly time: GateAngle;
}

/** An evolution as gates. */
export interface Evolution {
  readonly parts: readonly EvolutionPart[];
  /** Undefined where the gates are exact. */
  readonly error: FormulaError | undefined;
}

/** Qubits up to which eigenvectors are found at once: it takes 0.2 ms on three qubits, and 16 ms on six. */
const SHORT_QUBITS = 3;
/** Terms of all Hamiltonians up to which a circuit is read at once. */
const SHORT_TERMS = 256;
/** Terms that a term counts as in a formula of fourth order, whose commutators are nested four times. */
const TERMS_OF_FOURTH = 16;

/** Error constants of Hamiltonians whose coefficients are numbers: a sweep reads one for each of its points. */
const errorScales = new WeakMap<readonly HamiltonianTermObject[], Map<string, number>>();

/** Phases, radians, up to which an exponential has ten digits: eigenvalues have sixteen. */
const MAX_EXACT_PHASE = 1e6;

/** Fields of EVOLVE that say how it is computed. */
interface Formula {
  readonly order: FormulaOrder;
  readonly steps: number | undefined;
  readonly maxError: number | undefined;
  /** Whether every component has to be exact, may be, or has to be a formula where its terms do not commute. */
  readonly exact: boolean | undefined;
}

/** A component, and how it evolves. */
interface Plan {
  readonly component: Component;
  readonly how: 'rotations' | 'unitary' | 'formula';
}

/** Reads the evolutions of a circuit. */
export class EvolutionReader {
  readonly #numQubits: number;
  readonly #limits: CircuitLimits;
  readonly #faults: FaultList;
  readonly #inputs: GateObjectInputs | undefined;
  /** Eigenvectors by the text of a Hamiltonian: a time grid has one Hamiltonian many times. */
  readonly #known = new Map<string, Eigenvectors>();
  /** Error constants by the text of what evolves. */
  readonly #scales = new Map<string, number>();
  #numTerms = 0;
  #numGates = 0;

  constructor(
    numQubits: number,
    limits: CircuitLimits,
    faults: FaultList,
    inputs: GateObjectInputs | undefined,
  ) {
    this.#numQubits = numQubits;
    this.#limits = limits;
    this.#faults = faults;
    this.#inputs = inputs;
  }

  /** Number of gates of all evolutions so far. */
  get numGates(): number {
    return this.#numGates;
  }

  /**
   * Returns the gates of an EVOLVE; undefined after reporting its faults.
   *
   * @param read - Reads a number that may depend on an input, or reports its fault.
   * @throws {StepsSpentError} if it takes long, and reading may not.
   */
  read(
    object: GateObject,
    controls: readonly Qubit[],
    path: string,
    read: (written: GateAngle, path: string) => OpenNumber | undefined,
  ): Evolution | undefined {
    const before = this.#faults.count;
    const formula = this.#formula(object, path);
    const time = this.#time(object, path, read);
    if (object.hamiltonian === undefined) {
      const example = '[{"pauli": "Z0 Z1", "coefficient": 0.5}]';
      this.#faults.add(`${path}.hamiltonian`, `Missing; EVOLVE needs its terms: ${example}.`);
      return undefined;
    }
    const weight = formula?.order === 4 ? TERMS_OF_FOURTH : 1;
    this.#numTerms += weight * object.hamiltonian.length;
    if (this.#limits.maxSteps !== undefined && this.#numTerms > SHORT_TERMS) {
      throw new StepsSpentError();
    }
    const on = { numQubits: this.#numQubits, controls };
    const place = `${path}.hamiltonian`;
    const terms = readHamiltonian(object.hamiltonian, on, place, this.#faults, read);
    if (this.#faults.count > before || terms === undefined || time === undefined) return undefined;
    if (formula === undefined) return undefined;
    const plans = componentsOf(terms).map((component) => planOf(component, formula));
    if (!this.#isPossible(plans, formula, path)) return undefined;
    return this.#written(plans, formula, time, { object, controls, path });
  }

  #formula(object: GateObject, path: string): Formula | undefined {
    const { order = 2, steps, max_error: maxError, exact } = object;
    const before = this.#faults.count;
    const known = FORMULA_ORDERS.find((each) => each === order);
    if (known === undefined) {
      const orders = `${FORMULA_ORDERS.slice(0, -1).join(', ')} or ${FORMULA_ORDERS.at(-1)}`;
      this.#faults.add(`${path}.order`, `Order ${order}; the order of a formula is ${orders}.`);
    }
    if (steps !== undefined && !(Number.isInteger(steps) && steps >= 1)) {
      this.#faults.add(`${path}.steps`, `${steps} steps; their number is a whole number from 1.`);
    }
    if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError))) {
      this.#faults.add(`${path}.max_error`, `An error bound is greater than 0, not ${maxError}.`);
    }
    if (steps !== undefined && maxError !== undefined) {
      const problem = 'Give either steps or max_error, from which the steps follow.';
      this.#faults.add(`${path}.max_error`, problem);
    }
    const isFormula = steps !== undefined || maxError !== undefined;
    if (!isFormula && (object.order !== undefined || exact === false)) {
      const what = exact === false ? 'exact: false' : 'order';
      const problem = `Missing; ${what} asks for a product formula, which needs steps or max_error.`;
      this.#faults.add(`${path}.steps`, problem);
    }
    if (this.#faults.count > before || known === undefined) return undefined;
    return { order: known, steps, maxError, exact };
  }

  #time(
    { time: written }: GateObject,
    path: string,
    read: (written: GateAngle, path: string) => OpenNumber | undefined,
  ): OpenNumber | undefined {
    if (written !== undefined) return read(written, `${path}.time`);
    this.#faults.add(`${path}.time`, 'Missing; EVOLVE needs the time t of exp(−i·t·H).');
    return undefined;
  }

  /** Whether every component can evolve as it is to. */
  #isPossible(plans: readonly Plan[], formula: Formula, path: string): boolean {
    const { steps, maxError, exact } = formula;
    const first = plans.find(({ how }) => how === 'formula')?.component;
    if (first === undefined) return true;
    if ((steps !== undefined || maxError !== undefined) && exact !== true) return true;
    const what = `The terms do not all commute, and ${inWords(first)} hang together`;
    const limit = `without error they may act on ${MAX_UNITARY_QUBITS} qubits`;
    const advice =
      exact === true
        ? 'Leave out exact for a product formula.'
        : 'Give steps, or max_error, for a product formula.';
    this.#faults.add(`${path}.hamiltonian`, `${what}; ${limit}. ${advice}`);
    return false;
  }

  #written(
    plans: readonly Plan[],
    formula: Formula,
    time: OpenNumber,
    { object, controls, path }: { object: GateObject; controls: readonly Qubit[]; path: string },
  ): Evolution | undefined {
    const { order } = formula;
    const written = object.time!;
    const byFormula = plans.filter(({ how }) => how === 'formula');
    let error: FormulaError | undefined;
    let steps = 1;
    if (byFormula.length > 0) {
      const scale = this.#errorScaleOf(byFormula, formula, object);
      steps = formula.steps ?? this.#stepsFor(scale, formula, time.number, object);
      error = { scale: scale / steps ** order, power: order + 1, time: written };
    }
    const numGates = plans.reduce((sum, plan) => sum + numGatesOf(plan, order, steps, written), 0);
    const { maxGates } = this.#limits;
    const before = this.#numGates;
    this.#numGates += numGates;
    if (this.#numGates > maxGates) {
      const ofSteps = byFormula.length > 0 ? ` (${counted(steps, 'step')} of order ${order})` : '';
      const others = before > 0 ? `, after ${before} of other EVOLVEs` : '';
      const many = `EVOLVE is written out as ${numGates} gates${ofSteps}${others}`;
      const place = formula.maxError === undefined ? path : `${path}.max_error`;
      const problem = `${many}; the limit max_gates is ${maxGates}.`;
      this.#faults.add(place, problem, LIMIT_EXCEEDED);
      return undefined;
    }
    if (time.value === CONSTANT && time.number === 0) return { parts: [], error };
    if (!this.#isInReach(plans, time, object, path)) return undefined;
    const parts = plans.flatMap((plan) => this.#partsOf(plan, order, steps, time, controls));
    return { parts, error };
  }

  /** Whether all angles are finite numbers, and the phases of unitaries more than rounding errors. */
  #isInReach(plans: readonly Plan[], time: OpenNumber, object: GateObject, path: string): boolean {
    const { time: written = 0 } = object;
    const longest =
      typeof written === 'number' ? Math.abs(time.number) : this.#inputs!.largest(written);
    for (const { component, how } of plans) {
      const norm = component.terms.reduce(
        (sum, { coefficient }) => sum + Math.abs(coefficient.number) * longest,
        0,
      );
      const limit = how === 'unitary' ? MAX_EXACT_PHASE : Number.MAX_VALUE / 2;
      if (norm <= limit) continue;
      const what = 'The sum of |coefficient · time|';
      const problem = `${what} of ${inWords(component)} is ${norm}; the limit is ${limit}.`;
      this.#faults.add(`${path}.time`, problem, LIMIT_EXCEEDED);
      return false;
    }
    return true;
  }

  #partsOf(
    { component, how }: Plan,
    order: FormulaOrder,
    steps: number,
    time: OpenNumber,
    controls: readonly Qubit[],
  ): readonly EvolutionPart[] {
    const { length } = component.terms;
    const rotated = (stages: readonly Stage[], times: number) =>
      this.#rotations(component, stages, times, time, controls);
    switch (how) {
      case 'unitary':
        return [this.#unitary(component, time, controls)];
      case 'rotations':
        return [rotated(stagesOf(1, length), 1)];
      case 'formula': {
        const { first, inner, numInner, last } = formulaSteps(order, length, steps);
        return [rotated(first, 1), rotated(inner, numInner), rotated(last, 1)];
      }
    }
  }

  /** Sum of the error constants of components, which is computed once for a Hamiltonian of numbers. */
  #errorScaleOf(
    plans: readonly Plan[],
    formula: Formula,
    { hamiltonian = [] }: GateObject,
  ): number {
    const sum = () =>
      plans.reduce((total, { component }) => total + this.#errorScale(component, formula), 0);
    if (hamiltonian.some(({ coefficient }) => typeof coefficient === 'object')) return sum();
    const key = `${formula.order} ${formula.exact}`;
    const known = errorScales.get(hamiltonian) ?? new Map<string, number>();
    errorScales.set(hamiltonian, known);
    let scale = known.get(key);
    if (scale === undefined) {
      const text = `${key} ${JSON.stringify(hamiltonian)}`;
      scale = this.#scales.get(text) ?? sum();
      this.#scales.set(text, scale);
      known.set(key, scale);
    }
    return scale;
  }

  /** As `errorConstant`; for coefficients that depend on inputs of the greatest values that they have. */
  #errorScale({ graph, terms }: Component, { order, maxError }: Formula): number {
    const sizes = Float64Array.from(terms, ({ coefficient, written }) => {
      if (typeof written === 'number') return Math.abs(written);
      if (maxError === undefined) return this.#inputs!.largest(written);
      this.#inputs!.addStructural(written, 'decides the steps of an EVOLVE');
      return Math.abs(coefficient.number);
    });
    return errorConstant(order, graph!, sizes);
  }

  #stepsFor(scale: number, { order, maxError }: Formula, time: number, object: GateObject): number {
    if (typeof object.time === 'object') {
      this.#inputs!.addStructural(object.time, 'decides the steps of an EVOLVE');
    }
    const steps = Math.ceil(((scale * Math.abs(time) ** (order + 1)) / maxError!) ** (1 / order));
    return Math.max(1, steps);
  }

  #rotations(
    { terms }: Component,
    stages: readonly Stage[],
    times: number,
    time: OpenNumber,
    controls: readonly Qubit[],
  ): EvolutionPart {
    const gates: GateOperation[] = [];
    const angles: OpenNumber[] = [];
    for (const { term, part } of times === 0 ? [] : stages) {
      const { factors, coefficient } = terms[term]!;
      const { before, rotation, scale, after } = rotationGates(factors, controls);
      const angle = this.#product(time, coefficient, 2 * part * scale);
      for (const gate of before) gates.push(gate);
      gates.push({ ...rotation, angles: [angle.number] });
      for (const gate of after) gates.push(gate);
      angles.push(angle);
    }
    return { gates, angles, times };
  }

  #unitary(component: Component, time: OpenNumber, controls: readonly Qubit[]): EvolutionPart {
    const { qubits } = component;
    const eigenvectors = this.#eigenvectors(component);
    const { values, vectors } = eigenvectors;
    if (time.value === CONSTANT) {
      const matrix = exponentialOf(eigenvectors, time.number);
      return {
        gates: [{ kind: 'unitary', controls, targets: qubits, matrix }],
        angles: [],
        times: 1,
      };
    }
    const change = { kind: 'unitary', controls: [], targets: qubits } as const;
    const phases: GateOperation[] = [];
    const angles: OpenNumber[] = [];
    for (const [set, rate] of ratesOfSets(values).entries()) {
      const angle = this.#product(time, constant(rate), -1);
      const [target, ...others] = qubits.filter((_, i) => ((set >>> i) & 1) === 1);
      phases.push({
        kind: 'gate',
        gate: target === undefined ? 'GPHASE' : 'P',
        controls: [...controls, ...others],
        targets: target === undefined ? [] : [target],
        angles: [angle.number],
      });
      angles.push(angle);
    }
    return {
      gates: [{ ...change, matrix: adjoint(vectors) }, ...phases, { ...change, matrix: vectors }],
      angles,
      times: 1,
    };
  }

  #eigenvectors({ terms, qubits }: Component): Eigenvectors {
    if (this.#limits.maxSteps !== undefined && qubits.length > SHORT_QUBITS) {
      throw new StepsSpentError();
    }
    for (const { written } of terms) {
      if (typeof written === 'number') continue;
      this.#inputs!.addStructural(written, 'decides the eigenvectors of an EVOLVE');
    }
    const sum = terms.map(({ factors, coefficient }) => ({
      factors,
      coefficient: coefficient.number,
    }));
    const key = JSON.stringify(sum);
    let found = this.#known.get(key);
    if (found === undefined) {
      found = eigenvectorsOf(sum, qubits);
      this.#known.set(key, found);
    }
    return found;
  }

  /** time · coefficient · factor; what is the same at all points is multiplied first. */
  #product(time: OpenNumber, coefficient: OpenNumber, factor: number): OpenNumber {
    const scale = constant(factor);
    if (coefficient.value === CONSTANT) {
      return this.#times(time, constant(coefficient.number * factor));
    }
    if (time.value === CONSTANT) return this.#times(coefficient, constant(time.number * factor));
    return this.#times(this.#times(time, coefficient), scale);
  }

  #times(a: OpenNumber, b: OpenNumber): OpenNumber {
    return this.#inputs?.times(a, b) ?? constant(a.number * b.number);
  }
}

function planOf(component: Component, { exact }: Formula): Plan {
  if (component.graph === undefined) return { component, how: 'rotations' };
  const isSmall = component.qubits.length <= MAX_UNITARY_QUBITS;
  return { component, how: isSmall && exact !== false ? 'unitary' : 'formula' };
}

function numGatesOf(
  { component, how }: Plan,
  order: FormulaOrder,
  steps: number,
  time: GateAngle,
): number {
  const { terms, qubits } = component;
  if (how === 'unitary') return typeof time === 'number' ? 1 : 2 ** qubits.length + 2;
  const costs = terms.map(({ factors }) => {
    const { before, after } = rotationGates(factors, []);
    return before.length + after.length + 1;
  });
  const costOf = (stages: readonly Stage[]) =>
    stages.reduce((sum, { term }) => sum + costs[term]!, 0);
  if (how === 'rotations') return costs.reduce((sum, cost) => sum + cost, 0);
  const { first, inner, numInner, last } = formulaSteps(order, terms.length, steps);
  return costOf(first) + numInner * costOf(inner) + costOf(last);
}
