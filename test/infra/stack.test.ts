import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { jobs, streamJobs, timedJobs } from '../../infra/cloud/functions/jobs.ts';
import { gatewayAnswers } from '../../infra/gateway-answers.ts';
import { JOB_MINUTES } from '../../infra/job-schedules.ts';
import { STACK_OUTPUTS } from '../../infra/ops/target.ts';
import { routes, servedMethods } from '../../shared/api/routes.ts';
import { METRIC_NAMES } from '../../shared/runtime/metrics.ts';
import { HOSTED, type Json, PRODUCTION, propertiesIn, stackTemplate } from '../support/rights/stack-template.ts';

const template = stackTemplate();
const production = stackTemplate(PRODUCTION);
const collected = stackTemplate({ payments: { provider: 'stripe', secretName: 'pharmacy/stripe' } });
/** Sets values that the other stages leave at their defaults. */
const unusual = stackTemplate({
  corsOrigins: [],
  limits: { requestsPerSecond: 7, burst: 9 },
  logRetentionDays: 90,
  webAcl: {},
  reservedConcurrency: { 'orders-create': 20 },
});

const properties = (type: string, of = template) => propertiesIn(of, type);
/** The functions but that of CDK which empties buckets. */
const ownFunctions = (of = template) =>
  properties('AWS::Lambda::Function', of).filter(({ Environment }) => Environment);

/** Returns the path of a method of the template, from the root down to its resource. */
function resourcePath(resourceId: string, of = template): string {
  const { PathPart, ParentId } = of.findResources('AWS::ApiGateway::Resource')[resourceId]?.Properties ?? {};
  return PathPart ? `${resourcePath(ParentId.Ref ?? '', of)}/${PathPart}` : '';
}
const methods = (of = template) =>
  properties('AWS::ApiGateway::Method', of).map(({ HttpMethod, ResourceId, ApiKeyRequired }) => ({
    route: `${HttpMethod} ${resourcePath(ResourceId.Ref, of)}/`,
    isKeyed: ApiKeyRequired,
  }));

const methodOf = (route: string) =>
  properties('AWS::ApiGateway::Method').find(
    ({ HttpMethod, ResourceId }) => route === `${HttpMethod} ${resourcePath(ResourceId.Ref)}/`,
  );
const integrationOf = (route: string) => methodOf(route).Integration;

/** A reference to an attribute of the resource whose id begins with this name. */
const attributeOf = (name: string, attribute = 'Arn') => ({
  'Fn::GetAtt': [Match.stringLikeRegexp(`^${name}`), attribute],
});
const onFailure = (name: string) => ({ OnFailure: { Destination: attributeOf(name) } });
/** A function on the table's stream, which gets the records of this pattern until they are handled. */
const LEVELS = '"Keys":{"pk":{"S":[{"prefix":"STOCK#"}]},"sk":{"S":[{"prefix":"STORE#"}]}}';
const onStream = (...patterns: readonly string[]) => ({
  EventSourceArn: attributeOf('Table', 'StreamArn'),
  FilterCriteria: { Filters: patterns.map((Pattern) => ({ Pattern })) },
  ParallelizationFactor: 1,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  MaximumRecordAgeInSeconds: 72_000,
  DestinationConfig: onFailure('Documents'),
});
/** The alias of a function by the beginning of its name. */
const calling = (name: string) => ({
  'Fn::Join': [
    '',
    [{ 'Fn::Select': [6, { 'Fn::Split': [':', { Ref: Match.stringLikeRegexp(`^${name}\\w+Aliaslive`) }] }] }, ':live'],
  ],
});
const NEW_EVENTS =
  '{"eventName":["INSERT"],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"FEED#"}]},"sk":{"S":[{"prefix":"EVENT#"}]}}}}';

