/**
 * The reference engine: double precision, plain TypeScript, one thread. It is the oracle that every
 * other engine is compared with, so it prefers being evidently right to being fast, and it takes
 * any program: its tile is the whole state.
 */
import type { Program, TargetProfile } from '../../compiler/program.ts';
import { BitImages } from '../../math/bit-images.ts';
import type { Engine, Executable, RunRequest, RunResult } from '../engine.ts';
import {
  OutputNeedsFinalStateError,
  ProgramTooWideError,
  TooManyOutcomesError,
} from '../errors.ts';
import { Pacer } from '../pacer.ts';
import { expectation, logicalAmplitudes, outcomeProbabilities } from './final-state.ts';
import { planRun, type RunPlan } from './run-plan.ts';
import { ShotTree } from './shot-tree.ts';

/** The engine's own limit: positions in the state, two doubles an amplitude, must stay 31-bit integers. */
export const MAX_REFERENCE_QUBITS = 29;
/** 2^26 probabilities are 512 MiB. */
const MAX_PROBABILITY_BITS = 26;

/** How much the engine may hold. */
export interface ReferenceEngineOptions {
  /** At most 29; n qubits take 16·2^n bytes, and again for each branch of a mid-circuit measurement. */
  readonly maxQubits: number;
  /** For the states that a run holds at once; one is always allowed. Unlimited by default. */
  readonly memoryBytes?: number;
}

/** What programs for the engine are compiled for: its tile is the whole state. */
export function referenceTarget(maxQubits: number): TargetProfile {
  return {
    maxQubits,
    tileQubits: maxQubits,
    contiguousQubits: 0,
    maxDenseQubits: maxQubits,
    chunkQubits: maxQubits,
    precision: 'f64',
  };
}

/** Opens the reference engine; it holds nothing that needs closing. */
export function openReferenceEngine({
  maxQubits,
  memoryBytes = Number.POSITIVE_INFINITY,
}: ReferenceEngineOptions): Engine {
  if (maxQubits > MAX_REFERENCE_QUBITS) {
    throw new RangeError(`The reference engine holds at most ${MAX_REFERENCE_QUBITS} qubits.`);
  }
  return {
    name: 'reference',
    target: referenceTarget(maxQubits),
    prepare: async (program) => prepare(program, maxQubits, memoryBytes),
    close: async () => {},
  };
}

function prepare(program: Program, maxQubits: number, memoryBytes: number): Executable {
  if (program.numQubits > maxQubits) {
    throw new ProgramTooWideError(program.numQubits, maxQubits, 'reference');
  }
  const plan = planRun(program);
  const maxStates = Math.max(1, Math.floor(memoryBytes / (16 * 2 ** program.numQubits)));
  return {
    run: (request, signal) => run(plan, maxStates, request, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Parts of the result that are read off the final state. */
type FinalStateOutputs = Pick<
  { -readonly [K in keyof RunResult]: RunResult[K] },
  'statevector' | 'probabilities' | 'expectations'
>;

async function run(
  plan: RunPlan,
  maxStates: number,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const needsFinalState = checkOutputs(plan, request);
  const started = performance.now();
  const pacer = new Pacer(signal, () => request.onProgress?.(tree.fractionDone));
  const tree = new ShotTree(plan, { ...request, maxStates }, pacer);
  const outputs: FinalStateOutputs = {};
  const onFinalState = (state: Float64Array) => readOutputs(plan, request, state, pacer, outputs);
  const counts = await tree.run(needsFinalState ? onFinalState : undefined);
  const { samplingMs, statePasses } = tree;
  const evolutionMs = performance.now() - started - samplingMs;
  return { counts, ...outputs, statePasses, timing: { evolutionMs, samplingMs } };
}

/** Whether anything is asked for that is read off a final state; refuses what there is none of. */
function checkOutputs(plan: RunPlan, request: RunRequest): boolean {
  const asked = [
    request.statevector === true ? ['The state vector'] : [],
    request.probabilities === true ? ['The exact distribution'] : [],
    request.observables === undefined ? [] : ['An exact expectation value'],
  ].flat();
  if (asked[0] === undefined) return false;
  if (!plan.hasFinalState) throw new OutputNeedsFinalStateError(asked[0]);
  if (request.probabilities === true && plan.numBits > MAX_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(plan.numBits, MAX_PROBABILITY_BITS);
  }
  return true;
}

async function readOutputs(
  plan: RunPlan,
  request: RunRequest,
  state: Float64Array,
  pacer: Pacer,
  outputs: FinalStateOutputs,
): Promise<void> {
  if (request.statevector === true) {
    outputs.statevector = await logicalAmplitudes(state, plan.physicalOf, pacer);
  }
  if (request.probabilities === true) {
    // So few bits are one word; when none of it is measured, it reads 0 throughout.
    const outcomeOf = plan.measuredWords[0]?.bitsOf ?? new BitImages(plan.layout.map(() => 0));
    outputs.probabilities = await outcomeProbabilities(state, outcomeOf, plan.numBits, pacer);
  }
  if (request.observables !== undefined) {
    const expectations: number[] = [];
    for (const observable of request.observables) {
      expectations.push(await expectation(state, observable, plan.layout, pacer));
    }
    outputs.expectations = expectations;
  }
}
