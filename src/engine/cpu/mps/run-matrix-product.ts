/** Runs circuits on matrix product states. */
import type { PauliFactor, PauliSum, PauliTerm } from '../../../circuit/observable.ts';
import { MAX_WRITTEN_QUBITS, type RequestedOutputs } from '../../../circuit/outputs.ts';
import type { MatrixProductProgram } from '../../../compiler/program.ts';
import { BitImages } from '../../../math/bit-images.ts';
import { wordsFor, writeBit } from '../../classical-bits.ts';
import type { RunRequest, RunResult, SavedOutputs } from '../../engine.ts';
import { StateVectorTooLongError, TooManyOutcomesError } from '../../errors.ts';
import { misreadDistribution, planBeforeMisreads } from '../../final-misreads.ts';
import { commutingProduct } from '../../pauli-groups.ts';
import { planChain, type RunPlan, type SaveStep } from '../../run-plan.ts';
import { checkOutputs, checkSaves, walkShots } from '../../run-program.ts';
import { finishedOutcome } from '../../terminal-measurement.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { Chain } from './chain.ts';
import {
  chainAmplitudes,
  chainDistribution,
  chainExpectations,
  chainVector,
} from './chain-outputs.ts';
import { ChainStates, type LastMeasure } from './chain-states.ts';
import type { TensorMemory } from './tensor-memory.ts';

/** Most bits of an exact distribution, and measured qubits. */
const MAX_CHAIN_PROBABILITY_BITS = 16;

/** A program that can be run any number of times. */
export interface RunnableChain {
  readonly program: MatrixProductProgram;
  readonly lastMeasures: readonly LastMeasure[];
  readonly plan: RunPlan;
}

/** Plans the runs of a program. */
export function runnableChain(program: MatrixProductProgram): RunnableChain {
  const sites = new Map<number, number>();
  for (const { qubits, bits } of program.lastMeasures) {
    for (const [i, bit] of bits.entries()) sites.set(bit, qubits[i]!);
  }
  const lastMeasures = [...sites].map(([bit, site]): LastMeasure => ({ bit, site }));
  return { program, lastMeasures, plan: planChain(program) };
}

/**
 * Runs a program from |0…0⟩; implements `Executable.run`.
 *
 * @param memory - Empty; all of its blocks are released at the end.
 * @throws {OutputNeedsFinalStateError} if an output is requested that the program does not have.
 * @throws {StateVectorTooLongError} if the state vector of more than 20 qubits is requested.
 * @throws {TooManyOutcomesError} if a distribution over more than 16 bits or measured qubits is requested.
 * @throws {StateMemoryError} if the tensors do not fit the memory.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function runChain(
  chain: RunnableChain,
  memory: TensorMemory,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { program, lastMeasures, plan } = chain;
  const { shots, seed } = request;
  const readsFinalState = checkChainOutputs(chain, request);
  const saves = checkSaves(plan, request);
  const places = saves.map((step) => placeOf(chain, step));
  for (const [i, place] of places.entries()) {
    checkChainOutputs(place, { shots, seed, ...saves[i]!.request });
  }
  const saved: SavedOutputs[] = [];
  const matrices = memory.allocate(8 * program.matrices.length);
  memory.doubles.set(program.matrices, matrices / 8);
  const placed = { program, lastMeasures, memory, matrices };
  const walked = {
    plan,
    // The memory limits the state, whose size follows from its bonds.
    budget: { stateBytes: 0, maxStates: Number.POSITIVE_INFINITY },
    operations: (slicer: TimeSlicer) => new ChainStates(placed, slicer),
  };
  let outputs: Partial<RunResult> = {};
  try {
    const { counts, statePasses, operations, timing } = await walkShots(
      walked,
      request,
      signal,
      readsFinalState
        ? async ({ state }, _, slicer) => {
            outputs = await readChain(state, chain, request, slicer);
          }
        : undefined,
      async ({ number, request: asked }, { state }, _, slicer) => {
        saved[number] = await readChain(state, places[number]!, asked, slicer);
      },
    );
    const { truncationError, largestBond } = operations;
    const ofSaves = saves.length > 0 && { saved };
    return { counts, ...outputs, ...ofSaves, truncationError, largestBond, statePasses, timing };
  } finally {
    memory.releaseAll();
  }
}

/** The chain as a program that ends at a snapshot. */
function placeOf(chain: RunnableChain, { plan }: SaveStep): RunnableChain {
  const [read] = plan.measuredWords;
  const lastMeasures = plan.layout.flatMap((site, qubit): readonly LastMeasure[] => {
    const image = read?.bitsOf.images[qubit] ?? 0;
    return image === 0 ? [] : [{ site, bit: Math.log2(image) }];
  });
  return { program: { ...chain.program, finalLayout: plan.layout }, lastMeasures, plan };
}

