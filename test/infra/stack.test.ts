import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { gatewayAnswers } from '../../infra/gateway-answers.ts';
import { JOB_HANDLERS } from '../../infra/jobs.ts';
import { routes, servedMethods } from '../../shared/api/routes.ts';
import { type Json, propertiesIn, resourcesIn, withoutHash } from '../support/rights/function-rights.ts';
import { FULLEST, PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

/*
 * One stage, with every option, is compared line by line with `fullest-stage.txt`: what it has once, and one of each kind of
 * what it has for each function. What differs between stages, and what must hold for all functions and routes, has a rule here.
 */

const demonstration = stackTemplate();
const production = stackTemplate(PRODUCTION);
const fullest = stackTemplate(FULLEST);

const properties = (type: string, of = demonstration) => propertiesIn(of, type);
const resourcesOf = (template: Template) => Object.entries<Json>(template.toJSON().Resources);
const idsOf = (type: string, of: Template) => Object.keys(resourcesIn(of, type)).map(withoutHash).toSorted();

const FOR_EACH = /^AWS::(Lambda|Logs|CodeDeploy|CloudWatch|IAM)::|^AWS::ApiGateway::(Method|Resource|GatewayResponse)$/;
const EXAMPLES =
  /^(CanaryRole|DocumentScanRole|orderscreate|jobsdeliverwebhooks|jobsrecordscan|jobspublishevents|ApiAccessLog|ApiExecutionLog|CanaryorderscreateAlarm|ApiRestapiordersid(GET|OPTIONS)|ApiRestANY)/;

/** Returns the lines `type name path: value` of the resources of a stage. */
function listResources(template: Template): string[] {
  const listed = resourcesOf(template).filter(
    ([id, { Type }]) => Type === 'AWS::Lambda::EventSourceMapping' || !FOR_EACH.test(Type) || EXAMPLES.test(id),
  );
  const lines = listed
    // Rights have tests of their own, and the hash of a deployment follows from the rest.
    .filter(
      ([id, { Type }]) =>
        (Type !== 'AWS::IAM::Role' || /^(Canary|DocumentScan)/.test(id)) && Type !== 'AWS::ApiGateway::Deployment',
    )
    .flatMap(([id, { Type, DependsOn: _, Metadata: __, ...rest }]) =>
      leavesOf(rest).map(([path, value]) => `${Type.replace('AWS::', '')} ${withoutHash(id)} ${path}: ${value}`),
    );
  return lines
    .filter((line) => !/MethodSettings\.\d+: .*"OPTIONS"/.test(line))
    .map((line) => line.replace(/\b([A-Za-z]\w*?)[0-9A-F]{8}([0-9a-f]{32})?\b/g, '$1'))
    .toSorted();
}

/** Returns the values at the paths of an object; one that holds no other object is a value. */
function leavesOf(value: Json, path = ''): [path: string, value: string][] {
  const isFlat = typeof value !== 'object' || Object.values(value).every((one) => typeof one !== 'object');
  const isExpression = /^\{"(Ref|Fn::\w+)":/.test(JSON.stringify(value));
  if (isFlat || isExpression) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, path ? `${path}.${key}` : key));
}

it('a stage with every option has these resources with these settings', async () => {
  // `npx vitest run -u test/infra/stack.test.ts` writes it.
  await expect(`${listResources(fullest).join('\n')}\n`).toMatchFileSnapshot('fullest-stage.txt');
  // CloudFormation allows 500.
  expect(resourcesOf(fullest).length).toBeLessThanOrEqual(420);
});

/** Returns the path of a method of the template, from the root down to its resource. */
function resourcePath(resourceId: string, of: Template): string {
  const { PathPart, ParentId } = of.toJSON().Resources[resourceId]?.Properties ?? {};
  return PathPart ? `${resourcePath(ParentId.Ref ?? '', of)}/${PathPart}` : '';
}
const methods = (of = demonstration) =>
  properties('AWS::ApiGateway::Method', of).map(({ HttpMethod, ResourceId, ApiKeyRequired, Integration }) => ({
    route: `${HttpMethod} ${resourcePath(ResourceId.Ref, of)}/`,
    isKeyed: ApiKeyRequired,
    integration: Integration,
  }));
