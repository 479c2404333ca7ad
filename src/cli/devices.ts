/** `qcs devices`: discovers the devices of this machine that can run circuits. */
import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';

/** Adds the command to the program. */
export function addDevicesCommand(program: Command, io: CommandIo): void {
  program
    .command('devices')
    .description(
      'self-test the processors, and show the fleet’s devices and the GPU adapters behind them',
    )
    .option('--json', 'print one JSON object: `processors`, `devices`, `adapters`')
    .action(async (options: { readonly json?: boolean }) => {
      const { showDevices } = await import('./show-devices.ts');
      await showDevices(options, io);
    });
}
