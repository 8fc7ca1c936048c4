import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { type Json, PRODUCTION, propertiesIn, stackTemplate } from '../support/rights/stack-template.ts';

/** The data goes with the stack, as in `demo.json`. */
const deleted = stackTemplate();
const production = stackTemplate({ ...PRODUCTION, region: 'us-east-1' });

const allResources = (template: Template): [string, Json][] => Object.entries(template.toJSON().Resources);
// CDK appends a hash to each name: `Documents7E5B2978` is `Documents` in the source.
const withoutHash = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

/** Returns the policies of a template, as `type: deletion/replacement`, with the names of the resources of each. */
function policiesOf(template: Template): Record<string, string[]> {
  const found = allResources(template).map(([id, { Type, DeletionPolicy, UpdateReplacePolicy }]) => ({
    policy: `${Type}: ${DeletionPolicy ?? 'Delete'}/${UpdateReplacePolicy ?? 'Delete'}`,
    name: withoutHash(id),
  }));
  const kept = found.filter(({ policy }) => !policy.endsWith(': Delete/Delete'));
  return Object.fromEntries(
    Object.entries(Object.groupBy(kept, ({ policy }) => policy)).map(([policy, rows = []]) => [
      policy,
      rows.map(({ name }) => name).toSorted(),
    ]),
  );
}

const namesOf = (template: Template, type: string): string[] =>
  Object.keys(template.findResources(type)).map(withoutHash).toSorted();

describe('the removal of a stack', () => {
  it('keeps the data of production, and of a creation that fails only what may hold something', () => {
    expect(policiesOf(production)).toEqual({
      // Deletion protection and late access logs would stop the rollback.
      'AWS::DynamoDB::GlobalTable: Retain/Retain': ['Table'],
      'AWS::S3::Bucket: Retain/Retain': ['AccessLogs'],
      'AWS::S3::Bucket: RetainExceptOnCreate/Retain': ['Catalog', 'Documents'],
      'AWS::SecretsManager::Secret: RetainExceptOnCreate/Retain': ['SealKeys', 'TokenKeys'],
      'AWS::SES::EmailIdentity: RetainExceptOnCreate/Retain': ['SenderIdentity'],
      'AWS::Logs::LogGroup: RetainExceptOnCreate/Retain': namesOf(production, 'AWS::Logs::LogGroup'),
      // Versions go with their function, which is removed.
      'AWS::Lambda::Version: RetainExceptOnCreate/Retain': namesOf(production, 'AWS::Lambda::Version'),
      // Other APIs of the account may log by them.
      'AWS::IAM::Role: Retain/Retain': ['ApiRestCloudWatchRole'],
      'AWS::ApiGateway::Account: Retain/Retain': ['ApiRestAccount'],
    });
  });

  it('keeps nothing of a demonstration whose data goes with it', () => {
    expect(policiesOf(deleted)).toEqual({
      'AWS::IAM::Role: Retain/Retain': ['ApiRestCloudWatchRole'],
      'AWS::ApiGateway::Account: Retain/Retain': ['ApiRestAccount'],
    });
  });

  it('leaves no backup of a table that goes: DynamoDB keeps one of a table with point-in-time recovery', () => {
    const [{ Replicas }] = propertiesIn(deleted, 'AWS::DynamoDB::GlobalTable');
    const [replica] = Replicas;
    expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(false);
    expect(replica.DeletionProtectionEnabled).toBe(false);
  });

  it('meets no access logs of a bucket that goes, which S3 would write hours later', () => {
    expect(namesOf(deleted, 'AWS::S3::Bucket')).toEqual(['Catalog', 'Documents']);
    for (const bucket of propertiesIn(deleted, 'AWS::S3::Bucket')) {
      expect(bucket).not.toHaveProperty('LoggingConfiguration');
    }
  });
});

