import type { RequestListener } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signedFetch } from '../../../shared/runtime/aws.ts';
import { loopback } from '../../support/http/loopback.ts';

const access = { region: 'us-east-1', credentials: { accessKeyId: 'planted', secretAccessKey: 'planted' } };
const send = signedFetch('s3', access);
// A test that does not measure the time leaves a busy machine as much as it needs.
const PATIENCE_MS = 20_000;

/** Opens a server on loopback until the end of the test, and returns its address. */
async function open(listener: RequestListener): Promise<string> {
  const { url, close } = await loopback(listener);
  onTestFinished(close);
  return `${url}/`;
}

/** Collects garbage many times a second until the end of the test, as a busy process does. */
function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  const timer = setInterval(runInNewContext('gc') as () => void, 20);
  onTestFinished(() => clearInterval(timer));
}

describe('a signed request', () => {
  it('ends after its time, although its garbage is collected meanwhile', async () => {
    const url = await open(() => undefined);
    collectGarbage();
    await expect(send(url, 200)).rejects.toMatchObject({ name: 'TimeoutError' });
  }, 10_000);

  it('ends after its time in the middle of the answer', async () => {
    const url = await open((_, answer) => answer.writeHead(200, { 'Content-Length': 2 }).write('x'));
    const answer = await send(url, 2_000);
    collectGarbage();
    await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' });
  }, 10_000);

  it.each([
    [429, 2],
    [503, 2],
    [404, 1],
    [200, 1],
  ])('that is answered %i is sent %i times', async (status, times) => {
    let asked = 0;
    const url = await open((_, answer) => {
      asked += 1;
      answer.writeHead(status).end();
    });
    expect((await send(url, PATIENCE_MS)).status).toBe(status);
    expect(asked).toBe(times);
  });

  it('carries its method, its body and a signature of its service', async () => {
    let heard = '';
    const url = await open(async (request, answer) => {
      for await (const chunk of request) heard += chunk;
      heard += ` ${request.method} ${request.headers.authorization}`;
      answer.end();
    });
    await send(url, PATIENCE_MS, { method: 'POST', body: 'planted body', headers: { 'Content-Type': 'text/plain' } });
    expect(heard).toMatch(/^planted body POST AWS4-HMAC-SHA256 Credential=planted\/\d{8}\/us-east-1\/s3\/aws4_request/);
  });
});
