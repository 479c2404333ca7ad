/** What a run would take, before it is started. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CircuitSubmissionInput } from '../../client/api-types.ts';
import { useResource } from '../shell/resource.ts';
import { estimateInWords } from './circuit-words.ts';

/** Milliseconds without a change of the request after which the service is asked. */
const ASK_AFTER_MS = 400;
/** Milliseconds between estimates of the same run: the queue changes. */
const EVERY_MS = 30_000;

/**
 * A line with the expected time and start of a run. It is empty while they are not known, and its place stays.
 *
 * @param request - Undefined where nothing can be run now.
 */
export function RunEstimate({ request }: { readonly request: CircuitSubmissionInput | undefined }) {
  const text = request && JSON.stringify(request);
  const [asked, setAsked] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), ASK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const body = useMemo(() => JSON.parse(asked ?? '{}') as CircuitSubmissionInput, [asked]);
  const { data, isLoading } = useResource(
    'POST /quantum/estimate',
    { body },
    { everyMs: EVERY_MS, isOff: asked === undefined },
  );
  const last = useRef('');
  // The last words stay until there are others.
  if (!isLoading || text === undefined)
    last.current =
      data === undefined || text === undefined ? '' : estimateInWords(data, Date.now());
  return <p class="small run-estimate">{last.current}</p>;
}
