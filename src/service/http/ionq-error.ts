/** Errors in the form of IonQ's interface. */
import { faultSentence } from '../../errors/fault-path.ts';
import type { ErrorEnvelope } from './envelope.ts';

/**
 * An error as IonQ's clients read it. They show `message` alone, so it has all faults.
 *
 * @param title - HTTP phrase of the status.
 */
export function ionqError(
  { status, message, details = [] }: ErrorEnvelope['error'],
  title: string,
) {
  const faults = details.filter(({ path }) => path !== '');
  const [source, keys] = placesOf(faults.map(({ path }) => path));
  const sentences = faults.map(({ path, message: fault }) =>
    faultSentence({ path, message: fault }),
  );
  return {
    statusCode: status,
    error: title,
    message: sentences.length > 1 ? sentences.join(' ') : message,
    ...(faults.length > 0 && {
      validation: { keys, source },
    }),
  };
}

/** The part of the request that is at fault, and the names of the faults within it. */
function placesOf(paths: readonly string[]): readonly ['query' | 'body', readonly string[]] {
  // Requests with parameters that are checked have no body.
  const names = paths.map((path) => /^query\.(.*)$/.exec(path)?.[1]);
  return names.length > 0 && names.every((name) => name !== undefined)
    ? ['query', names]
    : ['body', paths];
}
