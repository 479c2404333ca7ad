import { describe, expect, test } from 'vitest';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import type { Program, Step } from '../../../src/compiler/program.ts';
import type { RunRequest, RunResult } from '../../../src/engine/engine.ts';
import { planRun } from '../../../src/engine/run-plan.ts';
import { runProgram } from '../../../src/engine/run-program.ts';
import { ShotTree } from '../../../src/engine/shot-tree.ts';
import {
  type BasisSamples,
  type SampleRequest,
  type StateOperations,
  stateBudget,
} from '../../../src/engine/state-operations.ts';
import { TimeSlicer } from '../../../src/engine/time-slicer.ts';
import { NEVER } from '../../support/engine-runs.ts';

/** An engine of one qubit, always in the even state, that is done with everything at once. */
class CoinStates implements StateOperations<number> {
  readonly applied: number[] = [];
  readonly sampled: SampleRequest[] = [];
  /** Samples that replace the basis state 1. */
  drawn: BasisSamples | undefined;
  /** Called within each sweep. */
  readonly #duringSweep: (onPasses: (passesDone: number) => void) => void;

  constructor(duringSweep: (onPasses: (passesDone: number) => void) => void = () => {}) {
    this.#duringSweep = duringSweep;
  }

  create() {
    return 1;
  }
  initialize() {}
  copy(state: number) {
    return state + 1;
  }
  release() {}
  applySweep(_state: number, stepIndex: number, onPasses: (passesDone: number) => void) {
    this.applied.push(stepIndex);
    this.#duringSweep(onPasses);
  }
  qubitMasses() {
    return { zero: 0.5, one: 0.5 };
  }
  collapse() {}
  sample(_state: number, request: SampleRequest): BasisSamples {
    this.sampled.push(request);
    const once = {
      basisIndices: Uint32Array.of(1),
      occurrences: Uint32Array.of(request.shots.count),
    };
    return this.drawn ?? once;
  }
  statevector() {
    return Float64Array.of(Math.SQRT1_2, 0, Math.SQRT1_2, 0);
  }
  amplitudes(_state: number, basisIndices: readonly bigint[]) {
    return Float64Array.from(basisIndices.flatMap(() => [Math.SQRT1_2, 0]));
  }
  probabilities() {
    return Float64Array.of(0.5, 0.5);
  }
  expectations(_state: number, observables: readonly PauliSum[]) {
    return observables.map(() => 1);
  }
  applyObservable() {}
}

const SWEEP: Step = { kind: 'sweep', resident: [0], kernels: [] };
const MEASURE: Step = { kind: 'measure', qubits: [0], bits: [0] };

function programOf(steps: readonly Step[]): Program {
  return {
    hash: 'coin',
    numQubits: 1,
    numBits: 1,
    steps,
    matrices: new Float64Array(0),
    finalLayout: [0],
  };
}

function run(
  steps: readonly Step[],
  states: CoinStates,
  request: Partial<RunRequest> & { readonly passes?: number; readonly memoryBytes?: number } = {},
): Promise<RunResult> {
  const { passes = 1, memoryBytes = Number.POSITIVE_INFINITY, ...rest } = request;
  const prepared = {
    plan: planRun(programOf(steps), () => passes),
    budget: stateBudget(1, 8, memoryBytes),
    operations: () => states,
  };
  return runProgram(prepared, { shots: 10, seed: 1, ...rest }, NEVER);
}

/** Number of microtask turns until a promise is settled. */
async function turnsOf(promise: Promise<unknown>): Promise<number> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  let turns = 0;
  for (; !isSettled; turns++) await undefined;
  return turns;
}

