/** `qcs keys create|list|revoke`: API keys, in the data folder of a running or stopped service. */
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../config.ts';
import {
  type ApiKey,
  DEFAULT_SCOPES,
  isScope,
  isTier,
  SCOPES,
  type Scope,
  TIERS,
  type Tier,
} from '../service/keys/api-key.ts';
import type { KeyStore } from '../service/keys/key-store.ts';
import { createSqliteKeyStore } from '../service/keys/sqlite-key-store.ts';
import { DATABASE_FILE, openDatabase } from '../storage/database.ts';
import { type CommandIo, table, writeJson } from './command-io.ts';

interface CreateOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly json?: boolean;
}

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
    .option('--json', 'print one JSON object with `key`')
    .action((options: CreateOptions) =>
      withKeyStore(io, async (store) => {
        const { name, tier, scopes } = options;
        const { key, text } = await store.create({ name, tier, scopes, createdAt: io.now() });
        if (options.json) writeJson(io, { key: text, ...keyFields(key) });
        else {
          io.out.write(`${text}\n`);
          io.err.write(`Key ${key.id} (${tier}; ${scopes.join(', ')}). It is not shown again.\n`);
        }
      }),
    );

  keys
    .command('list')
    .description('list the keys, revoked ones too')
    .option('--json', 'print one JSON object with `keys`')
    .action((options: { readonly json?: boolean }) =>
      withKeyStore(io, async (store) => {
        const all = await store.list();
        if (options.json) writeJson(io, { keys: all.map(keyFields) });
        else io.out.write(`${keyTable(all)}\n`);
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--json', 'print the key as one JSON object')
    .action((id: string, options: { readonly json?: boolean }) =>
      withKeyStore(io, async (store) => {
        const key = await store.revoke(id, io.now());
        if (options.json) writeJson(io, keyFields(key));
        else io.out.write(`Key ${key.id} (${key.name}) is revoked.\n`);
      }),
    );
}

async function withKeyStore(io: CommandIo, use: (store: KeyStore) => Promise<void>): Promise<void> {
  const database = openDatabase(join(loadConfig(io.environment).dataDir, DATABASE_FILE));
  try {
    await use(createSqliteKeyStore(database));
  } finally {
    database.close();
  }
}

function keyFields(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    tier: key.tier,
    scopes: key.scopes,
    created_at: new Date(key.createdAt).toISOString(),
    revoked_at: key.revokedAt === undefined ? null : new Date(key.revokedAt).toISOString(),
  };
}

function keyTable(keys: readonly ApiKey[]): string {
  const rows = keys
    .map(keyFields)
    .map((key) => [
      key.id,
      key.name,
      key.tier,
      key.scopes.join(','),
      key.created_at,
      key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`,
    ]);
  return table(['ID', 'NAME', 'TIER', 'SCOPES', 'CREATED', 'STATE'], rows);
}

function parseName(text: string): string {
  if (text.trim() === '' || text.length > 100) {
    throw new InvalidArgumentError('It must have 1 to 100 characters.');
  }
  return text;
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
