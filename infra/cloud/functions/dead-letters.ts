import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IDestination } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Need } from './needs.ts';

/** Keeps a message for each failed run of a job, for two weeks. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue itself.' });
  }

  /** The right of a function to send here, which Lambda does with its role. */
  readonly sending: Need = () => ({
    rights: [
      new PolicyStatement({
        actions: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
        resources: [this.queueArn],
      }),
    ],
  });

  /** Where the failed runs of such a function go. CDK's own destination would add a policy to each role. */
  get destination(): IDestination {
    return { bind: () => ({ destination: this.queueArn }) };
  }
}
