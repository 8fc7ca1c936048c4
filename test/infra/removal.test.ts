import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { CLEAR_STAGE } from '../../infra/cloud/removal/removal.ts';
import { openScriptedApi } from '../support/engines/scripted-api.ts';
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

describe('what the stack did not make itself', () => {
  const ofType = (template: Template, type: string) => Object.entries(template.findResources(type)) as [string, Json][];

  it('is cleared when a demonstration is removed: objects and API keys', () => {
    const [[bucketsId, buckets] = ['', {}]] = ofType(deleted, 'Custom::ClearedBuckets');
    const ids = Object.keys(deleted.findResources('AWS::S3::Bucket')).toSorted();
    expect(buckets.Properties.buckets.map(({ Ref }: Json) => Ref).toSorted()).toEqual(ids);
    const [[, keys] = ['', {}]] = ofType(deleted, 'Custom::ClearedKeys');
    const [[planId] = []] = ofType(deleted, 'AWS::ApiGateway::UsagePlan');
    expect(keys.Properties.usagePlanId).toEqual({ Ref: planId });
    // The right to remove them goes only after them.
    expect(keys.DependsOn).toEqual([expect.stringMatching(/^RemovalRemoveKeys/)]);
    // CloudFormation deletes first what depends on another: no function writes to a bucket that has been emptied.
    for (const [id, { Properties, DependsOn }] of ofType(deleted, 'AWS::Lambda::Function')) {
      if (Properties.Description === CLEAR_STAGE) expect(DependsOn).not.toContain(bucketsId);
      else expect(DependsOn, id).toContain(bucketsId);
    }
  });

  it('stops a creation or removal for a quarter of an hour at most when its function does not answer', () => {
    for (const type of ['Custom::ClearedBuckets', 'Custom::ClearedKeys']) {
      expect(propertiesIn(deleted, type).map(({ ServiceTimeout }) => ServiceTimeout)).toEqual(['900']);
    }
    const [clear] = propertiesIn(deleted, 'AWS::Lambda::Function').filter(
      ({ Description }) => Description === CLEAR_STAGE,
    );
    // Lambda repeats a failed call after one minute, and again after two: three calls and three minutes are 900 s.
    expect(clear.Timeout).toBe(240);
  });

  it.each([
    ['Create', { Status: 'SUCCESS' }],
    ['Delete', { Status: 'FAILED', Reason: expect.stringContaining('egion') }],
  ])('answers a %s even without a single setting in its environment', async (RequestType, outcome) => {
    const { url, heard } = await openScriptedApi({ status: 200 });
    const event = { RequestType, ResponseURL: url, StackId: 'a1', RequestId: 'r1', LogicalResourceId: 'RemovalKeys' };
    const call = `(await import('./${CLEAR_STAGE}')).handler(${JSON.stringify({ ...event, ResourceProperties: {} })})`;
    const env = { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nonexistent' };
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', call], { env });
    expect(heard.map(({ body }) => JSON.parse(body))).toEqual([expect.objectContaining(outcome)]);
  });

  it('is never cleared in a stage that keeps its data', () => {
    for (const type of ['Custom::ClearedBuckets', 'Custom::ClearedKeys']) expect(ofType(production, type)).toEqual([]);
    const functions = propertiesIn(production, 'AWS::Lambda::Function');
    expect(functions.map(({ Description }) => Description)).not.toContain(CLEAR_STAGE);
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
