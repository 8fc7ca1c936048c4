import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { functionName } from '../../infra/stack-names.ts';
import { routes, servedMethods } from '../../shared/api/routes.ts';
import {
  type Json,
  PRODUCTION,
  propertiesIn,
  type StageChanges,
  stackTemplate,
} from '../support/rights/stack-template.ts';

/** A sender whose mail is sent in the region of the stage. */
const SENDER = { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain' };

const CHANGES: StageChanges = {
  ...PRODUCTION,
  provisionedConcurrency: { 'orders-create': 2 },
};

const demonstration = stackTemplate();
const production = stackTemplate(CHANGES);
/** A demonstration that differs only in the environment of the functions that price. */
const repriced = stackTemplate({ ivaRate: '0.08' });

type Resources = Record<string, Json>;
const find = (type: string, of: Template): Resources => of.findResources(type);
const properties = (type: string, of: Template) => propertiesIn(of, type);

/** Returns the logical id of the only resource of a type whose id begins with the name of a function. */
function idOf(type: string, name: string, of: Template): string {
  const ids = Object.keys(find(type, of)).filter((id) =>
    id.replace(/^Canary/, '').startsWith(name.replaceAll('-', '')),
  );
  expect(ids, `${type} of ${name}`).toHaveLength(1);
  return ids[0] ?? '';
}
const one = (type: string, name: string, of: Template) => find(type, of)[idOf(type, name, of)];

const canaryAlarm = (name: string) => one('AWS::CloudWatch::Alarm', name, production).Properties;

const ROUTES = [...new Set(routes.map(({ handler }) => functionName(handler)))];
/** They write records, in a stage that collects nothing. */
const WRITERS = [
  'token-issue',
  'password-request',
  'password-set',
  'orders-create',
  'orders-update',
  'orders-add-prescriptions',
  'orders-request-invoice',
  'me-update',
];
const JOBS = [
  'jobs-sweep-documents',
  'jobs-erase-retained',
  'jobs-watch-catalog',
  'jobs-run-due-tasks',
  'jobs-issue-globals',
  'jobs-publish-events',
  'jobs-deliver-webhooks',
];

describe('the alias of each function', () => {
  it.each([...ROUTES, ...JOBS])('of %s points at the version of this deployment', (name) => {
    const version = idOf('AWS::Lambda::Version', name, demonstration);
    expect(one('AWS::Lambda::Alias', name, demonstration).Properties).toEqual({
      Name: 'live',
      FunctionName: { Ref: idOf('AWS::Lambda::Function', name, demonstration) },
      FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
    });
  });

  it('exists for no function but these', () => {
    expect(properties('AWS::Lambda::Alias', demonstration)).toHaveLength(ROUTES.length + JOBS.length);
  });

  const aliases = Object.keys(find('AWS::Lambda::Alias', production));

  it('is what the API calls', () => {
    const uris = properties('AWS::ApiGateway::Method', production)
      .filter(({ Integration }) => Integration.Type === 'AWS_PROXY')
      .map(({ Integration }) => Integration.Uri['Fn::Join'][1]);
    expect(uris).toHaveLength(routes.flatMap(servedMethods).length);
    for (const parts of uris) expect(parts.some((part: Json) => aliases.includes(part.Ref))).toBe(true);
  });

  it('is what the schedules call, which may call nothing else, with its own dead letters', () => {
    const targets = properties('AWS::Events::Rule', production).flatMap(({ Targets }) => Targets);
    expect(targets).toHaveLength(6);
    for (const { Arn } of targets) expect(aliases).toContain(Arn.Ref);
    const permissions = properties('AWS::Lambda::Permission', production);
    expect(permissions).toHaveLength(6);
    for (const { FunctionName } of permissions) expect(aliases).toContain(FunctionName.Ref);
    const asynchronous = properties('AWS::Lambda::EventInvokeConfig', production);
    expect(asynchronous).toHaveLength(6);
    for (const { Qualifier } of asynchronous) expect(JSON.stringify(Qualifier)).toMatch(/jobs.*Alias/);
  });
});

describe('a version', () => {
  it('is new when only the environment of its function changes', () => {
    const unchanged = (name: string) =>
      idOf('AWS::Lambda::Version', name, demonstration) === idOf('AWS::Lambda::Version', name, repriced);
    expect(unchanged('orders-create')).toBe(false);
    expect(unchanged('orders-calculate')).toBe(false);
    expect(unchanged('products-list')).toBe(true);
    expect(unchanged('jobs-watch-catalog')).toBe(true);
  });

  it('is kept after the next one in production, but not after a deployment that failed', () => {
    const kept = Object.values(find('AWS::Lambda::Version', production)).filter(
      ({ Properties }) => !Properties.ProvisionedConcurrencyConfig,
    );
    expect(kept).toHaveLength(ROUTES.length + JOBS.length - 1);
    for (const { DeletionPolicy, UpdateReplacePolicy } of kept) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
    }
  });

  it('goes with the next one in a demonstration', () => {
    for (const { DeletionPolicy, UpdateReplacePolicy } of Object.values(find('AWS::Lambda::Version', demonstration))) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Delete', 'Delete']);
    }
  });
});

