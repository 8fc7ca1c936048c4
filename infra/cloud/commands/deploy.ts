import { spawnSync } from 'node:child_process';
import { mailStackName } from '../../stack-names.ts';
import { readSettings, type Settings, SettingsError } from '../settings.ts';
import { releaseFailedCreation } from './failed-creation.ts';

/*
 * Deploys a stage, also after a first deployment that failed, and writes its outputs for `npm run ops`:
 * `npm run deploy -- <stage>`, with options of `cdk deploy` behind it.
 */

function deploy([stage = '', ...options]: readonly string[]): number {
  const outputs = `.local/${stage}.json`;
  const words = ['deploy', '--all', '-c', `stage=${stage}`, '--outputs-file', outputs, ...options];
  const { status } = spawnSync('cdk', words, { stdio: 'inherit' });
  if (status === 0) console.error(`Operate it with npm run ops -- <command> --outputs ${outputs}`);
  return status ?? 1;
}

async function prepare(settings: Settings): Promise<void> {
  const { stage, account, region, sender } = settings;
  const stacks = [{ name: `Pharmacy-${stage}`, region }];
  if (sender.region) stacks.push({ name: mailStackName(stage), region: sender.region });
  for (const each of stacks) await releaseFailedCreation(each, account).catch(explainUnlessMissing);
}

function explainUnlessMissing(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  // Before the first deployment there is no such stack. CDK itself complains of whatever else is wrong.
  if (!reason.endsWith('ValidationError')) console.error(`CloudFormation was not asked about the stack: ${reason}.`);
}

const words = process.argv.slice(2);
try {
  await prepare(readSettings(words[0]));
  process.exitCode = deploy(words);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message.replace('-c stage=<name>', 'npm run deploy -- <name>'));
  process.exitCode = 1;
}