it('a stage has no route by which somebody plays the pharmacy or a payer', () => {
  for (const stage of [template, production, collected])
    expect(JSON.stringify(stage.toJSON())).not.toMatch(/sandbox-payments|"PathPart":"sandbox/);
});

describe('the API', () => {
  it('has exactly the rows of the route table, each behind a key, and HEAD beside each GET', () => {
    const found = methods().filter(({ route }) => !/^(OPTIONS|ANY) /.test(route));
    const rows = routes.flatMap((row) =>
      servedMethods(row).map((method) => ({ route: `${method} ${row.path}`, isKeyed: true })),
    );
    expect(found.toSorted(byRoute)).toEqual(rows.toSorted(byRoute));
    const reading = routes.filter(({ method }) => method === 'GET');
    for (const { path } of reading) {
      expect(integrationOf(`HEAD ${path}`).Uri, path).toEqual(integrationOf(`GET ${path}`).Uri);
    }
  });

  // A method that a resource does not have goes to the greedy path, but from a literal to the parameter beside it first.
  it.each(['/', '/{rest+}/', '/api/orders/calculate/', '/api/orders/resources/'])(
    'answers what is no route at %s itself, as 404, without a key',
    (path) => {
      expect(methods()).toContainEqual({ route: `ANY ${path}`, isKeyed: false });
      const { Type, PassthroughBehavior, ...others } = integrationOf(`ANY ${path}`);
      expect([Type, PassthroughBehavior]).toEqual(['MOCK', 'NEVER']);
      // Without any template, every request is refused as of an unsupported media type, which is our 404.
      expect(others).toEqual({});
      expect(methodOf(`ANY ${path}`).AuthorizationType).toBe('NONE');
      // All other paths are left to the greedy one.
      expect(methods().filter(({ route }) => route.startsWith('ANY'))).toHaveLength(4);
    },
  );

  it('takes the calls of the payment provider without a key, where there is one', () => {
    const call = { route: 'POST /api/payments/stripe/', isKeyed: false };
    expect(methods(collected)).toContainEqual(call);
    expect(methods()).not.toContainEqual(call);
  });

  it('answers preflights of the configured origins without a key', () => {
    const asked = methods().filter(({ route }) => route.startsWith('OPTIONS'));
    const paths = [...new Set(routes.map(({ path }) => path))];
    expect(asked.toSorted(byRoute)).toEqual(
      paths.map((path) => ({ route: `OPTIONS ${path}`, isKeyed: false })).toSorted(byRoute),
    );
    const [{ ResponseParameters }] = integrationOf('OPTIONS /api/orders/{id}/request-invoice/').IntegrationResponses;
    expect(ResponseParameters).toMatchObject({
      'method.response.header.Access-Control-Allow-Origin': "'https://tienda.demo.example'",
      'method.response.header.Access-Control-Allow-Methods': "'PATCH,PUT'",
      'method.response.header.Access-Control-Allow-Headers':
        "'X-API-Key,Authorization,Content-Type,Accept,Accept-Language,Idempotency-Key,If-None-Match'",
      'method.response.header.Access-Control-Allow-Credentials': "'true'",
    });
  });

  it('has no preflights when no origin is configured', () => {
    const options = properties('AWS::ApiGateway::Method', unusual).filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
    expect(options).toEqual([]);
    expect(JSON.stringify(properties('AWS::ApiGateway::GatewayResponse', unusual))).not.toContain('Access-Control');
  });

  it('is regional, with the version as its stage, and speaks TLS 1.2 or later', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    template.hasResourceProperties('AWS::ApiGateway::Stage', { StageName: 'v2' });
  });

  it('has a usage plan for its keys, as the settings say', () => {
    template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 50, BurstLimit: 100 },
      Quota: Match.absent(),
      ApiStages: [Match.anyValue()],
    });
    unusual.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 7, BurstLimit: 9 },
    });
  });

  it('has only its own domain name, with the stage as the base path', () => {
    production.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'api.sol.example',
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    production.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v2' });
    production.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    production.hasOutput('ApiUrl', { Value: 'https://api.sol.example/v2' });
  });

  it('logs requests without personal data but the address, and failures without bodies', () => {
    const [{ AccessLogSetting, MethodSettings }] = properties('AWS::ApiGateway::Stage');
    expect(JSON.parse(AccessLogSetting.Format)).toEqual({
      requestId: '$context.requestId',
      requestTime: '$context.requestTime',
      route: '$context.httpMethod $context.resourcePath',
      status: '$context.status',
      responseType: '$context.error.responseType',
      latencyMs: '$context.responseLatency',
      functionLatencyMs: '$context.integrationLatency',
      responseBytes: '$context.responseLength',
      gatewayKeyId: '$context.identity.apiKeyId',
      sourceAddress: '$context.identity.sourceIp',
      tlsVersion: '$context.tlsVersion',
    });
    for (const { DataTraceEnabled } of MethodSettings) expect(DataTraceEnabled).toBe(false);
  });
});

