import { defineConfig } from 'vitest/config';
import { findPart } from './parts.ts';

const { tests, needsEngines } = findPart(process.env.MUTATED_PART ?? '');

export default defineConfig({
  test: {
    include: [...tests],
    globalSetup: needsEngines ? ['test/support/engines/engines.ts'] : [],
    unstubEnvs: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { SEED: '1' },
  },
});
