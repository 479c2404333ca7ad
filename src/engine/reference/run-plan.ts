/** A program made ready: kernels with their masks, and where its shots part ways and end. */
import type { Bit, Condition, Qubit } from '../../circuit/circuit.ts';
import {
  type Measure,
  type PermutationKernel,
  type Program,
  type Reset,
  type Sweep,
  terminalMeasureIndex,
} from '../../compiler/program.ts';
import { BitImages } from '../../math/bit-images.ts';
import { type PreparedKernel, prepareKernel } from './kernels.ts';

/** A sweep's kernels; over the whole state, since this engine has no tiles. */
export interface PreparedSweep {
  readonly kind: 'sweep';
  readonly kernels: readonly PreparedKernel[];
  readonly condition?: Condition;
}

/** A measurement or reset in mid-circuit. */
export interface CollapseStep {
  readonly kind: 'collapse';
  readonly step: Measure | Reset;
  readonly event: number;
  readonly condition?: Condition;
}

/** The part of a basis state that the trailing measurements write into one word of the outcome. */
export interface MeasuredWord {
  readonly word: number;
  /** The bits written. */
  readonly mask: number;
  /** Physical basis index → those bits. */
  readonly bitsOf: BitImages;
}

/** All a run needs to know of a program. */
export interface RunPlan {
  readonly numQubits: number;
  readonly numBits: number;
  /** Up to the trailing measurements. */
  readonly steps: readonly (PreparedSweep | CollapseStep)[];
  readonly numKernels: number;
  /** Whether one state, before the trailing measurements, serves all shots. */
  readonly hasFinalState: boolean;
  readonly terminalEvent: number;
  /** Empty when nothing is measured at the end. */
  readonly measuredWords: readonly MeasuredWord[];
  readonly layout: readonly Qubit[];
  /** Logical basis index → physical basis index. */
  readonly physicalOf: BitImages;
}

/** The plan of a program that fits the engine. */
export function planRun(program: Program): RunPlan {
  const terminal = terminalMeasureIndex(program);
  const steps: (PreparedSweep | CollapseStep)[] = [];
  let event = 0;
  for (const step of program.steps.slice(0, terminal)) {
    const condition = step.condition === undefined ? {} : { condition: step.condition };
    if (step.kind === 'sweep') {
      assertPromises(step);
      const kernels = step.kernels.map((kernel) =>
        prepareKernel(kernel, program.matrices, program.numQubits),
      );
      const moves = movesOf(step).map((swap) => prepareKernel(swap, ONES, program.numQubits));
      steps.push({ kind: 'sweep', kernels: [...kernels, ...moves], ...condition });
    } else if (step.kind === 'exchange') {
      const swaps = step.pairs.map(([far, near]) => swapOf(far, near));
      const kernels = swaps.map((swap) => prepareKernel(swap, ONES, program.numQubits));
      steps.push({ kind: 'sweep', kernels });
    } else {
      steps.push({ kind: 'collapse', step, event, ...condition });
      event++;
    }
  }
  return {
    numQubits: program.numQubits,
    numBits: program.numBits,
    steps,
    numKernels: steps.reduce((sum, s) => sum + (s.kind === 'sweep' ? s.kernels.length : 0), 0),
    hasFinalState: steps.every((s) => s.kind === 'sweep' && s.condition === undefined),
    terminalEvent: event,
    measuredWords: measuredWords(program, terminal),
    layout: program.finalLayout,
    physicalOf: new BitImages(program.finalLayout.map((physical) => 2 ** physical)),
  };
}

/** The entries of a permutation without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/** Two places that change contents; its entries are `ONES`. */
function swapOf(a: Qubit, b: Qubit): PermutationKernel {
  return { kind: 'permutation', targets: [a, b], controls: [], offset: 0, rows: [0, 2, 1, 3] };
}

/** A sweep's store as swaps of two places each: its cycles, from their first places. */
function movesOf({ resident, store = resident }: Sweep): readonly PermutationKernel[] {
  const goesTo = new Map(resident.map((place, i) => [place, store[i]!]));
  const swaps: PermutationKernel[] = [];
  for (const first of resident) {
    for (let place = goesTo.get(first)!; place !== first; ) {
      swaps.push(swapOf(first, place));
      const next = goesTo.get(place)!;
      goesTo.set(place, place);
      place = next;
    }
    goesTo.set(first, first);
  }
  return swaps;
}

/** The compiler's promises; broken, other engines would compute nonsense, so this one says so. */
function assertPromises({ resident, kernels, store = resident, condition }: Sweep): void {
  const isPermutation =
    store.length === resident.length && resident.every((place) => store.includes(place));
  if (!isPermutation) throw new Error('unreachable: a store that is no permutation');
  if (store !== resident && condition !== undefined) {
    throw new Error('unreachable: a store under a condition');
  }
  for (const { kind, targets } of kernels) {
    if (kind === 'diagonal') continue;
    const missing = targets.find((target) => !resident.includes(target));
    if (missing === undefined) continue;
    throw new Error(
      `unreachable: a ${kind} kernel acts on qubit ${missing}, which is not resident`,
    );
  }
}

/** Which bits the trailing measurements write, by word; of two writes to a bit the last counts. */
function measuredWords(program: Program, terminal: number): readonly MeasuredWord[] {
  const sources = new Map<Bit, Qubit>();
  for (const step of program.steps.slice(terminal)) {
    if (step.kind !== 'measure') throw new Error('unreachable: only measurements trail');
    for (const [i, bit] of step.bits.entries()) sources.set(bit, step.qubits[i]!);
  }
  const words = new Set([...sources.keys()].map((bit) => bit >>> 5));
  return [...words].map((word) => {
    const images = new Array<number>(program.numQubits).fill(0);
    for (const [bit, qubit] of sources) {
      if (bit >>> 5 === word) images[qubit]! |= 1 << (bit & 31);
    }
    const mask = images.reduce((all, image) => all | image, 0);
    return { word, mask, bitsOf: new BitImages(images) };
  });
}
