import { spawnSync } from 'node:child_process';
import { releaseFailedCreation } from './removal/stack-status.ts';
import { readSettings, SettingsError } from './settings.ts';

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

async function prepare(stage: unknown): Promise<void> {
  const settings = readSettings(stage);
  if (settings.region) process.env.AWS_REGION = settings.region;
  try {
    await releaseFailedCreation(`Pharmacy-${settings.stage}`, settings.account);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Before the first deployment there is no such stack. CDK itself complains of whatever else is wrong.
    if (!reason.endsWith('ValidationError')) console.error(`CloudFormation was not asked about the stack: ${reason}.`);
  }
}

const words = process.argv.slice(2);
try {
  await prepare(words[0]);
  process.exitCode = deploy(words);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message.replace('-c stage=<name>', 'npm run deploy -- <name>'));
  process.exitCode = 1;
}
