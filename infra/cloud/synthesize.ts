import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks, type IApplyRule } from 'cdk-nag';
import { servedRoutes } from '../../shared/api/routes.ts';
import { makeBundles } from '../bundle.ts';
import { JOB_HANDLERS } from '../jobs.ts';
import { sourceMapFolder } from '../source-maps.ts';
import { stageStackName } from '../stack-names.ts';
import type { CodeOf } from './data.ts';
import { SEED_STAGE } from './demonstration/demonstration.ts';
import type { Settings } from './settings.ts';
import { addBudget } from './side-stacks.ts';
import { PharmacyStack } from './stack.ts';

export async function synthesize(app: App, stages: readonly Settings[]): Promise<void> {
  Validations.of(app).addPlugins(new Checks(app));
  const codeOf = await codeIn(join(app.outdir, 'bundles'));
  for (const settings of stages) {
    new PharmacyStack(app, stageStackName(settings.stage), { settings, codeOf });
    addBudget(app, settings);
  }
  app.synth();
}

/** Without IAM5, which refuses wildcards in policies: test/infra/rights.test.ts lists each of them. */
class Checks extends AwsSolutionsChecks {
  protected override applyRule(params: IApplyRule): void {
    if (params.ruleSuffixOverride !== 'IAM5') super.applyRule(params);
  }
}

async function codeIn(folder: string): Promise<CodeOf> {
  const handlers = [...servedRoutes.map(({ handler }) => handler), ...JOB_HANDLERS, SEED_STAGE];
  const bundles = await makeBundles(handlers, folder, sourceMapFolder());
  const folders = new Map(bundles.map((bundle) => [bundle.handler, bundle.folder]));
  return (handler) => Code.fromAsset(folders.get(handler) ?? '');
}
