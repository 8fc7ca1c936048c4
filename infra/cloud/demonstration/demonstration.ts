import { CfnOutput, CustomResource, Duration, type Stack } from 'aws-cdk-lib';
import { ApiKey } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { DEMO_USERS } from '../../local/demonstration.ts';
import { addGeneratedSecret, type Resources } from '../data.ts';
import { PharmacyFunction } from '../functions/function.ts';
import { catalog, listing, type Need, objects, reading, records } from '../functions/needs.ts';

export const SEED_STAGE = 'infra/cloud/demonstration/seed-stage.ts';

// Lambda repeats a failed call after one minute and after two more (AWS, "How Lambda handles errors and retries with
// asynchronous invocation"): three calls end in 900 s. Without a limit, CloudFormation waits an hour for an answer.
const CALL_SECONDS = 240;
const LIMIT = Duration.seconds(900);

/** Adds an API key, a password, and a custom resource that publishes the catalog and registers client and users. */
export function addDemonstration(stack: Stack, resources: Resources): void {
  const { usagePlan, settings } = resources;
  const scope = new Construct(stack, 'Demonstration');
  const key = new ApiKey(scope, 'Key', { description: 'The client of the demonstration' });
  usagePlan.addApiKey(key);
  const passwords = addGeneratedSecret(scope, 'Passwords', settings, {
    description: 'The users of the demonstration, and the password of each',
    template: Object.fromEntries(DEMO_USERS.map(({ role, email }) => [role, email])),
    generateStringKey: 'password',
    passwordLength: 24,
    unrotated: 'It holds the first password of each user; a later one is set by `users update`.',
  });
  const readPasswords: Need = () => ({ rights: [reading(passwords.secretArn)] });
  const needs = [publishing, ...registering, readPasswords];
  const seeding = new PharmacyFunction(scope, SEED_STAGE, { needs, timeoutSeconds: CALL_SECONDS }, resources);
  const seed = new CustomResource(scope, 'Seed', {
    serviceToken: seeding.lambda.functionArn,
    serviceTimeout: LIMIT,
    resourceType: 'Custom::Demonstration',
    properties: { gatewayKeyId: key.keyId, secretId: passwords.secretArn },
  });
  // The plan is created after the API and its functions, when IAM has long distributed this function's role.
  seed.node.addDependency(usagePlan);
  const output = (name: string, command: string): CfnOutput =>
    new CfnOutput(stack, name, { value: `aws ${command} --region ${stack.region} --output text` });
  output('KeyCommand', `apigateway get-api-key --api-key ${key.keyId} --include-value --query value`);
  output('PasswordCommand', `secretsmanager get-secret-value --secret-id ${passwords.secretArn} --query SecretString`);
}

/** The rights to publish a first catalog, without the list of shortages, which does not exist yet. */
const publishing: Need = (resources) => {
  const { catalog: bucket, images } = resources;
  const keys = ['current.json', 'snapshots/*', 'versions/*'];
  return {
    environment: { ...catalog(resources).environment, IMAGES_BUCKET: images?.bucketName },
    rights: [
      ...[listing(bucket), objects(bucket, 'GetObject', ...keys), objects(bucket, 'PutObject', ...keys)],
      ...(images ? [listing(images), objects(images, 'PutObject', '*')] : []),
    ],
  };
};

const registering = [
  records.get('KEY', 'CLIENT', 'EMAIL', 'USER', 'IDS'),
  records.batchGet('CLIENT'),
  records.put('CLIENT', 'KEY', 'USER', 'EMAIL', 'PHONE'),
  records.update('IDS', 'CLIENT'),
  records.batchWrite('NAME'),
];
