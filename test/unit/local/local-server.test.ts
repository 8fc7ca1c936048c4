import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyFolder, lockFolder } from '../../../infra/local/engines/folder.ts';
import { expectFreePorts } from '../../../infra/local/engines/ports.ts';
import {
  enterLocalEnvironment,
  localDirectory,
  localEnvironment,
  localPorts,
} from '../../../infra/local/environment.ts';
import { openApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { freePorts } from '../../support/engines/ports.ts';

// The parts of the local server: its ports, its environment, its folder and its API keys. `proofs/attacks/rebinding` has who
// reaches it.

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'local-'));
  return () => rmSync(directory, { recursive: true, force: true });
});

describe('the ports', () => {
  it('have defaults, and can be set one by one', () => {
    const defaults = { PORT: 3000, DYNAMODB_PORT: 8000, S3_PORT: 9000, SES_PORT: 8005 };
    expect(localPorts({})).toEqual(defaults);
    expect(localPorts({ S3_PORT: '9100' })).toEqual({ ...defaults, S3_PORT: 9100 });
  });

  it.each(['0', '65536', '80a', ''])('refuse %s', (written) => {
    expect(() => localPorts({ PORT: written })).toThrow(`PORT must be a port from 1 to 65535, not "${written}"`);
  });

  it('are each free, and no two the same', async () => {
    const { S3_PORT } = await freePorts();
    const port = Number(S3_PORT);
    const refused = expectFreePorts({ PORT: 0, DYNAMODB_PORT: port, S3_PORT: port });
    await expect(refused).rejects.toThrow(`Port ${port} is in use: set S3_PORT to a free one.`);
    await expect(expectFreePorts({ PORT: 0, S3_PORT: port })).resolves.toBeUndefined();
  });
});

describe('the environment', () => {
  it('has the engines on loopback, the sandbox of invoices and the file of the API keys', () => {
    expect([localDirectory({}), localDirectory({ LOCAL_DIR: '/data' })]).toEqual([resolve('.local/server'), '/data']);
    expect(localEnvironment({ DYNAMODB_PORT: '8100', LOCAL_DIR: '/data' })).toMatchObject({
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8100',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000',
      AWS_ENDPOINT_URL_SES: 'http://127.0.0.1:8005',
      API_KEYS_FILE: '/data/api-keys.json',
      INVOICING_PROVIDER: 'sandbox',
    });
  });

  it('keeps what was set before', () => {
    const own = { AWS_ENDPOINT_URL_DYNAMODB: 'http://db.example:8000', INVOICING_PROVIDER: 'facturapi' };
    expect(localEnvironment(own)).toMatchObject(own);
  });

  it("replaces the credentials of the reader's own AWS account by the server's", () => {
    vi.stubEnv('AWS_PROFILE', 'production');
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAPRODUCTION');
    enterLocalEnvironment();
    expect(process.env).toMatchObject({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
    expect(process.env).not.toHaveProperty('AWS_PROFILE');
    expect(process.env).not.toHaveProperty('AWS_SESSION_TOKEN');
  });
});

describe('the lock of the folder', () => {
  const IN_USE = 'is in use by another local server: stop it, or let LOCAL_DIR name another folder.';

  it('is refused to a second server until the first has ended, though its files are removed', async () => {
    const release = lockFolder(directory);
    writeFileSync(join(directory, 'api-keys.json'), '[]');
    emptyFolder(directory);
    expect(() => lockFolder(directory)).toThrow(IN_USE);
    await release();
    await lockFolder(directory)();
  });

  it('is refused on a lock file that is something else', () => {
    writeFileSync(join(directory, '.lock'), 'no database '.repeat(100));
    expect(() => lockFolder(directory)).toThrow('cannot be used (file is not a database)');
  });
});

describe('the keys of the gateway', () => {
  it('are found by their value, and kept with every change, which others who opened the file see', () => {
    const file = join(directory, 'api-keys.json');
    const [keys, other] = [openApiKeys(file), openApiKeys(file)];
    const key = keys.create({ name: 'shop', enabled: true, value: 'a-value-of-20-characters' });
    expect([keys.find('a-value-of-20-characters'), keys.find(key.id)]).toEqual([key, undefined]);
    const removed = other.create({ name: 'removed', enabled: true });
    other.change(key.id, { enabled: false });
    expect(keys.find(key.value)).toMatchObject({ id: key.id, name: 'shop', enabled: false });
    keys.remove(removed.id);
    expect(other.find(removed.value)).toBeUndefined();
    expect(openApiKeys(file).list()).toEqual([keys.get(key.id)]);
    expect([readdirSync(directory), statSync(file).mode & 0o777]).toEqual([['api-keys.json'], 0o600]);
  });

  it.each(['{', '{}', '[{"id":1}]'])('are not read from %s', (content) => {
    writeFileSync(join(directory, 'api-keys.json'), content);
    expect(() => openApiKeys(join(directory, 'api-keys.json'))).toThrow();
  });
});
