import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountChecks } from '../../../infra/ops/doctor/account.ts';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { type FakeAnswer, type FakeAws, openFakeAws, stubOperator } from '../../support/engines/fake-aws.ts';
import { callerAnswer } from '../../support/engines/fake-stack.ts';

let aws: FakeAws;
beforeAll(async () => {
  aws = await openFakeAws({ GetCallerIdentity: callerAnswer });
});
afterAll(() => aws.close());
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_STS', aws.url);
  stubOperator();
  vi.stubEnv('STACK_ACCOUNT', '111122223333');
});
afterEach(() => vi.unstubAllEnvs());

async function checkAccount(answer: FakeAnswer = callerAnswer) {
  aws.answer({ GetCallerIdentity: answer });
  const [found] = await runChecks(accountChecks(), 'aws');
  return found;
}

describe('the doctor', () => {
  it('accepts credentials of the account of the stage', async () => {
    expect(await checkAccount()).toEqual({ check: 'account', state: 'ok', finding: '111122223333', remedy: null });
    expect(aws.signatures.get('GetCallerIdentity')).toContain('/mx-central-1/sts/aws4_request');
  });

  it('says so when credentials are of another account', async () => {
    vi.stubEnv('STACK_ACCOUNT', '444455556666');
    expect(await checkAccount()).toEqual({
      check: 'account',
      state: 'failed',
      finding: 'The credentials are of account 111122223333, the stage is in 444455556666.',
      remedy: 'Take credentials of the account of the stage, or name the outputs of another stage with --outputs.',
    });
  });

  it('advises on credentials that have expired', async () => {
    const expired = {
      status: 403,
      headers: { 'Content-Type': 'text/xml' },
      body: '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code></Error></ErrorResponse>',
    };
    expect(await checkAccount(expired)).toMatchObject({
      state: 'failed',
      finding: 'sts answers 403 ExpiredToken',
      remedy: 'Renew the credentials in the AWS environment of this machine.',
    });
  });
});