describe('objects', () => {
  const emptied = (template: Template) => Object.values<Json>(template.findResources('Custom::S3AutoDeleteObjects'));

  it('go with a demonstration whose data goes with it', () => {
    const buckets = Object.keys(deleted.findResources('AWS::S3::Bucket')).toSorted();
    expect(emptied(deleted).map(({ Properties }) => Properties.BucketName.Ref)).toEqual(buckets);
    for (const { Tags } of propertiesIn(deleted, 'AWS::S3::Bucket'))
      expect(Tags).toEqual([{ Key: 'aws-cdk:auto-delete-objects', Value: 'true' }]);
  });

  it('stay in a stage that keeps its data', () => {
    expect(emptied(production)).toEqual([]);
    expect(JSON.stringify(production.toJSON())).not.toContain('auto-delete-objects');
  });

  it('go without a trace: the function that removes them logs into a group of the stack', () => {
    const [emptying] = propertiesIn(deleted, 'AWS::Lambda::Function').filter(({ Environment }) => !Environment);
    expect(namesOf(deleted, 'AWS::Logs::LogGroup')).toContain(withoutHash(emptying.LoggingConfig.LogGroup.Ref));
  });
});

describe('the logs of the API', () => {
  it('go last with a demonstration, since API Gateway would make them anew for the requests under way', () => {
    const logs = Object.keys(deleted.findResources('AWS::Logs::LogGroup')).filter((id) => id.startsWith('Api'));
    expect(logs.map(withoutHash).toSorted()).toEqual(['ApiAccessLog', 'ApiExecutionLog']);
    const [[tableId, table] = ['', {}]] = Object.entries(deleted.findResources('AWS::DynamoDB::GlobalTable'));
    // CloudFormation deletes the stage of the API, then the functions, then the table, and these after it.
    expect((table as Json).DependsOn).toEqual(expect.arrayContaining(logs));
    expect(everythingBelow(deleted, 'AWS::ApiGateway::Stage')).toContain(tableId);
  });
});

/** Returns the resources that those of a type depend on, directly or not: CloudFormation deletes them later. */
function everythingBelow(template: Template, type: string): Set<string> {
  const resources = template.toJSON().Resources as Record<string, Json>;
  const found = new Set(Object.keys(template.findResources(type)));
  for (const id of found) {
    const names = [...JSON.stringify(resources[id]).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(
      ([, name = '']) => name,
    );
    for (const name of [...names, ...(resources[id].DependsOn ?? [])]) if (name in resources) found.add(name);
  }
  return found;
}

/** The properties by which CloudFormation takes a name that the template chooses, of the types that have one. */
const NAMES =
  /^(Name|.*(Bucket|Table|Group|Role|Function|Topic|Queue|Alarm|Dashboard|Policy|Stage|Domain|Secret|Plan|Set|Budget|Application)Name|EmailIdentity)$/;

describe('the names in a stack', () => {
  it('that the template itself chooses are these, and a kept one has an id that is never given twice, or a setting', () => {
    const named = allResources(production).flatMap(([id, { Type, Properties = {}, DeletionPolicy = 'Delete' }]) =>
      Object.entries(Properties as Json)
        .filter(([property, value]) => NAMES.test(property) && !isReference(value))
        .map(([property, value]) => ({ id, Type, property, value: JSON.stringify(value), DeletionPolicy })),
    );
    const kept = named.filter(({ DeletionPolicy }) => DeletionPolicy !== 'Delete');
    // The id of the stack is in the names of the functions' logs.
    const ofOtherIds = kept.filter(({ value }) => !value.includes('{"Ref":"AWS::StackId"}'));
    expect(ofOtherIds.map(({ Type, value }) => `${Type} ${value}`)).toEqual([
      // A later stack refers to it by the setting sender.identity.
      'AWS::SES::EmailIdentity "sol.example"',
      'AWS::Logs::LogGroup {"Fn::Join":["",["API-Gateway-Execution-Logs_",{"Ref":"ApiRest4DEC74FE"},"/v2"]]}',
    ]);
    const others = named.filter(({ DeletionPolicy }) => DeletionPolicy === 'Delete');
    expect([...new Set(others.map(({ Type, property }) => `${Type} ${property}`))].toSorted()).toEqual([
      'AWS::ApiGateway::DomainName DomainName',
      'AWS::ApiGateway::RestApi Name',
      'AWS::ApiGateway::Stage StageName',
      'AWS::CloudWatch::Alarm AlarmName',
      'AWS::CloudWatch::Dashboard DashboardName',
      'AWS::Lambda::Alias Name',
      'AWS::Lambda::EventSourceMapping FunctionName',
      'AWS::SES::ConfigurationSet Name',
    ]);
  });
});

const isReference = (value: Json): boolean => typeof value === 'object' && ('Ref' in value || 'Fn::GetAtt' in value);