describe('a release in production', () => {
  it.each(WRITERS)('of %s serves a tenth of the requests for five minutes, watched by its own alarm', (name) => {
    const group = idOf('AWS::CodeDeploy::DeploymentGroup', name, production);
    const { Properties } = find('AWS::CodeDeploy::DeploymentGroup', production)[group];
    expect(Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      DeploymentStyle: { DeploymentOption: 'WITH_TRAFFIC_CONTROL', DeploymentType: 'BLUE_GREEN' },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
    const alarms = Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref);
    expect(alarms).toEqual([idOf('AWS::CloudWatch::Alarm', name, production)]);
    expect(Properties.AlarmConfiguration.Enabled).toBe(true);
    const alias = one('AWS::Lambda::Alias', name, production);
    expect(alias.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName).toEqual({ Ref: group });
  });

  it('is all at once for jobs, and for what only reads', () => {
    const others = [...ROUTES.filter((name) => !WRITERS.includes(name)), ...JOBS];
    for (const name of others) expect(one('AWS::Lambda::Alias', name, production)).not.toHaveProperty('UpdatePolicy');
    expect(properties('AWS::CodeDeploy::DeploymentGroup', production)).toHaveLength(WRITERS.length);
  });

  it('is watched for what collects payments too, where a stage does', () => {
    const collecting = stackTemplate({
      ...PRODUCTION,
      payments: { provider: 'stripe', secretName: 'pharmacy/stripe' },
    });
    for (const name of ['orders-pay', 'payments-stripe'])
      expect(JSON.stringify(one('AWS::CloudWatch::Alarm', name, collecting))).toContain('> 7000');
    expect(properties('AWS::CodeDeploy::DeploymentGroup', collecting)).toHaveLength(WRITERS.length + 2);
  });

  it('ends at the first crash, time-out or answer 5xx of the new version, or when a minute is slow on average', () => {
    const version = { 'Fn::GetAtt': [idOf('AWS::Lambda::Version', 'token-issue', production), 'Version'] };
    const lambda = { Ref: idOf('AWS::Lambda::Function', 'token-issue', production) };
    const ofVersion = [
      { Name: 'ExecutedVersion', Value: version },
      { Name: 'FunctionName', Value: lambda },
      { Name: 'Resource', Value: { 'Fn::Join': ['', [lambda, ':live']] } },
    ];
    const alarm = canaryAlarm('token-issue');
    expect(alarm).toMatchObject({
      AlarmName: { 'Fn::Join': ['', ['pharmacy-test-release-token-issue-', version]] },
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      // Metrics of Lambda and of logs come late, so the newest minute may have no data when the alarm is evaluated.
      EvaluationPeriods: 5,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
    });
    const watched = alarm.Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat);
    expect(
      watched.map(({ Id, MetricStat: { Metric, Period, Stat } }: Resources) => [Id, Metric, Period, Stat]),
    ).toEqual([
      ['crashes', { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: ofVersion }, 60, 'Sum'],
      [
        'answers5xx',
        {
          Namespace: 'Pharmacy/test',
          MetricName: 'answers5xx',
          Dimensions: [
            { Name: 'function', Value: lambda },
            { Name: 'version', Value: version },
          ],
        },
        60,
        'Sum',
      ],
      ['duration', { Namespace: 'AWS/Lambda', MetricName: 'Duration', Dimensions: ofVersion }, 60, 'Average'],
    ]);
  });

  it.each([
    [{ crashes: 1 }, 1],
    [{ answers5xx: 2 }, 2],
    [{ duration: 3_001 }, 1],
    [{ crashes: 1, answers5xx: 1, duration: 9_000 }, 3],
    [{ crashes: 0, duration: 3_000 }, 0],
    [{}, 0],
  ])('is judged in a minute with %o by the value %i, which ends it above 0', (minute, expected) => {
    const { Metrics } = canaryAlarm('token-issue');
    const { Expression } = Metrics.find((one: { Expression?: string }) => one.Expression);
    const FILL = (value: number | undefined, otherwise: number) => value ?? otherwise;
    const IF = (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise);
    const { crashes, answers5xx, duration } = minute as Readonly<Record<string, number>>;
    const value = new Function('FILL', 'IF', 'crashes', 'answers5xx', 'duration', `return ${Expression}`);
    expect(value(FILL, IF, crashes, answers5xx, duration)).toBe(expected);
  });

  it('may take as long as a request where it waits for a provider or the mail', () => {
    const slow = WRITERS.filter((name) => JSON.stringify(canaryAlarm(name)).includes('> 7000'));
    expect(slow).toEqual(['orders-create', 'orders-update', 'orders-request-invoice']);
  });

  it('is made by a role that may move these aliases and read alarms, nothing else', () => {
    const [group] = properties('AWS::CodeDeploy::DeploymentGroup', production);
    const { Properties } = find('AWS::IAM::Role', production)[group.ServiceRoleArn['Fn::GetAtt'][0]];
    expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    expect(
      properties('AWS::IAM::Policy', production).filter(({ Roles }) => /Canary/.test(JSON.stringify(Roles))),
    ).toEqual([]);
    const [moving, reading] = Properties.Policies[0].PolicyDocument.Statement;
    expect(moving.Action).toEqual(['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias']);
    expect(moving.Resource).toHaveLength(2 * WRITERS.length);
    const list = { 'Fn::GetAtt': [idOf('AWS::Lambda::Function', 'token-issue', production), 'Arn'] };
    expect(moving.Resource).toContainEqual(list);
    expect(moving.Resource).toContainEqual({ 'Fn::Join': ['', [list, ':live']] });
    expect([reading.Action, reading.Resource]).toEqual(['cloudwatch:DescribeAlarms', '*']);
  });

  it('is all at once when the deployment says so', () => {
    const hasty = stackTemplate(PRODUCTION, { release: 'at-once' });
    for (const alias of Object.values(find('AWS::Lambda::Alias', hasty))) {
      expect(alias).not.toHaveProperty('UpdatePolicy');
    }
    // The next release finds its groups as they were.
    expect(properties('AWS::CodeDeploy::DeploymentGroup', hasty)).toHaveLength(WRITERS.length);
  });
});