describe('a run on any engine', () => {
  test('names sweeps by their places in the program', async () => {
    const states = new CoinStates();
    await run([SWEEP, MEASURE, SWEEP, SWEEP, MEASURE], states, { shots: 1 });
    expect(states.applied).toEqual([0, 2, 3]);
  });

  test('waits for nothing that is done at once, however many sweeps there are', async () => {
    const few = await turnsOf(run([SWEEP, MEASURE], new CoinStates()));
    const many = Array.from({ length: 500 }, () => SWEEP);
    expect(await turnsOf(run([...many, MEASURE], new CoinStates()))).toBe(few);
  });

  test('lists no shots while all of them are together', async () => {
    const states = new CoinStates();
    await run([SWEEP, MEASURE], states, { shots: 1000, seed: 9 });
    expect(states.sampled).toEqual([{ shots: { count: 1000 }, seed: 9, event: 0 }]);
  });

  test.each([33, 34])('reads outcomes of %i qubits off what an engine draws', async (numQubits) => {
    const all = Array.from({ length: numQubits }, (_, q) => q);
    const highest = 2 ** numQubits - 1;
    const states = new CoinStates();
    states.drawn = {
      basisIndices: Float64Array.of(3, 2 ** 32, highest),
      occurrences: Uint32Array.of(1, 2, 7),
    };
    const program = {
      hash: 'wide',
      numQubits,
      numBits: numQubits,
      steps: [{ kind: 'measure', qubits: all, bits: all }] as const,
      matrices: new Float64Array(0),
      finalLayout: all,
    };
    const plan = planRun(program, () => 1);
    const budget = stateBudget(numQubits, 8, 0);
    const prepared = { plan, budget, operations: () => states };

    const { counts } = await runProgram(prepared, { shots: 10, seed: 1 }, NEVER);

    expect(counts.wordsPerOutcome).toBe(2);
    expect([...counts.outcomes]).toEqual([3, 0, 0, 1, 2 ** 32 - 1, Math.floor(highest / 2 ** 32)]);
    expect([...counts.occurrences]).toEqual([1, 2, 7]);
    expect(budget).toEqual({ stateBytes: 8 * 2 ** numQubits, maxStates: 1 });
  });

  test('lists the shots of each branch once they have parted', async () => {
    const states = new CoinStates();
    await run([MEASURE, SWEEP, MEASURE], states, { shots: 100 });
    const groups = states.sampled.map(({ shots }) => [...(shots.numbers ?? [])]);
    expect(groups).toHaveLength(2);
    expect(groups.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(states.sampled.map(({ shots }) => shots.count)).toEqual(groups.map((g) => g.length));
    expect(states.sampled.map(({ event }) => event)).toEqual([1, 1]);
  });

  test('adds up the passes that the engine takes a step, over all branches', async () => {
    const steps = [SWEEP, MEASURE, SWEEP, MEASURE];
    expect((await run(steps, new CoinStates(), { shots: 100, passes: 3 })).statePasses).toBe(9);
  });

  test('gives back what is asked for, and no more', async () => {
    const result = await run([SWEEP, MEASURE], new CoinStates(), {
      probabilities: true,
      observables: [[], []],
    });
    expect([...(result.probabilities ?? [])]).toEqual([0.5, 0.5]);
    expect(result.expectations).toEqual([1, 1]);
    expect(result).not.toHaveProperty('statevector');
    expect([...result.counts.outcomes]).toEqual([1]);
    expect([...result.counts.occurrences]).toEqual([10]);
  });

  test('reports the parts of a step that the engine says are done', async () => {
    const fractions: number[] = [];
    const states = new CoinStates((onPasses) => {
      onPasses(0.5);
      fractions.push(tree.fractionDone);
      onPasses(1);
      fractions.push(tree.fractionDone);
    });
    const plan = planRun(programOf([SWEEP, SWEEP]), () => 2);
    const budget = stateBudget(1, 8, Number.POSITIVE_INFINITY);
    const slicer = new TimeSlicer(NEVER, () => {});
    const tree = new ShotTree(plan, states, budget, { shots: 1, seed: 1 }, slicer);
    await tree.run();
    expect([...fractions, tree.fractionDone]).toEqual([0.125, 0.25, 0.625, 0.75, 1]);
  });

  test.each([
    [16, 1],
    [32, 2],
    [40, 2],
    [0, 1],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('in single precision has room in %d bytes for %d states of a qubit', (bytes, maxStates) => {
    expect(stateBudget(1, 8, bytes)).toEqual({ stateBytes: 16, maxStates });
  });

  test('names the size of the engine’s own states where they are too many', async () => {
    const refused = run([MEASURE, SWEEP, MEASURE], new CoinStates(), {
      shots: 100,
      memoryBytes: 16,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_BRANCHES',
      message: expect.stringContaining(`${(16 / 2 ** 20).toPrecision(3)} MiB`),
    });
  });
});