describe("the gateway's own answers", () => {
  // A case that is not named here falls under one of the defaults, with its own status.
  it('exist for every case, in our shape, with our headers, for pages of other origins too', () => {
    const answers = properties('AWS::ApiGateway::GatewayResponse');
    // `local/gateway-answers` names them.
    const types = Object.entries(gatewayAnswers).flatMap(([code, row]) =>
      row.responseTypes.map((type) => [type, code]),
    );
    const codes = answers.map(({ ResponseType, ResponseTemplates: { 'application/json': body } }) => {
      return [ResponseType, JSON.parse(body).code];
    });
    expect(codes.toSorted()).toEqual(types.toSorted());
    for (const { ResponseTemplates, ResponseParameters } of answers) {
      expect(JSON.parse(ResponseTemplates['application/json'])).toEqual({
        detail: expect.stringMatching(/\.$/),
        code: expect.stringMatching(/^[a-z_]+$/),
      });
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Content-Language': "'es, en'",
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Access-Control-Allow-Origin': 'method.request.header.Origin',
      });
      expect(Object.keys(ResponseParameters).join()).not.toContain('Credentials');
      const values: string[] = Object.values(ResponseParameters);
      const literals = values.filter((value) => value.startsWith("'"));
      for (const value of literals) expect(value).toMatch(/^'[^']+'$/);
    }
  });

  it.each([
    ['UNSUPPORTED_MEDIA_TYPE', '404', '{"detail":"No existe esta ruta. / There is no such route.","code":"not_found"}'],
    [
      'INVALID_API_KEY',
      '403',
      '{"detail":"Falta la clave de API o no es válida. / The API key is missing or not valid.","code":"api_key_invalid"}',
    ],
  ])('%s is %s', (ResponseType, StatusCode, body) => {
    const ResponseTemplates = { 'application/json': body };
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', { ResponseType, StatusCode, ResponseTemplates });
  });

  it('have Retry-After where a retry helps, and keep the status of other refusals', () => {
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'THROTTLED',
      StatusCode: '429',
      ResponseParameters: Match.objectLike({ 'gatewayresponse.header.Retry-After': "'1'" }),
    });
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'DEFAULT_4XX',
      StatusCode: Match.absent(),
    });
  });
});

