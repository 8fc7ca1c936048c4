import { vi } from 'vitest';
import { type FakeAnswer, type FakeAnswers, type FakeAws, stubOperator } from './fake-aws.ts';

/*
 * The answers of AWS about a stack in good order, in the forms of the API references of CloudFormation, SNS, CloudWatch,
 * EventBridge, SQS, Lambda and STS. No local engine of npm has them.
 */

export const ALARM_TOPIC = 'arn:aws:sns:mx-central-1:111122223333:Pharmacy-sol-Alarms';
export const RETURNED_TOPIC = 'arn:aws:sns:us-east-1:111122223333:Pharmacy-sol-Returned';

const xml = (body: string): FakeAnswer => ({ headers: { 'Content-Type': 'text/xml' }, body });

/** The answer about a stack that does not exist. */
export const MISSING_STACK: FakeAnswer = {
  status: 400,
  ...xml('<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code></Error></ErrorResponse>'),
};

/** The answer of STS to whose credentials sign a call. */
export const callerAnswer = xml(
  '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' +
    '<Arn>arn:aws:sts::111122223333:assumed-role/Pharmacy/ana.sol@botica.example</Arn>' +
    '<UserId>AROAEXAMPLE:ana.sol</UserId><Account>111122223333</Account>' +
    '</GetCallerIdentityResult></GetCallerIdentityResponse>',
);

export const stackAnswer = (status: string, isProtected = true): FakeAnswer =>
  xml(
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>' +
      '<member><StackName>Pharmacy-sol</StackName><CreationTime>2026-11-01T18:00:00.000Z</CreationTime>' +
      '<Outputs><member><OutputKey>Purpose</OutputKey><OutputValue>production</OutputValue></member></Outputs>' +
      '<StackId>arn:aws:cloudformation:mx-central-1:111122223333:stack/Pharmacy-sol/a1</StackId>' +
      `<StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection>` +
      '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
  );

const resource = ([type, id]: readonly [string, string]): string =>
  `<member><LogicalResourceId>Logical</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId>` +
  `<ResourceType>${type}</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus></member>`;

export const resourcesAnswer = (resources: readonly (readonly [string, string])[], next = ''): FakeAnswer =>
  xml(
    '<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult>' +
      `<StackResourceSummaries>${resources.map(resource).join('')}</StackResourceSummaries>` +
      `${next ? `<NextToken>${next}</NextToken>` : ''}</ListStackResourcesResult></ListStackResourcesResponse>`,
  );

export const RESOURCES = [
  ['AWS::Lambda::Function', 'Pharmacy-sol-products-list'],
  ['AWS::Lambda::Function', 'Pharmacy-sol-jobs-watch-catalog'],
  ['AWS::Lambda::Alias', 'arn:aws:lambda:mx-central-1:111122223333:function:Pharmacy-sol-products-list:live'],
  ['AWS::ApiGateway::RestApi', 'api1'],
  ['AWS::ApiGateway::Stage', 'v2'],
  ['AWS::CloudWatch::Alarm', 'pharmacy-sol-failures'],
  ['AWS::CloudWatch::Alarm', 'pharmacy-sol-catalogAgeHours'],
  ['AWS::Events::Rule', 'Pharmacy-sol-watch-catalog'],
  ['AWS::SQS::Queue', 'https://sqs.mx-central-1.amazonaws.com/111122223333/Pharmacy-sol-DeadLetters'],
  ['AWS::SNS::Topic', ALARM_TOPIC],
] as const;

export const subscriptionsAnswer = (
  ...subscriptions: readonly (readonly [arn: string, endpoint: string])[]
): FakeAnswer =>
  xml(
    '<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ListSubscriptionsByTopicResult>' +
      `<Subscriptions>${subscriptions.map(subscription).join('')}</Subscriptions>` +
      '</ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>',
  );

const subscription = ([arn, endpoint]: readonly [string, string]): string =>
  `<member><TopicArn>${ALARM_TOPIC}</TopicArn><Protocol>email</Protocol><SubscriptionArn>${arn}</SubscriptionArn>` +
  `<Owner>111122223333</Owner><Endpoint>${endpoint}</Endpoint></member>`;

const alarm = (name: string, changes: object) => ({
  AlarmName: name,
  ActionsEnabled: true,
  AlarmActions: [ALARM_TOPIC],
  OKActions: [ALARM_TOPIC],
  StateValue: 'OK',
  StateReason: 'Threshold Crossed',
  StateUpdatedTimestamp: 1_795_370_400,
  ...changes,
});

/** The `StateReasonData` of an alarm that went off because no data came. */
export const NO_DATA =
  '{"version":"1.0","queryDate":"2026-11-01T18:04:10.678+0000","statistic":"Maximum","period":300,' +
  '"recentDatapoints":[],"threshold":0.0,"evaluatedDatapoints":[{"timestamp":"2026-11-01T17:59:00.000+0000"}]}';

/** Returns both alarms, the first one with changes. */
export const alarmsAnswer = (changes: object = {}): FakeAnswer => ({
  body: {
    MetricAlarms: [
      alarm('pharmacy-sol-failures', { TreatMissingData: 'notBreaching', Metrics: [], ...changes }),
      alarm('pharmacy-sol-catalogAgeHours', {
        TreatMissingData: 'breaching',
        Namespace: 'Pharmacy/sol',
        MetricName: 'catalogAgeHours',
      }),
    ],
    CompositeAlarms: [],
  },
});

