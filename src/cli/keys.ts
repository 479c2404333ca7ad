/**
 * `qcs keys create|list|change|rotate|revoke`: API keys in the data folder of a running or stopped service.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_GRACE_S,
  DEFAULT_SCOPES,
  isScope,
  isTier,
  MAX_GRACE_S,
  SCOPES,
  type Scope,
  TIERS,
  type Tier,
} from '../service/http/api-key.ts';
import { type CommandIo, EXIT_CODES } from './command-io.ts';
import type { ChangeKeyOptions, CreateKeyOptions, RotateKeyOptions } from './manage-keys.ts';

/** Adds the commands to the program. */
export function addKeysCommand(program: Command, io: CommandIo): void {
  const keys = program
    .command('keys')
    .description(
      'create, list, change, rotate and revoke API keys (in QCS_DATA_DIR or QCS_DATABASE_URL; a running service sees it at once)',
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
    .command('change')
    .description('change a key at once; what is left out stays')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--name <name>', 'what the key is for, 1 to 100 characters', parseName)
    .addOption(
      new Option('--tier <tier>', 'decides the rate limit').choices(TIERS).argParser(parseTier),
    )
    .option('--scopes <list>', `all that it is to have, of ${SCOPES.join(',')}`, parseScopes)
    .option(
      '--expires <time>',
      'ISO 8601 time from which on it is refused, or "never"',
      parseTimeOrNever,
    )
    .option('--json', 'print the key as one JSON object')
    .action(async (id: string, options: ChangeKeyOptions, command: Command) => {
      const { json: _, ...changes } = options;
      if (Object.keys(changes).length === 0) {
        command.error('Name something to change: --name, --tier, --scopes or --expires.', {
          exitCode: EXIT_CODES.usage,
        });
      }
      const { changeKey } = await import('./manage-keys.ts');
      await changeKey(id, options, io);
    });

  keys
    .command('rotate')
    .description('give a key a new secret and print it, once')
    .argument('<id>', 'the id that `keys list` shows')
    .option(
      '--grace <time>',
      'how long the old secret is accepted: a number with s, m, h or d, up to 30d (default: 24h)',
      parseGrace,
      DEFAULT_GRACE_S,
    )
    .option('--json', 'print one JSON object with `key`')
    .action(async (id: string, options: RotateKeyOptions) => {
      const { rotateKey } = await import('./manage-keys.ts');
      await rotateKey(id, options, io);
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

/** ISO time with a time zone; without one its meaning would depend on the reader. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

function parseTime(text: string): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T12:00Z.');
  return time;
}

function parseTimeOrNever(text: string): number | 'never' {
  return text === 'never' ? text : parseTime(text);
}

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a period of grace, in seconds. */
function parseGrace(text: string): number {
  const [, number, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * (SECONDS_OF_UNIT[unit] ?? Number.NaN);
  if (!(seconds <= MAX_GRACE_S)) {
    throw new InvalidArgumentError('It must be a time such as 90s, 15m, 24h or 7d, up to 30d.');
  }
  return seconds;
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
