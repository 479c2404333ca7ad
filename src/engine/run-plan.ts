/** The plan of a run: the steps of a program as the walk over its shots takes them. */
import type {
  AssignOperation,
  Condition,
  MisreadOperation,
  Qubit,
  SavedOutput,
  SaveOperation,
} from '../circuit/circuit.ts';
import type { RequestedOutputs } from '../circuit/outputs.ts';
import {
  type ChainStep,
  type Exchange,
  type Kernel,
  type LoopHead,
  type LoopTail,
  type MatrixProductProgram,
  type MatrixProductTrajectories,
  type Measure,
  type NoiseSection,
  type Program,
  type Reset,
  type Sweep,
  type TrajectoryProgram,
  type TrajectoryStep,
  terminalMeasureIndex,
} from '../compiler/program.ts';
import type { CountsFinish } from './engine.ts';
import { InitialEntries } from './initial-entries.ts';
import { type MeasuredWord, measuredWords } from './terminal-measurement.ts';

/** A sweep, an exchange or a probing of the program. */
export interface SweepStep {
  readonly kind: 'sweep';
  /** Passes through memory that the engine takes for the step. */
  readonly passes: number;
  readonly condition?: Condition;
}

/** The beginning in a state other than |0…0⟩. */
export interface InitializeStep {
  readonly kind: 'initialize';
  readonly entries: InitialEntries;
  readonly condition?: never;
}

/** A snapshot: outputs of the state at its place, as a run that ended there would have them. */
export interface SaveStep {
  readonly kind: 'save';
  /** Number among the snapshots of the plan. */
  readonly number: number;
  readonly request: RequestedOutputs;
  /** Plan of a run that ends here. Its bits are the qubits whose values are asked for. */
  readonly plan: RunPlan;
  readonly condition?: never;
}

/** A mid-circuit measurement or reset. */
export interface CollapseStep {
  readonly kind: 'collapse';
  readonly step: Measure | Reset;
  readonly event: number;
  readonly condition?: Condition;
}

/** Gates and noise of a program with noise. */
export interface SectionStep {
  readonly kind: 'section';
  readonly section: NoiseSection;
  readonly event: number;
  readonly condition?: never;
}

/** A misreading of bits in mid-circuit. */
export interface MisreadStep extends MisreadOperation {
  readonly event: number;
}

/** One step of the walk. */
export type PlanStep =
  | InitializeStep
  | SaveStep
  | SweepStep
  | CollapseStep
  | SectionStep
  | MisreadStep
  | AssignOperation
  | LoopHead
  | LoopTail;

/** Everything that the walk (`shot-tree.ts`) needs to know of a program. */
export interface RunPlan extends CountsFinish {
  readonly numQubits: number;
  /** Most loop rounds of one shot, over all its loops. */
  readonly maxRounds: number;
  /** The steps before the trailing measurements, at the same indices as in the program. */
  readonly steps: readonly PlanStep[];
  /** Sum of the passes of all steps; of a program with noise, the number of elements of its sections. */
  readonly numPasses: number;
  /** Whether one state, before the trailing measurements, serves all shots; with noise, all shots of a trajectory. */
  readonly hasFinalState: boolean;
  readonly terminalEvent: number;
  /** Empty if nothing is measured at the end. */
  readonly measuredWords: readonly MeasuredWord[];
  /** Logical qubit → physical qubit, after the last step. */
  readonly layout: readonly Qubit[];
}

/**
 * Plans a program that fits the engine.
 *
 * @param passesOf - Passes through memory that the engine takes for a sweep or exchange; 1 for an
 *   engine that keeps a tile until all its kernels are applied.
 */
export function planRun(program: Program, passesOf: (step: Sweep | Exchange) => number): RunPlan {
  const terminal = terminalMeasureIndex(program);
  const steps: PlanStep[] = [];
  const saves = new SavePlanner(program.numQubits);
  let event = 0;
  for (const step of program.steps.slice(0, terminal)) {
    const condition = step.condition === undefined ? {} : { condition: step.condition };
    if (step.kind === 'measure' || step.kind === 'reset') {
      steps.push({ kind: 'collapse', step, event, ...condition });
      event++;
    } else if (step.kind === 'misread') {
      steps.push({ ...step, event });
      event++;
    } else if (step.kind === 'assign' || step.kind === 'loop' || step.kind === 'again') {
      steps.push(step);
    } else if (step.kind === 'initialize') {
      steps.push({ kind: 'initialize', entries: new InitialEntries(step) });
    } else if (step.kind === 'save') {
      steps.push(saves.plan(step, steps));
    } else {
      if (step.kind === 'sweep') assertPromises(step);
      const passes = step.kind === 'probing' ? 0 : passesOf(step);
      steps.push({ kind: 'sweep', passes, ...condition });
    }
  }
  return {
    numQubits: program.numQubits,
    numBits: program.numBits,
    numRegisterBits: program.numBits + (program.control?.numScratchBits ?? 0),
    maxRounds: program.control?.maxRounds ?? 0,
    steps,
    numPasses: steps.reduce((sum, step) => sum + (step.kind === 'sweep' ? step.passes : 0), 0),
    hasFinalState: isOneState(steps),
    terminalEvent: event,
    measuredWords: measuredWords(program, terminal),
    finalMisreads: [],
    misreadEvent: event + 1,
    finalAssignments: program.steps.slice(terminal).filter((step) => step.kind === 'assign'),
    layout: program.finalLayout,
  };
}

/** Plans a program with noise that fits the engine. */
export function planTrajectories(program: TrajectoryProgram): RunPlan {
  const layout = Array.from({ length: program.numQubits }, (_, qubit) => qubit);
  const words = { numQubits: program.numQubits, steps: program.lastMeasures, finalLayout: layout };
  return planWithLastReadings(program, layout, measuredWords(words, 0));
}

