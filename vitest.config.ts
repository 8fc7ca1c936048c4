import { randomInt } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ProofTable } from './test/support/proofs/proof-table.ts';

// One for all processes of a run, so that one number repeats what the proofs drew.
const seed = process.env.SEED ?? String(randomInt(2 ** 31));
// The load of the last minute, before the run adds its own.
const isAtRest = (loadavg()[0] ?? 0) < availableParallelism() / 2;

/** The proofs that measure times. */
const MEASURING = ['test/proofs/guessing.test.ts', 'test/proofs/load.test.ts'];

export default defineConfig({
  test: {
    // The engines beside the tests want a core too, and a laptop has few.
    maxWorkers: 2,
    // Each file has a process of its own: the handlers read their configuration from its environment.
    pool: 'forks',
    unstubEnvs: true,
    // Two cores are shared by the tests and the engines.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { SEED: seed, AT_REST: String(isAtRest) },
    reporters: ['default', new ProofTable(seed)],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,infra,contract}/**/*.test.ts'],
          // They share what they import, so that it is loaded once: none of them leaves anything behind in it.
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'component',
          include: ['test/component/**/*.test.ts'],
          globalSetup: ['test/support/engines/engines.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs',
          include: ['test/proofs/**/*.test.ts'],
          exclude: MEASURING,
          globalSetup: ['test/support/engines/engines.ts'],
          // By themselves, after the rest: they take all that the machine has.
          sequence: { groupOrder: 1 },
          testTimeout: 3_600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs-timed',
          include: MEASURING,
          globalSetup: ['test/support/engines/engines.ts'],
          // In full they measure, and have the machine for themselves.
          maxWorkers: process.env.PROOFS === 'full' ? 1 : 2,
          sequence: { groupOrder: 2 },
          testTimeout: 3_600_000,
        },
      },
    ],
    coverage: { include: ['functions/**', 'shared/**', 'infra/local/**', 'infra/ops/**'] },
  },
});
