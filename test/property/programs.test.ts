/**
 * Random programs with subroutines, loops on measured bits and assignments: parsing, all passes and all
 * engines agree with a direct interpretation of the program.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { readOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { compile } from '../../src/compiler/compile.ts';
import { optimize } from '../../src/compiler/passes/pipeline.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, runProgram } from '../support/engine-runs.ts';
import { TINY_TILE } from '../support/profiles.ts';
import { NUM_OUTCOME_BITS, randomProgram } from '../support/random-programs.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes } from '../support/state-oracle.ts';

const SEEDS = seeds(15);
const SHOTS = 2000;
const limits = { maxQubits: 8, maxGates: 100_000 };
const reference = openReferenceEngine({ maxQubits: 8 });
/** As wide as its tile needs it to be. */
const cpu = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 13 });
afterAll(() => cpu.close());

/** Outcomes of the register c alone: a subroutine's bits come after it. */
function ofRegister(outcomes: ReadonlyMap<string, number>): Map<string, number> {
  const summed = new Map<string, number>();
  for (const [label, share] of outcomes) {
    const key = label.slice(-NUM_OUTCOME_BITS);
    summed.set(key, (summed.get(key) ?? 0) + share);
  }
  return summed;
}

function furthest(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const labels = new Set([...a.keys(), ...b.keys()]);
  return Math.max(
    ...[...labels].map((label) => Math.abs((a.get(label) ?? 0) - (b.get(label) ?? 0))),
  );
}

/** A program, the outcomes that it means, and what reads it. */
function programOf(seed: number) {
  const { text, outcomes } = randomProgram(new RandomStream(9100 + seed));
  return { text, meaning: outcomes(), read: () => readOpenQasm(text, limits).circuit };
}

describe('random programs', () => {
  testSeeds('are parsed to equivalent circuits', SEEDS, (seed) => {
    const { text, meaning, read } = programOf(seed);
    expect(furthest(ofRegister(exactOutcomes(read())), meaning), text).toBeLessThan(1e-6);
  });

  testSeeds('mean the same after all passes', SEEDS, (seed) => {
    const { text, meaning, read } = programOf(seed);
    const { circuit } = optimize(read(), { keepState: false });
    expect(furthest(ofRegister(exactOutcomes(circuit)), meaning), text).toBeLessThan(1e-6);
  });

  testSeeds('give the same outcomes on every engine', SEEDS, async (seed) => {
    const { text, meaning, read } = programOf(seed);
    const { program: compiled } = compile(read(), TINY_TILE, { keepState: false });
    const run = async (engine: typeof reference) =>
      countsByLabel((await runProgram(engine, compiled, { shots: SHOTS, seed })).counts);
    const counts = await run(reference);
    const { statistic, bound } = chiSquared(ofRegister(counts), meaning);
    expect(statistic, text).toBeLessThan(bound);
    const { program: forCpu } = compile(read(), cpu.target, { keepState: false });
    const { counts: onCpu } = await runProgram(cpu, forCpu, { shots: SHOTS, seed });
    expect(countsByLabel(onCpu)).toEqual(counts);
  });
});

test('a condition reads an earlier assignment, even before a loop', async () => {
  const text = `OPENQASM 3.0; include "stdgates.inc"; bit[3] c; qubit[2] q;
    c[1] = true; if (c[1]) x q[0]; while (c[2]) { h q[1]; } c[0] = measure q[0];`;
  const { program } = compile(readOpenQasm(text, limits).circuit, reference.target);
  const { counts } = await runProgram(reference, program, { shots: 5 });
  expect(countsByLabel(counts)).toEqual(new Map([['011', 5]]));
});
