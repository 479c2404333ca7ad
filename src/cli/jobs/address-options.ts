/** Command-line options for AddressOptions. */
import type { Command } from 'commander';

/** Adds the options to a command. */
export function withAddress(command: Command): Command {
  return command
    .option('--url <url>', 'of the service (default QCS_URL, or http://127.0.0.1:8080)')
    .option('--key-file <file>', 'holds the API key (default: QCS_API_KEY is it)');
}
