import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { releaseFailedCreation } from '../../infra/cloud/commands/deploy.ts';
import { MISSING_STACK, stackAnswer, xml } from '../support/engines/fake-stack.ts';
import { openScriptedApi, type Scripted } from '../support/engines/scripted-api.ts';

const STACK = 'arn:aws:cloudformation:mx-central-1:111122223333:stack/Pharmacy-demo/a1';
const MAIL = 'arn:aws:cloudformation:us-east-1:111122223333:stack/PharmacyMail-demo/a2';

const describes = (id: string, status: string): Scripted => ({ status: 200, ...stackAnswer(status, true, id) });
const DONE: Scripted = { status: 200, ...xml('<UpdateTerminationProtectionResponse/>') };
const MISSING: Scripted = { status: 400, ...MISSING_STACK };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  // Notes the words that it is given, and fails for the stack that FAILING names.
  const cdk = '#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$2" in "$FAILING") exit 1;; esac\n';
  await writeFile(join(folder, 'cdk'), cdk);
  await chmod(join(folder, 'cdk'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
});

/** Opens a CloudFormation that gives these answers, and returns how it was called: region, action and stack. */
async function openCloudFormation(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', new URL(api.url).origin);
  return () =>
    api.heard.map(({ headers, body }) => {
      const [, region] = /\/([\w-]+)\/cloudformation\//.exec(headers.authorization ?? '') ?? [];
      const { Action, StackName, EnableTerminationProtection } = Object.fromEntries(new URLSearchParams(body));
      return [region, Action, StackName, EnableTerminationProtection].filter(Boolean).join(' ');
    });
}

/** Runs the command, and returns its exit code, what it says, and the calls of `cdk`. */
async function deploy(words: readonly string[], failing = '') {
  const calls = join(folder, 'calls');
  await writeFile(calls, '');
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, CALLS: calls, FAILING: failing };
  const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
    execFile(process.execPath, ['infra/cloud/commands/deploy.ts', ...words], { env }, (error, _, said) =>
      resolve({ code: error?.code ?? 0, said }),
    );
  });
  return { code, said, cdk: (await readFile(calls, 'utf8')).split('\n').slice(0, -1) };
}

const STAGE =
  'deploy Pharmacy-production-example -c stage=production-example --outputs-file .local/production-example.json';
const BUDGET = 'deploy PharmacyBudget-production-example --app cdk.out';
const OPERATE = 'Operate it with npm run ops -- <command> --outputs .local/production-example.json\n';

describe('npm run deploy', () => {
  it('deploys a stage that has no stack yet, and its budget by itself', async () => {
    const asked = await openCloudFormation(MISSING);
    const done = await deploy(['production-example', '-c', 'release=at-once']);
    const options = '-c release=at-once';
    expect(done).toEqual({ code: 0, said: OPERATE, cdk: [`${STAGE} ${options}`, `${BUDGET} ${options}`] });
    expect(asked()).toEqual([
      'mx-central-1 DescribeStacks Pharmacy-production-example',
      'us-east-1 DescribeStacks PharmacyMail-production-example',
    ]);
  });

  it('first lifts the protection of both stacks after a creation that failed', async () => {
    const failed = [describes(STACK, 'ROLLBACK_COMPLETE'), DONE, describes(MAIL, 'ROLLBACK_FAILED'), DONE];
    const asked = await openCloudFormation(...failed);
    expect(await deploy(['production-example'])).toMatchObject({ code: 0, cdk: [STAGE, BUDGET] });
    expect(asked()).toEqual([
      'mx-central-1 DescribeStacks Pharmacy-production-example',
      `mx-central-1 UpdateTerminationProtection ${STACK} false`,
      'us-east-1 DescribeStacks PharmacyMail-production-example',
      `us-east-1 UpdateTerminationProtection ${MAIL} false`,
    ]);
  });

  it('ends when the stage fails, and names the outputs of the stage that is up when its budget fails', async () => {
    await openCloudFormation(MISSING);
    const failed = await deploy(['production-example'], 'Pharmacy-production-example');
    expect(failed).toEqual({ code: 1, said: '', cdk: [STAGE] });
    const unbudgeted = await deploy(['production-example'], 'PharmacyBudget-production-example');
    expect(unbudgeted).toEqual({ code: 1, said: OPERATE, cdk: [STAGE, BUDGET] });
  });

  it('deploys one stack of a stage without budget, and says that CloudFormation was not asked', async () => {
    await openCloudFormation({
      status: 403,
      ...xml('<ErrorResponse><Error><Code>AccessDenied</Code><Message>not allowed</Message></Error></ErrorResponse>'),
    });
    vi.stubEnv('AWS_REGION', 'us-east-1');
    const done = await deploy(['demo']);
    expect(done.said).toContain('CloudFormation was not asked about the stack: not allowed.');
    expect(done.cdk).toEqual(['deploy Pharmacy-demo -c stage=demo --outputs-file .local/demo.json']);
  });
});

it.each([
  ['released', 'ROLLBACK_COMPLETE', '111122223333'],
  ['released', 'ROLLBACK_FAILED', undefined],
  ['kept', 'CREATE_COMPLETE', '111122223333'],
  ['kept', 'UPDATE_ROLLBACK_COMPLETE', '111122223333'],
  ['kept', 'UPDATE_COMPLETE', undefined],
  ['kept', 'ROLLBACK_COMPLETE', '444455556666'],
])('the termination protection of a stack is %s in %s and account %s', async (outcome, status, account) => {
  const asked = await openCloudFormation(describes(STACK, status), DONE);
  expect(await releaseFailedCreation({ name: 'Pharmacy-demo', region: 'us-east-1' }, account)).toBe(outcome);
  const lifted = `us-east-1 UpdateTerminationProtection ${STACK} false`;
  expect(asked()).toEqual(['us-east-1 DescribeStacks Pharmacy-demo', ...(outcome === 'released' ? [lifted] : [])]);
});
