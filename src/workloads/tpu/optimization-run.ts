/**
 * An optimization job: QAOA from the problem to its best sample, beside the optimum by brute force.
 *
 * Cuts and energies that are told are computed from the input itself, and not from what the circuit
 * makes of it.
 */
import { Chance } from '../algorithms/chance.ts';
import {
  type IsingProblem,
  isingProblem,
  maxCutProblem,
} from '../algorithms/qaoa/ising-problem.ts';
import { qaoaReport, topOutcomes } from '../algorithms/qaoa/qaoa-result.ts';
import { runQaoa } from '../algorithms/qaoa/run-qaoa.ts';
import { ProcedureInputError } from '../procedures/errors.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { RunProcedure } from '../procedures/procedure.ts';
import { FLOPS_BASIS } from './circuit-flops.ts';
import { MeteredCircuits } from './metered-circuits.ts';
import { cutGraph, type OptimizationInput, SEARCH_STEPS } from './optimization.ts';

/** A problem as QAOA takes it, and its basis states as callers read them. */
interface Task {
  readonly problem: IsingProblem;
  readonly view: (basisIndex: number) => JsonObject;
}

/** Runs the job. */
export const runOptimization: RunProcedure<OptimizationInput> = async (input, context) => {
  const { layers, shots, seed = context.seed } = input;
  const { problem, view } = input.problem === 'maxcut' ? cutTask(input) : isingTask(input);
  const { maxQubits } = context.circuits;
  if (problem.numQubits > maxQubits) {
    const message = `It takes ${problem.numQubits} qubits; ${maxQubits} would run now.`;
    throw new ProcedureInputError([{ path: '', message }]);
  }
  const meter = new MeteredCircuits(context.circuits);
  const result = await runQaoa(
    problem,
    { layers, shots, seed: new Chance(seed, 0).seed(), maxSteps: SEARCH_STEPS },
    { ...context, circuits: meter.runner },
  );
  const { best, optimum } = result;
  return {
    problem: input.problem,
    best: { ...view(best.basisIndex), count: best.count },
    optimum: { ...view(optimum.basisIndex), number_of_optima: optimum.numOptima },
    // (worst − best)/(worst − optimum): 1 where an optimum was sampled.
    approximation_ratio: result.approximationRatio,
    most_frequent: topOutcomes(result).map(({ basisIndex, count }) => ({
      ...view(basisIndex),
      count,
    })),
    qaoa: qaoaReport(result),
    seed,
    circuits: meter.numCircuits,
    flops: meter.flops,
    flops_basis: FLOPS_BASIS,
  };
};

function cutTask(input: OptimizationInput): Task {
  const { edges, numNodes } = cutGraph(input);
  const weighted = edges.map(([from, to], i) => ({ from, to, weight: input.weights?.[i] ?? 1 }));
  return {
    problem: maxCutProblem(numNodes, weighted),
    view: (basisIndex) => {
      const groups = bitsOf(basisIndex, numNodes);
      const cut = weighted.filter(({ from, to }) => groups[from] !== groups[to]);
      return {
        groups,
        cut_weight: cut.reduce((sum, edge) => sum + edge.weight, 0),
        cut_edges: cut.map(({ from, to }) => [from, to]),
      };
    },
  };
}

function isingTask({ h = [], j = [] }: OptimizationInput): Task {
  const couplings = j.map(([first, second, value]) => ({ i: first, j: second, value }));
  return {
    problem: isingProblem({ numQubits: h.length, fields: h, couplings }),
    view: (basisIndex) => {
      const spins = bitsOf(basisIndex, h.length).map((bit) => 1 - 2 * bit);
      const ofFields = h.reduce((sum, field, i) => sum + field * spins[i]!, 0);
      const energy = j.reduce(
        (sum, [a, b, value]) => sum + value * spins[a]! * spins[b]!,
        ofFields,
      );
      return { spins, energy };
    },
  };
}

/** 0 or 1 for each qubit, from qubit 0. */
function bitsOf(basisIndex: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, qubit) => (basisIndex >>> qubit) & 1);
}
