import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ProofTable } from './test/support/proofs/proof-table.ts';

// All processes of a run share this seed, so that every run makes the same random choices; `SEED` makes other ones.
const seed = process.env.SEED ?? '20261127';

// The tests start hundreds of processes: a start of `npm run ops` takes 0.35 s of work instead of 0.6 with the compiled code.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// The bundler would take both cores for half a minute, in which requests of the other tests run into their timeouts.
process.env.GOMAXPROCS ??= '1';

// A run has a temporary folder of its own, as the CDK leaves a folder for each template, and a test that is ended all of its own.
const temporary = mkdtempSync(join(tmpdir(), 'test-run-'));
process.env.TMPDIR = temporary;
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

// A property ends when its runs are done, however slow the machine is; the limits are there to end what hangs.
const [TEST_LIMIT_MS, HOOK_LIMIT_MS] = process.env.PROOFS === 'full' ? [3_600_000, 3_600_000] : [600_000, 60_000];

/** The proof that measures times, and the one that needs a browser: `npm run prove` alone has them. */
const IN_FULL_ONLY = ['test/proofs/busy-lists.test.ts', 'test/proofs/counter-day.test.ts'];

/** Files run one after the other in a few processes, each as in a new container, because handlers read their environment once. */
const SHARED_PROCESSES = { isolate: false, setupFiles: ['test/support/servers/new-container.ts'] };

export default defineConfig({
  test: {
    // Two cores have work for three, of which one waits for an engine, a browser or a process; the longest proofs wait for calls that hang.
    maxWorkers: process.env.PROOFS === 'full' ? 4 : 3,
    pool: 'forks',
    unstubEnvs: true,
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: HOOK_LIMIT_MS,
    expect: { poll: { timeout: 10_000 } },
    env: { SEED: seed },
    setupFiles: ['test/support/proofs/seeded-properties.ts'],
    reporters: ['default', new ProofTable(seed)],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,infra,contract}/**/*.test.ts'],
          // The unit tests share their imports to load them once; none of them changes module state.
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'component',
          include: ['test/component/**/*.test.ts', 'test/example.test.ts'],
          ...SHARED_PROCESSES,
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'deployed',
          include: ['test/deployed/**/*.test.ts'],
          ...SHARED_PROCESSES,
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs',
          include: ['test/proofs/**/*.test.ts'],
          exclude: IN_FULL_ONLY,
          ...SHARED_PROCESSES,
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs-in-full',
          include: IN_FULL_ONLY,
          globalSetup: ['test/support/engines/engines.ts'],
          // Each file has the machine to itself.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          ...SHARED_PROCESSES,
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
    ],
    coverage: { include: ['functions/**', 'shared/**', 'infra/local/**', 'infra/ops/**'] },
  },
});