describe('the functions', () => {
  it('are one for each handler of a route and each job, on the runtime that the tests run on', () => {
    const functions = ownFunctions(stackTemplate({ scanDocuments: true }));
    const handlers = new Set([...routes, ...jobs].map(({ handler }) => handler));
    expect(functions.map(({ Description }) => Description).toSorted()).toEqual([...handlers].toSorted());
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    }
  });

  it('of routes end well before the time-out of the gateway', () => {
    const ofRoutes = ownFunctions().filter(({ Description }) => !/jobs/.test(Description));
    expect(ofRoutes.map(({ Timeout }) => Timeout)).toEqual(ofRoutes.map(() => 10));
  });

  it('of routes can be called only by the API, whose role may call their aliases and nothing else', () => {
    for (const { Principal, SourceArn } of properties('AWS::Lambda::Permission')) {
      expect(Principal).toBe('events.amazonaws.com');
      expect(SourceArn).toBeDefined();
    }
    const [[id, role]] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('ApiCaller'),
    ) as [[string, { Properties: { Policies: [{ PolicyDocument: { Statement: unknown[] } }] } }]];
    expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
    expect(role.Properties).toMatchObject({
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'apigateway.amazonaws.com' } }] },
    });
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias')).filter((alias) => !/^jobs/.test(alias));
    const [{ PolicyDocument }] = role.Properties.Policies;
    expect(PolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: expect.anything() },
    ]);
    const [{ Resource }] = PolicyDocument.Statement as [{ Resource: { Ref: string }[] }];
    expect(Resource.map(({ Ref }) => Ref).toSorted()).toEqual(aliases.toSorted());
    const called = properties('AWS::ApiGateway::Method').filter(({ Integration }) => Integration.Type === 'AWS_PROXY');
    expect(called).toHaveLength(routes.flatMap(servedMethods).length);
    for (const { Integration } of called) expect(Integration.Credentials).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
  });
});

describe('noisy neighbours', () => {
  it('meet a web ACL, which answers in our shape, only if the settings say so', () => {
    expect(properties('AWS::WAFv2::WebACL')).toEqual([]);
    const [acl] = properties('AWS::WAFv2::WebACL', unusual);
    const [{ Statement, Action }] = acl.Rules;
    expect(Statement.RateBasedStatement).toEqual({ AggregateKeyType: 'IP', Limit: 15_000, EvaluationWindowSec: 300 });
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    const { ContentType, Content } = acl.CustomResponseBodies[CustomResponseBodyKey];
    expect(ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(Content)).toMatchObject({
      code: 'throttled',
      detail: expect.stringContaining('try again in five minutes.'),
    });
    expect(ResponseHeaders).toContainEqual({ Name: 'Retry-After', Value: '300' });
    expect(ResponseHeaders).toContainEqual({ Name: 'X-Content-Type-Options', Value: 'nosniff' });
    expect(JSON.stringify(ResponseHeaders)).not.toContain('Access-Control');
    expect(acl).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    unusual.hasResourceProperties('AWS::WAFv2::WebACLAssociation', {
      ResourceArn: { 'Fn::Join': ['', Match.arrayWith([':apigateway:', '::/restapis/', '/stages/'])] },
      WebACLArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ApiWebAcl'), 'Arn'] },
    });
  });

  it('are told so as pages of other origins too, if the settings name any', () => {
    const [acl] = properties('AWS::WAFv2::WebACL', stackTemplate({ webAcl: {} }));
    const { ResponseHeaders } = acl.Rules[0].Action.Block.CustomResponse;
    expect(ResponseHeaders).toContainEqual({ Name: 'Access-Control-Allow-Origin', Value: '*' });
    expect(ResponseHeaders).toContainEqual({ Name: 'Access-Control-Expose-Headers', Value: 'Retry-After' });
    // WAF's limit for one answer.
    expect(ResponseHeaders.length).toBeLessThanOrEqual(10);
  });

  it('take no concurrency from a function for which the settings reserve some', () => {
    const reserved = (of: Template) =>
      properties('AWS::Lambda::Function', of)
        .filter(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions !== undefined)
        .map(({ Description, ReservedConcurrentExecutions: kept }) => [Description, kept]);
    expect(reserved(template)).toEqual([]);
    expect(reserved(unusual)).toEqual([['functions/orders/create.ts', 20]]);
  });
});