const routesOf = (pattern: RegExp, of = demonstration) =>
  methods(of)
    .filter(({ route }) => pattern.test(route))
    .map(({ route, isKeyed }) => `${route} ${isKeyed ? 'with' : 'without'} a key`)
    .toSorted();

describe('the API', () => {
  const paths = [...new Set(routes.map(({ path }) => path))];

  it('has exactly the rows of the route table, each behind a key, and HEAD beside each GET', () => {
    const rows = routes.flatMap((row) => servedMethods(row).map((method) => `${method} ${row.path} with a key`));
    expect(routesOf(/^(?!OPTIONS|ANY)/)).toEqual(rows.toSorted());
    const all = methods();
    const findUri = (route: string) => all.find((one) => one.route === route)?.integration.Uri;
    for (const { method, path } of routes)
      if (method === 'GET') expect(findUri(`HEAD ${path}`), path).toEqual(findUri(`GET ${path}`));
  });

  // A method that a resource does not have goes to the greedy path, but from a literal to the parameter beside it first.
  it('answers what is no route itself, as 404, without a key', () => {
    expect(routesOf(/^ANY/)).toEqual(
      ['/', '/api/orders/calculate/', '/api/orders/resources/', '/{rest+}/'].map((path) => `ANY ${path} without a key`),
    );
    // Without any template, every request is refused as of an unsupported media type, which is our 404.
    for (const { route, integration } of methods())
      if (route.startsWith('ANY')) expect(integration).toEqual({ Type: 'MOCK', PassthroughBehavior: 'NEVER' });
  });

  it('takes the calls of the payment provider without a key, where there is one, and never plays it', () => {
    expect(routesOf(/stripe/)).toEqual([]);
    expect(routesOf(/stripe/, fullest)).toEqual(['POST /api/payments/stripe/ without a key']);
    for (const stage of [demonstration, fullest])
      expect(JSON.stringify(stage.toJSON())).not.toMatch(/sandbox-payments|"PathPart":"sandbox/);
  });

  it('answers preflights of the configured origins alone, without a key, and throttles them lower', () => {
    const preflights = paths.map((path) => `OPTIONS ${path} without a key`).toSorted();
    expect(routesOf(/^OPTIONS/)).toEqual(preflights);
    const { integration } = methods().find(({ route }) => route === 'OPTIONS /api/orders/{id}/request-invoice/') ?? {};
    expect(integration.IntegrationResponses[0].ResponseParameters).toMatchObject({
      'method.response.header.Access-Control-Allow-Origin': "'https://tienda.demo.example'",
      'method.response.header.Access-Control-Allow-Methods': "'PATCH,PUT'",
    });
    const throttles = properties('AWS::ApiGateway::Stage')[0].MethodSettings.slice(1);
    expect(throttles).toHaveLength(paths.length);
    for (const one of throttles) expect(one).toMatchObject({ HttpMethod: 'OPTIONS', ThrottlingRateLimit: 50 });
    const closed = stackTemplate({ corsOrigins: [] });
    expect(routesOf(/^OPTIONS/, closed)).toEqual([]);
    expect(JSON.stringify(properties('AWS::ApiGateway::GatewayResponse', closed))).not.toContain('Access-Control');
  });

  it('has the throttles of its settings, in one call of UpdateStage, which takes 80 operations and no method ANY', () => {
    const throttled = stackTemplate({ limits: { requestsPerSecond: 7, burst: 11 } });
    expect(properties('AWS::ApiGateway::UsagePlan', throttled)[0].Throttle).toEqual({ RateLimit: 7, BurstLimit: 11 });
    expect(properties('AWS::ApiGateway::Stage', throttled)[0].MethodSettings[0]).toMatchObject({
      HttpMethod: '*',
      ThrottlingRateLimit: 70,
      ThrottlingBurstLimit: 110,
    });
    const settings: object[] = properties('AWS::ApiGateway::Stage', fullest)[0].MethodSettings;
    // More are refused as "Update size too large" (DianaIonita/serverless-api-gateway-caching#46); two properties name the method.
    expect(settings.flatMap(Object.keys).length - 2 * settings.length).toBeLessThanOrEqual(80);
    expect(JSON.stringify(settings)).not.toContain('ANY');
  });

  it('gives every case of its own answers our shape, our headers and no status above 499 but 503', () => {
    const answers = properties('AWS::ApiGateway::GatewayResponse');
    const types = Object.entries(gatewayAnswers).flatMap(([code, row]) =>
      row.responseTypes.map((type) => [type, code]),
    );
    const codes = answers.map(({ ResponseType, ResponseTemplates: { 'application/json': body } }) => {
      return [ResponseType, JSON.parse(body).code];
    });
    expect(codes.toSorted()).toEqual(types.toSorted());
    for (const { ResponseType, StatusCode, ResponseTemplates, ResponseParameters } of answers) {
      const header = (name: string) => ResponseParameters[`gatewayresponse.header.${name}`];
      expect(JSON.parse(ResponseTemplates['application/json']).detail).toMatch(/\. \/ .*\.$/);
      expect([header('X-Request-Id'), header('Content-Language'), header('Cache-Control')]).toEqual([
        'context.requestId',
        "'es, en'",
        "'no-store'",
      ]);
      expect(header('Access-Control-Allow-Origin')).toBe('method.request.header.Origin');
      expect(Object.keys(ResponseParameters).join()).not.toContain('Credentials');
      if (/5XX|^INTEGRATION/.test(ResponseType)) expect(StatusCode).toBe('503');
      // It keeps the status of each case.
      if (ResponseType === 'DEFAULT_4XX') expect(StatusCode).toBeUndefined();
      else expect(Number(StatusCode) < 500 || StatusCode === '503').toBe(true);
      const isTriedAgain = StatusCode === '503' || ResponseType === 'THROTTLED';
      expect(header('Retry-After') !== undefined, ResponseType).toBe(isTriedAgain);
    }
  });
});

describe('the functions', () => {
  it('are one for each handler of a route and each job, and end well before the time-out of the gateway', () => {
    const own = properties('AWS::Lambda::Function', stackTemplate({ scanDocuments: true })).filter(
      ({ Environment }) => Environment,
    );
    const handlers = new Set([...routes.map(({ handler }) => handler), ...JOB_HANDLERS]);
    expect(own.map(({ Description }) => Description).toSorted()).toEqual([...handlers].toSorted());
    for (const { Runtime, Architectures, Timeout, Description } of own) {
      expect([Runtime, Architectures]).toEqual(['nodejs24.x', ['arm64']]);
      if (!Description.includes('/jobs/')) expect(Timeout).toBe(10);
    }
  });

  it('of routes can be called only by the API, whose role may call their aliases and nothing else', () => {
    const permissions = properties('AWS::Lambda::Permission');
    expect(new Set(permissions.map(({ Principal }) => Principal))).toEqual(new Set(['events.amazonaws.com']));
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined();
    const roles = Object.entries(resourcesIn(demonstration, 'AWS::IAM::Role'));
    const [[id = '', role] = []] = roles.filter(([name]) => name.startsWith('ApiCaller'));
    const aliases = Object.keys(resourcesIn(demonstration, 'AWS::Lambda::Alias')).filter((name) => !/^jobs/.test(name));
    expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
    const [statement, ...others] = role.Properties.Policies[0].PolicyDocument.Statement;
    expect([statement.Action, others]).toEqual(['lambda:InvokeFunction', []]);
    expect(statement.Resource.map(({ Ref }: Json) => Ref).toSorted()).toEqual(aliases.toSorted());
    const called = methods().filter(({ integration }) => integration.Type === 'AWS_PROXY');
    expect(called).toHaveLength(routes.flatMap(servedMethods).length);
    for (const { integration } of called) {
      expect(integration.Credentials).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
      expect(integration.Uri['Fn::Join'][1].some(({ Ref }: Json) => aliases.includes(Ref))).toBe(true);
    }
  });

  it('have logs for as long as the settings say, in JSON, and take the concurrency that these reserve', () => {
    const stage = stackTemplate({ logRetentionDays: 90, reservedConcurrency: { 'orders-create': 20 } });
    const all = properties('AWS::Lambda::Function', stage);
    // The other two are for requests and for the gateway's own failures.
    expect(properties('AWS::Logs::LogGroup', stage).map(({ RetentionInDays }) => RetentionInDays)).toEqual(
      Array(all.length + 2).fill(90),
    );
    expect(new Set(all.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref)).size).toBe(all.length);
    for (const { Environment, LoggingConfig } of all) {
      if (!Environment) continue;
      const { LogFormat, ApplicationLogLevel, SystemLogLevel } = LoggingConfig;
      expect([LogFormat, ApplicationLogLevel, SystemLogLevel]).toEqual(['JSON', 'INFO', 'WARN']);
    }
    const reserved = all.filter(({ ReservedConcurrentExecutions: count }) => count !== undefined);
    expect(reserved).toMatchObject([{ Description: 'functions/orders/create.ts', ReservedConcurrentExecutions: 20 }]);
  });
});

