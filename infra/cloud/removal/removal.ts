import { Aws, CustomResource, Duration, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { OrdersTable, VersionedBucket } from '../data.ts';
import { type FunctionInputs, PharmacyFunction } from '../functions/function.ts';
import type { Need } from '../functions/needs.ts';

/** The handler of the custom resources, by its path from the project root. */
export const CLEAR_STAGE = 'infra/cloud/removal/clear-stage.ts';

// Lambda repeats a call that fails after one minute, and again after two (AWS, "How Lambda handles errors and retries with
// asynchronous invocation"), so that three calls end in 900 s. Without a limit, CloudFormation waits an hour for an answer.
const CALL_SECONDS = 240;
const LIMIT = Duration.seconds(900);

/**
 * Custom resources for a stage whose data goes with it: CloudFormation deletes no bucket with objects, and does not know
 * the API keys that `npm run ops` makes. CDK's own `autoDeleteObjects` would leave the log of its function behind
 * (aws/aws-cdk#26553); this function may not create a log, so that none comes back after the stack.
 */
export class Removal extends Construct {
  readonly #function: PharmacyFunction;
  readonly #buckets: CustomResource;
  readonly #table: OrdersTable;

  constructor(scope: Construct, id: string, inputs: FunctionInputs) {
    super(scope, id);
    const { catalog, documents, table, usagePlan } = inputs.resources;
    this.#table = table;
    const row = { handler: CLEAR_STAGE, needs: [stackStatus, objects], memoryMb: 512, timeoutSeconds: CALL_SECONDS };
    this.#function = new PharmacyFunction(this, row, inputs);
    this.#buckets = this.#add('Buckets', { buckets: [catalog.bucketName, documents.bucketName] });
    // In the role of the function, this policy would close a circle: the usage plan waits for the functions of the API, they
    // for the custom resource of the buckets, and that for the function with its role.
    const policy = this.#allowRemovalOfKeys(usagePlan.usagePlanId);
    this.#add('Keys', { usagePlanId: usagePlan.usagePlanId }).node.addDependency(policy);
  }

  /** Lets the buckets be emptied only once these functions, which write to them, are deleted. */
  emptyAfter(functions: readonly PharmacyFunction[]): void {
    for (const { lambda } of functions) lambda.node.addDependency(this.#buckets);
  }

  /**
   * Lets the logs of the API be deleted only once the table is, after the stage of the API and its functions: API Gateway
   * makes a log group anew for requests that are under way (hashicorp/terraform#32693), without retention.
   */
  removeLast(logs: readonly LogGroup[]): void {
    this.#table.node.addDependency(...logs);
  }

  #add(id: string, properties: Record<string, unknown>): CustomResource {
    const serviceToken = this.#function.lambda.functionArn;
    const resourceType = `Custom::Cleared${id}`;
    return new CustomResource(this, id, { serviceToken, serviceTimeout: LIMIT, resourceType, properties });
  }

  #allowRemovalOfKeys(usagePlanId: string): Policy {
    const gateway = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:`;
    const policy = new Policy(this, 'RemoveKeys', {
      roles: this.#function.lambda.role ? [this.#function.lambda.role] : [],
      statements: [
        new PolicyStatement({ actions: ['apigateway:GET'], resources: [`${gateway}:/usageplans/${usagePlanId}/keys`] }),
        new PolicyStatement({ actions: ['apigateway:DELETE'], resources: [`${gateway}:/apikeys/*`] }),
      ],
    });
    Validations.of(policy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]',
      reason: 'The ids of keys are not known in advance; the function removes those of its usage plan.',
    });
    return policy;
  }
}

// The id of the stack is its ARN.
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
