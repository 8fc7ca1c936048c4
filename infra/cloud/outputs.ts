import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { encodeOutput, toOutputName } from '../ops/target.ts';
import { budgetStackName, mailStackName } from '../stack-names.ts';
import type { PharmacyApi } from './api/api.ts';
import type { Resources } from './data.ts';
import {
  catalog,
  invoicing,
  mail,
  payments,
  prescriptions,
  sealKeys,
  toEnvironment,
  tokenKeys,
  variables,
} from './functions/needs.ts';
import { logGroupPrefix, mailStackRegion } from './stage.ts';

/** Outputs the environment of `npm run ops`: the functions' variables, and values known only to the stack. */
export function addOutputs(
  stack: Stack,
  resources: Resources,
  { api, alarmTopic }: { api: PharmacyApi; alarmTopic: ITopic },
): void {
  const { settings } = resources;
  const settled = variables('business', 'globalInvoice');
  const needs = [catalog, prescriptions(), settled, tokenKeys, sealKeys, invoicing, payments, mail];
  const environment: Record<string, string> = {
    ...toEnvironment(needs.map((need) => need(resources))),
    AWS_REGION: stack.region,
    // The SDK reads AWS_ACCOUNT_ID as the account of the credentials, which may be another.
    STACK_ACCOUNT: stack.account,
    STACK_NAME: stack.stackName,
    PURPOSE: settings.purpose,
    DATA_ON_REMOVAL: settings.dataOnRemoval,
    TABLE_NAME: resources.table.tableName,
    API_URL: api.url,
    CORS_ORIGINS: settings.corsOrigins.join(','),
    USAGE_PLAN_ID: api.usagePlan.usagePlanId,
    ALARM_TOPIC_ARN: alarmTopic.topicArn,
    LOG_GROUP_PREFIX: logGroupPrefix(stack, settings),
    ...(resources.sender && { SES_IDENTITY: resources.sender.identityName }),
    ...(resources.images && { IMAGES_BUCKET: resources.images.bucketName }),
    CATALOG_MAXIMUM_AGE_DAYS: String(settings.catalogMaximumAgeDays ?? ''),
    PRESCRIPTION_MAXIMUM_AGE_DAYS: String(settings.prescriptionMaximumAgeDays),
    // CloudFormation knows whether such a stack exists, only the settings whether it should.
    ...(mailStackRegion(settings) && { MAIL_STACK: mailStackName(settings.stage) }),
    ...(settings.budget && { BUDGET_STACK: budgetStackName(settings.stage) }),
  };
  for (const [variable, value] of Object.entries(environment))
    if (value) new CfnOutput(stack, toOutputName(variable), { value: encodeOutput(value) });
}