/** Answers with a history of actions, each as the name of its alarm and its summary, the newest first. */
export const actionsAnswer =
  (...actions: readonly (readonly [alarm: string, summary: string])[]) =>
  ({ body }: { readonly body: string }): FakeAnswer => {
    const asked = JSON.parse(body);
    const items = actions.map(([AlarmName, HistorySummary], index) => ({
      AlarmName,
      AlarmType: 'MetricAlarm',
      HistoryItemType: 'Action',
      HistorySummary,
      Timestamp: 1_795_370_400.123 + actions.length - index,
      HistoryData: '{}',
    }));
    const found = items.filter(({ AlarmName }) => !asked.AlarmName || AlarmName === asked.AlarmName);
    return { body: { AlarmHistoryItems: found.slice(0, asked.MaxRecords) } };
  };

export const PUBLISHED = `Successfully executed action ${ALARM_TOPIC}`;

export const functionAnswer = (changes: object = {}, concurrency: object = {}): FakeAnswer => ({
  body: {
    Configuration: { Runtime: 'nodejs24.x', State: 'Active', LastUpdateStatus: 'Successful', ...changes },
    Code: { RepositoryType: 'S3' },
    ...concurrency,
  },
});

export const accountAnswer = (concurrency: number): FakeAnswer => ({
  body: {
    AccountLimit: {
      TotalCodeSize: 80_530_636_800,
      ConcurrentExecutions: concurrency,
      UnreservedConcurrentExecutions: concurrency,
    },
    AccountUsage: { TotalCodeSize: 1, FunctionCount: 15 },
  },
});

/** Returns an alias that calls version 7, and other versions by their weights. */
export const aliasAnswer = (weights?: Readonly<Record<string, number>>): FakeAnswer => ({
  body: { Name: 'live', FunctionVersion: '7', RoutingConfig: weights ? { AdditionalVersionWeights: weights } : null },
});

type Provisioned = readonly [qualifier: string, requested: number, status: string, reason?: string];

/** Returns the provisioned concurrency of products-list, each of a version or an alias. */
export const provisionedAnswer = (...configs: readonly Provisioned[]): FakeAnswer => ({
  body: {
    ProvisionedConcurrencyConfigs: configs.map(([qualifier, requested, Status, StatusReason]) => ({
      FunctionArn: `arn:aws:lambda:mx-central-1:111122223333:function:Pharmacy-sol-products-list:${qualifier}`,
      RequestedProvisionedConcurrentExecutions: requested,
      AvailableProvisionedConcurrentExecutions: requested,
      AllocatedProvisionedConcurrentExecutions: requested,
      Status,
      StatusReason,
      LastModified: '2026-11-22T18:00:00+0000',
    })),
  },
});

export const stageAnswer = (changes: object = {}): FakeAnswer => ({
  body: {
    stageName: 'v2',
    deploymentId: 'd1',
    methodSettings: { '*/*': { throttlingRateLimit: 500, throttlingBurstLimit: 1_000, loggingLevel: 'ERROR' } },
    accessLogSettings: { destinationArn: 'arn:aws:logs:mx-central-1:111122223333:log-group:access', format: '{}' },
    ...changes,
  },
});

export const STACK_ANSWERS: FakeAnswers = {
  GetCallerIdentity: callerAnswer,
  DescribeStacks: stackAnswer('UPDATE_COMPLETE'),
  ListStackResources: resourcesAnswer(RESOURCES),
  DescribeAlarms: alarmsAnswer(),
  DescribeAlarmHistory: actionsAnswer(['pharmacy-sol-failures', PUBLISHED]),
  ListSubscriptionsByTopic: subscriptionsAnswer([`${ALARM_TOPIC}:5a1b`, 'alarmas@sol.example']),
  DescribeRule: { body: { Name: 'Pharmacy-sol-watch-catalog', State: 'ENABLED' } },
  ListTargetsByRule: {
    body: { Targets: [{ Id: 'Target0', Arn: 'arn:aws:lambda:mx-central-1:111122223333:function:x' }] },
  },
  GetMetricStatistics: {
    body: { Label: 'catalogAgeHours', Datapoints: [{ Timestamp: 1_795_370_400, SampleCount: 4 }] },
  },
  GetQueueAttributes: { body: { Attributes: { ApproximateNumberOfMessages: '0' } } },
  'GET /2015-03-31/functions': functionAnswer(),
  'GET /2015-03-31/functions/Pharmacy-sol-products-list/aliases/live': aliasAnswer(),
  'GET /restapis/api1/stages/v2': stageAnswer(),
  'GET /2016-08-19/account-settings': accountAnswer(1_000),
};

/** The services whose endpoint is the fake AWS. */
export const STACK_SERVICES = [
  'STS',
  'CLOUDFORMATION',
  'SNS',
  'CLOUDWATCH',
  'EVENTBRIDGE',
  'SQS',
  'LAMBDA',
  'API_GATEWAY',
];

/** Sets the environment of a stage in production whose services are a fake AWS, until the environment is unstubbed. */
export function stubStack({ url }: Pick<FakeAws, 'url'>): void {
  stubOperator();
  for (const service of STACK_SERVICES) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, url);
  vi.stubEnv('STACK_NAME', 'Pharmacy-sol');
  vi.stubEnv('PURPOSE', 'production');
  vi.stubEnv('ALARM_TOPIC_ARN', ALARM_TOPIC);
}
