/** Head of a page, and notices of errors and of missing data. */
import type { ComponentChildren } from 'preact';
import { ApiError, ConnectionError } from '../../client/client.ts';
import { hashOf } from './route.ts';
import { key, refusedKey } from './session.ts';

/** Shows an error of a request: its message, each detail with its path, and advice if the key is at fault. */
export function Problem({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  const status = error instanceof ApiError ? error.status : undefined;
  const message = messageOf(error);
  const details = error instanceof ApiError ? error.details : [];
  // A single fault of the whole is the message itself.
  const listed = details.filter((each) => each.path !== '' || each.message !== message);
  return (
    <div class="notice bad" role="alert">
      <p>{message}</p>
      {listed.length > 0 && (
        <ul>
          {listed.map((each) => (
            <li key={`${each.path} ${each.message}`}>
              {each.path !== '' && <code>{each.path}</code>} {each.message}
            </li>
          ))}
        </ul>
      )}
      {(status === 401 || status === 403) && (
        <p>
          <a href={hashOf(['account'])}>{status === 401 ? 'Enter a key' : 'Use another key'}</a>
        </p>
      )}
      {error instanceof ApiError && error.requestId !== undefined && (
        <p class="small">Request {error.requestId}</p>
      )}
    </div>
  );
}

/** In place of what has not arrived: that it is loaded, or why it is not there. @param what - Such as "the devices". */
export function Pending({ what = '', error }: { readonly what?: string; readonly error: unknown }) {
  if (error !== undefined) return <Problem error={error} />;
  return <p class="plain">Loading {what === '' ? '…' : `${what} …`}</p>;
}

/** The message of an error, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'The service cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}

/** Says that something needs a key, as long as there is none; shows its children once there is one. */
export function NeedsKey({
  to,
  children,
}: {
  /** Purpose of the key: "to run circuits". */
  readonly to: string;
  readonly children: ComponentChildren;
}) {
  if (key.value !== undefined) return <>{children}</>;
  return (
    <p class="notice">
      {refusedKey.value !== undefined &&
        `The service refuses the key ${refusedKey.value}: it has expired or was revoked. `}
      You need an API key {to}. <a href={hashOf(['account'])}>Enter your key</a>
    </p>
  );
}

/** The title of a page, and a sentence about it. */
export function Heading({
  title,
  lede,
  children,
}: {
  readonly title: string;
  readonly lede: ComponentChildren;
  /** Below the sentence. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="hero">
      <h1>{title}</h1>
      <p class="lede">{lede}</p>
      {children}
    </div>
  );
}
