import { vi } from 'vitest';

/*
 * Makes a process that ran other test files like a new container of Lambda, except that Node, the SDK and zod are loaded and
 * compiled already, which takes 1 s of work: the environment is as it was, and the modules of the project are loaded anew.
 */

// What the last test of the file before has stubbed would otherwise be put back before the first test of this one.
vi.unstubAllEnvs();

const ENVIRONMENT = Symbol.for('environment before the first file');
const worker = globalThis as typeof globalThis & { [ENVIRONMENT]?: NodeJS.ProcessEnv };
worker[ENVIRONMENT] ??= { ...process.env };

const before = worker[ENVIRONMENT];
for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
Object.assign(process.env, before);
process.exitCode = undefined;
vi.useRealTimers();
vi.resetModules();
