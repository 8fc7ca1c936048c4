import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { askAws } from '../../../infra/ops/aws.ts';
import { type FakeAws, openFakeAws } from '../../support/engines/scripted-api.ts';

let aws: FakeAws;
let folder: string;
beforeAll(async () => {
  aws = await openFakeAws({ 'GET /asked': { body: {} } });
  folder = await mkdtemp(join(tmpdir(), 'profile-'));
});
afterAll(async () => {
  await aws.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_ASKED', aws.url);
  vi.stubEnv('AWS_REGION', 'mx-central-1');
  vi.stubEnv('AWS_PROFILE', undefined);
});

const ask = () => askAws({ host: 'asked', endpoint: 'ASKED', path: '/asked' });
const signer = () => aws.signatures.get('GET /asked')?.match(/Credential=(\w+)/)?.[1];

it('signs with the keys of the environment as they are at the time', async () => {
  for (const key of ['AKIAFIRST', 'AKIASECOND']) {
    vi.stubEnv('AWS_ACCESS_KEY_ID', key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    await ask();
    expect(signer()).toBe(key);
  }
});

it('asks for the credentials of a profile once', async () => {
  const program = join(folder, 'sign-in');
  const calls = join(folder, 'calls');
  const credentials = JSON.stringify({ Version: 1, AccessKeyId: 'AKIAPROFILE', SecretAccessKey: 'secret' });
  await writeFile(program, `#!/bin/sh\necho called >> ${calls}\necho '${credentials}'\n`);
  await chmod(program, 0o700);
  await writeFile(join(folder, 'config'), `[profile desk]\ncredential_process = ${program}\n`);
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  vi.stubEnv('AWS_PROFILE', 'desk');
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  await ask();
  await ask();
  expect(signer()).toBe('AKIAPROFILE');
  expect(await readFile(calls, 'utf8')).toBe('called\n');
});
