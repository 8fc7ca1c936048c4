import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** A code change, with the original and the mutated code on one line each; removed code becomes `without …`. */
export type Mutated = { readonly file: string; readonly line: number; readonly was: string; readonly becomes: string };

export function toMutated({ fileName, location: { start, end }, replacement }: MutantResult): Mutated {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  // Stryker counts columns and lines from 1.
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
