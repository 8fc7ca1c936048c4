import { defineConfig } from 'vitest/config';

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
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/{unit,infra,contract}/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'component',
          include: ['test/component/**/*.test.ts'],
          globalSetup: ['test/support/engines.ts'],
        },
      },
    ],
    coverage: { include: ['functions/**', 'shared/**', 'infra/local/**', 'infra/ops/**'] },
  },
});
