const CHARACTER = String.raw`[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})`;
const STRING = `"(?:${CHARACTER})*"`;
const TEXT = new RegExp(`^"(?:${CHARACTER})*`);
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b`;
const TOKEN = new RegExp(String.raw`[ \t\r]*(?:([{}[\],:])|(${STRING})|(${SCALAR}))`, 'y');
const BLANKS = /[ \t\r]*/y;

type State = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing';

/** Returns the column, from 1, at which a line stops being JSON; the one behind its end if it breaks off. */
export function findJsonFault(line: string): number {
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const [token, sign, string] = TOKEN.exec(line) ?? [];
    const next: State | undefined | '' = token && nextState(state, sign ?? (string ? 'string' : 'scalar'), open);
    if (!token || !next) return skipBlanks(line, at) + 1;
    at += token.length;
    state = next;
  }
}

/** Returns how many characters of a text that begins here are valid JSON, its quotation mark included. */
export const measureText = (line: string): number => TEXT.exec(line)?.[0].length ?? 0;

function nextState(state: State, token: string, open: string[]): State | undefined {
  if (token === 'string' && state.startsWith('key')) return ':';
  if (state === ':') return token === ':' ? 'value' : undefined;
  if (state === ', or end' && token === ',') return open.at(-1) === '{' ? 'key' : 'value';
  if (isEnd(state, token, open)) return close(open);
  return state.startsWith('value') ? beginValue(token, open) : undefined;
}

function isEnd(state: State, token: string, open: readonly string[]): boolean {
  if (token === '}') return open.at(-1) === '{' && (state === 'key or }' || state === ', or end');
  return token === ']' && open.at(-1) === '[' && (state === 'value or ]' || state === ', or end');
}

function close(open: string[]): State {
  open.pop();
  return open.length > 0 ? ', or end' : 'nothing';
}

function beginValue(token: string, open: string[]): State | undefined {
  if (token === 'string' || token === 'scalar') return open.length > 0 ? ', or end' : 'nothing';
  if (token !== '{' && token !== '[') return undefined;
  open.push(token);
  return token === '{' ? 'key or }' : 'value or ]';
}

function skipBlanks(line: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(line)?.[0].length ?? 0);
}
