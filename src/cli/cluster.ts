/**
 * `qcs cluster nodes|jobs|drain|undrain`: the nodes of a cluster, from its database. It needs no node that runs.
 */
import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';
import type { ClusterOptions, DrainOptions } from './manage-cluster.ts';

/** Adds the commands to the program. */
export function addClusterCommand(program: Command, io: CommandIo): void {
  const cluster = program
    .command('cluster')
    .description('list the nodes and jobs of a cluster, and drain nodes (in QCS_DATABASE_URL)');

  cluster
    .command('nodes', { isDefault: true })
    .description('list the nodes, and what each holds and runs')
    .option('--json', 'print one JSON object with `nodes`')
    .action(async (options: ClusterOptions) => {
      const { listNodes } = await import('./manage-cluster.ts');
      await listNodes(options, io);
    });

  cluster
    .command('jobs')
    .description('list the jobs that nodes run, and count those that wait for a node')
    .option('--json', 'print one JSON object with `running` and `waiting`')
    .action(async (options: ClusterOptions) => {
      const { listClusterJobs } = await import('./manage-cluster.ts');
      await listClusterJobs(options, io);
    });

  cluster
    .command('drain')
    .description('let a node finish its jobs and claim no more')
    .argument('<node>', 'the name that `cluster nodes` shows')
    .option('--wait', 'wait until the node runs no job')
    .option('--json', 'print the node as one JSON object')
    .action(async (node: string, options: DrainOptions) => {
      const { drainNode } = await import('./manage-cluster.ts');
      await drainNode(node, options, io);
    });

  cluster
    .command('undrain')
    .description('let a drained node claim jobs again')
    .argument('<node>', 'the name that `cluster nodes` shows')
    .option('--json', 'print the node as one JSON object')
    .action(async (node: string, options: ClusterOptions) => {
      const { undrainNode } = await import('./manage-cluster.ts');
      await undrainNode(node, options, io);
    });
}
