/** `qcs jobs`: a key's jobs at a running service, over HTTP. */
import { type Command, Option } from 'commander';
import { JOB_RESOURCES } from '../service/jobs/job-resources.ts';
import type { CommandIo } from './command-io.ts';
import type { ListOptions } from './jobs/list-jobs.ts';
import type { JobOptions } from './jobs/one-job.ts';
import { count, several } from './option-parsers.ts';

const DEFAULT_LIMIT = 20;
const STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/** Adds the commands to the program. */
export function addJobsCommand(program: Command, io: CommandIo): void {
  const jobs = program
    .command('jobs')
    .description('list, follow and cancel jobs at a running service (without a command: list)')
    .addHelpText('after', '\nThe API key is read from QCS_API_KEY, or from a file (--key-file).');

  withAddress(jobs.command('list', { isDefault: true }))
    .description('list the newest jobs of the key, of all kinds')
    .addOption(
      new Option('--kind <kind>', 'of one kind').choices(JOB_RESOURCES.map(({ kind }) => kind)),
    )
    .addOption(new Option('--status <status>', 'in one status').choices(STATUSES))
    .option('--name <name>', 'called exactly so')
    .option('--tag <tag>', 'with this tag; given several times: with all of them', several)
    .option(
      '--search <words>',
      'with each word in its name or target, as status or kind, or beginning its id',
    )
    .option('--created-after <time>', 'created then or later: 2026-01-02T03:04:05Z, or a date')
    .option('--created-before <time>', 'created earlier')
    .option('--limit <n>', 'how many', count(10_000), DEFAULT_LIMIT)
    .option('--json', 'print one JSON object with `jobs`')
    .action(async (options: ListOptions) => {
      const { listJobs } = await import('./jobs/list-jobs.ts');
      await listJobs(options, io);
    });

  withAddress(jobs.command('follow'))
    .description('watch a job to its end, and print its result; Ctrl-C leaves it running')
    .argument('<id>', 'what the service answered when it was submitted')
    .option('--json', 'print its record as one JSON object')
    .action(async (id: string, options: JobOptions) => {
      const { followJob } = await import('./jobs/follow-job.ts');
      const { serviceClient } = await import('./jobs/service-client.ts');
      await followJob(await serviceClient(options, io), id, options, io);
    });

  withAddress(jobs.command('show'))
    .description('print a job as it stands, and its result')
    .argument('<id>', 'its id')
    .option('--json', 'print its record as one JSON object')
    .action(async (id: string, options: JobOptions) => {
      const { showJob } = await import('./jobs/one-job.ts');
      await showJob(id, options, io);
    });

  withAddress(jobs.command('cancel'))
    .description('cancel a queued or running job')
    .argument('<id>', 'its id')
    .option('--json', 'print its record as one JSON object')
    .action(async (id: string, options: JobOptions) => {
      const { cancelJob } = await import('./jobs/one-job.ts');
      await cancelJob(id, options, io);
    });
}

/** Adds the options to a command. */
export function withAddress(command: Command): Command {
  return command
    .option('--url <url>', 'of the service (default QCS_URL, or http://127.0.0.1:8080)')
    .option('--key-file <file>', 'holds the API key (default: QCS_API_KEY is it)');
}