describe('the jobs', () => {
  // The stage with every option has their rules.
  it('leave a dead letter when they fail', () => {
    const configured = properties('AWS::Lambda::EventInvokeConfig');
    expect(configured).toHaveLength(6);
    for (const { MaximumRetryAttempts, DestinationConfig, Qualifier } of configured) {
      expect(MaximumRetryAttempts).toBe(0);
      expect(JSON.stringify(DestinationConfig)).toContain('DeadLetters');
      expect(JSON.stringify(Qualifier)).toMatch(/jobs.*Alias/);
    }
  });
});

describe('what only some stages have', () => {
  const types = (of: Template) => new Set(resourcesOf(of).map(([, { Type }]) => Type));
  const optional = ['WAFv2::WebACL', 'GuardDuty::MalwareProtectionPlan', 'CloudFront::Distribution', 'Budgets::Budget'];

  it.each([...optional, 'ApiGateway::DomainName', 'CodeDeploy::DeploymentGroup'])(
    'is not in a demonstration: %s',
    (type) => {
      expect([...types(demonstration)]).not.toContain(`AWS::${type}`);
    },
  );

  it('is an event bus, a scan of documents, and answers of the web ACL that pages of other origins read', () => {
    const environments = (of: Template) =>
      properties('AWS::Lambda::Function', of).map(({ Environment }) => Environment);
    expect(JSON.stringify(environments(demonstration))).not.toMatch(/EVENT_BUS|SCAN_DOCUMENTS|WEBHOOK_REACH/);
    const scanning = properties('AWS::Lambda::Function', fullest).filter(
      ({ Environment }) => Environment?.Variables.SCAN_DOCUMENTS === 'true',
    );
    const storing = ['functions/orders/create.ts, provisioned concurrency 2', 'functions/orders/add-prescriptions.ts'];
    expect(scanning.map(({ Description }) => Description)).toEqual(expect.arrayContaining(storing));
    const [acl] = properties('AWS::WAFv2::WebACL', stackTemplate({ webAcl: {}, corsOrigins: [] }));
    expect(JSON.stringify(acl.Rules)).not.toContain('Access-Control');
  });

  it('are outputs; every stage has the others that the commands read', () => {
    const needed =
      'AwsRegion StackAccount StackName Purpose DataOnRemoval TableName CatalogBucket DocumentsBucket TokenSecretId ' +
      'SealSecretId UsagePlanId ApiUrl AlarmTopicArn LogGroupPrefix PrescriptionMaximumAgeDays InvoicingProvider BusinessTimeZone';
    for (const output of needed.split(' ')) demonstration.hasOutput(output, {});
    fullest.hasOutput('FacturapiSecretId', { Value: 'pharmacy/facturapi' });
    fullest.hasOutput('ScanDocuments', { Value: 'true' });
    production.hasOutput('ApiUrl', { Value: 'https://api.sol.example/v2' });
  });
});

