import { spawnSync } from 'node:child_process';
import { describeStack, endTerminationProtection, isMissingStack, type StackPlace } from '../../ops/aws.ts';
import { budgetStackName, mailStackName, stageStackName } from '../../stack-names.ts';
import { readSettings, type Settings, SettingsError } from '../settings.ts';

// `npm run deploy -- <stage>` deploys a stage, also after a failed creation, and writes its outputs for `npm run ops`.

const cdk = (...words: readonly string[]): number => spawnSync('cdk', words, { stdio: 'inherit' }).status ?? 1;

/** A call of its own for the budget: `cdk deploy` writes outputs only if all stacks succeed (aws-cdk 2.1148.1). */
function deploy({ stage, budget }: Settings, options: readonly string[]): number {
  const outputs = `.local/${stage}.json`;
  const status = cdk('deploy', stageStackName(stage), '-c', `stage=${stage}`, '--outputs-file', outputs, ...options);
  if (status !== 0) return status;
  console.error(`Operate it with npm run ops -- <command> --outputs ${outputs}`);
  // Uses the first call's synthesis.
  return budget ? cdk('deploy', budgetStackName(stage), '--app', 'cdk.out', ...options) : 0;
}

async function prepare(settings: Settings): Promise<void> {
  const { stage, account, region, sender } = settings;
  const stacks = [{ name: stageStackName(stage), region }];
  if (sender?.region) stacks.push({ name: mailStackName(stage), region: sender.region });
  for (const stack of stacks) await releaseFailedCreation(stack, account).catch(explainUnlessMissing);
}

// CDK deletes such a stack before it creates it again, but enables the protection first and does not disable it
// (aws-samples/aws-secure-environment-accelerator#253).
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
  // Before the first deployment there is no such stack. CDK itself reports other problems.
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
