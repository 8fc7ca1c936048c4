import { transformSync } from 'esbuild';

/** A regular expression as it stands in the source. */
export type Pattern = { readonly file: string; readonly source: string; readonly flags: string };

// Behind these a slash begins a regular expression, behind anything else it divides.
const BEFORE = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in|void|delete|throw|new|await))$/;
const LITERAL = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y;

/** Returns the regular expressions of a file of TypeScript; esbuild takes types and comments away before. */
export function listPatterns(file: string, code: string): Pattern[] {
  const { code: script } = transformSync(code, {
    loader: 'ts',
    target: 'esnext',
    legalComments: 'none',
    minifyWhitespace: true,
  });
  const found: Pattern[] = [];
  // The depth of braces at which each open `${` of a template began.
  const templates: number[] = [];
  let depth = 0;
  let before = '';
  for (let at = 0; at < script.length; ) {
    const sign = script[at] ?? '';
    const isTemplateEnd = sign === '}' && templates.at(-1) === depth;
    const match =
      sign === '"' || sign === "'" ? STRING : sign === '/' && BEFORE.test(before.trimEnd()) ? LITERAL : null;
    if (match) match.lastIndex = at;
    const token = match?.exec(script);
    if (sign === '`' || isTemplateEnd) {
      if (isTemplateEnd) templates.pop();
      const end = endOfTemplate(script, at + 1);
      if (script[end] === '{') templates.push(depth);
      at = end + 1;
      before = script[end] === '{' ? '{' : '`';
    } else if (token) {
      if (match === LITERAL) found.push({ file, source: token[1] ?? '', flags: token[2] ?? '' });
      at += token[0].length;
      before = '"';
    } else {
      if (sign === '{') depth += 1;
      if (sign === '}') depth -= 1;
      if (sign.trim() !== '') before = `${before}${sign}`.slice(-12);
      else if (/\w$/.test(before)) before += ' ';
      at += 1;
    }
  }
  return found;
}

/** Returns where the text of a template ends: at its backtick, or at the brace of the next `${`. */
function endOfTemplate(script: string, start: number): number {
  for (let at = start; at < script.length; at++) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === '`') return at;
    else if (script[at] === '$' && script[at + 1] === '{') return at + 1;
  }
  throw new Error('a template without an end');
}