it.each([{}, PRODUCTION])('a release in an unknown way is refused', (changes) => {
  expect(() => stackTemplate(changes, { release: 'fast' })).toThrow(
    'Leave -c release out, or say -c release=at-once, not "fast".',
  );
});

describe('a release of a demonstration', () => {
  it('may be asked to be at once', () => {
    expect(stackTemplate({}, { release: 'at-once' }).toJSON()).toEqual(demonstration.toJSON());
  });

  it('is all at once, without CodeDeploy or alarms of its own', () => {
    for (const type of ['Application', 'DeploymentGroup']) {
      expect(find(`AWS::CodeDeploy::${type}`, demonstration)).toEqual({});
    }
    expect(JSON.stringify(demonstration.toJSON())).not.toMatch(/UpdatePolicy|-release-/);
  });
});

describe('provisioned concurrency', () => {
  const versionOf = (of: Template) => one('AWS::Lambda::Version', 'orders-create', of);

  it('is on the version of the functions that the settings name, never on an alias', () => {
    expect(versionOf(production).Properties.ProvisionedConcurrencyConfig).toEqual({
      ProvisionedConcurrentExecutions: 2,
    });
    const versions = properties('AWS::Lambda::Version', production);
    expect(versions.filter((version) => version.ProvisionedConcurrencyConfig)).toHaveLength(1);
    expect(JSON.stringify(find('AWS::Lambda::Alias', production))).not.toContain('ProvisionedConcurrency');
  });

  it('makes a version that Lambda publishes when the number changes or goes', () => {
    const more = stackTemplate({ ...CHANGES, provisionedConcurrency: { 'orders-create': 3 } });
    const none = stackTemplate(PRODUCTION);
    const templates = [production, more, none];
    expect(new Set(templates.map((of) => idOf('AWS::Lambda::Version', 'orders-create', of))).size).toBe(3);
    expect(templates.map((of) => one('AWS::Lambda::Function', 'orders-create', of).Properties.Description)).toEqual([
      'functions/orders/create.ts, provisioned concurrency 2',
      'functions/orders/create.ts, provisioned concurrency 3',
      'functions/orders/create.ts',
    ]);
  });

  it('ends with its version, so that former versions have no price', () => {
    const { DeletionPolicy, UpdateReplacePolicy } = versionOf(production);
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Delete', 'Delete']);
  });
});

describe('the stack', () => {
  const count = (of: Template, what: RegExp) =>
    Object.entries<Resources[string]>(of.toJSON().Resources).filter(([id, { Type }]) => what.test(`${Type} ${id}`));

  it('stays well below the 500 resources that CloudFormation allows, with every option', () => {
    const fullest = stackTemplate({
      ...CHANGES,
      region: 'us-east-1',
      eventBus: 'pharmacy',
      webAcl: {},
      scanDocuments: true,
      sender: SENDER,
      payments: { provider: 'stripe', secretName: 'pharmacy/stripe' },
    });
    expect(count(fullest, /^/).length).toBeLessThanOrEqual(420);
    expect(count(fullest, /^AWS::(SES::EmailIdentity|WAFv2::WebACL|ApiGateway::DomainName) /)).toHaveLength(3);
  });

  it('has 9 resources for a route that reads, with a path of its own', () => {
    const own = count(production, /(AWS::[A-Za-z:]+ (Canary)?(storeslist|ApiRestapistores))/).map(
      ([, { Type }]) => Type,
    );
    expect(own.toSorted()).toEqual([
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Resource',
      'AWS::IAM::Role',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
      'AWS::Lambda::Version',
      'AWS::Logs::LogGroup',
    ]);
  });
});
