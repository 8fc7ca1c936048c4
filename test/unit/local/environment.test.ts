import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  enterLocalEnvironment,
  localDirectory,
  localEnvironment,
  localPorts,
} from '../../../infra/local/environment.ts';

describe('the ports', () => {
  it('have defaults, and can be set one by one', () => {
    const defaults = { PORT: 3000, DYNAMODB_PORT: 8000, S3_PORT: 9000, SES_PORT: 8005 };
    expect(localPorts({})).toEqual(defaults);
    expect(localPorts({ S3_PORT: '9100' })).toEqual({ ...defaults, S3_PORT: 9100 });
  });

  it.each(['0', '65536', '-1', '80a', '', '1e3'])('refuse %s', (written) => {
    expect(() => localPorts({ PORT: written })).toThrow(`PORT must be a port from 1 to 65535, not "${written}"`);
  });
});

describe('the data folder', () => {
  it('is .local/server, or LOCAL_DIR', () => {
    expect(localDirectory({})).toBe(resolve('.local/server'));
    expect(localDirectory({ LOCAL_DIR: '/tmp/elsewhere' })).toBe('/tmp/elsewhere');
  });
});

describe('the environment', () => {
  it('has the addresses of the engines on loopback with their ports, and the file of the API keys', () => {
    expect(localEnvironment({ DYNAMODB_PORT: '8100', LOCAL_DIR: '/data' })).toMatchObject({
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8100',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000',
      AWS_ENDPOINT_URL_SES: 'http://127.0.0.1:8005',
      API_KEYS_FILE: '/data/api-keys.json',
    });
  });

  it('invoices in the sandbox and mails as the demonstration shop by default', () => {
    expect(localEnvironment({})).toMatchObject({
      MAIL_SENDER: 'Botica <facturas@botica.example>',
      INVOICING_PROVIDER: 'sandbox',
      ISSUER_RFC: 'EKU9003173C9',
    });
    const own = {
      MAIL_SENDER: 'Mi Botica <hola@mi.example>',
      INVOICING_PROVIDER: 'facturapi',
      ISSUER_ZIPCODE: '64000',
    };
    expect(localEnvironment(own)).toMatchObject(own);
  });

  it('keeps an endpoint that was set before', () => {
    const elsewhere = { AWS_ENDPOINT_URL_DYNAMODB: 'http://db.example:8000' };
    expect(localEnvironment(elsewhere)).toMatchObject(elsewhere);
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
