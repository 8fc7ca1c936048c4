import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Mails its messages to the operator, once the address has confirmed the subscription; alarms may publish to it. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
    this.#allowAlarms();
  }

  /**
   * Lets the alarms of this account publish. A topic with a policy of its own, here the one of `enforceSSL`, loses SNS's default
   * policy, and CloudWatch's action fails (repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger). `SnsAction`
   * adds no permission; the event destination of SES adds its own.
   */
  #allowAlarms(): void {
    const stack = Stack.of(this);
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnLike: { 'aws:SourceArn': stack.formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME }) },
        },
      }),
    );
  }
}
