import { Validations } from 'aws-cdk-lib';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type Settings, SettingsError } from '../settings.ts';
import { canaryAlarm } from './canary-alarms.ts';
import type { PharmacyFunction } from './function.ts';

type ReleaseWay = 'canary' | 'at-once';

type Released = {
  readonly settings: Settings;
  readonly functions: readonly PharmacyFunction[];
  readonly way: ReleaseWay;
};

/**
 * Releases the functions of the routes by CodeDeploy: a new version gets a tenth of the requests for five minutes, then
 * all of them. CodeDeploy moves the alias back when an alarm of the new version goes off, and CloudFormation then undoes
 * the whole update. Each function has a deployment group of its own, because a group makes one deployment at a time.
 */
export class CanaryReleases extends Construct {
  constructor(scope: Construct, id: string, { settings, functions, way }: Released) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = this.#role(functions);
    for (const released of functions) {
      new LambdaDeploymentGroup(this, released.node.id, {
        application,
        role,
        alias: released.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [canaryAlarm(this, released, settings)],
        // A deployment that is stopped by hand and not rolled back leaves the alias between two versions, and the next one
        // fails (CodeDeploy's guide, "Troubleshoot Lambda deployment issues").
        autoRollback: { stoppedDeployment: true },
      });
      if (way === 'at-once') (released.alias.node.defaultChild as CfnAlias).addDeletionOverride('UpdatePolicy');
    }
  }

  /**
   * Less than the managed policy AWSCodeDeployRoleForLambdaLimited, which moves any alias of the account. CDK would add
   * that policy to a role that can be changed.
   */
  #role(functions: readonly PharmacyFunction[]): IRole {
    const moving = new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      // The first two are checked on the function, the third on the alias.
      resources: functions.flatMap(({ lambda, alias }) => [
        lambda.functionArn,
        `${lambda.functionArn}:${alias.aliasName}`,
      ]),
    });
    const reading = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { Releases: new PolicyDocument({ statements: [moving, reading] }) },
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'It only reads the states of alarms, as in the managed policy for CodeDeploy.',
    });
    return role.withoutPolicyUpdates();
  }
}

/**
 * Returns how the deployment was asked to move the aliases: at once for a rollback or an urgent correction. Throws
 * SettingsError if it was asked for something else.
 */
export function readReleaseWay({ node }: Construct): ReleaseWay {
  const release: unknown = node.tryGetContext('release');
  if (release === undefined) return 'canary';
  if (release === 'at-once') return release;
  throw new SettingsError(`Leave -c release out, or say -c release=at-once, not ${JSON.stringify(release)}.`);
}
