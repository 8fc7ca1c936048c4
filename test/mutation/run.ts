import { Stryker } from '@stryker-mutator/core';
import { type Mutated, toMutated } from './mutated.ts';
import { isPart, PARTS, type Part } from './parts.ts';

/** The unexplained mutants that no test notices, and the explanations without such a mutant. */
type Report = { readonly unexplained: readonly Mutated[]; readonly needless: readonly string[] };

/**
 * Changes the code of a part in one place after another and prints the changes that no test notices. Returns false if
 * one of them has no explanation in `survivors/`, or if an explanation is no longer needed.
 */
async function run(name: string, part: Part): Promise<boolean> {
  process.env.MUTATED_PART = name;
  const results = await createStryker(name, part).runMutationTest();
  const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').map(toMutated);
  const { unexplained, needless } = toReport(survivors, part);
  for (const { file, line, was, becomes } of unexplained) console.log(`\n${file}:${line}\n- ${was}\n+ ${becomes}`);
  for (const key of needless) console.log(`\nexplained, and noticed by a test or gone: ${key}`);
  const noticed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const explained = survivors.length - unexplained.length;
  const all = noticed + survivors.length;
  console.log(`\n${name}: ${all} mutants, ${noticed} noticed, ${explained} explained, ${unexplained.length} neither`);
  return unexplained.length + needless.length === 0;
}

const createStryker = (name: string, { mutate }: Part) =>
  new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    mutate: [...mutate],
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

function toReport(survivors: readonly Mutated[], part: Part): Report {
  const known = new Set(
    Object.entries(part.survivors).flatMap(([file, places]) => Object.keys(places).map((place) => `${file}: ${place}`)),
  );
  const found = new Map(
    survivors.map((survivor, index) => [toSurvivorKey(survivor, survivors.slice(0, index)), survivor]),
  );
  return {
    unexplained: [...found].filter(([key]) => !known.has(key)).map(([, survivor]) => survivor),
    needless: [...known].filter((key) => !found.has(key)),
  };
}

/** Returns the key of a survivor: its file and changed line, numbered if the line repeats, as in `return true; (2)`. */
function toSurvivorKey({ file, becomes }: Mutated, before: readonly Mutated[]): string {
  const nth = 1 + before.filter((other) => other.file === file && other.becomes === becomes).length;
  return `${file}: ${becomes}${nth === 1 ? '' : ` (${nth})`}`;
}

const names = process.argv.slice(2).filter((name) => name !== '--');
for (const name of names.length === 0 ? Object.keys(PARTS) : names) {
  if (!isPart(name)) throw new Error(`there is no part "${name}": ${Object.keys(PARTS).join(', ')}`);
  if (!(await run(name, PARTS[name]))) process.exitCode = 1;
}