/** Plans a program on a chain. */
export function planChain(program: MatrixProductProgram | MatrixProductTrajectories): RunPlan {
  const { numQubits, lastMeasures: steps, finalLayout } = program;
  const words = measuredWords({ numQubits, steps, finalLayout }, 0);
  return planWithLastReadings(program, finalLayout, words);
}

function planWithLastReadings(
  program: Pick<TrajectoryProgram, 'numQubits' | 'numBits' | 'control'> &
    Pick<TrajectoryProgram, 'lastMisreads' | 'lastAssignments'> & {
      readonly steps: readonly (TrajectoryStep | ChainStep)[];
    },
  layout: readonly Qubit[],
  words: readonly MeasuredWord[],
): RunPlan {
  const { numQubits, numBits, control, lastMisreads, lastAssignments } = program;
  const steps: PlanStep[] = [];
  const saves = new SavePlanner(numQubits);
  let event = 0;
  let numPasses = 0;
  for (const step of program.steps) {
    const condition = step.condition === undefined ? {} : { condition: step.condition };
    switch (step.kind) {
      case 'initialize':
        steps.push({ kind: 'initialize', entries: new InitialEntries(step) });
        break;
      case 'save':
        steps.push(saves.plan(step, steps));
        break;
      case 'section':
        numPasses += step.sites.length + 1;
        steps.push({ kind: 'section', section: step, event: event++ });
        break;
      case 'sweep':
        numPasses += step.kernels.length;
        steps.push({ kind: 'sweep', passes: step.kernels.length, ...condition });
        break;
      case 'misread':
        steps.push({ ...step, event: event++ });
        break;
      case 'measure':
      case 'reset':
        steps.push({ kind: 'collapse', step, event: event++, ...condition });
        break;
      case 'assign':
      case 'loop':
      case 'again':
        steps.push(step);
        break;
    }
  }
  return {
    numQubits,
    numBits,
    numRegisterBits: numBits + (control?.numScratchBits ?? 0),
    maxRounds: control?.maxRounds ?? 0,
    steps,
    numPasses,
    hasFinalState: isOneState(steps),
    terminalEvent: event,
    measuredWords: words,
    finalMisreads: lastMisreads,
    misreadEvent: event + 1,
    finalAssignments: lastAssignments,
    layout,
  };
}

const OF_ONE_STATE: ReadonlySet<PlanStep['kind']> = new Set<PlanStep['kind']>([
  'initialize',
  'sweep',
  'section',
  'save',
]);

/** Whether all shots come to one state, on a trajectory if there is noise. */
function isOneState(steps: readonly PlanStep[]): boolean {
  return steps.every(({ kind, condition }) => OF_ONE_STATE.has(kind) && condition === undefined);
}

/** Plans the snapshots of a program. */
class SavePlanner {
  readonly #numQubits: number;
  #numPlanned = 0;

  constructor(numQubits: number) {
    this.#numQubits = numQubits;
  }

  /** @param before - The steps before the snapshot. */
  plan({ qubits: layout, output }: SaveOperation, before: readonly PlanStep[]): SaveStep {
    const of = output.what === 'probabilities' ? output.of : [];
    const read = {
      kind: 'measure',
      qubits: of.map((q) => layout[q]!),
      bits: [...of.keys()],
    } as const;
    const place = { numQubits: this.#numQubits, steps: [read], finalLayout: layout };
    return {
      kind: 'save',
      number: this.#numPlanned++,
      request: requestOfSave(output),
      plan: {
        numQubits: this.#numQubits,
        numBits: of.length,
        numRegisterBits: of.length,
        maxRounds: 0,
        steps: [],
        numPasses: 0,
        hasFinalState: isOneState(before),
        terminalEvent: 0,
        measuredWords: measuredWords(place, 0),
        finalMisreads: [],
        misreadEvent: 0,
        finalAssignments: [],
        layout,
      },
    };
  }
}

/** The request for an output of a snapshot. */
export function requestOfSave(output: SavedOutput): RequestedOutputs {
  switch (output.what) {
    case 'expectation':
      return { observables: output.observables };
    case 'probabilities':
      return { probabilities: true };
    case 'statevector':
      return { statevector: true };
    case 'density_matrix':
      return { densityMatrix: true };
    case 'amplitudes':
      return { amplitudes: output.basisStates.map(({ index }) => index) };
  }
}

/**
 * Checks the compiler's promises, without which an engine would compute nonsense or write out of
 * bounds.
 */
function assertPromises({ resident, kernels, store = resident, condition }: Sweep): void {
  const places = new Set(resident);
  const isPermutation = store.length === resident.length && new Set(store).isSubsetOf(places);
  if (!isPermutation) throw new Error('unreachable: a store that is no permutation');
  if (store !== resident && condition !== undefined) {
    throw new Error('unreachable: a store under a condition');
  }
  for (const kernel of kernels) {
    const missing = neededBy(kernel).find((qubit) => !places.has(qubit));
    if (missing === undefined) continue;
    throw new Error(
      `unreachable: a ${kernel.kind} kernel acts on qubit ${missing}, which is not resident`,
    );
  }
}

/** Qubits that must be resident for a kernel. */
function neededBy(kernel: Kernel): readonly Qubit[] {
  if (kernel.kind === 'diagonal') return [];
  if (kernel.kind !== 'probe') return kernel.targets;
  const { ancilla, targets, sums } = kernel;
  if (ancilla === undefined) throw new Error('unreachable: a probe in a sweep without an ancilla');
  return sums.flips.length > 0 ? [...targets, ancilla] : [ancilla];
}
