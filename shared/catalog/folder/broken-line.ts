import { findJsonFault, measureText } from './json-fault.ts';

/** Returns a sentence on where a line stops being JSON, and why if that cannot be seen. */
export function describeBrokenLine(line: string): string {
  if (/^\s*[[{]\s*$/.test(line)) return 'A record must be whole on one line.';
  const at = findJsonFault(line) - 1;
  // A text begins there that is no JSON text: it does not end, or holds what must be escaped.
  const end = line[at] === '"' ? at + measureText(line.slice(at)) : at;
  if (line[at] === '"' && end === line.length) return `The text that begins in column ${at + 1} does not end.`;
  return `The line is not valid JSON from column ${end + 1} on${describeInvisible(line[end])}.`;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\u00a0]/u;

function describeInvisible(character = ''): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return INVISIBLE.test(character) ? `, where U+${code} stands` : '';
}
