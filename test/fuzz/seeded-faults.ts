/**
 * Puts faults back that the service once had, one at a time, into a copy of the tree, and says whether the fuzzer finds each:
 * `node test/fuzz/seeded-faults.ts [--minutes 10] [--seed 1] [--only NAME,NAME] [--json FILE]`. A patch whose text is no longer
 * there is an error: write it anew.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/service-process.ts';

interface SeededFault {
  readonly name: string;
  /** Areas that are to find it. */
  readonly areas: string;
  readonly patches: readonly {
    readonly file: string;
    readonly from: string;
    readonly to: string;
  }[];
}

const FAULTS: readonly SeededFault[] = [
  {
    name: 'scratch bits are lost on the way to the worker',
    areas: 'dynamic',
    patches: [
      {
        file: 'src/fleet/workers/sent-circuit.ts',
        from: 'numScratchBits: wire.word(of.numScratchBits)',
        to: 'numScratchBits: 0 * wire.word(of.numScratchBits)',
      },
    ],
  },
  {
    name: 'the density matrix loses its last diagonal gates',
    areas: 'static',
    patches: [
      {
        file: 'src/circuit/outputs.ts',
        from: "  density_matrix: {\n    reads: 'state',",
        to: "  density_matrix: {\n    reads: 'outcomes',",
      },
    ],
  },
  {
    name: 'whole numbers keep more than the width of their type',
    areas: 'openqasm',
    patches: [
      {
        file: 'src/circuit/classical-evaluation.ts',
        from: ': Number(width === undefined ? value : lowBits(base, width, BigInt(value)));',
        to: ': Number(width === 8 ? value : lowBits(base, width ?? 64, BigInt(value)));',
      },
    ],
  },
  {
    name: 'noise follows each piece of a gate',
    areas: 'noise',
    patches: [
      {
        file: 'src/circuit/noise/apply-noise.ts',
        from: "  piece === undefined || piece === 'choice';",
        to: "  piece === undefined || piece !== 'closing';",
      },
    ],
  },
  {
    name: 'the final measurement vanishes where a register has a value',
    areas: 'dynamic',
    patches: [
      {
        file: 'src/circuit/circuit.ts',
        from: "if (kind === 'measure') return circuit;",
        to: "if (kind === 'measure' || kind === 'assign') return circuit;",
      },
    ],
  },
  {
    name: 'a comment does not end at CR',
    areas: 'openqasm',
    patches: [
      {
        file: 'src/errors/text-position.ts',
        from: 'const LINE_END = /\\r\\n|[\\r\\n]/g;',
        to: 'const LINE_END = /\\n/g;',
      },
    ],
  },
  {
    name: 'errors that exclude each other are taken as independent',
    areas: 'detectors',
    patches: [
      {
        file: 'src/compiler/clifford/independent-errors.ts',
        from: '  const size = disjoint.length;\n  const tolerance',
        to: '  if (disjoint.length > 0) return disjoint.with(0, 0);\n  const size = disjoint.length;\n  const tolerance',
      },
    ],
  },
  {
    name: 'batches refuse leading resets',
    areas: 'batches',
    patches: [
      {
        file: 'src/service/circuits/check-method.ts',
        from: 'return withoutDelays(withoutIdleResets(noisy));',
        to: 'return withoutDelays(noisy);',
      },
    ],
  },
  {
    name: 'probabilities of cut matrix product states sum to more than 1',
    areas: 'methods',
    patches: [
      {
        file: 'src/engine/cpu/mps/chain.ts',
        from: 'mass += part * part;\n    const factor = 1 / Math.sqrt(mass);',
        to: 'mass += part * part;\n    const factor = Math.sqrt((1 + 7e-6) / mass);',
      },
    ],
  },
  {
    name: 'a controlled GPHASE has no name in a noise model',
    areas: 'noise',
    patches: [
      {
        file: 'src/circuit/noise/gate-pattern.ts',
        from: '      controls + numTargets === numQubits &&',
        to: '      numTargets === own.numTargets && controls + numTargets === numQubits &&',
      },
    ],
  },
];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});

/** Changes one text of a file. @returns what undoes it. */
function patched(path: string, from: string, to: string): () => void {
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${path} has not once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

using copy = temporaryFolder();
for (const name of [
  'src',
  'shaders',
  'models',
  'docs',
  'examples',
  'package.json',
  'tsconfig.json',
]) {
  cpSync(name, `${copy.path}/${name}`, { recursive: true });
}
symlinkSync(`${process.cwd()}/node_modules`, `${copy.path}/node_modules`);
const wanted = values.only?.split(',');
const chosen = FAULTS.filter(({ name }) => wanted?.some((word) => name.includes(word)) ?? true);

/** Fuzzes the copy until an answer is wrong. */
function fuzz(areas: string, limit: readonly string[]) {
  const start = performance.now();
  const own = [
    '--root',
    copy.path,
    '--area',
    areas,
    '--until-failure',
    '--failures',
    `${copy.path}/found`,
  ];
  const args = ['test/fuzz/main.ts', ...own, '--seed', values.seed, ...limit];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const seconds = Math.round((performance.now() - start) / 1000);
  // A run that ends without a count of cases has found nothing.
  if (!/\d cases, \d/.test(stdout))
    throw new Error(`the fuzzer ended (${status}): ${stdout}${stderr}`);
  return { isWrong: status === 1, seconds, stdout };
}

for (const areas of new Set(chosen.map((each) => each.areas))) {
  const { isWrong, stdout } = fuzz(areas, ['--cases', '150']);
  if (isWrong) throw new Error(`the tree itself fails, so that nothing is proved: ${stdout}`);
}
const found = chosen.map(({ name, areas, patches }) => {
  const undo = patches.map(({ file, from, to }) => patched(`${copy.path}/${file}`, from, to));
  const { isWrong, seconds, stdout } = fuzz(areas, ['--minutes', values.minutes]);
  for (const each of undo) each();
  process.stdout.write(`${isWrong ? 'found' : 'NOT FOUND'} after ${seconds} s: ${name}\n${stdout}`);
  return { name, areas, found: isWrong, seconds };
});
if (values.json) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
process.exitCode = found.every((each) => each.found) ? 0 : 1;
