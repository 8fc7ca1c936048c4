import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { localEnvironment } from '../../infra/local/environment.ts';
import { currentCatalog } from '../../shared/catalog/current.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { updateShortages } from '../../shared/catalog/shortages.ts';
import { configuredAccess } from '../../shared/runtime/aws.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { startLocalS3 } from '../support/engines/local-s3.ts';

/*
 * Publishes and opens a catalog of a chain's size, each step in a process of its own, and prints its time and memory:
 * `npx node test/bench/large-catalog.ts 200000`.
 */

const BUCKET = 'pharmacy-catalog';
const [size = '200000', step, folder = ''] = process.argv.slice(2);
const bucket = () => ({ s3: new S3Client({ forcePathStyle: true }), name: BUCKET });

async function open(): Promise<void> {
  let now = 0;
  const endpoint = process.env.AWS_ENDPOINT_URL_S3;
  const directory = tmpdir();
  const source = {
    ...configuredAccess(),
    bucket: BUCKET,
    directory,
    imageBaseUrl: 'https://images.example/',
    endpoint,
  };
  const current = currentCatalog({ ...source, pathStyle: true, now: () => now });
  await timed('opened', current);
  const ids = Array.from({ length: Number(size) }, (_, at) => 70_001 + at);
  await updateShortages(bucket(), (before) => ({ ...before, marked: ids.slice(0, 1_000), tracked: ids }));
  now = 30_000;
  await timed('1,000 marks and all products tracked, seen', current);
}

const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  generate: async () => generateCatalogFolder(folder, { products: Number(size), seed: 1 }),
  publish: () => timed('published', () => publishCatalog({ folder, bucket: bucket(), now: new Date() })),
  again: () => timed('published again, compared', () => publishCatalog({ folder, bucket: bucket(), now: new Date() })),
  open,
};

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const processorSeconds = (userCPUTime + systemCPUTime) / 1_000_000;
  const times = `${seconds.toFixed(2)} s, ${processorSeconds.toFixed(2)} s of processors`;
  console.log(`${what}: ${times}, at most ${Math.round(maxRSS / 1_024)} MB`);
  return result;
}

async function runSteps(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'large-catalog-'));
  const s3 = await startLocalS3(BUCKET);
  const env = { ...process.env, ...localEnvironment({ AWS_ENDPOINT_URL_S3: s3.endpoint }), TMPDIR: scratch };
  try {
    for (const name of Object.keys(STEPS)) {
      const argv = [import.meta.filename, size, name, join(scratch, 'folder')];
      await once(spawn(process.execPath, argv, { env, stdio: 'inherit' }), 'exit');
    }
  } finally {
    await s3.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

await (STEPS[step ?? ''] ?? runSteps)();
