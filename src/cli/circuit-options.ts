/** Arguments that `qcs run` and `qcs submit` share: a circuit file, and options that override its fields. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { InputValue } from '../circuit/input-columns.ts';
import { METHODS } from '../fleet/method-names.ts';
import { digits, inputValue, number } from './option-parsers.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';

/** Adds the file argument and the options of SubmissionOptions. */
export function withCircuit(command: Command): Command {
  return command
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a whole request body of POST /quantum/circuits',
    )
    .option(
      '--processor, --target <id>',
      `gpu-fleet, qvm, emulator-ibm-fez, …, or ${DEFAULT_PROCESSOR} by default`,
    )
    .option('--shots <n>', `repetitions (default ${DEFAULT_SHOTS})`, digits)
    .option('--seed <n>', 'the same seed gives the same counts (drawn by default)', digits)
    .option(
      '--input <name=value>',
      'value of an input, such as 0.5 or pi/2; may be repeated',
      addInput,
    )
    .option(
      '--noise <model>',
      'a .json file with a noise model, or the name of one from GET /quantum/noise-models',
    )
    .addOption(
      new Option('--method <method>', 'how to simulate (default automatic)').choices(METHODS),
    )
    .option(
      '--max-bond-dimension <n>',
      'largest bond of matrix product states (default 256)',
      digits,
    )
    .option(
      '--truncation-threshold <weight>',
      'weight that a cut of a bond may leave out (default 1e-12)',
      number(0, 1),
    );
}

function addInput(
  text: string,
  earlier: Readonly<Record<string, InputValue>> = {},
): Readonly<Record<string, InputValue>> {
  const [name = '', value = ''] = text.split(/=(.*)/s, 2).map((part) => part.trim());
  const parsed = inputValue(value);
  if (name === '' || parsed === undefined) {
    throw new InvalidArgumentError(
      'Write it as name=value, with a number such as 0.5 or pi/2, with true or false, or with a label of bits such as "011" in quotation marks.',
    );
  }
  return { ...earlier, [name]: parsed };
}
