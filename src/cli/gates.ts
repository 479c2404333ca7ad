/** `qcs gates [NAME]`: the gate catalog, the same that `GET /quantum/operations` answers. */
import { Argument, type Command } from 'commander';
import type { CommandIo } from './command-io.ts';

/** Adds the command to the program. */
export function addGatesCommand(program: Command, io: CommandIo): void {
  program
    .command('gates')
    .description('list the gates, or describe one')
    .addArgument(new Argument('[name]', 'a gate or an alias, in any case'))
    .option('--json', 'print one JSON object: `operations`, or the one gate')
    .action(
      async (name: string | undefined, options: { readonly json?: boolean }, command: Command) => {
        const { showGates } = await import('./show-gates.ts');
        showGates(name, options, command, io);
      },
    );
}
