import type { FakeAnswer } from '../http/loopback.ts';
import type { FakeAnswers } from './scripted-api.ts';

/*
 * The answers of AWS about a stack in good order, in the forms of the API references of CloudFormation, SNS, CloudWatch,
 * Lambda and STS. No local engine of npm has them.
 */

export const ALARM_TOPIC = 'arn:aws:sns:mx-central-1:111122223333:Pharmacy-sol-Alarms';
export const RETURNED_TOPIC = 'arn:aws:sns:us-east-1:111122223333:Pharmacy-sol-Returned';

export const xml = (body: string): FakeAnswer => ({ headers: { 'Content-Type': 'text/xml' }, body });

/** The answer about a stack that does not exist. */
export const MISSING_STACK: FakeAnswer = {
  status: 400,
  ...xml('<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code></Error></ErrorResponse>'),
};

/** The answer of STS to whose credentials sign a call. */
const answerCaller = (arn: string): FakeAnswer =>
  xml(
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' +
      `<Arn>${arn}</Arn><UserId>AROAEXAMPLE:ana.sol</UserId><Account>111122223333</Account>` +
      '</GetCallerIdentityResult></GetCallerIdentityResponse>',
  );
export const callerAnswer = answerCaller('arn:aws:sts::111122223333:assumed-role/Pharmacy/ana.sol@botica.example');

const STACK = 'arn:aws:cloudformation:mx-central-1:111122223333:stack/Pharmacy-sol/a1';

export const stackAnswer = (status: string, isProtected = true, id = STACK): FakeAnswer =>
  xml(
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>' +
      '<member><StackName>Pharmacy-sol</StackName><CreationTime>2026-11-01T18:00:00.000Z</CreationTime>' +
      '<Outputs><member><OutputKey>Purpose</OutputKey><OutputValue>production</OutputValue></member></Outputs>' +
      `<StackId>${id}</StackId>` +
      `<StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection>` +
      '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
  );

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

/** Returns both alarms, the first one with changes. */
export const alarmsAnswer = (changes: object = {}): FakeAnswer => ({
  body: {
    MetricAlarms: [
      alarm('pharmacy-sol-failures', { TreatMissingData: 'notBreaching', Metrics: [], ...changes }),
      alarm('pharmacy-sol-catalogAgeHours', {
        TreatMissingData: 'missing',
        Namespace: 'Pharmacy/sol',
        MetricName: 'catalogAgeHours',
      }),
    ],
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

export const STACK_ANSWERS: FakeAnswers = {
  GetCallerIdentity: callerAnswer,
  DescribeStacks: stackAnswer('UPDATE_COMPLETE'),
  DescribeAlarms: alarmsAnswer(),
  ListSubscriptionsByTopic: subscriptionsAnswer([`${ALARM_TOPIC}:5a1b`, 'alarmas@sol.example']),
  'GET /2016-08-19/account-settings': accountAnswer(1_000),
};

/** The services whose endpoint is the fake AWS. */
export const STACK_SERVICES = ['STS', 'CLOUDFORMATION', 'SNS', 'CLOUDWATCH', 'LAMBDA', 'API_GATEWAY'];
