import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { parseSettings, readSettings, type Settings } from '../../../infra/cloud/settings.ts';
import { PharmacyStack } from '../../../infra/cloud/stack.ts';

const root = join(import.meta.dirname, '../../..');
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Settings that replace those of the demonstration stage; undefined removes a setting. */
export type StageChanges = Readonly<Record<string, unknown>>;

// The demonstration's own parts have tests of their own.
const OTHER = {
  contents: 'empty',
  images: undefined,
  imageBaseUrl: 'https://images.demo.example/',
  catalogMaximumAgeDays: 365,
  sender: { name: 'Farmacia Demo', address: 'facturas@demo.example', identity: 'address' },
};

/** Returns the settings of an empty demonstration with a sender and changes, such as `PRODUCTION`, as JSON. */
export const stageJson = (changes: StageChanges = {}): string =>
  JSON.stringify({ ...readJson('infra/cloud/stages/demo.json'), ...OTHER, ...changes });

/** A stage that serves its images. */
export const HOSTED: StageChanges = { images: 'hosted', imageBaseUrl: undefined };

export const PRODUCTION: StageChanges = {
  purpose: 'production',
  dataOnRemoval: 'kept',
  account: '111122223333',
  region: 'mx-central-1',
  // SES does not send from Mexico.
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain', region: 'us-east-1' },
  invoicing: { provider: 'facturapi', keySecretName: 'pharmacy/facturapi' },
  corsOrigins: ['https://sol.example', 'https://www.sol.example'],
  domain: { name: 'api.sol.example', certificateArn: 'arn:aws:acm:mx-central-1:111122223333:certificate/abc' },
};

/** Production in a region that has everything, with every option. */
export const FULLEST: StageChanges = {
  ...PRODUCTION,
  ...HOSTED,
  region: 'us-east-1',
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain' },
  eventBus: 'pharmacy',
  webAcl: {},
  scanDocuments: true,
  globalInvoice: 'month',
  payments: { provider: 'stripe', secretName: 'pharmacy/stripe' },
  provisionedConcurrency: { 'orders-create': 2 },
};

// The CDK's validation takes seconds for each template; `npm run synth` runs it.
const WITHOUT_DEFAULT_RULES = { '@aws-cdk/core:validateAgainstDefaultRules': false };

/** Opens a CDK app with the feature flags of the project. */
export function openApp(flags: Readonly<Record<string, string>> = {}): App {
  const context = { ...readJson('cdk.json').context, ...WITHOUT_DEFAULT_RULES, ...flags };
  return new App({ context, builtinCloudFormationValidation: false, treeMetadata: false, analyticsReporting: false });
}

// A template takes a third of a second, and several processes look at the same ones. The folder is that of the run.
const made = new Map<string, Template>();
const FOLDER = join(tmpdir(), 'templates');

/** Returns the template of a stage, with the feature flags of the project but without the code of the functions. */
export function stackTemplate(changes: StageChanges = {}, flags: Readonly<Record<string, string>> = {}): Template {
  const json = stageJson(changes);
  const key = createHash('sha256')
    .update(JSON.stringify([json, flags]))
    .digest('hex');
  const template = made.get(key) ?? readTemplate(key) ?? writeTemplate(key, makeTemplate(json, flags));
  made.set(key, template);
  return template;
}

function readTemplate(key: string): Template | undefined {
  const file = join(FOLDER, `${key}.json`);
  return existsSync(file) ? Template.fromJSON(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

function writeTemplate(key: string, template: Template): Template {
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = join(FOLDER, `${key}.${process.pid}-${threadId}`);
  writeFileSync(unfinished, JSON.stringify(template.toJSON()));
  renameSync(unfinished, join(FOLDER, `${key}.json`));
  return template;
}

const makeTemplate = (json: string, flags: Readonly<Record<string, string>>): Template =>
  withoutTraces(() => Template.fromStack(addStage(openApp(flags), parseSettings('test', json))));

/** Returns the templates of all stacks of a stage that has a file of settings, but for that of its budget. */
export function stageTemplates(stage: string): Template[] {
  const app = openApp();
  return withoutTraces(() => {
    addStage(app, readSettings(stage));
    return app.node.children.filter((child) => Stack.isStack(child)).map((stack) => Template.fromStack(stack));
  });
}

const addStage = (app: App, settings: Settings): Stack =>
  new PharmacyStack(app, 'Test', { settings, codeOf: () => Code.fromInline('export {}') });

/** Calls `make` without stack traces, because recording one for each construct makes it four times as slow. */
function withoutTraces<Made>(make: () => Made): Made {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