describe('the jobs', () => {
  it.each([
    ['jobs-sweep-documents', 'rate(1 hour)'],
    ['jobs-erase-retained', 'rate(6 hours)'],
    ['jobs-watch-catalog', 'rate(15 minutes)'],
    ['jobs-run-due-tasks', 'rate(5 minutes)'],
    ['jobs-issue-globals', 'rate(1 hour)'],
    ['jobs-deliver-webhooks', 'rate(1 minute)'],
  ])('%s runs at %s, and leaves a dead letter when it fails', (job, ScheduleExpression) => {
    const Arn = { Ref: Match.stringLikeRegexp(`^${job.replaceAll('-', '')}.*Aliaslive`) };
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression,
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn, DeadLetterConfig: { Arn: attributeOf('DeadLetters') } })],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp(`^${job.replaceAll('-', '')}`) },
      MaximumRetryAttempts: 0,
      DestinationConfig: onFailure('DeadLetters'),
    });
    // The local server runs these, by the same table.
    expect(timedJobs.map(({ handler }) => handler).toSorted()).toEqual(Object.keys(JOB_MINUTES).toSorted());
  });

  it('deliver webhooks at once when events come to feeds, by the function of the schedule, which alone tries again', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: attributeOf('Table', 'StreamArn'),
      FilterCriteria: { Filters: [{ Pattern: NEW_EVENTS }] },
      FunctionName: calling('jobsdeliverwebhooks'),
      MaximumRetryAttempts: 0,
      MaximumRecordAgeInSeconds: 60,
      DestinationConfig: Match.absent(),
    });
    const reaches = properties('AWS::Lambda::Function').filter(
      ({ Environment }) => Environment?.Variables.WEBHOOK_REACH,
    );
    expect(reaches).toEqual([]);
  });

  it('get the events of orders, and stock that ends or begins, in the table’s stream at once, again until they are handled, and their records are kept if they never are', () => {
    expect(streamJobs).toHaveLength(1);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      ...onStream(
        '{"eventName":["INSERT"],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"ORDER#"}]},"sk":{"S":[{"prefix":"EVENT#"}]}}}}',
        `{"eventName":["INSERT"],"dynamodb":{${LEVELS}}}`,
        `{"dynamodb":{${LEVELS},"NewImage":{"available":{"N":["0"]}}}}`,
        `{"dynamodb":{${LEVELS},"OldImage":{"available":{"N":["0"]}}}}`,
      ),
      FunctionName: calling('jobspublishevents'),
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: Match.absent(),
      MaximumBatchingWindowInSeconds: Match.absent(),
    });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
  });
});

describe('the event bus of the settings', () => {
  it('is that of the function that publishes events', () => {
    const withBus = stackTemplate({ eventBus: 'pharmacy' });
    withBus.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'functions/jobs/publish-events.ts',
      Environment: { Variables: Match.objectLike({ EVENT_BUS: 'pharmacy' }) },
    });
  });

  it('is none by default', () => {
    expect(properties('AWS::Lambda::EventSourceMapping')).toHaveLength(2);
    for (const { Environment } of properties('AWS::Lambda::Function')) {
      expect(Environment?.Variables ?? {}).not.toHaveProperty('EVENT_BUS');
    }
  });
});

