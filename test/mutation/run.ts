import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { findPart, partNames } from './vitest.config.ts';

/** Changes the code of a part in one place after another, and prints each change after which all tests passed. */
async function run(name: string): Promise<void> {
  // The configuration of the tests reads this.
  process.env.MUTATED_PART = name;
  const results = await createStryker(name).runMutationTest();
  const select = (...statuses: readonly string[]) => results.filter(({ status }) => statuses.includes(status));
  const survivors = select('Survived', 'NoCoverage');
  for (const survivor of survivors) console.log(describeMutant(survivor));
  console.log(`\n${name}: ${select('Killed', 'Timeout').length} changes were noticed, ${survivors.length} were not.`);
}

const createStryker = (name: string) =>
  new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    mutate: [...findPart(name).mutate],
    // Stryker reads this file with TypeScript's old API and does not need it.
    tsconfigFile: 'none',
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
    timeoutMS: 10_000,
    incremental: true,
    incrementalFile: `.local/mutation-${name}.json`,
    tempDirName: `.local/mutation-${name}`,
    ignorePatterns: ['cdk.out', 'dist', '.local'],
    reporters: ['progress'],
  });

/** Returns the place of a change, and its lines before and after it. */
function describeMutant({ fileName, location: { start, end }, replacement = '' }: MutantResult): string {
  // Stryker counts columns and lines from 1.
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const before = (lines[0] ?? '').slice(0, start.column - 1);
  const after = (lines.at(-1) ?? '').slice(end.column - 1);
  return `\n${relative('.', fileName)}:${start.line}\n- ${lines.join('\n  ')}\n+ ${before}${replacement}${after}`;
}

const names = process.argv.slice(2);
for (const name of names.length === 0 ? partNames : names) await run(name);
