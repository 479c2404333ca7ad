/** `qcs keys create|list|revoke`: API keys, in the data folder of a running or stopped service. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_SCOPES,
  isScope,
  isTier,
  SCOPES,
  type Scope,
  TIERS,
  type Tier,
} from '../service/keys/api-key.ts';
import type { CommandIo } from './command-io.ts';
import type { CreateKeyOptions } from './manage-keys.ts';

/** Adds the commands to the program. */
export function addKeysCommand(program: Command, io: CommandIo): void {
  const keys = program
    .command('keys')
    .description(
      'create, list and revoke API keys (in QCS_DATA_DIR; a running service sees it at once)',
    );

  keys
    .command('create')
    .description('create a key and print it, once: only its hash is kept')
    .requiredOption('--name <name>', 'what the key is for, 1 to 100 characters', parseName)
    .addOption(
      new Option('--tier <tier>', 'decides the rate limit')
        .choices(TIERS)
        .default('standard')
        .argParser(parseTier),
    )
    .option('--scopes <list>', `of ${SCOPES.join(',')}`, parseScopes, DEFAULT_SCOPES)
    .option('--expires <time>', 'ISO 8601 time from which on it is refused', parseTime)
    .option('--json', 'print one JSON object with `key`')
    .action(async (options: CreateKeyOptions) => {
      const { createKey } = await import('./manage-keys.ts');
      await createKey(options, io);
    });

  keys
    .command('list')
    .description('list the keys, revoked ones too')
    .option('--json', 'print one JSON object with `keys`')
    .action(async (options: { readonly json?: boolean }) => {
      const { listKeys } = await import('./manage-keys.ts');
      await listKeys(options, io);
    });

  keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--json', 'print the key as one JSON object')
    .action(async (id: string, options: { readonly json?: boolean }) => {
      const { revokeKey } = await import('./manage-keys.ts');
      await revokeKey(id, options, io);
    });
}

function parseName(text: string): string {
  if (text.trim() === '' || text.length > 100) {
    throw new InvalidArgumentError('It must have 1 to 100 characters.');
  }
  return text;
}

/** With a zone, which nobody would guess alike. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

function parseTime(text: string): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T12:00Z.');
  return time;
}

function parseTier(text: string): Tier {
  if (!isTier(text)) throw new InvalidArgumentError(`It must be one of ${TIERS.join(', ')}.`);
  return text;
}

function parseScopes(text: string): readonly Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const scopes = names.filter(isScope);
  if (scopes.length !== names.length || scopes.length === 0) {
    throw new InvalidArgumentError(`They must be of ${SCOPES.join(', ')}, separated by commas.`);
  }
  return [...new Set(scopes)];
}