describe('the removal of a stack', () => {
  /** Returns the names of the resources that are kept, by type and `deletion/replacement`. */
  function keptIn(template: Template): Record<string, string[]> {
    const kept = resourcesOf(template)
      .map(([id, { Type, DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete' }]) => ({
        policy: `${Type.replace('AWS::', '')}: ${DeletionPolicy}/${UpdateReplacePolicy}`,
        name: withoutHash(id),
      }))
      .filter(({ policy }) => !policy.endsWith(': Delete/Delete'));
    const grouped = Object.entries(Object.groupBy(kept, ({ policy }) => policy));
    return Object.fromEntries(grouped.map(([policy, rows = []]) => [policy, rows.map(({ name }) => name).toSorted()]));
  }
  // Other APIs of the account may log by them.
  const ofAccount = {
    'IAM::Role: Retain/Retain': ['ApiRestCloudWatchRole'],
    'ApiGateway::Account: Retain/Retain': ['ApiRestAccount'],
  };

  it('keeps the data of production, and of a creation that fails only what may hold something', () => {
    expect(keptIn(stackTemplate({ ...PRODUCTION, region: 'us-east-1' }))).toEqual({
      ...ofAccount,
      // Deletion protection and late access logs would stop the rollback.
      'DynamoDB::GlobalTable: Retain/Retain': ['Table'],
      'S3::Bucket: Retain/Retain': ['AccessLogs'],
      'S3::Bucket: RetainExceptOnCreate/Retain': ['Catalog', 'Documents'],
      'SecretsManager::Secret: RetainExceptOnCreate/Retain': ['SealKeys', 'TokenKeys'],
      'SES::EmailIdentity: RetainExceptOnCreate/Retain': ['SenderIdentity'],
      'Logs::LogGroup: RetainExceptOnCreate/Retain': idsOf('AWS::Logs::LogGroup', production),
      // Versions go with their function, which is removed.
      'Lambda::Version: RetainExceptOnCreate/Retain': idsOf('AWS::Lambda::Version', production),
    });
  });

  it('keeps nothing of a demonstration whose data goes with it: no backup, no access logs, no object', () => {
    expect(keptIn(demonstration)).toEqual(ofAccount);
    const [{ Replicas }] = properties('AWS::DynamoDB::GlobalTable');
    expect(Replicas[0]).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      DeletionProtectionEnabled: false,
    });
    const buckets = Object.keys(resourcesIn(demonstration, 'AWS::S3::Bucket')).toSorted();
    expect(buckets.map(withoutHash)).toEqual(['Catalog', 'Documents']);
    expect(JSON.stringify(properties('AWS::S3::Bucket'))).not.toContain('LoggingConfiguration');
    const emptied = properties('Custom::S3AutoDeleteObjects').map(({ BucketName }) => BucketName.Ref);
    expect(emptied.toSorted()).toEqual(buckets);
    expect(JSON.stringify(production.toJSON())).not.toContain('auto-delete-objects');
  });

  it('takes the logs of the API of a demonstration last, since API Gateway would make them anew for requests under way', () => {
    const logs = Object.keys(resourcesIn(demonstration, 'AWS::Logs::LogGroup')).filter((id) => id.startsWith('Api'));
    expect(logs.map(withoutHash).toSorted()).toEqual(['ApiAccessLog', 'ApiExecutionLog']);
    const [table] = Object.values(resourcesIn(demonstration, 'AWS::DynamoDB::GlobalTable'));
    expect(table.DependsOn).toEqual(expect.arrayContaining(logs));
  });
});

describe("the role of API Gateway's logs", () => {
  it.each([demonstration, production])(
    'is set after the functions of all routes, since IAM needs time to know it',
    (of) => {
      const [account] = Object.values(resourcesIn(of, 'AWS::ApiGateway::Account'));
      const aliases = Object.keys(resourcesIn(of, 'AWS::Lambda::Alias')).filter((id) => !id.startsWith('jobs'));
      expect(aliases.length).toBeGreaterThan(10);
      expect(account?.DependsOn).toEqual(expect.arrayContaining(aliases));
    },
  );
});
