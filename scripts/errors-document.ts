/** Generates docs/errors.md from the error table. */
import { ERROR_TABLE, SPEC_CODES } from '../src/service/http/error-table.ts';

/** The document's text. */
export function generateErrorsDoc(): string {
  const specRows = Object.entries(SPEC_CODES).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  );
  const rows = Object.entries(ERROR_TABLE).map(([code, { answers, meaning }]) => {
    const answer = answers === null ? '– | –' : `${SPEC_CODES[answers].status} | \`${answers}\``;
    return `| \`${code}\` | ${answer} | ${meaning} |`;
  });
  return `${[
    '# Errors',
    '',
    '<!-- Generated from src/service/http/error-table.ts by `npm run gen`; edit that table, not this file. -->',
    '',
    'Every error is answered as `{"success": false, "error": {"code", "message", "status",',
    '"details"}, "meta": {…}}`. `error.code` is one of these:',
    '',
    '| status | `error.code` | condition |',
    '|---|---|---|',
    ...specRows,
    '',
    'Each of `error.details[]` has a `code` for the exact condition, a `path` and a `message`. The path',
    'names the field, such as `circuit[3].qubit`; it begins with `query.` or `headers.` for those parts',
    'of a request, and is empty for the whole request. At most 20 details are listed. The `error` of a',
    'failed job has the same codes, or `INTERNAL_ERROR` if the service failed in an unforeseen way.',
    '',
    '| `error.details[].code` | status | `error.code` | condition |',
    '|---|---|---|---|',
    ...rows,
    '',
    'With `Accept: application/problem+json`, an error has the form of RFC 9457 with the same content:',
    '`type` (`about:blank`), `title`, `status`, `detail`, `instance`, and the members `code`,',
    '`details`, `version`, `timestamp` and `request_id`.',
  ].join('\n')}\n`;
}
