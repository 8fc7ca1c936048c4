import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEngines } from '../../infra/local/engines.ts';
import { localEnvironment } from '../../infra/local/environment.ts';
import { createStores, publishDemoCatalog } from '../../infra/local/seed.ts';
import { freePorts } from './ports.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the shared engines are found by. */
    houseEnvironment: Record<string, string>;
  }
}

/** One set of engines for all component tests of a run, with the demonstration catalog published in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'house-'));
  const environment = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const engines = await startEngines(environment);
  const teardown = async () => {
    await engines.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const houseEnvironment = localEnvironment(environment);
    Object.assign(process.env, houseEnvironment);
    await createStores();
    await publishDemoCatalog();
    project.provide('houseEnvironment', houseEnvironment);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
