import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { parseSettings } from '../../../infra/cloud/settings.ts';
import { PharmacyStack } from '../../../infra/cloud/stack.ts';

const root = join(import.meta.dirname, '../../..');
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** What differs from the demonstration stage; a setting that is undefined is absent. */
export type StageChanges = Readonly<Record<string, unknown>>;

/** The settings of the demonstration stage, changed. Those of a real provider and production are `PRODUCTION`. */
export const stageJson = (changes: StageChanges = {}): string =>
  JSON.stringify({ ...readJson('infra/cloud/stages/demo.json'), ...changes });

export const PRODUCTION: StageChanges = {
  purpose: 'production',
  dataOnRemoval: 'kept',
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain' },
  invoicing: { provider: 'facturapi', keySecretName: 'pharmacy/facturapi' },
  corsOrigins: ['https://sol.example', 'https://www.sol.example'],
  domain: { name: 'api.sol.example', certificateArn: 'arn:aws:acm:mx-central-1:111122223333:certificate/abc' },
};

// The checks of any template take seconds each: `npm run synth` holds the stack to them.
const WITHOUT_DEFAULT_RULES = { '@aws-cdk/core:validateAgainstDefaultRules': false };

/** The template of a stage, with the feature flags of the project. What the functions hold is left out. */
export function stackTemplate(changes: StageChanges = {}): Template {
  const settings = parseSettings('test', stageJson(changes));
  const context = { ...readJson('cdk.json').context, ...WITHOUT_DEFAULT_RULES };
  const app = new App({ context, builtinCloudFormationValidation: false });
  return withoutTraces(() =>
    Template.fromStack(new PharmacyStack(app, 'Test', { settings, codeOf: () => Code.fromInline('export {}') })),
  );
}

/** Every construct remembers where it was made, which takes three times as long as all the rest. */
function withoutTraces<Made>(make: () => Made): Made {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
