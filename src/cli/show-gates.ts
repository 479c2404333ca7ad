/** Action of `qcs gates`. */
import type { Command } from 'commander';
import { type CatalogEntry, gateCatalog } from '../circuit/gate-catalog.ts';
import { didYouMean } from '../errors/nearest-names.ts';
import { type CommandIo, EXIT_CODES, table, writeEither } from './command-io.ts';

/**
 * Prints the catalog, or one gate of it.
 *
 * @param name - A gate or an alias, in any case. An unknown name is an error of `command`.
 */
export function showGates(
  name: string | undefined,
  options: { readonly json?: boolean },
  command: Command,
  io: CommandIo,
): void {
  const catalog = gateCatalog();
  if (name === undefined) {
    writeEither(io, options, { operations: catalog }, catalogTable(catalog));
    return;
  }
  const entry = catalog.find((candidate) => isCalled(candidate, name));
  if (entry === undefined) {
    const known = catalog.flatMap(({ gate, aliases }) => [gate, ...aliases]);
    const near = didYouMean(name, known);
    command.error(`There is no gate "${name}"; \`qcs gates\` lists them.${near}`, {
      exitCode: EXIT_CODES.notFound,
    });
  }
  writeEither(io, options, entry, description(entry));
}

function isCalled(entry: CatalogEntry, name: string): boolean {
  return [entry.gate, ...entry.aliases].some((known) => known.toLowerCase() === name.toLowerCase());
}

function catalogTable(catalog: readonly CatalogEntry[]): string {
  return table(
    ['GATE', 'ANGLES', 'SUMMARY', 'ALIASES'],
    catalog.map((entry) => [
      entry.gate,
      entry.parameters.map((parameter) => parameter.name).join(', '),
      entry.summary,
      entry.aliases.join(', '),
    ]),
  );
}

function description(entry: CatalogEntry): string {
  return [
    `${entry.gate}: ${entry.summary}`,
    entry.aliases.length > 0 ? `also: ${entry.aliases.join(', ')}` : '',
    entry.formula ? `matrix on the targets: ${entry.formula}` : '',
    `example: ${JSON.stringify(entry.example)}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}
