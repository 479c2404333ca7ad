/**
 * Puts each seeded fault that the fuzzer is to find into a copy of the tree and says whether it finds it:
 * `node test/fuzz/seeded-faults.ts [--minutes 10] [--seed 1] [--only NAME,NAME] [--json FILE]`.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS } from '../seeded-faults/faults.ts';
import { chosenFaults, copyOfTree, seed } from '../seeded-faults/seeded-fault.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});

using copy = copyOfTree('.');
const chosen = chosenFaults(FAULTS, values.only).flatMap((fault) =>
  fault.areas === undefined ? [] : { ...fault, areas: fault.areas },
);

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
const found = chosen.map((fault) => {
  const { name, areas } = fault;
  const undo = seed(fault, copy.path);
  const { isWrong, seconds, stdout } = fuzz(areas, ['--minutes', values.minutes]);
  undo();
  process.stdout.write(`${isWrong ? 'found' : 'NOT FOUND'} after ${seconds} s: ${name}\n${stdout}`);
  return { name, areas, found: isWrong, seconds };
});
if (values.json) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
process.exitCode = found.every((each) => each.found) ? 0 : 1;
