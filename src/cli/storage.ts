/** `qcs backup`, `restore`, `check` and `migrate`: commands for the database in the data folder. */
import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';
import type { CheckOptions } from './manage-storage.ts';
import type { MigrateOptions } from './migrate-storage.ts';

/** Adds the commands to the program. */
export function addStorageCommands(program: Command, io: CommandIo): void {
  program
    .command('backup')
    .description('write the database to a file, while a service runs or not (keys, jobs, results)')
    .argument('<file>', 'is made, and never overwritten')
    .action(async (file: string) => {
      const { writeBackup } = await import('./manage-storage.ts');
      writeBackup(file, io);
    });

  program
    .command('restore')
    .description('put a backup in the place of the database, which is kept aside; stop the service')
    .argument('<file>', 'what `qcs backup` wrote')
    .action(async (file: string) => {
      const { restoreBackup } = await import('./manage-storage.ts');
      await restoreBackup(file, io);
    });

  program
    .command('check')
    .description('read all of the database and say what is in it; exit code 1 where it is damaged')
    .argument('[file]', 'a backup; by default the database in QCS_DATA_DIR')
    .option('--accept-loss', 'go on without what was in a lost write-ahead log; stop the service')
    .option('--json', 'print one JSON object')
    .action(async (file: string | undefined, options: CheckOptions) => {
      const { checkStorage } = await import('./manage-storage.ts');
      await checkStorage(file, options, io);
    });

  program
    .command('migrate')
    .description(
      'copy the database to the one in PostgreSQL that QCS_DATABASE_URL names, which must be empty; stop the service',
    )
    .argument('[folder]', 'with the database; by default QCS_DATA_DIR')
    .option('--json', 'print one JSON object')
    .action(async (folder: string | undefined, options: MigrateOptions) => {
      const { migrateStorage } = await import('./migrate-storage.ts');
      await migrateStorage(folder, options, io);
    });
}
