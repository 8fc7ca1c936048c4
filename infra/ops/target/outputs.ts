import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { UsageError } from '../input.ts';

/**
 * The environment variables of the operator's commands, with the output of the stack that each comes from. The stack has
 * exactly these outputs, except those of settings that it does not have.
 */
export const STACK_OUTPUTS = {
  AWS_REGION: 'Region',
  // The SDK reads AWS_ACCOUNT_ID as the account of the credentials, which may be another.
  STACK_ACCOUNT: 'Account',
  STACK_NAME: 'StackName',
  PURPOSE: 'Purpose',
  DATA_ON_REMOVAL: 'DataOnRemoval',
  TABLE_NAME: 'TableName',
  CATALOG_BUCKET: 'CatalogBucket',
  CATALOG_MAXIMUM_AGE_DAYS: 'CatalogMaximumAgeDays',
  DOCUMENTS_BUCKET: 'DocumentsBucket',
  PRESCRIPTION_MAXIMUM_AGE_DAYS: 'PrescriptionMaximumAgeDays',
  TOKEN_SECRET_ID: 'TokenSecretId',
  SEAL_SECRET_ID: 'SealSecretId',
  USAGE_PLAN_ID: 'UsagePlanId',
  API_URL: 'ApiUrl',
  CORS_ORIGINS: 'CorsOrigins',
  ALARM_TOPIC_ARN: 'AlarmTopicArn',
  LOG_GROUP_PREFIX: 'LogGroupPrefix',
  SES_IDENTITY: 'SesIdentity',
  MAIL_SENDER: 'MailSender',
  MAIL_CONFIGURATION_SET: 'MailConfigurationSet',
  MAIL_REGION: 'MailRegion',
  MAIL_STACK: 'MailStack',
  BUDGET_STACK: 'BudgetStack',
  INVOICING_PROVIDER: 'InvoicingProvider',
  FACTURAPI_SECRET_ID: 'FacturapiSecretId',
  ISSUER_LEGAL_NAME: 'IssuerLegalName',
  ISSUER_RFC: 'IssuerRfc',
  ISSUER_REGIME: 'IssuerRegime',
  ISSUER_ZIPCODE: 'IssuerZipcode',
  BUSINESS_TIME_ZONE: 'BusinessTimeZone',
} as const;

/**
 * Returns a value as an output holds it: CloudFormation answers `?` for every letter outside ASCII
 * (aws-cloudformation/cloudformation-coverage-roadmap#814), so such letters are percent-encoded.
 */
export const encodeOutput = (value: string): string => value.replace(/[^\x20-\x7e]+|%/g, encodeURIComponent);

const outputsFile = z.record(z.string(), z.record(z.string(), z.string()));

/** Sets the environment variables from the outputs of a stack. Throws a UsageError if the file has none. */
export function enterOutputs(file: string): void {
  const stack = readStack(file);
  for (const [variable, output] of Object.entries(STACK_OUTPUTS)) {
    const value = stack[output];
    if (value !== undefined) process.env[variable] = decodeOutput(output, value);
  }
}

function decodeOutput(output: string, value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new UsageError(`--outputs: the file holds an output ${output} that no stack of ours has written.`);
  }
}

function readStack(file: string): Readonly<Record<string, string>> {
  const [stack, another] = Object.values(readOutputs(file)).filter((outputs) => STACK_OUTPUTS.TABLE_NAME in outputs);
  if (!stack) throw new UsageError(`--outputs: ${file} holds no outputs of a stack of ours.`);
  if (another) throw new UsageError(`--outputs: ${file} holds the outputs of more than one stack.`);
  return stack;
}

function readOutputs(file: string): z.infer<typeof outputsFile> {
  try {
    return outputsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new UsageError(`--outputs: ${file} cannot be read (${error.code}).`);
    throw new UsageError(`--outputs: ${file} is no file that \`cdk deploy --outputs-file\` has written.`);
  }
}
