import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { SEED_STAGE } from '../../../infra/cloud/demonstration/demonstration.ts';
import { JOB_HANDLERS, PUBLISHER, WEBHOOKS } from '../../../infra/jobs.ts';
import { lambdaContext } from '../../../infra/local/gateway/event.ts';
import { functionName } from '../../../infra/stack-names.ts';
import { servedRoutes } from '../../../shared/api/routes.ts';
import { ACCOUNT, REGION, secretArn, tableArn } from '../faults/aws-call.ts';
import { type FaultProxy, openFaultProxy } from '../faults/fault-proxy.ts';
import { deployedFunctions, type Names, type Statement, unusedRights } from '../rights/function-rights.ts';
import { type StageChanges, stackTemplate } from '../rights/stack-template.ts';
import { bundleOnce, type FunctionProcess, startFunction } from './bundles.ts';
import { openServer } from './test-server.ts';

type Deployed = {
  readonly statements: readonly Statement[];
  readonly gatekeeper: FaultProxy;
  readonly process: FunctionProcess;
};

export type DeployedStack = Awaited<ReturnType<typeof openDeployedStack>>;

// Failed invoices are due again after some minutes. The local S3 refuses a clock more than 15 minutes ahead.
const JOBS_AHEAD_MS = 10 * 60_000;

/** A stage has these beside the demonstration's: settings, secrets by their names, and addresses that its functions call. */
type StageParts = {
  readonly settings: StageChanges;
  readonly secrets: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
};
// The demonstration issues no global invoices, has no event bus, and scans no documents.
const FULL: StageParts = {
  settings: { globalInvoice: 'month', eventBus: 'pharmacy', scanDocuments: true },
  secrets: {},
  environment: {},
};

