/** An operation of the API, tried out with the console's key: its parameters, an example as body, and the answer. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Route } from '../../client/client.ts';
import { methodAndPath } from '../../client/routes.ts';
import type { ApiCall } from '../shell/api-call.ts';
import { ApiPanel, Listing } from '../shell/api-panel.tsx';
import { jsonText } from '../shell/call-values.ts';
import { SelectField, TextField, useAct } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
import { key } from '../shell/session.ts';

/** What the page says of its operation. */
interface TriedOperation {
  /** Method and path, such as `GET /quantum/processors/{processor_id}`. */
  readonly route: string;
  readonly isPublic: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly isRequired: boolean;
    readonly example: string;
  }[];
  /** Bodies, by name. */
  readonly examples: readonly { readonly name: string; readonly value: unknown }[];
}

/** Letters of an answer that are shown. */
const MOST_SHOWN = 200_000;

export function TryIt({ operation }: { readonly operation: TriedOperation }) {
  const { route, isPublic, parameters, examples } = operation;
  const values = useSignal(new Map(parameters.map(({ name, example }) => [name, example])));
  const example = useSignal('0');
  const body = useSignal(jsonText(examples[0]?.value ?? null));
  const answer = useSignal<{ readonly status: string; readonly text: string } | undefined>(
    undefined,
  );
  const { error, isBusy, run } = useAct();
  const end = useRef<AbortController>(undefined);
  useEffect(() => () => end.current?.abort(), []);
  const given = (place: 'path' | 'query') =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === place)
        .map(({ name }) => [name, values.value.get(name) ?? ''] as const)
        .filter(([, value]) => value !== ''),
    );
  const hasBody = examples.length > 0;
  const json = hasBody ? parsed(body.value) : undefined;
  const missing = parameters.filter(
    ({ name, isRequired }) => isRequired && !values.value.get(name),
  );
  const call: ApiCall = {
    // The cast is safe: the document has the routes of the client.
    route: route as Route,
    path: given('path'),
    query: given('query'),
    ...(json !== undefined && { body: json.value }),
    isPublic,
  };
  const send = async () => {
    const own = new AbortController();
    end.current = own;
    answer.value = undefined;
    const { method, path } = methodAndPath(route, call.path, call.query);
    const since = performance.now();
    const got = await fetch(`/api/v1${path}`, {
      method,
      signal: own.signal,
      headers: {
        ...(key.value !== undefined && { 'x-api-key': key.value }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: body.value }),
    });
    const status = `${got.status} ${got.statusText}, ${Math.round(performance.now() - since)} ms`;
    const isJson = got.headers.get('content-type')?.includes('json') === true;
    let text = '';
    const decoder = new TextDecoder();
    // The events of a job are shown as they come.
    for await (const chunk of chunksOf(got)) {
      text += decoder.decode(chunk, { stream: true });
      if (!isJson) answer.value = { status, text: text.slice(-MOST_SHOWN) };
    }
    answer.value = { status, text: isJson ? indented(text) : text.slice(-MOST_SHOWN) };
  };
  return (
    <form
      class="card try"
      aria-labelledby="try-title"
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => {
          try {
            await send();
          } catch (thrown) {
            if (end.current?.signal.aborted !== true) throw thrown;
          }
        });
      }}
    >
      <h2 id="try-title">Try it</h2>
      <p class="note">
        {isPublic ? (
          'This needs no key.'
        ) : key.value === undefined ? (
          <>
            This needs a key: <a href="/#/account">enter it in the console</a>.
          </>
        ) : (
          <>
            With the console’s key <code>{key.value.split('_', 2).join('_')}</code>. The request is
            sent to this service.
          </>
        )}
      </p>
      {parameters.length > 0 && (
        <div class="fields">
          {parameters.map(({ name, isRequired }) => (
            <TextField
              key={name}
              label={isRequired ? `${name} (required)` : name}
              value={values.value.get(name) ?? ''}
              spellcheck={false}
              onText={(text) => {
                values.value = new Map(values.value).set(name, text);
              }}
            />
          ))}
        </div>
      )}
      {examples.length > 1 && (
        <SelectField
          label="Example"
          value={example.value}
          options={examples.map(({ name }, i) => [`${i}`, `${i + 1}: ${name}`] as const)}
          onChoose={(i) => {
            example.value = i;
            body.value = jsonText(examples[Number(i)]?.value ?? null);
          }}
        />
      )}
      {hasBody && (
        <label class="field">
          <span>Body</span>
          <textarea
            rows={Math.min(24, body.value.split('\n').length + 1)}
            spellcheck={false}
            value={body.value}
            aria-invalid={json === undefined}
            onInput={({ currentTarget }) => {
              body.value = currentTarget.value;
            }}
          />
        </label>
      )}
      {hasBody && json === undefined && (
        <p class="fault">The body is no JSON. The service says where.</p>
      )}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || missing.length > 0}>
          {isBusy ? 'Waiting …' : 'Send'}
        </button>
        {isBusy && (
          <button type="button" onClick={() => end.current?.abort()}>
            Stop
          </button>
        )}
      </p>
      <Problem error={error} />
      <p class="note" role="status">
        {answer.value?.status}
      </p>
      {answer.value !== undefined && answer.value.text !== '' && (
        <Listing label="The answer" text={answer.value.text} class="answer" />
      )}
      {missing.length === 0 && (!hasBody || json !== undefined) && (
        <ApiPanel call={call} title="This request in curl, Python and TypeScript" />
      )}
    </form>
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** JSON on several lines; a text that is none, or is long, as it is. */
function indented(text: string): string {
  const json = text.length > MOST_SHOWN ? undefined : parsed(text);
  return json === undefined ? text.slice(0, MOST_SHOWN) : JSON.stringify(json.value, null, 2);
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
