import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import { servedRoutes } from '../../shared/api/routes.ts';
import { makeBundles } from '../bundle.ts';
import { sourceMapFolder } from '../source-maps.ts';
import { stageStackName } from '../stack-names.ts';
import type { CodeOf } from './functions/function.ts';
import { forwardingJob, jobs } from './functions/jobs.ts';
import { readSettings } from './read-settings.ts';
import { CLEAR_STAGE } from './removal/removal.ts';
import { SettingsError } from './settings.ts';
import { addBudget } from './side-stacks.ts';
import { PharmacyStack } from './stack.ts';

async function codeIn(folder: string): Promise<CodeOf> {
  const handlers = [...servedRoutes, ...jobs, forwardingJob].map(({ handler }) => handler);
  const bundles = await makeBundles([...handlers, CLEAR_STAGE], folder, sourceMapFolder());
  const folders = new Map(bundles.map((bundle) => [bundle.handler, bundle.folder]));
  return (handler) => Code.fromAsset(folders.get(handler) ?? '');
}

try {
  const app = new App();
  // `npm run synth` names several stages, with commas between them.
  const stages = String(app.node.tryGetContext('stage') ?? '').split(',');
  const settings = stages.map(readSettings);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const codeOf = await codeIn(join(app.outdir, 'bundles'));
  for (const each of settings) {
    new PharmacyStack(app, stageStackName(each.stage), { settings: each, codeOf });
    addBudget(app, each);
  }
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