function checkChainOutputs(
  { program, lastMeasures, plan }: RunnableChain,
  request: RunRequest,
): boolean {
  const readsOutputs = checkOutputs(plan, request);
  const { statevector, probabilities } = request;
  if (statevector === true && program.numQubits > MAX_WRITTEN_QUBITS) {
    throw new StateVectorTooLongError(program.numQubits, MAX_WRITTEN_QUBITS);
  }
  const numMeasured = new Set(lastMeasures.map(({ site }) => site)).size;
  const width = Math.max(plan.numBits, numMeasured, planBeforeMisreads(plan).numBits);
  if (probabilities === true && width > MAX_CHAIN_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(width, MAX_CHAIN_PROBABILITY_BITS);
  }
  return readsOutputs;
}

async function readChain(
  chain: Chain,
  { program, lastMeasures, plan }: RunnableChain,
  { statevector, probabilities, observables, variances, amplitudes }: RequestedOutputs,
  slicer: TimeSlicer,
): Promise<Partial<RunResult>> {
  const { finalLayout } = program;
  const outputs: { -readonly [K in keyof RunResult]?: RunResult[K] } = {};
  if (statevector === true) {
    outputs.statevector = inQubitOrder(await chainVector(chain, slicer), finalLayout);
  }
  if (amplitudes !== undefined) {
    outputs.amplitudes = await chainAmplitudes(chain, amplitudes, finalLayout, slicer);
  }
  if (probabilities === true) {
    outputs.probabilities = await outcomeDistribution(chain, plan, lastMeasures, slicer);
  }
  if (observables !== undefined) {
    const means = await chainExpectations(chain, observables, finalLayout, slicer);
    outputs.expectations = means;
    if (variances === true) {
      const squares = await chainExpectations(
        chain,
        observables.map((observable: PauliSum) => observableSquare(observable)),
        finalLayout,
        slicer,
      );
      outputs.variances = squares.map((square, i) => Math.max(0, square - means[i]! ** 2));
    }
  }
  return outputs;
}

/** Amplitudes in the order of basis indices, from those in the order of the chain. */
function inQubitOrder(amplitudes: Float64Array, siteOf: readonly number[]): Float64Array {
  const numQubits = siteOf.length;
  if (siteOf.every((site, qubit) => site === numQubits - 1 - qubit)) return amplitudes;
  const images = new BitImages(siteOf.map((site) => 1 << (numQubits - 1 - site)));
  const out = new Float64Array(amplitudes.length);
  for (let index = 0; index < 2 ** numQubits; index++) {
    const from = 2 * images.at(index);
    out[2 * index] = amplitudes[from]!;
    out[2 * index + 1] = amplitudes[from + 1]!;
  }
  return out;
}

async function outcomeDistribution(
  chain: Chain,
  plan: RunPlan,
  lastMeasures: readonly LastMeasure[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const read = planBeforeMisreads(plan);
  const measured = [...new Set(lastMeasures.map(({ site }) => site))];
  const byValue =
    measured.length === 0 ? Float64Array.of(1) : await chainDistribution(chain, measured, slicer);
  const place = new Map(measured.map((site, i) => [site, i]));
  const distribution = new Float64Array(2 ** read.numBits);
  for (const [value, probability] of byValue.entries()) {
    if (probability === 0) continue;
    const register = new Uint32Array(wordsFor(plan.numRegisterBits));
    for (const { site, bit } of lastMeasures) {
      writeBit(register, bit, ((value >> place.get(site)!) & 1) === 1 ? 1 : 0);
    }
    distribution[finishedOutcome(read, register)[0]!]! += probability;
  }
  return misreadDistribution(distribution, plan);
}

/** O², in which products of strings that anticommute have cancelled. */
export function observableSquare(observable: PauliSum): PauliSum {
  const terms = new Map<string, PauliTerm>();
  const add = (coefficient: number, factors: readonly PauliFactor[]) => {
    const key = factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ');
    terms.set(key, { coefficient: coefficient + (terms.get(key)?.coefficient ?? 0), factors });
  };
  for (const [i, a] of observable.entries()) {
    add(a.coefficient ** 2, []);
    for (const b of observable.slice(0, i)) {
      const product = commutingProduct(a.factors, b.factors);
      if (product === undefined) continue;
      const factors = product.factors.toSorted((x, y) => x.qubit - y.qubit);
      add(2 * product.sign * a.coefficient * b.coefficient, factors);
    }
  }
  return [...terms.values()];
}
