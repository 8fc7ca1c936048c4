import { Aws, CustomResource, Duration, Validations } from 'aws-cdk-lib';
import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { KEY_TAG } from '../../ops/clients/gateway-keys.ts';
import type { VersionedBucket } from '../data.ts';
import { type FunctionInputs, PharmacyFunction } from '../functions/function.ts';
import type { Need } from '../functions/needs.ts';

export const CLEAR_STAGE = 'infra/cloud/removal/clear-stage.ts';

// Lambda repeats a failed call after one minute and after two more (AWS, "How Lambda handles errors and retries with
// asynchronous invocation"): three calls end in 900 s. Without a limit, CloudFormation waits an hour for an answer.
const CALL_SECONDS = 240;
const LIMIT = Duration.seconds(900);

type Removed = { readonly functions: readonly PharmacyFunction[]; readonly logs: readonly LogGroup[] };

/**
 * For a stage that is removed with its data: CloudFormation deletes no bucket with objects, and does not know the API keys of
 * `npm run ops`. CDK's own `autoDeleteObjects` would leave its function's log behind (aws/aws-cdk#26553); this function may
 * not create a log, so that none reappears after the stack.
 */
export function addRemoval(stack: Construct, inputs: FunctionInputs, { functions, logs }: Removed): void {
  const scope = new Construct(stack, 'Removal');
  const { catalog, documents, table, usagePlan } = inputs.resources;
  const row = { handler: CLEAR_STAGE, needs: [stackStatus, objects], memoryMb: 512, timeoutSeconds: CALL_SECONDS };
  const { lambda: clearing } = new PharmacyFunction(scope, row, inputs);
  const clear = (id: string, properties: Record<string, unknown>): CustomResource =>
    new CustomResource(scope, id, {
      serviceToken: clearing.functionArn,
      serviceTimeout: LIMIT,
      resourceType: `Custom::Cleared${id}`,
      properties,
    });
  const buckets = clear('Buckets', { buckets: [catalog.bucketName, documents.bucketName] });
  // The functions that write to the buckets are deleted before the buckets are emptied.
  for (const { lambda } of functions) lambda.node.addDependency(buckets);
  // In the function's role, this policy would close a circle: the usage plan waits for the API's functions, they for the
  // buckets' custom resource, and that for the function with its role.
  const policy = allowRemovalOfKeys(scope, usagePlan.usagePlanId, clearing.role);
  clear('Keys', { usagePlanId: usagePlan.usagePlanId }).node.addDependency(policy);
  // The API's logs are deleted after the table, which is after the API's stage and functions: API Gateway recreates a log
  // group for requests in progress (hashicorp/terraform#32693), without retention.
  table.node.addDependency(...logs);
}

function allowRemovalOfKeys(scope: Construct, usagePlanId: string, role: IRole | undefined): Policy {
  const gateway = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:`;
  const policy = new Policy(scope, 'RemoveKeys', {
    roles: role ? [role] : [],
    statements: [
      new PolicyStatement({ actions: ['apigateway:GET'], resources: [`${gateway}:/usageplans/${usagePlanId}/keys`] }),
      new PolicyStatement({
        actions: ['apigateway:DELETE'],
        resources: [`${gateway}:/apikeys/*`],
        conditions: { StringEquals: { [`aws:ResourceTag/${KEY_TAG}`]: usagePlanId } },
      }),
    ],
  });
  Validations.of(policy).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]',
    reason: 'The ids of keys are not known in advance; the condition is that a key was made for this usage plan.',
  });
  return policy;
}

// The stack's id is its ARN.
const stackStatus: Need = () => ({
  rights: [new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [Aws.STACK_ID] })],
});

const objects: Need = ({ catalog, documents }) => ({
  rights: [catalog, documents].flatMap((bucket) => [
    new PolicyStatement({ actions: ['s3:ListBucketVersions'], resources: [bucket.bucketArn] }),
    new PolicyStatement({ actions: ['s3:DeleteObjectVersion'], resources: [bucket.arnForObjects('*')] }),
  ]),
  acknowledged: [catalog, documents].map((bucket) => ({
    id: `AwsSolutions-IAM5[Resource::<${logicalId(bucket)}.Arn>/*]`,
    reason: 'It empties the bucket, in a stage whose data goes with it.',
  })),
});

const logicalId = ({ stack, node }: VersionedBucket): string => stack.getLogicalId(node.defaultChild as CfnBucket);