/** Opens a server that runs the bundles of the stack, each with the environment and permissions of its deployed function. */
export async function openDeployedStack(stage = FULL) {
  const folder = await mkdtemp(join(tmpdir(), 'deployed-'));
  const start = await createStarter(folder, stage);
  const started = new Map<string, Promise<Deployed>>();
  const deployed = (name: string): Promise<Deployed> => {
    const found = started.get(name) ?? start(name);
    started.set(name, found);
    return found;
  };
  const call = async (name: string, event: unknown, context: unknown) =>
    (await deployed(name)).process.call(event, context);
  const server = await openServer({
    table: 'streamed',
    gateway: { loadHandler: async (file) => (event, context) => call(functionName(file), event, context) },
  });
  return {
    ...server,
    /** Returns a function by name and starts it on first use. */
    deployed,
    /** Runs a job once with its clock ten minutes ahead. Throws the job's error. */
    run: (job: string, event: object = {}) => call(job, event, lambdaContext(job, 'scheduled', 60_000)),
    /** Returns the calls that a function made without permission. */
    async refused() {
      const all = await awaitAll(started);
      return all.flatMap(({ name, gatekeeper }) => gatekeeper.refused.map((call) => `${name}: ${call}`));
    },
    /**
     * Returns each function's unused permissions, except those that Lambda itself uses: for logs, the dead-letter queue, and the
     * stream with its failed records.
     */
    async unused() {
      const all = await awaitAll(started);
      return all.flatMap(({ name, statements, gatekeeper }) => {
        const own = statements.filter(({ actions: [action = ''] }) => !isUsedByLambda(name, action));
        return unusedRights(own, gatekeeper.allowed).map((right) => `${name}: ${right}`);
      });
    },
    async close() {
      await Promise.all(started.values().map(async (one) => stop(await one)));
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const STREAM_FUNCTIONS = new Set([PUBLISHER, WEBHOOKS].map(({ handler }) => functionName(handler)));
const isUsedByLambda = (name: string, action: string): boolean =>
  /^(logs|sqs):/.test(action) ||
  (STREAM_FUNCTIONS.has(name) &&
    /^s3:|^dynamodb:(ListStreams|DescribeStream|GetShardIterator|GetRecords)$/.test(action));

const awaitAll = (started: ReadonlyMap<string, Promise<Deployed>>) =>
  Promise.all(started.entries().map(async ([name, one]) => ({ name, ...(await one) })));

async function stop({ gatekeeper, process }: Deployed): Promise<void> {
  await process.stop();
  await gatekeeper.close();
}

async function createStarter(folder: string, stage: StageParts): Promise<(name: string) => Promise<Deployed>> {
  const handlers = [...servedRoutes.map(({ handler }) => handler), ...JOB_HANDLERS, SEED_STAGE];
  const files = new Map([...(await bundleOnce(handlers))].map(([handler, file]) => [functionName(handler), file]));
  const template = stackTemplate(stage.settings);
  const generated = ['TokenKeys', 'SealKeys'].map((name) => [secretArn(name), generateSecret(template, name)]);
  const secrets = { ...Object.fromEntries(generated), ...stage.secrets };
  return async (name) => {
    const found = deployedFunctions(template, localNames()).get(name);
    if (!found) throw new Error(`the stack has no function ${name}`);
    const gatekeeper = await openFaultProxy(engines(), { statements: found.statements, secrets });
    const home = join(folder, 'home', name);
    await mkdir(home, { recursive: true });
    const machine = { ...lambdaVariables(name), ...machineVariables(gatekeeper.url) };
    const environment = { ...found.environment, ...machine, ...stage.environment };
    const aheadMs = name.startsWith('jobs-') ? JOBS_AHEAD_MS : 0;
    return {
      statements: found.statements,
      gatekeeper,
      process: await startFunction(files.get(name) ?? '', { environment, folder: home, aheadMs }),
    };
  };
}

const readSetting = (name: string): string => process.env[name] ?? '';
export const engines = () => ({
  dynamodb: readSetting('AWS_ENDPOINT_URL_DYNAMODB'),
  s3: readSetting('AWS_ENDPOINT_URL_S3'),
  ses: readSetting('AWS_ENDPOINT_URL_SES'),
});

/** Returns the local values of the references in the template. */
export function localNames(): Names {
  const names: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws',
    'AWS::Region': REGION,
    'AWS::AccountId': ACCOUNT,
    Table: readSetting('TABLE_NAME'),
    'Table.Arn': tableArn(readSetting('TABLE_NAME')),
    Catalog: readSetting('CATALOG_BUCKET'),
    'Catalog.Arn': `arn:aws:s3:::${readSetting('CATALOG_BUCKET')}`,
    Images: readSetting('IMAGES_BUCKET'),
    'Images.Arn': `arn:aws:s3:::${readSetting('IMAGES_BUCKET')}`,
    Documents: readSetting('DOCUMENTS_BUCKET'),
    'Documents.Arn': `arn:aws:s3:::${readSetting('DOCUMENTS_BUCKET')}`,
    TokenKeys: secretArn('TokenKeys'),
    SealKeys: secretArn('SealKeys'),
    DemonstrationPasswords: secretArn('DemonstrationPasswords'),
  };
  return (logicalId, attribute) => {
    const id = logicalId.replace(/[0-9A-F]{8}$/, '');
    if (id.endsWith('Function')) return id;
    return names[attribute === 'Ref' ? id : `${id}.${attribute}`] ?? `${id}.${attribute}`;
  };
}

/** Returns the environment variables that Lambda sets and the functions read. */
const lambdaVariables = (name: string) => ({
  AWS_REGION: REGION,
  // The local S3 accepts only these credentials.
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  TZ: ':UTC',
});

const machineVariables = (url: string) => ({
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_S3: url,
  AWS_ENDPOINT_URL_SES: url,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
  AWS_ENDPOINT_URL_API_GATEWAY: url,
  AWS_ENDPOINT_URL_EVENTBRIDGE: url,
  S3_PATH_STYLE: 'true',
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Generates the secret as CloudFormation does. */
function generateSecret(template: Template, name: string): string {
  const secrets = Object.entries(template.findResources('AWS::SecretsManager::Secret'));
  const [, secret] = secrets.find(([id]) => id.startsWith(name)) ?? [];
  const { SecretStringTemplate, GenerateStringKey, PasswordLength } = secret?.Properties.GenerateSecretString ?? {};
  const made = Array.from({ length: PasswordLength }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: made });
}
