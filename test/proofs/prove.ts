import { runVitest } from '../vitest.ts';

/* `npm run prove` runs the proofs in full, the timed ones among them. */

const words = ['test/proofs', '.property.test', 'bad-input', ...process.argv.slice(2)];
process.exitCode = await runVitest(words, { PROOFS: 'full' });
