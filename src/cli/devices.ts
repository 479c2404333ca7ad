/** `qcs devices`: what would run circuits on this machine, found out now. */
import type { Command } from 'commander';
import { createFleet } from '../compose.ts';
import { loadConfig } from '../config.ts';
import type { AdapterDiscovery } from '../fleet/adapter-report.ts';
import type { Processor } from '../fleet/processor.ts';
import { type CommandIo, table, writeJson } from './command-io.ts';

/** Adds the command to the program. */
export function addDevicesCommand(program: Command, io: CommandIo): void {
  program
    .command('devices')
    .description('self-test the processors and look for GPU adapters on this machine')
    .option('--json', 'print one JSON object: `processors`, `adapters`')
    .action(async (options: { readonly json?: boolean }) => {
      const fleet = createFleet(loadConfig(io.environment), io.now);
      try {
        await fleet.start();
        const { adapters, reason } = fleet.adapters ?? { adapters: [] };
        if (options.json) {
          const processors = fleet.processors.map(processorFields);
          writeJson(io, { processors, adapters, ...(reason !== undefined && { reason }) });
        } else {
          io.out.write(
            `${processorTable(fleet.processors)}\n\n${adapterText({ adapters, ...(reason && { reason }) })}\n`,
          );
        }
      } finally {
        await fleet.close();
      }
    });
}

function processorFields(processor: Processor) {
  const { spec } = processor;
  const { available, reason } = processor.availability();
  return {
    id: spec.id,
    available,
    ...(reason !== undefined && { reason }),
    execution: spec.execution,
    precision: spec.precision,
    max_qubits: spec.maxQubits,
  };
}

function processorTable(processors: readonly Processor[]): string {
  const rows = processors
    .map(processorFields)
    .map((fields) => [
      fields.id,
      fields.available ? 'available' : 'unavailable',
      fields.execution,
      fields.precision ?? '',
      fields.available ? String(fields.max_qubits) : '',
      fields.reason ?? '',
    ]);
  return table(['PROCESSOR', 'STATE', 'EXECUTION', 'PRECISION', 'QUBITS', 'REASON'], rows);
}

function adapterText({ adapters, reason }: AdapterDiscovery): string {
  if (adapters.length === 0) return `No GPU adapter: ${reason ?? 'none was found.'}`;
  const rows = adapters.map((adapter) => [
    adapter.name,
    adapter.isSoftware ? 'software' : 'GPU',
    adapter.backend,
    adapter.description,
    `${Math.floor(adapter.limits.maxStorageBufferBindingSize / 2 ** 20)} MiB`,
  ]);
  const listing = table(['ADAPTER', 'KIND', 'BACKEND', 'DRIVER', 'BINDING'], rows);
  return reason === undefined ? listing : `${listing}\n${reason}`;
}
