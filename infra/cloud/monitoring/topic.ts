import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Whatever is said here reaches the operator's mailbox, once the address has confirmed that it wants it. */
export class OperatorTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
  }
}
