import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { stackChecks } from '../../../infra/ops/doctor/stack/stack.ts';
import { type FakeAnswer, type FakeAnswers, type FakeAws, openFakeAws } from '../../support/engines/fake-aws.ts';
import {
  actionsAnswer,
  aliasAnswer,
  functionAnswer,
  MISSING_STACK,
  PUBLISHED,
  provisionedAnswer,
  RETURNED_TOPIC,
  resourcesAnswer,
  STACK_ANSWERS,
  stackAnswer,
  stubStack,
  subscriptionsAnswer,
} from '../../support/engines/fake-stack.ts';

let aws: FakeAws;
beforeAll(async () => {
  aws = await openFakeAws(STACK_ANSWERS);
});
afterAll(() => aws.close());
beforeEach(() => {
  aws.answer();
  stubStack(aws);
});

async function examined(prefix: string, answers: FakeAnswers = {}) {
  aws.answer(answers);
  const checks = stackChecks({ ring: false }).filter(({ name }) => name.startsWith(prefix));
  const results = await runChecks(checks, 'aws');
  return results.map(({ check, state, finding }) => [check, state, finding]);
}

/** Answers by the stack that is asked for. */
const byStack =
  (answers: Readonly<Record<string, FakeAnswer>>) =>
  ({ body }: { body: string }) =>
    answers[new URLSearchParams(body).get('StackName') ?? ''] ?? MISSING_STACK;

const sendingAlarms = (changes: object = {}): FakeAnswer => ({
  body: {
    MetricAlarms: ['bounces', 'complaints'].map((name) => ({
      AlarmName: `pharmacy-sol-${name}`,
      ActionsEnabled: true,
      AlarmActions: [RETURNED_TOPIC],
      StateValue: 'OK',
      ...changes,
    })),
  },
});

describe('the doctor of a mail stack', () => {
  const GOOD: FakeAnswers = {
    DescribeStacks: byStack({ 'PharmacyMail-sol': stackAnswer('CREATE_COMPLETE') }),
    ListStackResources: byStack({
      'PharmacyMail-sol': resourcesAnswer([
        ['AWS::CloudWatch::Alarm', 'pharmacy-sol-bounces'],
        ['AWS::CloudWatch::Alarm', 'pharmacy-sol-complaints'],
      ]),
    }),
    DescribeAlarms: sendingAlarms(),
    DescribeAlarmHistory: actionsAnswer(['pharmacy-sol-bounces', PUBLISHED]),
    ListSubscriptionsByTopic: subscriptionsAnswer([`${RETURNED_TOPIC}:5a1b`, 'alarmas@sol.example']),
  };
  beforeEach(() => {
    vi.stubEnv('MAIL_STACK', 'PharmacyMail-sol');
    vi.stubEnv('MAIL_REGION', 'us-east-1');
  });

  it('passes a good one, which it looks at in the region of the mail', async () => {
    expect(await examined('mail ', GOOD)).toEqual([
      ['mail stack', 'ok', 'CREATE_COMPLETE'],
      ['mail alarms', 'ok', '2 are OK'],
      ['mail alarm actions', 'ok', '2 alarms publish'],
      ['mail alarm subscriptions', 'ok', 'alarmas@sol.example'],
    ]);
    const regions = [...aws.signatures.values()].map((signature) => signature.split('/')[2]);
    expect(new Set(regions)).toEqual(new Set(['us-east-1']));
    const [asked] = aws.heard.filter(({ name }) => name === 'DescribeAlarms');
    expect(JSON.parse(asked?.body ?? '').AlarmNames).toEqual(['pharmacy-sol-bounces', 'pharmacy-sol-complaints']);
  });

  it('has nothing to look at if SES sends in the region of the stage', async () => {
    vi.stubEnv('MAIL_STACK', undefined);
    expect(await examined('mail ', GOOD)).toEqual([]);
  });

  it.each<[string, FakeAnswers, string, string]>([
    ['is missing', { DescribeStacks: MISSING_STACK }, 'mail stack', 'PharmacyMail-sol does not exist in us-east-1.'],
    [
      'is not protected',
      { DescribeStacks: stackAnswer('CREATE_COMPLETE', false) },
      'mail stack',
      'Termination protection is off in production.',
    ],
    [
      'could not be made',
      { DescribeStacks: stackAnswer('ROLLBACK_COMPLETE') },
      'mail stack',
      'It is ROLLBACK_COMPLETE.',
    ],
    [
      'rings',
      { DescribeAlarms: sendingAlarms({ StateValue: 'ALARM' }) },
      'mail alarms',
      'In ALARM: pharmacy-sol-bounces, pharmacy-sol-complaints.',
    ],
    ['has no alarms', { ListStackResources: resourcesAnswer([]) }, 'mail alarm actions', 'The stack has no alarm.'],
    [
      'mails nobody',
      { ListSubscriptionsByTopic: subscriptionsAnswer(['PendingConfirmation', 'alarmas@sol.example']) },
      'mail alarm subscriptions',
      'alarmas@sol.example has not confirmed the subscription to Pharmacy-sol-Returned.',
    ],
  ])('reports one that %s', async (_, answers, check, finding) => {
    expect(await examined('mail ', { ...GOOD, ...answers })).toContainEqual([check, 'failed', finding]);
  });
});

