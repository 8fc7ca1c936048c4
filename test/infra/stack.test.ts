import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { PharmacyStack } from '../../infra/cloud/stack.ts';
import { routes } from '../../shared/api/routes.ts';

let template: Template;

beforeAll(() => {
  // Without bundling: what the functions hold is the business of `npm run synth` and of the benchmark.
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  template = Template.fromStack(new PharmacyStack(app, 'Test'));
});

/** The path of a method of the template, from its resource up to the root. */
function pathOf(resourceId: string): string {
  const { PathPart, ParentId } = template.findResources('AWS::ApiGateway::Resource')[resourceId]?.Properties ?? {};
  return PathPart ? `${pathOf(ParentId.Ref ?? '')}/${PathPart}` : '';
}

describe('the API', () => {
  it('has exactly the rows of the route table, each behind a key', () => {
    const methods = Object.values(template.findResources('AWS::ApiGateway::Method')).map(({ Properties }) => ({
      route: `${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref)}/`,
      isKeyed: Properties.ApiKeyRequired,
    }));
    const rows = routes.map(({ method, path }) => ({ route: `${method} ${path}`, isKeyed: true }));
    expect(methods.toSorted(byRoute)).toEqual(rows.toSorted(byRoute));
  });

  it('is regional, with the version as its stage', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { EndpointConfiguration: { Types: ['REGIONAL'] } });
    template.hasResourceProperties('AWS::ApiGateway::Stage', { StageName: 'v2' });
  });

  it('has a usage plan for its keys', () => {
    template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 50, BurstLimit: 100 },
      Quota: { Limit: 1_000_000, Period: 'MONTH' },
      ApiStages: [Match.anyValue()],
    });
  });

  it('says what the gateway itself refuses in our shape, an unknown route as 404', () => {
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'MISSING_AUTHENTICATION_TOKEN',
      StatusCode: '404',
      ResponseTemplates: { 'application/json': '{"detail":"No existe esta ruta.","code":"not_found"}' },
    });
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'THROTTLED',
      StatusCode: '429',
      ResponseParameters: Match.objectLike({ 'gatewayresponse.header.Retry-After': "'1'" }),
    });
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'DEFAULT_5XX',
      StatusCode: Match.absent(),
    });
  });
});

describe('the functions', () => {
  it('are one for each route, on the runtime that the tests run on', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function', { Properties: { Timeout: 10 } }));
    expect(functions).toHaveLength(routes.length);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Timeout: 10 });
    }
  });

  it('of the catalog know nothing of the table', () => {
    const functions = template.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { TABLE_NAME: Match.anyValue() } } },
    });
    const withTable = routes.filter(({ authentication }) => authentication !== 'key');
    const jobs = 1;
    expect(Object.keys(functions)).toHaveLength(withTable.length + jobs);
  });
});

describe('the sweep of documents', () => {
  it('runs every hour', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 hour)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^jobssweepdocuments'), 'Arn'] } })],
    });
  });

  it('may list and remove versions of documents and mark them, and nothing else', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => /^jobssweep/.test(id));
    const statements = policies.flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
    expect(statements.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      { Action: 's3:ListBucketVersions', Condition: undefined },
      { Action: 's3:DeleteObjectVersion', Condition: undefined },
      {
        Action: ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['DOCUMENT#*'] } },
      },
    ]);
    expect(JSON.stringify(statements[1].Resource)).toContain('/prescriptions/*');
  });
});

describe('the data', () => {
  it('has the keys of the code, and cannot be lost by a slip', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [
        Match.objectLike({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
  });

  it('has no bucket that anybody else could open', () => {
    template.allResourcesProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
    });
  });
});

const byRoute = (a: { route: string }, b: { route: string }) => a.route.localeCompare(b.route);
