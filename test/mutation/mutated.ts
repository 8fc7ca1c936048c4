import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** A place of the code as it is and as a mutant has it, on one line each; of what is left out, what that was. */
export type Mutated = { readonly file: string; readonly line: number; readonly was: string; readonly becomes: string };

export function mutated({ fileName, location: { start, end }, replacement }: MutantResult): Mutated {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  // Columns and lines count from 1.
  const before = (lines[start.line - 1] ?? '').slice(0, start.column - 1);
  const after = (lines[end.line - 1] ?? '').slice(end.column - 1);
  const was = onOneLine(lines.slice(start.line - 1, end.line).join(' '));
  const becomes = onOneLine(`${before}${replacement ?? ''}${after}`);
  return {
    file: relative('.', fileName),
    line: start.line,
    was,
    becomes: becomes === ';' ? `without ${was}` : becomes,
  };
}

const onOneLine = (code: string) => code.replace(/\s+/g, ' ').trim();
