/**
 * Writes the generated documents; with `--check`, writes nothing and exits 1 if one is out of date.
 *
 * To add a document, add a row to GENERATED_DOCUMENTS: tests and CI then hold it to its source.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { version } from '../src/service/http/software-version.ts';
import { agentsDocument } from './agents-document.ts';
import { apiDocument } from './api-document.ts';
import { clientTypes } from './client-types.ts';
import { generateErrorsDoc } from './errors-document.ts';
import { gatesDocument } from './gates-document.ts';
import { limitsDocument } from './limits-document.ts';
import { generateOpenApi } from './openapi-document.ts';
import { openQasmDocument } from './openqasm-corpora.ts';
import { capacityDocument, performanceDocument } from './performance-document.ts';
import { settingsDocument } from './settings-document.ts';
import { tpuDocument } from './tpu-document.ts';

/** A file of the repository that is generated from other files. */
export interface GeneratedDocument {
  /** From the repository's root. */
  readonly path: string;
  render(): string | Promise<string>;
}

/** A file in which the version of package.json stands where the pattern finds one. */
function withVersion(path: string, pattern: RegExp): GeneratedDocument {
  const render = () =>
    readFileSync(locate(path), 'utf8').replace(pattern, (_, before) => `${before}${version()}`);
  return { path, render };
}

/** Every generated document. */
export const GENERATED_DOCUMENTS: readonly GeneratedDocument[] = [
  { path: 'docs/gates.md', render: gatesDocument },
  { path: 'docs/agents.md', render: agentsDocument },
  { path: 'docs/tpu.md', render: tpuDocument },
  { path: 'docs/errors.md', render: generateErrorsDoc },
  { path: 'docs/openapi.json', render: generateOpenApi },
  { path: 'docs/openqasm.md', render: openQasmDocument },
  // The next two read docs/openapi.json, so they come after it.
  { path: 'docs/api.md', render: apiDocument },
  { path: 'src/client/api-types.ts', render: clientTypes },
  { path: 'docs/settings.md', render: settingsDocument },
  { path: 'docs/limits.md', render: limitsDocument },
  { path: 'docs/performance.md', render: performanceDocument },
  { path: 'docs/capacity.md', render: capacityDocument },
  withVersion('clients/python/src/qcs_client/__init__.py', /(__version__ = ")[\d.]+/),
  withVersion('deploy/kubernetes/kustomization.yaml', /(newTag: )[\d.]+/),
  withVersion('docs/deployment.md', /(quantum-compute-service-)[\d]+\.[\d]+\.[\d]+/g),
  withVersion('docs/cluster.md', /(^\w+ {5}\w+ +\w+ +)\d+\.\d+\.\d+/gm),
];

/** URL of a path in the repository. */
function locate(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** Current text of a document's file; undefined if there is none. */
export function committedText({ path }: GeneratedDocument): string | undefined {
  try {
    return readFileSync(locate(path), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Writes changed documents, or only lists them when checking.
 *
 * @returns Paths of the changed documents.
 */
export async function generate(isCheck: boolean): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const document of GENERATED_DOCUMENTS) {
    const text = await document.render();
    if (committedText(document) === text) continue;
    stale.push(document.path);
    if (!isCheck) writeFileSync(locate(document.path), text);
  }
  return stale;
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  const stale = await generate(isCheck);
  for (const path of stale) {
    process.stderr.write(isCheck ? `${path} is out of date: npm run gen\n` : `wrote ${path}\n`);
  }
  if (isCheck && stale.length > 0) process.exitCode = 1;
}