describe('the doctor of a budget', () => {
  beforeEach(() => vi.stubEnv('BUDGET_STACK', 'PharmacyBudget-sol'));

  it('passes one that is deployed, in the region of budgets, without protection', async () => {
    const answers = { DescribeStacks: byStack({ 'PharmacyBudget-sol': stackAnswer('UPDATE_COMPLETE', false) }) };
    expect(await examined('budget', answers)).toEqual([['budget', 'ok', 'UPDATE_COMPLETE']]);
    expect(aws.signatures.get('DescribeStacks')).toContain('/us-east-1/cloudformation/');
  });

  it.each([
    [MISSING_STACK, 'PharmacyBudget-sol does not exist in us-east-1.'],
    [stackAnswer('ROLLBACK_COMPLETE'), 'It is ROLLBACK_COMPLETE.'],
    [{ status: 403, body: { __type: 'AccessDenied' } }, 'cloudformation answers 403 AccessDenied'],
  ])('reports one that is not: %j', async (answer, finding) => {
    expect(await examined('budget', { DescribeStacks: answer })).toEqual([['budget', 'failed', finding]]);
  });
});

describe('the doctor of provisioned concurrency', () => {
  const VERSION = 'GET /2015-03-31/functions/Pharmacy-sol-products-list';
  const LIST = 'GET /2019-09-30/functions/Pharmacy-sol-products-list/provisioned-concurrency';
  const wanting = (list: FakeAnswer): FakeAnswers => ({
    [VERSION]: functionAnswer({ Description: 'functions/products/list.ts, provisioned concurrency 2' }),
    [LIST]: list,
  });

  it.each([
    ['the version', provisionedAnswer(['7', 2, 'READY'])],
    ['the alias', provisionedAnswer(['live', 2, 'READY'])],
  ])('passes that of %s', async (_, list) => {
    expect(await examined('provisioned', wanting(list))).toEqual([
      ['provisioned concurrency', 'ok', 'ready: 2 of Pharmacy-sol-products-list'],
    ]);
  });

  it('does not ask for that of functions without any', async () => {
    expect(await examined('provisioned')).toEqual([['provisioned concurrency', 'ok', 'none']]);
    expect(aws.heard.map(({ name }) => name)).not.toContain(LIST);
  });

  it('accepts that of both versions during a release', async () => {
    const both = provisionedAnswer(['7', 2, 'READY'], ['8', 2, 'READY']);
    const answers = { ...wanting(both), [`${VERSION}/aliases/live`]: aliasAnswer({ '8': 0.1 }) };
    expect((await examined('provisioned', answers))[0]?.[1]).toBe('ok');
  });

  it.each([
    [provisionedAnswer(), 'failed', 'Version 7 of Pharmacy-sol-products-list has none, of 2.'],
    [provisionedAnswer(['6', 2, 'READY']), 'failed', 'Version 7 of Pharmacy-sol-products-list has none, of 2.'],
    [
      provisionedAnswer(['7', 2, 'FAILED', 'FUNCTION_ERROR_INIT_FAILURE']),
      'failed',
      'That of Pharmacy-sol-products-list failed. FUNCTION_ERROR_INIT_FAILURE',
    ],
    [provisionedAnswer(['7', 2, 'IN_PROGRESS']), 'warning', 'That of Pharmacy-sol-products-list is IN_PROGRESS.'],
    [provisionedAnswer(['7', 3, 'READY']), 'warning', 'Pharmacy-sol-products-list has 3 instead of 2.'],
    [
      provisionedAnswer(['6', 2, 'READY'], ['7', 2, 'READY']),
      'warning',
      'Pharmacy-sol-products-list pays for versions that nobody calls: 6.',
    ],
  ])('reports %j', async (list, state, finding) => {
    expect(await examined('provisioned', wanting(list))).toEqual([['provisioned concurrency', state, finding]]);
  });
});
