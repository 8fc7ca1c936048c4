/*
 * The objects of a PDF as readers find them (ISO 32000-1, 7.2 and 7.3): each begins at its `obj`, wherever that stands, so that
 * a string, a comment or a stream that is left open before it hides nothing.
 */

/** The value of a dictionary's key, as its tokens; a name is unescaped and has its `/`. */
export type PdfValue = readonly string[];

/** An object, as far as it can be read. */
export type PdfObject = {
  /** Every name in it, at any depth. */
  readonly names: ReadonlySet<string>;
  /** The keys of its dictionary. A key that stands there twice is not read the same way by all readers. */
  readonly entries: ReadonlyMap<string, PdfValue>;
  readonly hasEntryTwice: boolean;
  /** The index at which the data of its stream begin; undefined if it has none. */
  readonly streamAt: number | undefined;
};

// The white space of PDF, comments, and the tokens: brackets, names, numbers and words, and what begins a text.
const TOKEN = /[\0\t\n\f\r ]+|%[^\r\n]*|<<|>>|[[\]{}]|\/[^\0\t\n\f\r ()<>[\]{}/%]*|[^\0\t\n\f\r ()<>[\]{}/%]+|[()<>]/y;
// Readers go on with the next line, whatever stands behind the word.
const STREAM = /stream[^\r\n]{0,255}(?:\r\n|\r|\n)/y;
const MAX_DEPTH = 64;

/** The work left for the objects of a file: each token costs its letters and TOKEN_COST. */
export type TokenBudget = { left: number };
const TOKEN_COST = 4;
// Objects do not overlap, and tokens have two letters or more with the blanks between them.
export const tokenBudget = (pdf: string): TokenBudget => ({ left: 64 * 1024 + 3 * pdf.length });

/** Yields the objects of a PDF, in the encoding latin1. Ends early when the budget is used up. */
export function* readObjects(pdf: string, budget: TokenBudget): Generator<PdfObject> {
  for (let at = pdf.indexOf('obj'); at >= 0 && budget.left > 0; at = pdf.indexOf('obj', at + 3)) {
    budget.left -= 1;
    // Not the end of one.
    if (/[A-Za-z]/.test(pdf[at - 1] ?? '')) continue;
    yield readObject(pdf, at + 3, budget);
  }
}

/** Reads the object that begins here. */
export function readObject(pdf: string, start: number, budget: TokenBudget): PdfObject {
  const names = new Set<string>();
  const entries = new Map<string, string[]>();
  let hasEntryTwice = false;
  const open: string[] = [];
  let value: string[] | undefined;
  let at = start;
  let end: number | undefined;
  while (end === undefined && budget.left > 0) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(pdf)?.[0];
    if (token === undefined) break;
    at = TOKEN.lastIndex;
    budget.left -= token.length + TOKEN_COST;
    const depth = open.length;
    if (isBlankOrComment(token)) continue;
    if (token === '(' || token === '<') {
      const before = at;
      at = token === '(' ? skipText(pdf, at) : skipDigits(pdf, at);
      budget.left -= at - before;
      value?.push('()');
    } else if (token === '<<' || token === '[') {
      open.push(token === '[' ? ']' : '>>');
      if (depth > 0) value?.push(token);
    } else if (token === '>>' || token === ']') {
      // Readers pass over one that closes nothing.
      if (open.at(-1) !== token) continue;
      open.pop();
      if (depth > 1) value?.push(token);
      else end = at;
    } else if (depth === 0) {
      end = at;
    } else if (token[0] === '/') {
      const name = unescapeName(token);
      names.add(name);
      if (depth > 1) value?.push(name);
      else if (value && value.length === 0) value.push(name);
      else {
        hasEntryTwice ||= entries.has(name);
        value = [];
        entries.set(name, value);
      }
    } else {
      value?.push(token);
    }
    if (depth > MAX_DEPTH) budget.left = 0;
  }
  return { names, entries, hasEntryTwice, streamAt: end === undefined ? undefined : findStream(pdf, end, budget) };
}

const isBlankOrComment = (token: string): boolean => '%\0\t\n\f\r '.includes(token[0] ?? '');

/** Any letter of a name may be written as # and its two hexadecimal digits (7.3.5). */
const unescapeName = (name: string): string =>
  name.includes('#')
    ? name.replace(/#([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : name;

/** Returns the offset behind a text in parentheses, which may hold others. */
function skipText(pdf: string, start: number): number {
  let depth = 1;
  let at = start;
  for (; at < pdf.length && depth > 0; at++) {
    const sign = pdf.charCodeAt(at);
    if (sign === 0x5c) at += 1;
    else if (sign === 0x28) depth += 1;
    else if (sign === 0x29) depth -= 1;
  }
  return Math.min(at, pdf.length);
}

function skipDigits(pdf: string, start: number): number {
  const end = pdf.indexOf('>', start);
  return end < 0 ? pdf.length : end + 1;
}

/** Returns where the data of a stream begin, if the word for it is the next one. */
function findStream(pdf: string, end: number, budget: TokenBudget): number | undefined {
  let at = end;
  for (TOKEN.lastIndex = at; budget.left > 0; TOKEN.lastIndex = at) {
    const token = TOKEN.exec(pdf)?.[0] ?? '';
    budget.left -= token.length + TOKEN_COST;
    if (token !== '' && isBlankOrComment(token)) {
      at = TOKEN.lastIndex;
      continue;
    }
    if (!token.startsWith('stream')) return undefined;
    STREAM.lastIndex = at;
    return STREAM.test(pdf) ? STREAM.lastIndex : at;
  }
  return undefined;
}
