import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { listStages, parseSettings, readSettings, readStages } from '../../infra/cloud/read-settings.ts';
import { PRODUCTION, type StageChanges, stackTemplate, stageJson } from '../support/rights/stack-template.ts';

const settings = (changes: StageChanges) => parseSettings('sol', stageJson(changes));

describe('a stage', () => {
  it('is deployed to the account and region of its settings and to no other', () => {
    const template = stackTemplate(PRODUCTION);
    template.hasOutput('Region', { Value: 'mx-central-1' });
    const anyArn = Match.stringLikeRegexp('^arn:aws:logs:mx-central-1:111122223333:');
    const DestinationArn = { 'Fn::Join': ['', Match.arrayWith([anyArn])] };
    template.hasResourceProperties('AWS::ApiGateway::Stage', { AccessLogSetting: { DestinationArn } });
  });

  it('of a demonstration may take them from the credentials', () => {
    stackTemplate().hasOutput('Region', { Value: { Ref: 'AWS::Region' } });
    expect(settings({ region: 'us-east-1' })).toMatchObject({ region: 'us-east-1' });
  });

  it('has an example for each purpose', () => {
    const purposes = listStages().map((stage) => readSettings(stage).purpose);
    expect(new Set(purposes)).toEqual(new Set(['demonstration', 'production']));
  });

  it.each(['', '../demo', 'Demo', 'a'.repeat(21)])('cannot be called "%s"', (stage) => {
    expect(() => readSettings(stage)).toThrow('Name the stage with -c stage=<name>: ');
  });
});

describe('the CDK app', () => {
  it('makes the demonstration if no stage is named, and no other', () => {
    const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
    expect(readStages(context.stage).map(({ stage }) => stage)).toEqual(['demo']);
  });

  it.each([
    [{ stage: '' }, /^Name the stage with -c stage=<name>: .*\n$/],
    [
      { stage: 'demo,nowhere' },
      /^The settings of stage nowhere are missing: write .*infra\/cloud\/stages\/nowhere\.json\.\n$/,
    ],
  ])('stops with one sentence when it is asked for %j', async (context, sentence) => {
    const CDK_OUTDIR = mkdtempSync(join(tmpdir(), 'synth-'));
    const env = { ...process.env, CDK_OUTDIR, CDK_CONTEXT_JSON: JSON.stringify(context) };
    const app = join(import.meta.dirname, '../../infra/cloud/app.ts');
    const failure = await promisify(execFile)(process.execPath, [app], { env }).catch((error) => error);
    rmSync(CDK_OUTDIR, { recursive: true });
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  });
});
