import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { listNewestActions } from '../../../infra/ops/doctor/stack/alarm-history.ts';
import type { Alarm } from '../../../infra/ops/doctor/stack/alarms.ts';
import { ringAlarm } from '../../../infra/ops/doctor/stack/ring.ts';
import { stackChecks } from '../../../infra/ops/doctor/stack/stack.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type FakeAnswers, type FakeAws, openFakeAws } from '../../support/engines/fake-aws.ts';
import {
  ALARM_TOPIC,
  accountAnswer,
  actionsAnswer,
  alarmsAnswer,
  aliasAnswer,
  functionAnswer,
  NO_DATA,
  PUBLISHED,
  RESOURCES,
  resourcesAnswer,
  STACK_ANSWERS,
  stackAnswer,
  stageAnswer,
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
  vi.stubEnv('API_URL', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  setClock();
});

async function examined(answers: FakeAnswers = {}) {
  aws.answer(answers);
  const results = await runChecks(stackChecks({ ring: false }), 'aws');
  return new Map(results.map((result) => [result.check, result]));
}

describe('the doctor of a stack', () => {
  it('passes a good one', async () => {
    const found = await examined();
    expect([...found.values()].map(({ check, state, finding }) => [check, state, finding])).toEqual([
      ['stack', 'ok', 'UPDATE_COMPLETE'],
      ['alarms', 'ok', '2 are OK'],
      ['alarm actions', 'ok', '2 alarms publish'],
      ['alarm subscriptions', 'ok', 'alarmas@sol.example'],
      ['alarm ring', 'skipped', '--ring sets an alarm off, which mails the alarm address.'],
      ['schedules', 'ok', '1 are enabled'],
      ['job metrics', 'ok', 'catalogAgeHours'],
      ['dead letters', 'ok', 'none'],
      ['functions', 'ok', '2 are active'],
      ['concurrency', 'ok', '1000 of 1000 are unreserved'],
      ['releases', 'ok', '1 aliases have one version each'],
      ['provisioned concurrency', 'ok', 'none'],
      ['API stage', 'ok', '500 requests per second for each method'],
      ['domain', 'skipped', 'The API has no domain of its own (`domain`).'],
      ['domain certificate', 'skipped', 'API_URL is not set.'],
      ['budget', 'skipped', 'The stage has none (`budget`).'],
    ]);
  });

  it('signs what it asks, in the region of a topic', async () => {
    await examined();
    const scope = (name: string) => aws.signatures.get(name)?.split('/').slice(2, 4);
    expect(scope('ListStackResources')).toEqual(['mx-central-1', 'cloudformation']);
    expect(scope('DescribeAlarms')).toEqual(['mx-central-1', 'monitoring']);
    expect(scope('DescribeRule')).toEqual(['mx-central-1', 'events']);
    expect(scope('ListSubscriptionsByTopic')).toEqual(['mx-central-1', 'sns']);
    const elsewhere = ALARM_TOPIC.replace('mx-central-1', 'us-east-1');
    await examined({ DescribeAlarms: alarmsAnswer({ AlarmActions: [elsewhere] }) });
    expect(aws.heard.filter(({ name }) => name === 'ListSubscriptionsByTopic')).toHaveLength(2);
  });

  it('reads every page of the resources', async () => {
    const found = await examined({
      ListStackResources: ({ body }) =>
        new URLSearchParams(body).get('NextToken') === 'a&b'
          ? resourcesAnswer([['AWS::Lambda::Function', 'another']])
          : resourcesAnswer(RESOURCES, 'a&amp;b'),
    });
    expect(found.get('functions')?.finding).toBe('3 are active');
  });

  it('is skipped without a stack', async () => {
    vi.stubEnv('STACK_NAME', '');
    const found = await examined();
    expect(found.get('alarms')).toMatchObject({ state: 'skipped', finding: 'STACK_NAME is not set.' });
  });

  it.each([
    ['AccessDenied', 'Your credentials lack this right: infra/ops/README.md lists those of doctor.'],
    ['ExpiredToken', 'Renew the credentials in the AWS environment of this machine.'],
    ['Throttling', 'Deploy the stack again: it sets this.'],
  ])('advises on a call that AWS refuses with %s', async (code, remedy) => {
    const found = await examined({
      ListStackResources: {
        status: 403,
        headers: { 'Content-Type': 'text/xml' },
        body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`,
      },
    });
    expect(found.get('functions')).toEqual({
      check: 'functions',
      state: 'failed',
      finding: `cloudformation answers 403 ${code}`,
      remedy,
    });
  });

  const REFUSED =
    `Failed to execute action ${ALARM_TOPIC}. Received error: "CloudWatch Alarms is not authorized to perform: ` +
    'SNS:Publish"';
  it.each<[string, FakeAnswers, string, 'failed' | 'warning', string]>([
    [
      'a failed stack',
      { DescribeStacks: stackAnswer('ROLLBACK_COMPLETE') },
      'stack',
      'failed',
      'It is ROLLBACK_COMPLETE.',
    ],
    [
      'a deployment that was undone',
      { DescribeStacks: stackAnswer('UPDATE_ROLLBACK_COMPLETE') },
      'stack',
      'warning',
      'The last deployment failed and was undone.',
    ],
    [
      'a deployment under way',
      { DescribeStacks: stackAnswer('UPDATE_IN_PROGRESS') },
      'stack',
      'warning',
      'It is UPDATE_IN_PROGRESS: a deployment is under way.',
    ],
    [
      'a production that anybody may remove',
      { DescribeStacks: stackAnswer('CREATE_COMPLETE', false) },
      'stack',
      'failed',
      'Termination protection is off in production.',
    ],
    [
      'an alarm that rings',
      { DescribeAlarms: alarmsAnswer({ StateValue: 'ALARM' }) },
      'alarms',
      'failed',
      'In ALARM: pharmacy-sol-failures.',
    ],
    [
      'an alarm that somebody has deleted',
      { ListStackResources: resourcesAnswer([...RESOURCES, ['AWS::CloudWatch::Alarm', 'pharmacy-sol-latency']]) },
      'alarms',
      'failed',
      'Deleted: pharmacy-sol-latency. A deployment makes them again with --revert-drift.',
    ],
    [
      'an alarm without data',
      { DescribeAlarms: alarmsAnswer({ StateValue: 'INSUFFICIENT_DATA' }) },
      'alarms',
      'warning',
      'Without data so far: pharmacy-sol-failures.',
    ],
    [
      'an alarm whose actions are off',
      { DescribeAlarms: alarmsAnswer({ ActionsEnabled: false }) },
      'alarm actions',
      'failed',
      'They tell nobody: pharmacy-sol-failures.',
    ],
    [
      'an alarm without actions',
      { DescribeAlarms: alarmsAnswer({ AlarmActions: [] }) },
      'alarm actions',
      'failed',
      'They tell nobody: pharmacy-sol-failures.',
    ],
    [
      'a topic to which CloudWatch may not publish',
      { DescribeAlarmHistory: actionsAnswer(['pharmacy-sol-failures', REFUSED], ['pharmacy-sol-failures', PUBLISHED]) },
      'alarm actions',
      'failed',
      `pharmacy-sol-failures: ${REFUSED}`,
    ],
    [
      'a stack without alarms',
      { ListStackResources: resourcesAnswer([]) },
      'alarm actions',
      'failed',
      'The stack has no alarm.',
    ],
    [
      'a subscription that was not confirmed',
      { ListSubscriptionsByTopic: subscriptionsAnswer(['PendingConfirmation', 'alarmas+a&amp;b@sol.example']) },
      'alarm subscriptions',
      'failed',
      'alarmas+a&b@sol.example has not confirmed the subscription to Pharmacy-sol-Alarms.',
    ],
    [
      'one of two that was not confirmed',
      {
        ListSubscriptionsByTopic: subscriptionsAnswer(
          [`${ALARM_TOPIC}:5a1b`, 'alarmas@sol.example'],
          ['PendingConfirmation', 'guardia@sol.example'],
        ),
      },
      'alarm subscriptions',
      'warning',
      'guardia@sol.example has not confirmed the subscription to Pharmacy-sol-Alarms.',
    ],
    [
      'a subscription that somebody has ended',
      { ListSubscriptionsByTopic: subscriptionsAnswer(['Deleted', 'alarmas@sol.example']) },
      'alarm subscriptions',
      'failed',
      'Nobody is subscribed to Pharmacy-sol-Alarms.',
    ],
    [
      'a schedule that is off',
      { DescribeRule: { body: { State: 'DISABLED' } } },
      'schedules',
      'failed',
      'Pharmacy-sol-watch-catalog is DISABLED.',
    ],
    [
      'a schedule without a job',
      { ListTargetsByRule: { body: { Targets: [] } } },
      'schedules',
      'failed',
      'Pharmacy-sol-watch-catalog starts nothing.',
    ],
    [
      'a job that does not report',
      { GetMetricStatistics: { body: { Datapoints: [] } } },
      'job metrics',
      'failed',
      'Not reported in the last hour: catalogAgeHours.',
    ],
    [
      'failed jobs',
      { GetQueueAttributes: { body: { Attributes: { ApproximateNumberOfMessages: '3' } } } },
      'dead letters',
      'failed',
      '3 failed runs of jobs wait in the queue.',
    ],
    [
      'a function that cannot start',
      {
        'GET /2015-03-31/functions/Pharmacy-sol-products-list': functionAnswer({
          State: 'Failed',
          StateReason: 'Why.',
        }),
      },
      'functions',
      'failed',
      'Pharmacy-sol-products-list is Failed. Why.',
    ],
    [
      'a function whose update failed',
      { 'GET /2015-03-31/functions/Pharmacy-sol-products-list': functionAnswer({ LastUpdateStatus: 'Failed' }) },
      'functions',
      'failed',
      'The last update of Pharmacy-sol-products-list failed.',
    ],
    [
      'a function that is being updated',
      { 'GET /2015-03-31/functions/Pharmacy-sol-products-list': functionAnswer({ LastUpdateStatus: 'InProgress' }) },
      'functions',
      'warning',
      'Pharmacy-sol-products-list is being updated.',
    ],
    [
      'a function that is switched off',
      {
        'GET /2015-03-31/functions/Pharmacy-sol-products-list': functionAnswer(
          {},
          { Concurrency: { ReservedConcurrentExecutions: 0 } },
        ),
      },
      'functions',
      'failed',
      'Pharmacy-sol-products-list is switched off: its reserved concurrency is 0.',
    ],
    [
      'a release that is under way, or was left',
      { 'GET /2015-03-31/functions/Pharmacy-sol-products-list/aliases/live': aliasAnswer({ '8': 0.1 }) },
      'releases',
      'warning',
      'Pharmacy-sol-products-list is between versions 7 and 8.',
    ],
    [
      'a released version that cannot start',
      {
        'GET /2015-03-31/functions/Pharmacy-sol-products-list': ({ path }) =>
          functionAnswer(path.endsWith('?Qualifier=live') ? { State: 'Failed' } : {}),
      },
      'releases',
      'failed',
      'Version 7 of Pharmacy-sol-products-list is Failed.',
    ],
    [
      'an API without a limit',
      { 'GET /restapis/api1/stages/v2': stageAnswer({ methodSettings: {} }) },
      'API stage',
      'failed',
      'Its methods are not throttled.',
    ],
    [
      'an API without an access log',
      { 'GET /restapis/api1/stages/v2': stageAnswer({ accessLogSettings: undefined }) },
      'API stage',
      'failed',
      'It has no access log.',
    ],
    [
      'a web ACL that is not before the API',
      { ListStackResources: resourcesAnswer([...RESOURCES, ['AWS::WAFv2::WebACLAssociation', 'a']]) },
      'API stage',
      'failed',
      'The web ACL is not before it.',
    ],
    [
      'the concurrency of a new account',
      { 'GET /2016-08-19/account-settings': accountAnswer(10) },
      'concurrency',
      'warning',
      'The account may run 10 functions at the same time; further requests fail.',
    ],
  ])('reports %s, with advice', async (_, answers, check, state, finding) => {
    expect((await examined(answers)).get(check)).toEqual({
      check,
      state,
      finding,
      remedy: expect.stringMatching(/\w+/),
    });
  });

  it('does not take the refusal of CloudWatch for one of the operator', async () => {
    const found = await examined({ DescribeAlarmHistory: actionsAnswer(['pharmacy-sol-failures', REFUSED]) });
    expect(found.get('alarm actions')?.remedy).toBe(
      'Deploy the stack again: it sets the actions, and the policy of the topic that lets CloudWatch publish.',
    );
  });

  it('accepts the action of an alarm that failed before and succeeded since', async () => {
    const found = await examined({
      DescribeAlarmHistory: actionsAnswer(['pharmacy-sol-failures', PUBLISHED], ['pharmacy-sol-failures', REFUSED]),
    });
    expect(found.get('alarm actions')?.state).toBe('ok');
  });

  it('does not judge the alarms of another stack', async () => {
    const found = await examined({ DescribeAlarmHistory: actionsAnswer(['pharmacy-luna-failures', REFUSED]) });
    expect(found.get('alarm actions')?.state).toBe('ok');
  });

  it('finds a failed action in an account with many', async () => {
    const others = Array.from({ length: 100 }, () => ['pharmacy-luna-failures', PUBLISHED] as const);
    const found = await examined({
      DescribeAlarmHistory: actionsAnswer(...others, ['pharmacy-sol-catalogAgeHours', REFUSED]),
    });
    expect(found.get('alarm actions')).toMatchObject({
      state: 'failed',
      finding: `pharmacy-sol-catalogAgeHours: ${REFUSED}`,
    });
  });

  it('accepts a failed action when another alarm has published since', async () => {
    const found = await examined({
      DescribeAlarmHistory: actionsAnswer(
        ['pharmacy-sol-catalogAgeHours', PUBLISHED],
        ['pharmacy-sol-failures', REFUSED],
      ),
    });
    expect(found.get('alarm actions')?.state).toBe('ok');
  });

  it('asks for the histories of two alarms in a second', async () => {
    aws.answer();
    const heard: number[] = [];
    const alarms = ['a', 'b', 'c', 'd', 'e'].map((AlarmName) => ({ AlarmName }));
    await listNewestActions(alarms, async () => heard.push(aws.heard.length));
    expect(heard).toEqual([2, 4]);
    expect(aws.heard).toHaveLength(5);
  });

  it('finds the web ACL before the API', async () => {
    const found = await examined({
      ListStackResources: resourcesAnswer([...RESOURCES, ['AWS::WAFv2::WebACLAssociation', 'a']]),
      'GET /restapis/api1/stages/v2': stageAnswer({ webAclArn: 'arn:aws:wafv2:mx-central-1:111122223333:x' }),
    });
    expect(found.get('API stage')?.finding).toBe('500 requests per second for each method, behind a web ACL');
  });

  it('does not ask for the alarms by which CodeDeploy ends a release', async () => {
    const release = ['AWS::CloudWatch::Alarm', 'pharmacy-sol-release-products-list-crashes-7'] as const;
    await examined({ ListStackResources: resourcesAnswer([...RESOURCES, release]) });
    const [asked] = aws.heard.filter(({ name }) => name === 'DescribeAlarms');
    expect(JSON.parse(asked?.body ?? '').AlarmNames).toEqual(['pharmacy-sol-failures', 'pharmacy-sol-catalogAgeHours']);
  });

  it('asks for the alarms of a stage that is called after a release', async () => {
    vi.stubEnv('STACK_NAME', 'Pharmacy-pre-release-2');
    const alarms = ['pharmacy-pre-release-2-failures', 'pharmacy-pre-release-2-release-products-list-failures-7'];
    await examined({ ListStackResources: resourcesAnswer(alarms.map((name) => ['AWS::CloudWatch::Alarm', name])) });
    const [asked] = aws.heard.filter(({ name }) => name === 'DescribeAlarms');
    expect(JSON.parse(asked?.body ?? '').AlarmNames).toEqual(['pharmacy-pre-release-2-failures']);
  });

  it('names alarms that are deleted beside those that ring', async () => {
    const found = await examined({
      ListStackResources: resourcesAnswer([...RESOURCES, ['AWS::CloudWatch::Alarm', 'pharmacy-sol-latency']]),
      DescribeAlarms: alarmsAnswer({ StateValue: 'ALARM' }),
    });
    expect(found.get('alarms')?.finding).toBe(
      'Deleted: pharmacy-sol-latency. A deployment makes them again with --revert-drift. In ALARM: pharmacy-sol-failures.',
    );
  });

  const SILENT = { StateValue: 'ALARM', TreatMissingData: 'breaching', StateReasonData: NO_DATA };

  it('waits an hour for the first data of an alarm that silence sets off', async () => {
    const silent = { DescribeAlarms: alarmsAnswer(SILENT) };
    setClock(new Date('2026-11-01T18:59:59.000Z'));
    expect((await examined(silent)).get('alarms')).toMatchObject({
      state: 'warning',
      finding: 'Without data so far: pharmacy-sol-failures.',
    });
    setClock(new Date('2026-11-01T19:00:00.000Z'));
    expect((await examined(silent)).get('alarms')).toMatchObject({
      state: 'failed',
      finding: 'In ALARM: pharmacy-sol-failures.',
    });
  });

  it.each([
    ['has data', { StateReasonData: NO_DATA.replace('"recentDatapoints":[]', '"recentDatapoints":[3.0]') }],
    ['somebody has set off', { StateReasonData: undefined }],
    ['somebody has set off with data of their own', { StateReasonData: 'none' }],
    ['is not set off by silence', { TreatMissingData: 'notBreaching' }],
  ])('fails in the first hour of a stack for an alarm that %s', async (_, changes) => {
    setClock(new Date('2026-11-01T18:10:00.000Z'));
    const found = await examined({ DescribeAlarms: alarmsAnswer({ ...SILENT, ...changes }) });
    expect(found.get('alarms')).toMatchObject({ state: 'failed', finding: 'In ALARM: pharmacy-sol-failures.' });
  });

  it('requires an alarm on the jobs', async () => {
    const found = await examined({ DescribeAlarms: { body: { MetricAlarms: [], CompositeAlarms: [] } } });
    expect(found.get('job metrics')).toMatchObject({ state: 'failed', finding: 'No alarm watches a job.' });
  });

  it('waits an hour for the first report of a job', async () => {
    const silent = { GetMetricStatistics: { body: { Datapoints: [] } } };
    setClock(new Date('2026-11-01T18:59:59.000Z'));
    expect((await examined(silent)).get('job metrics')?.state).toBe('warning');
    setClock(new Date('2026-11-01T19:00:00.000Z'));
    expect((await examined(silent)).get('job metrics')?.state).toBe('failed');
  });

  it('does not require termination protection of a demonstration', async () => {
    vi.stubEnv('PURPOSE', 'demonstration');
    const found = await examined({ DescribeStacks: stackAnswer('CREATE_COMPLETE', false) });
    expect(found.get('stack')).toMatchObject({ state: 'ok', finding: 'CREATE_COMPLETE' });
  });
});

describe('doctor --ring', () => {
  const DEAD_LETTERS: Alarm = {
    AlarmName: 'pharmacy-sol-dead-letters',
    ActionsEnabled: true,
    AlarmActions: [ALARM_TOPIC],
    StateValue: 'OK',
  };
  const patience = { tries: 3, pause: async () => undefined };
  const changes = () =>
    aws.heard
      .filter(({ name }) => name === 'SetAlarmState')
      .map(({ body }) => [JSON.parse(body).AlarmName, JSON.parse(body).StateValue]);
  const RUNG_AND_RESET = [
    ['pharmacy-sol-dead-letters', 'ALARM'],
    ['pharmacy-sol-dead-letters', 'OK'],
  ];

  /** Answers the history with one more action after each of these numbers of reads. */
  const history = (...summaries: readonly (string | undefined)[]) => {
    const known: (readonly [string, string])[] = [['pharmacy-sol-dead-letters', PUBLISHED]];
    let reads = 0;
    return (call: { body: string }) => {
      const summary = reads > 0 ? summaries[reads - 1] : undefined;
      reads += 1;
      if (summary) known.unshift(['pharmacy-sol-dead-letters', summary]);
      return actionsAnswer(...known)(call);
    };
  };
  const rung = (DescribeAlarmHistory: FakeAnswers[string]) => {
    aws.answer({ SetAlarmState: { body: '' }, DescribeAlarmHistory });
    return ringAlarm([DEAD_LETTERS], patience);
  };

  it('sets the alarm off, waits for its notification, and sets it back', async () => {
    expect(await rung(history(undefined, PUBLISHED))).toEqual({
      ok: `pharmacy-sol-dead-letters: ${PUBLISHED}. Look whether its mail has arrived.`,
    });
    expect(changes()).toEqual(RUNG_AND_RESET);
  });

  it('reports that CloudWatch may not publish, and sets it back', async () => {
    const refused = `Failed to execute action ${ALARM_TOPIC}. Received error: "not authorized"`;
    expect(await rung(history(refused))).toEqual({ failed: `pharmacy-sol-dead-letters: ${refused}` });
    expect(changes()).toEqual(RUNG_AND_RESET);
  });

  it('gives up when nothing is published, and sets it back', async () => {
    expect(await rung(history())).toEqual({
      failed: 'pharmacy-sol-dead-letters was set off, and its history names no notification.',
    });
    expect(changes()).toEqual(RUNG_AND_RESET);
  });

  it('sets it back when the history cannot be read', async () => {
    let reads = 0;
    const failing = (call: { body: string }) => {
      reads += 1;
      return reads === 1 ? actionsAnswer()(call) : { status: 400, body: { __type: 'InternalServiceFault' } };
    };
    await expect(rung(failing)).rejects.toThrow('monitoring answers 400 InternalServiceFault');
    expect(changes()).toEqual(RUNG_AND_RESET);
  });

  it('leaves an alarm alone that rings already', async () => {
    aws.answer();
    const ringing: Alarm = { ...DEAD_LETTERS, StateValue: 'ALARM' };
    expect(await ringAlarm([ringing], patience)).toEqual({ skipped: 'pharmacy-sol-dead-letters is in ALARM already.' });
    expect(changes()).toEqual([]);
  });

  it('needs the alarm', async () => {
    expect(await ringAlarm([], patience)).toEqual({ failed: 'The stack has no alarm dead-letters.' });
  });
});
