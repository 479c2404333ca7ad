/**
 * Colours of words in the listings of guides: comments, strings, numbers and the words of a language. (highlight.js was
 * tried: its types bring those of browsers into the service, and these few languages need no grammar.)
 */
import { escapedHtml } from './document-frame.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const SCRIPT = words(
  'as async await break case catch class const continue do else export extends false finally for from function if import in interface let new null of return switch throw true try type typeof undefined while',
);

/** Words of languages, and how their comments begin. */
const LANGUAGES: Readonly<Record<string, { words: ReadonlySet<string>; comment: string }>> = {
  json: { words: words('true false null'), comment: '' },
  sh: { words: words('if then else fi for do done while in case esac export cd'), comment: '#' },
  python: {
    words: words(
      'and as assert async await class def del elif else except False finally for from if import in is lambda None not or pass raise return True try while with yield',
    ),
    comment: '#',
  },
  ts: { words: SCRIPT, comment: '//' },
  js: { words: SCRIPT, comment: '//' },
  yaml: { words: words('true false null'), comment: '#' },
  ini: { words: words(''), comment: '#' },
  nginx: { words: words('server location upstream http'), comment: '#' },
};

/** A string, a number, a word, or a comment to the end of its line, which begins a line or follows a space. */
const TOKEN =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<![\w.$-])(-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.-])|([A-Za-z_]\w*)|((?:^|(?<=\s))(?:#|\/\/)[^\n]*)/gim;

/** HTML of a listing with spans of classes `hl-…`. A text in no known language is only escaped. */
export function highlighted(code: string, language: string): string {
  const known = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  if (known === undefined) return escapedHtml(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(TOKEN)) {
    const [token, string, number, word, comment] = match;
    const kind =
      string !== undefined
        ? isName(code, match.index + token.length)
          ? 'name'
          : 'string'
        : number !== undefined
          ? 'number'
          : word !== undefined
            ? known.words.has(word) && 'word'
            : comment?.startsWith(known.comment) === true && known.comment !== '' && 'comment';
    html += escapedHtml(code.slice(end, match.index));
    html += kind ? `<span class="hl-${kind}">${escapedHtml(token)}</span>` : escapedHtml(token);
    end = match.index + token.length;
  }
  return html + escapedHtml(code.slice(end));
}

/** Whether the string before is the name of a field. */
function isName(code: string, after: number): boolean {
  return /^\s*:/.test(code.slice(after, after + 20));
}
