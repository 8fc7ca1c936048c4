import { escaped, Html } from './html.ts';

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\b(true|false|null)\b/gi;

/** JSON as text, its parts marked up by what they are; also for the page in the browser. */
export function jsonHtml(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  let end = 0;
  let marked = '';
  for (const { index, 0: token, 1: quoted, 2: colon } of text.matchAll(TOKENS)) {
    const kind = quoted === undefined ? 'literal' : colon === undefined ? 'text' : 'key';
    const written = quoted ?? token;
    marked += `${escaped(text.slice(end, index))}<span class="${kind}">${escaped(written)}</span>`;
    end = index + written.length;
  }
  return new Html(marked + escaped(text.slice(end)));
}
