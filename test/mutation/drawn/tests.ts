import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Test files of one of Vitest's projects. */
export type TestSet = { readonly project: 'unit' | 'component'; readonly files: readonly string[] };

/** The first failure of a run, with its test file if there is one. */
type Failure = { readonly test: string; readonly file?: string };

/** The part of the report of Vitest's JSON reporter that is read here. */
type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
};

const MAX_TRIES = 3;
const HANGS: Failure = { test: 'the run does not end' };
const FAILS_OUTSIDE: Failure = { test: 'the run fails outside of the tests' };

/**
 * Returns the name of a test that fails, or undefined if all pass. A busy machine makes tests fail too, by timeouts, by
 * answers of 503 or by an engine that does not start, so a file counts if it fails again by itself; if not, all run again.
 */
export async function findFailure(folder: string, tests: TestSet): Promise<string | undefined> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const failure = await runTests(folder, tests);
    if (!failure) return undefined;
    const again = await runTests(folder, failure.file === undefined ? tests : { ...tests, files: [failure.file] });
    if (again) return again.test;
  }
  return undefined;
}

async function runTests(folder: string, tests: TestSet): Promise<Failure | undefined> {
  const report = join(folder, '.local/report.json');
  rmSync(report, { force: true });
  const code = await runVitest(folder, tests, report);
  if (code === 0) return undefined;
  return code === null ? HANGS : (readFailure(folder, report) ?? FAILS_OUTSIDE);
}

/** Returns the exit code, or null if the run took too long and was stopped with all of its processes. */
async function runVitest(folder: string, { project, files }: TestSet, report: string): Promise<number | null> {
  const options = ['--bail=1', '--cache=false', '--fsModuleCachePath=.local/cache'];
  const output = ['--reporter=json', `--outputFile=${report}`];
  const args = ['node_modules/vitest/vitest.mjs', 'run', `--project=${project}`, ...options, ...output, ...files];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // Makes the process the leader of a group that is stopped as a whole.
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, SEED: '1' },
  });
  // A negative number names the group.
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  process.once('exit', stop);
  const overdue = setTimeout(stop, limitMs(project, files.length));
  const [code]: (number | null)[] = await once(child, 'exit');
  clearTimeout(overdue);
  process.off('exit', stop);
  return code ?? null;
}

/** Returns some five times what the files take on two busy cores: a mutant that takes longer is in an endless loop. */
const limitMs = (project: TestSet['project'], files: number) =>
  project === 'unit' ? 120_000 : 120_000 + files * 15_000;

function readFailure(folder: string, path: string): Failure | undefined {
  const failedFiles = (readReport(path)?.testResults ?? []).filter(({ status }) => status === 'failed');
  const isFailed = ({ status }: { readonly status: string }) => status === 'failed';
  // Files that were cut off by the first failure elsewhere count as failed too.
  const failed = failedFiles.find(({ assertionResults }) => assertionResults.some(isFailed)) ?? failedFiles[0];
  if (!failed) return undefined;
  const file = relative(folder, failed.name);
  const test = failed.assertionResults.find(isFailed);
  return { test: `${file}: ${test?.fullName ?? 'outside of its tests'}`, file };
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest writes none if it ends before the tests.
    return undefined;
  }
}
