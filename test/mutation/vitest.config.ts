import { defineConfig } from 'vitest/config';
import { isPart, PARTS, type Part } from './parts.ts';

const name = process.env.MUTATED_PART ?? '';
if (!isPart(name)) throw new Error(`there is no part "${name}"`);
const part: Part = PARTS[name];

export default defineConfig({
  test: {
    include: [...part.tests],
    globalSetup: part.needsEngines ? ['test/support/engines/engines.ts'] : [],
    unstubEnvs: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { SEED: '1' },
  },
});
