import { spawnSync } from 'node:child_process';
import { describeStack, endTerminationProtection, isMissingStack, type StackPlace } from '../../ops/aws.ts';
import { budgetStackName, mailStackName, stageStackName } from '../../stack-names.ts';
import { readSettings } from '../read-settings.ts';
import { type Settings, SettingsError } from '../settings.ts';

/*
 * Deploys a stage, also after a first deployment that failed, and writes its outputs for `npm run ops`:
 * `npm run deploy -- <stage>`, with options of `cdk deploy` behind it.
 */

const cdk = (...words: readonly string[]): number => spawnSync('cdk', words, { stdio: 'inherit' }).status ?? 1;

/**
 * Deploys the stacks of a stage. The budget has a call of its own, because `cdk deploy` writes the outputs only once every
 * stack that it was given has succeeded (aws-cdk 2.1148.1), and rights on budgets are easily missing.
 */
function deploy({ stage, budget }: Settings, options: readonly string[]): number {
  const outputs = `.local/${stage}.json`;
  // With the stack of the mail, on which it depends.
  const status = cdk('deploy', stageStackName(stage), '-c', `stage=${stage}`, '--outputs-file', outputs, ...options);
  if (status !== 0) return status;
  console.error(`Operate it with npm run ops -- <command> --outputs ${outputs}`);
  // From what the first call has synthesized.
  return budget ? cdk('deploy', budgetStackName(stage), '--app', 'cdk.out', ...options) : 0;
}

async function prepare(settings: Settings): Promise<void> {
  const { stage, account, region, sender } = settings;
  const stacks = [{ name: stageStackName(stage), region }];
  if (sender?.region) stacks.push({ name: mailStackName(stage), region: sender.region });
  for (const each of stacks) await releaseFailedCreation(each, account).catch(explainUnlessMissing);
}

// CDK deletes such a stack before it creates it anew, but turns on the protection before a creation, and does not turn it
// off (aws-samples/aws-secure-environment-accelerator#253).
const CREATION_FAILED = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** Ends the termination protection of a stack whose creation failed, in this account if one is named. */
export async function releaseFailedCreation(
  place: StackPlace,
  account: string | undefined,
): Promise<'released' | 'kept'> {
  const { id, status } = await describeStack(place);
  const isElsewhere = account !== undefined && id.split(':')[4] !== account;
  if (isElsewhere || !CREATION_FAILED.includes(status)) return 'kept';
  await endTerminationProtection({ name: id, region: place.region });
  return 'released';
}

function explainUnlessMissing(error: unknown): void {
  // Before the first deployment there is no such stack. CDK itself complains of whatever else is wrong.
  if (isMissingStack(error)) return;
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`CloudFormation was not asked about the stack: ${reason}.`);
}

if (import.meta.main) {
  const [stage, ...options] = process.argv.slice(2);
  try {
    const settings = readSettings(stage);
    await prepare(settings);
    process.exitCode = deploy(settings, options);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message.replace('-c stage=<name>', 'npm run deploy -- <name>'));
    process.exitCode = 1;
  }
}
