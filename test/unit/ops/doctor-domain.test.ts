import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { domainChecks } from '../../../infra/ops/doctor/stack/domain.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type FakeAws, openFakeAws, stubOperator } from '../../support/engines/fake-aws.ts';
import { LOCALHOST_CERTIFICATE, openTlsServer } from '../../support/engines/localhost-tls.ts';

let aws: FakeAws;
let api: Awaited<ReturnType<typeof openTlsServer>>;
const trusted = getCACertificates('default');
const status = (domainNameStatus: string, domainNameStatusMessage?: string) => ({
  'GET /domainnames/api.sol.example': { body: { domainNameStatus, domainNameStatusMessage } },
});

beforeAll(async () => {
  aws = await openFakeAws(status('AVAILABLE'));
  api = await openTlsServer();
});
afterAll(async () => {
  await aws.close();
  await api.close();
});
beforeEach(() => {
  aws.answer();
  setDefaultCACertificates([...trusted, LOCALHOST_CERTIFICATE]);
  vi.stubEnv('AWS_ENDPOINT_URL_API_GATEWAY', aws.url);
  stubOperator();
  vi.stubEnv('API_URL', `https://localhost:${api.port}/v2`);
});
afterEach(() => {
  setClock();
  setDefaultCACertificates(trusted);
});

async function examined(...domains: readonly string[]) {
  const checks = domainChecks(async () => new Map([['AWS::ApiGateway::DomainName', domains]]));
  const results = await runChecks(
    checks.map((check) => ({ ...check, needs: check.needs ?? [] })),
    'aws',
  );
  return results.map(({ check, state, finding }) => [check, state, finding]);
}

describe('the doctor of a domain', () => {
  it('passes one that is available, with the end of its certificate', async () => {
    expect(await examined('api.sol.example')).toEqual([
      ['domain', 'ok', 'api.sol.example'],
      ['domain certificate', 'ok', 'until 2126-01-22'],
    ]);
  });

  it('has nothing to look at without one', async () => {
    expect(await examined()).toEqual([
      ['domain', 'skipped', 'The API has no domain of its own (`domain`).'],
      ['domain certificate', 'skipped', 'The API has no domain of its own (`domain`).'],
    ]);
  });

  it.each([
    ['UPDATING', undefined, 'warning', 'api.sol.example is UPDATING.'],
    ['FAILED', 'Why.', 'failed', 'api.sol.example is FAILED. Why.'],
    ['PENDING_OWNERSHIP_VERIFICATION', undefined, 'failed', 'api.sol.example is PENDING_OWNERSHIP_VERIFICATION.'],
  ])('reports that it is %s', async (is, message, state, finding) => {
    aws.answer(status(is, message));
    expect((await examined('api.sol.example'))[0]).toEqual(['domain', state, finding]);
  });

  it.each([
    ['2126-01-01T18:00:00.000Z', 'ok', 'until 2126-01-22'],
    ['2126-01-01T18:00:00.001Z', 'warning', 'It ends on 2126-01-22, and was not renewed.'],
  ])('warns of a certificate less than 21 days before its end, at %s', async (time, state, finding) => {
    setClock(new Date(time));
    expect((await examined('api.sol.example'))[1]).toEqual(['domain certificate', state, finding]);
  });

  it('reports a certificate that nobody trusts', async () => {
    setDefaultCACertificates(trusted);
    const [, [, state, finding] = []] = await examined('api.sol.example');
    expect([state, finding]).toEqual(['failed', expect.stringMatching(/^self-signed certificate/)]);
  });

  it('reports that nobody answers', async () => {
    vi.stubEnv('API_URL', 'https://localhost:1/v2');
    expect((await examined('api.sol.example'))[1]?.slice(0, 2)).toEqual(['domain certificate', 'failed']);
  });
});
