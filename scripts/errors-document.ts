/** docs/errors.md, from the error table. */
import { ERROR_TABLE, SPEC_CODES } from '../src/service/error-table.ts';

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
    '<!-- Generated from src/service/error-table.ts by `npm run gen`; edit that table, not this file. -->',
    '',
    'Every error answers the envelope `{"success": false, "error": {"code", "message", "status",',
    '"details"}, "meta": {…}}`. `error.code` is one of these:',
    '',
    '| status | `error.code` | condition |',
    '|---|---|---|',
    ...specRows,
    '',
    'The exact condition stands in `error.details[].code`, beside `path` (as in `circuit[3].qubit`;',
    '`query.…` and `headers.…` for those parts of a request; empty when the whole request is meant)',
    'and `message`. At most 20 details are listed. A failed job carries the same codes in its `error`,',
    'or `INTERNAL_ERROR` where the service failed in a way it did not foresee.',
    '',
    '| `error.details[].code` | status | `error.code` | condition |',
    '|---|---|---|---|',
    ...rows,
    '',
    'With `Accept: application/problem+json` an error answers RFC 9457 instead, with the same facts:',
    '`type` (`about:blank`), `title`, `status`, `detail`, `instance`, and the members `code`,',
    '`details`, `version`, `timestamp` and `request_id`.',
  ].join('\n')}\n`;
}
