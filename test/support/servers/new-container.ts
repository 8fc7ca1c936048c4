import { vi } from 'vitest';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { takeUnavailable } from '../proofs/patience.ts';

/*
 * Makes a process that ran other test files like a new container of Lambda, except that its modules are loaded already: the
 * environment and the clock are as they were, and all that depends on the environment is made anew.
 */

// What the last test of the file before has stubbed would otherwise be put back before the first test of this one.
vi.unstubAllEnvs();
vi.unstubAllGlobals();
vi.restoreAllMocks();

const ENVIRONMENT = Symbol.for('environment before the first file');
const worker = globalThis as typeof globalThis & { [ENVIRONMENT]?: NodeJS.ProcessEnv };
worker[ENVIRONMENT] ??= { ...process.env };

const before = worker[ENVIRONMENT];
for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
Object.assign(process.env, before);
process.exitCode = undefined;
vi.useRealTimers();
setClock();
beginContainer();
takeUnavailable();
