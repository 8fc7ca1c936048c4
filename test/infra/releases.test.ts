import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { functionName } from '../../infra/stack-names.ts';
import { routes } from '../../shared/api/routes.ts';
import { type Json, propertiesIn, resourcesIn } from '../support/rights/function-rights.ts';
import { PRODUCTION, type StageChanges, stackTemplate } from '../support/rights/stack-template.ts';

const CHANGES: StageChanges = {
  ...PRODUCTION,
  provisionedConcurrency: { 'orders-create': 2 },
};

const demonstration = stackTemplate();
const production = stackTemplate(CHANGES);
/** A demonstration that differs only in the environment of the functions that price. */
const repriced = stackTemplate({ ivaRate: '0.08' });

type Resources = Record<string, Json>;
const find = (type: string, of: Template): Resources => resourcesIn(of, type);
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
  it('points at the version of this deployment', () => {
    for (const name of [...ROUTES, ...JOBS]) {
      const version = idOf('AWS::Lambda::Version', name, demonstration);
      expect(one('AWS::Lambda::Alias', name, demonstration).Properties).toEqual({
        Name: 'live',
        FunctionName: { Ref: idOf('AWS::Lambda::Function', name, demonstration) },
        FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
      });
    }
    expect(properties('AWS::Lambda::Alias', demonstration)).toHaveLength(ROUTES.length + JOBS.length);
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
});

describe('a release in production', () => {
  it('of what writes serves a tenth of the requests for five minutes, watched by its own alarm', () => {
    for (const name of WRITERS) {
      const group = idOf('AWS::CodeDeploy::DeploymentGroup', name, production);
      const { Properties } = find('AWS::CodeDeploy::DeploymentGroup', production)[group];
      expect(Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      const alarms = Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref);
      expect(alarms).toEqual([idOf('AWS::CloudWatch::Alarm', name, production)]);
      const alias = one('AWS::Lambda::Alias', name, production);
      expect(alias.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName).toEqual({ Ref: group });
    }
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

describe('provisioned concurrency', () => {
  it('is on the version of the functions that the settings name, which is not kept, and never on an alias', () => {
    expect(one('AWS::Lambda::Version', 'orders-create', production)).toMatchObject({
      Properties: { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 } },
      // Former versions would have a price.
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
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
});
