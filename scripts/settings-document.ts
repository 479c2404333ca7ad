/** The table of docs/settings.md. */
import { settingsMarkdown } from '../src/config.ts';
import { withSections } from './document-sections.ts';

/** docs/settings.md with its table made anew. */
export function settingsDocument(): string {
  return withSections('docs/settings.md', { settings: settingsMarkdown() });
}
