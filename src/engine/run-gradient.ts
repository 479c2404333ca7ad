/** Runs a gradient on any engine: ψ forward, λ = O·ψ, both back, and the derivatives from the sums on the way. */
import type { PauliSum } from '../circuit/observable.ts';
import type { GradientProgram } from '../compiler/program.ts';
import type { GradientRequest, GradientResult } from './engine.ts';
import { OutputNeedsFinalStateError, ProgramTooWideError } from './errors.ts';
import type { InitialEntries } from './initial-entries.ts';
import { planRun, type RunPlan } from './run-plan.ts';
import type { MaybePromise } from './state-operations.ts';
import { TimeSlicer } from './time-slicer.ts';

/** The two states of a gradient that is being run, on one engine. */
export interface GradientStates {
  /** Makes ψ, from |0…0⟩. */
  clear(): MaybePromise<void>;
  /** Sets ψ, which has just been made, to a state given by numbers. */
  initialize(entries: InitialEntries): MaybePromise<void>;
  /** Applies a step of the forward program, as `StateOperations.applySweep`. */
  forward(step: number, onPasses: (passesDone: number) => void): MaybePromise<void>;
  /** Keeps a copy of ψ if there is memory for a third state; returns whether there is. */
  keep(): MaybePromise<boolean>;
  /** Restores ψ from the kept state. */
  restore(): MaybePromise<void>;
  /** ⟨ψ|O|ψ⟩ of each observable. */
  expectations(observables: readonly PauliSum[]): MaybePromise<readonly number[]>;
  /** Makes λ = O·ψ. */
  applyObservable(observable: PauliSum): MaybePromise<void>;
  /** Applies a step of the backward program, and adds up the sums of its probes. */
  backward(step: number, onPasses: (passesDone: number) => void): MaybePromise<void>;
  /** The sums since λ was made, by their numbers. */
  readonly sums: Float64Array;
  /** Frees both states; called once, also if the run fails. */
  release(): void;
}

/** A gradient compiled by an engine; all its runs share it. */
export interface RunnableGradient {
  readonly program: GradientProgram;
  readonly forward: RunPlan;
  readonly backward: RunPlan;
  /** Opens the states of one run, which pause by its time slicer. */
  states(slicer: TimeSlicer): GradientStates;
}

/**
 * Plans both ways of a gradient.
 *
 * @param passesOf - As of `planRun`.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function planGradient(
  { forward, backward }: GradientProgram,
  passesOf: Parameters<typeof planRun>[1],
): { readonly forward: RunPlan; readonly backward: RunPlan } {
  const plan = planRun(forward, passesOf);
  if (!plan.hasFinalState) throw new OutputNeedsFinalStateError('A gradient');
  return { forward: plan, backward: planRun(backward, passesOf) };
}

/**
 * Checks that both states of a gradient fit an engine.
 *
 * @param maxQubits - Of one state.
 * @param memoryBytes - Memory for all states of one run.
 * @throws {ProgramTooWideError} if they do not.
 */
export function checkGradientWidth(
  { forward: { numQubits } }: GradientProgram,
  bytesPerAmplitude: number,
  maxQubits: number,
  memoryBytes: number,
  engine: string,
): void {
  const inMemory = Math.floor(Math.log2(memoryBytes / bytesPerAmplitude));
  const widest = Math.min(maxQubits, inMemory) - 1;
  if (numQubits > widest) throw new ProgramTooWideError(numQubits, widest, engine);
}

/**
 * Runs a gradient; implements `GradientExecutable.run`.
 *
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function runGradient(
  { program, forward, backward, states: open }: RunnableGradient,
  { observables, onProgress }: GradientRequest,
  signal: AbortSignal,
): Promise<GradientResult> {
  signal.throwIfAborted();
  const started = performance.now();
  const { numParameters } = program;
  const numPasses = forward.numPasses + 2 * observables.length * backward.numPasses;
  let passesBefore = 0;
  let passesOfStep = 0;
  const slicer = new TimeSlicer(signal, () =>
    onProgress?.(Math.min(1, (passesBefore + passesOfStep) / Math.max(1, numPasses))),
  );
  const states = open(slicer);
  const walk = async (
    { steps }: RunPlan,
    passes: number,
    apply: (step: number, onPasses: (done: number) => void) => MaybePromise<void>,
  ) => {
    for (const [index, step] of steps.entries()) {
      if (step.kind === 'initialize') {
        await states.initialize(step.entries);
        continue;
      }
      if (step.kind !== 'sweep') throw new Error('unreachable: a gradient of more than sweeps');
      const done = apply(index, (done) => {
        passesOfStep = passes * done;
      });
      if (done instanceof Promise) await done;
      passesBefore += passes * step.passes;
      passesOfStep = 0;
    }
  };
  const values = new Float64Array(observables.length);
  const gradients = new Float64Array(observables.length * numParameters);
  try {
    let isKept = false;
    for (const [o, observable] of observables.entries()) {
      if (isKept) await states.restore();
      else {
        await states.clear();
        await walk(forward, 1, (step, onPasses) => states.forward(step, onPasses));
      }
      if (o === 0) {
        values.set(await states.expectations(observables));
        isKept = observables.length > 1 && (await states.keep());
      }
      await states.applyObservable(observable);
      states.sums.fill(0);
      await walk(backward, 2, (step, onPasses) => states.backward(step, onPasses));
      const gradient = gradients.subarray(o * numParameters, (o + 1) * numParameters);
      contract(program, states.sums, gradient);
    }
  } finally {
    states.release();
  }
  const evolutionMs = performance.now() - started;
  return { values, gradients, statePasses: passesBefore, timing: { evolutionMs } };
}

function contract(
  { contraction }: GradientProgram,
  sums: Float64Array,
  gradient: Float64Array,
): void {
  const { parameters, sums: of, factors } = contraction;
  for (let i = 0; i < factors.length; i++) gradient[parameters[i]!]! += factors[i]! * sums[of[i]!]!;
}