describe('the data', () => {
  it('has the keys of the code, and no index', () => {
    const [{ KeySchema, AttributeDefinitions, TimeToLiveSpecification, ...table }] =
      properties('AWS::DynamoDB::GlobalTable');
    expect(KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(AttributeDefinitions).toEqual([
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ]);
    expect(table).not.toHaveProperty('LocalSecondaryIndexes');
    expect(table).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
    expect(TimeToLiveSpecification).toEqual({ AttributeName: 'ttl', Enabled: true });
  });

  it('that is kept can be restored to any second of 35 days', () => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 };
    production.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [Match.objectLike({ PointInTimeRecoverySpecification, DeletionProtectionEnabled: true })],
    });
  });

  it('has images that CloudFront alone reads, over HTTPS and without guessing their type', () => {
    const hosted = stackTemplate({ ...PRODUCTION, ...HOSTED });
    hosted.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        DefaultCacheBehavior: { ViewerProtocolPolicy: 'https-only', ResponseHeadersPolicyId: Match.anyValue() },
        Origins: [{ OriginAccessControlId: attributeOf('Images', 'Id'), S3OriginConfig: Match.anyValue() }],
        PriceClass: 'PriceClass_100',
      },
    });
    hosted.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: { SecurityHeadersConfig: { ContentTypeOptions: { Override: true } } },
    });
    const readers = properties('AWS::S3::BucketPolicy', hosted)
      .filter(({ Bucket }) => Bucket.Ref.startsWith('Images'))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement.filter(({ Effect }: Json) => Effect === 'Allow'));
    expect(readers).toMatchObject([{ Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } }]);
    expect(JSON.stringify(readers[0].Condition)).toMatch(/"AWS:SourceArn".*:distribution\//);
  });

  it('lies in private, encrypted buckets that are reached over TLS 1.2 or later', () => {
    const buckets = Object.keys(production.findResources('AWS::S3::Bucket'));
    production.allResourcesProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
    const policies = properties('AWS::S3::BucketPolicy', production);
    expect(policies.map(({ Bucket }) => Bucket.Ref).toSorted()).toEqual(buckets.toSorted());
    for (const { PolicyDocument } of policies) {
      const denied = PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Deny');
      const conditions = denied.map(({ Condition }: { Condition: object }) => JSON.stringify(Condition));
      expect(conditions).toContain('{"Bool":{"aws:SecureTransport":"false"}}');
      expect(conditions).toContain('{"NumericLessThan":{"s3:TlsVersion":1.2}}');
      const allowed = PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');
      for (const { Principal } of allowed) expect(Principal).toEqual({ Service: 'logging.s3.amazonaws.com' });
    }
  });

  it('is scanned for malware where a stage says so, and what has some cannot be read', () => {
    expect(properties('AWS::GuardDuty::MalwareProtectionPlan')).toEqual([]);
    const scanned = stackTemplate({ scanDocuments: true });
    scanned.hasResourceProperties('AWS::GuardDuty::MalwareProtectionPlan', {
      Role: attributeOf('DocumentScanRole'),
      ProtectedResource: {
        S3Bucket: { BucketName: { Ref: Match.stringLikeRegexp('^Documents') }, ObjectPrefixes: ['prescriptions/'] },
      },
      Actions: { Tagging: { Status: 'ENABLED' } },
    });
    scanned.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    });
    scanned.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Principal: '*',
            Action: ['s3:GetObject', 's3:GetObjectVersion'],
            Condition: { StringEquals: { 's3:ExistingObjectTag/GuardDutyMalwareScanStatus': 'THREATS_FOUND' } },
          }),
          Match.objectLike({
            Effect: 'Deny',
            Principal: '*',
            Action: ['s3:PutObjectTagging', 's3:PutObjectVersionTagging'],
            Condition: {
              'ForAnyValue:StringEquals': { 's3:RequestObjectTagKeys': 'GuardDutyMalwareScanStatus' },
              ArnNotEquals: { 'aws:PrincipalArn': attributeOf('DocumentScanRole') },
            },
          }),
        ]),
      },
    });
  });

  it('tells the results of its scan to one function, which tries again and then leaves a dead letter', () => {
    const isRecording = ({ Description }: { Description: string }) => Description === 'functions/jobs/record-scan.ts';
    expect(properties('AWS::Lambda::Function').filter(isRecording)).toEqual([]);
    const scanned = stackTemplate({ scanDocuments: true });
    const Arn = { Ref: Match.stringLikeRegexp('^jobsrecordscan.*Aliaslive') };
    scanned.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.guardduty'],
        'detail-type': ['GuardDuty Malware Protection Object Scan Result'],
        detail: { s3ObjectDetails: { bucketName: [{ Ref: Match.stringLikeRegexp('^Documents') }] } },
      },
      Targets: [Match.objectLike({ Arn, DeadLetterConfig: { Arn: attributeOf('DeadLetters') } })],
    });
    scanned.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp('^jobsrecordscan') },
      MaximumRetryAttempts: 2,
      DestinationConfig: onFailure('DeadLetters'),
    });
    scanned.hasOutput('ScanDocuments', { Value: 'true' });
    const storing = properties('AWS::Lambda::Function', scanned).filter(
      ({ Environment }) => Environment?.Variables.SCAN_DOCUMENTS === 'true',
    );
    expect(storing.map(({ Description }) => Description)).toEqual(
      expect.arrayContaining(['functions/orders/create.ts', 'functions/orders/add-prescriptions.ts']),
    );
  });

  const noncurrent = (NoncurrentDays: number) => ({
    NoncurrentVersionExpiration: { NoncurrentDays },
    Status: 'Enabled',
  });
  const failedRecords = { Prefix: 'aws/lambda/', ExpirationInDays: 14, ...noncurrent(1) };

  it.each([
    ['Documents', 30, [failedRecords]],
    ['Catalog', 90, []],
  ])('in %s can be restored for %i days, and each access is logged', (name, days, prefixes) => {
    const buckets = Object.entries(production.findResources('AWS::S3::Bucket'));
    const [, bucket] = buckets.find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
    expect(bucket?.Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LoggingConfiguration: { DestinationBucketName: { Ref: expect.stringMatching(/^AccessLogs/) } },
      LifecycleConfiguration: {
        Rules: [
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            ExpiredObjectDeleteMarker: true,
            ...noncurrent(days),
          },
          ...prefixes,
        ],
      },
    });
  });

  it('has a first key of access tokens that is generated at deployment', () => {
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: {
        SecretStringTemplate: '{"kid":"first"}',
        GenerateStringKey: 'secret',
        PasswordLength: 64,
        ExcludePunctuation: true,
      },
      SecretString: Match.absent(),
    });
  });
});

