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
export function addOutputs(stack: Stack, resources: Resources, api: PharmacyApi, alarmTopic: ITopic): void {
  const { settings, sender, images } = resources;
  const shared = [catalog, prescriptions(), tokenKeys, sealKeys, invoicing, payments, mail];
  const needs = [...shared, variables('business', 'globalInvoice', 'origins')];
  const environment = {
    AWS_REGION: stack.region,
    // The SDK reads AWS_ACCOUNT_ID as the account of the credentials, which may be another.
    STACK_ACCOUNT: stack.account,
    STACK_NAME: stack.stackName,
    PURPOSE: settings.purpose,
    DATA_ON_REMOVAL: settings.dataOnRemoval,
    TABLE_NAME: resources.table.tableName,
    API_URL: api.url,
    USAGE_PLAN_ID: api.usagePlan.usagePlanId,
    ALARM_TOPIC_ARN: alarmTopic.topicArn,
    LOG_GROUP_PREFIX: logGroupPrefix(stack, settings),
    SES_IDENTITY: sender?.identityName,
    IMAGES_BUCKET: images?.bucketName,
    CATALOG_MAXIMUM_AGE_DAYS: settings.catalogMaximumAgeDays,
    PRESCRIPTION_MAXIMUM_AGE_DAYS: settings.prescriptionMaximumAgeDays,
    // CloudFormation knows whether such a stack exists, only the settings whether it should.
    MAIL_STACK: mailStackRegion(settings) && mailStackName(settings.stage),
    BUDGET_STACK: settings.budget && budgetStackName(settings.stage),
  };
  for (const [name, value] of Object.entries(toEnvironment([...needs.map((need) => need(resources)), { environment }])))
    if (value) new CfnOutput(stack, toOutputName(name), { value: encodeOutput(value) });
}
