import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Mails its messages to the operator, once the address has confirmed the subscription. */
export class OperatorTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
  }
}