describe('monitoring', () => {
  it('keeps every log for as long as the settings say', () => {
    const logs = properties('AWS::Logs::LogGroup', unusual);
    const functions = properties('AWS::Lambda::Function');
    // Each function has a log; the other two are for requests and for the gateway's own failures.
    expect(logs).toHaveLength(functions.length + 2);
    for (const { RetentionInDays } of logs) expect(RetentionInDays).toBe(90);
    const used = functions.map(({ LoggingConfig }) => LoggingConfig.LogGroup.Ref);
    expect(new Set(used).size).toBe(functions.length);
  });

  it('has logs of functions in JSON as they write it, with the lines of Lambda only for calls that failed', () => {
    for (const { LoggingConfig } of ownFunctions()) {
      expect(LoggingConfig).toEqual({
        LogFormat: 'JSON',
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
        LogGroup: { Ref: expect.stringMatching(/Log/) },
      });
    }
  });

  it('has logs whose name begins with the stage and the id of the stack, as the operator is told', () => {
    const id = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const names = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName);
    for (const name of ['access', 'orders-create', 'jobs-run-due-tasks']) {
      expect(names).toContainEqual({ 'Fn::Join': ['', ['pharmacy/test/', id, `/${name}`]] });
    }
    template.hasOutput('LogGroupPrefix', { Value: { 'Fn::Join': ['', ['pharmacy/test/', id, '/']] } });
  });

  it('has an alarm for each kind of failure, sent to the address of the settings', () => {
    const alarms = properties('AWS::CloudWatch::Alarm');
    expect(alarms.map(({ AlarmName }) => AlarmName).toSorted()).toEqual(
      [
        'failures',
        'latency',
        'throttled-functions',
        'throttled-table',
        'conflicts',
        'dead-letters',
        'bounces',
        'complaints',
        'answered401',
        'answered403',
        'answered429',
        'takenContacts',
        'invalidCoupons',
        'unreadSecrets',
        'late-jobs-publish-events',
        ...METRIC_NAMES.filter((name) => name !== 'paymentExceptions'),
      ]
        .map((name) => `pharmacy-test-${name}`)
        .toSorted(),
    );
    for (const { AlarmActions, AlarmDescription, OKActions } of alarms) {
      expect(AlarmActions).toEqual([{ Ref: expect.stringMatching(/^MonitoringAlarms/) }]);
      expect(OKActions).toEqual(AlarmActions);
      expect(AlarmDescription).toMatch(/\.$/);
    }
  });

  it.each(METRIC_NAMES)('has an alarm for %s, which the log of its job has as a metric', (MetricName) => {
    collected.hasResourceProperties('AWS::CloudWatch::Alarm', { Namespace: 'Pharmacy/test', MetricName });
  });

  it('has an alarm on calls without the signature of the payment provider, where there is one', () => {
    const alarm = { MetricName: 'unsignedCalls', Threshold: 10, Period: 3_600 };
    collected.hasResourceProperties('AWS::CloudWatch::Alarm', alarm);
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', alarm, 0);
  });

  it('has no metric filter for the log of a function: it names the namespace, and writes its metrics itself', () => {
    expect(properties('AWS::Logs::MetricFilter')).toHaveLength(3);
    for (const { Environment } of ownFunctions()) {
      expect(Environment.Variables.METRICS_NAMESPACE).toBe('Pharmacy/test');
    }
  });

  it.each([
    [401, 250],
    [403, 150],
    [429, 300],
  ])('counts the answers %i of the API, and has an alarm above %i in 5 minutes', (status, Threshold) => {
    const MetricName = `answered${status}`;
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      LogGroupName: { Ref: Match.stringLikeRegexp('^ApiAccessLog') },
      FilterPattern: `{ $.status = "${status}" }`,
      MetricTransformations: [{ MetricName, MetricNamespace: 'Pharmacy/test', MetricValue: '1' }],
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName, Period: 300, Threshold, Statistic: 'Sum' });
  });

  it.each([
    ['takenContacts', 'clientId', 'E-mails and phones that somebody else has, by clientId'],
    ['invalidCoupons', 'gatewayKeyId', 'Invalid coupons, by gatewayKeyId'],
    ['answers5xx', 'function,version', 'Answers 5xx, by function and version'],
  ])('shows %s by %s on the dashboard', (name, fields, title) => {
    const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(DashboardBody);
    expect(body).toContain(title);
    expect(body.replaceAll('\\', '')).toContain(`{"Pharmacy/test",${fields}} MetricName="${name}"`);
  });

  it.each(['takenContacts', 'invalidCoupons'])('has an alarm for %s as a whole', (MetricName) => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName, Period: 3600, Dimensions: Match.absent() });
  });

  it('has one dashboard, named by stage and region, since an account has one list of them for all regions', () => {
    const nameIn = (of: Template) =>
      Object.values(of.findResources('AWS::CloudWatch::Dashboard')).map(({ Properties }) => Properties.DashboardName);
    expect(nameIn(template)).toEqual([{ 'Fn::Join': ['', ['pharmacy-test-', { Ref: 'AWS::Region' }]] }]);
    expect(nameIn(production)).toEqual(['pharmacy-test-mx-central-1']);
  });

  it('has every output that the commands read', () => {
    const ofSomeSettings =
      /^(ScanDocuments|Images|ShippingStore|Issuer|Facturapi|Payments|Stripe|MailStack|BudgetStack)/;
    const outputs = Object.values(STACK_OUTPUTS).filter((output) => !ofSomeSettings.test(output));
    for (const output of outputs) template.hasOutput(output, {});
    template.hasOutput('IssuerRfc', { Value: 'EKU9003173C9' });
    production.hasOutput('FacturapiSecretId', { Value: 'pharmacy/facturapi' });
  });
});

const byRoute = (a: { route: string }, b: { route: string }) => a.route.localeCompare(b.route);
