import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { mailChecks } from '../../../infra/ops/doctor/mail.ts';
import { type FakeAnswer, type FakeAws, openFakeAws, stubOperator } from '../../support/engines/fake-aws.ts';

const TOO_FAST: FakeAnswer = { status: 429, headers: { 'x-amzn-errortype': 'TooManyRequestsException' }, body: {} };
const ACCOUNT: FakeAnswer = {
  body: { SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' },
};

let aws: FakeAws;
let pauses: number;
beforeAll(async () => {
  aws = await openFakeAws({ 'GET /v2/email/account': ACCOUNT });
});
afterAll(() => aws.close());
beforeEach(() => {
  pauses = 0;
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', aws.url);
  stubOperator();
});
afterEach(() => vi.unstubAllEnvs());

async function checkSending(account: FakeAnswer | (() => FakeAnswer)) {
  aws.answer({ 'GET /v2/email/account': account });
  const pause = async () => {
    pauses += 1;
  };
  const checks = mailChecks(undefined, pause).filter(({ name }) => name === 'mail sending');
  return (await runChecks(checks, 'aws'))[0];
}

describe('the doctor asks SES, which answers one call a second,', () => {
  it('again after a pause', async () => {
    const answers = [TOO_FAST, TOO_FAST, TOO_FAST];
    expect(await checkSending(() => answers.pop() ?? ACCOUNT)).toMatchObject({
      state: 'ok',
      finding: 'on in mx-central-1',
    });
    // The signed request repeats each call once by itself.
    expect(pauses).toBe(1);
  });

  it('until it gives up', async () => {
    expect(await checkSending(TOO_FAST)).toMatchObject({
      state: 'failed',
      finding: 'ses answers 429 TooManyRequestsException',
    });
    expect(pauses).toBe(7);
  });

  it('not again after another refusal', async () => {
    const denied = { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: {} };
    expect(await checkSending(denied)).toMatchObject({ finding: 'ses answers 403 AccessDeniedException' });
    expect(pauses).toBe(0);
  });
});

describe('the doctor asks SES', () => {
  it.each([
    ['us-east-1', 'us-east-1'],
    ['', 'mx-central-1'],
  ])('in the region %j of the mail, or else in that of the stage', async (region, expected) => {
    vi.stubEnv('MAIL_REGION', region || undefined);
    expect(await checkSending(ACCOUNT)).toMatchObject({ finding: `on in ${expected}` });
    expect(aws.signatures.get('GET /v2/email/account')).toContain(`/${expected}/ses/aws4_request`);
  });
});
