import * as z from 'zod';
import { askCallerArn } from '../aws.ts';
import { type Command, command } from '../command.ts';
import { explainNoServer, setting } from '../errors.ts';
import { emailAddress, flag } from '../input.ts';
import { printable } from '../output.ts';
import { type Access, apiChecks, readAccess } from './api.ts';
import { type Check, type CheckResult, missingSettings, runChecks } from './check.ts';
import { dataChecks } from './data.ts';
import { mailChecks } from './mail.ts';
import { paymentChecks, secretChecks } from './secrets.ts';
import { stackChecks } from './stack.ts';

const doctor = command({
  name: 'doctor',
  summary: 'Check an installation, and say what to do about everything that is missing',
  example: '--outputs .local/demo.json',
  input: z.object({
    key: flag.describe(
      'ask for the API key of a client, or read it from stdin or DOCTOR_API_KEY, and try a page of products and a quote with it',
    ),
    email: emailAddress
      .optional()
      .describe('ask for the password of this user as well, or take DOCTOR_PASSWORD, and log in'),
  }),
  async run({ key, email }, context) {
    if (context.isLocal) {
      const absent = await findAbsentServer();
      if (absent) return { document: { checks: [absent] }, text: checkLine(absent), failure: '' };
    }
    const place = context.isLocal ? 'local' : 'aws';
    const all = makeChecks(await readAccess({ key, email }, context));
    const relevant = all.filter(({ notLocally }) => place === 'aws' || notLocally === undefined);
    const checks = await runChecks([environmentCheck(relevant), ...all], place);
    const hasFailed = checks.some(({ state }) => state === 'failed');
    return { document: { checks }, text: checks.map(checkLine).join(''), failure: hasFailed ? '' : undefined };
  },
});

/** Returns every check, in the order in which they are printed. */
export const makeChecks = (access: Access): Check[] => [
  accountCheck,
  ...dataChecks(),
  ...secretChecks(),
  ...paymentChecks(),
  ...mailChecks(),
  ...apiChecks(access),
  ...stackChecks(),
];

const SERVER_LIMIT_MS = 10_000;

/** Returns the one result of a desk whose local server is not running; undefined if it is. */
async function findAbsentServer(): Promise<CheckResult | undefined> {
  const url = new URL(setting('API_URL'));
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(SERVER_LIMIT_MS) })).body?.cancel();
    return undefined;
  } catch {
    const finding = explainNoServer(url.host, Number(url.port)).en;
    return { check: 'local server', state: 'failed', finding, remedy: null };
  }
}

const environmentCheck = (checks: readonly Check[]): Check => ({
  name: 'environment',
  needs: [],
  remedy: 'Name the file that `cdk deploy --outputs-file` has written with --outputs, or set them.',
  look: async () => {
    const missing = missingSettings(['AWS_REGION', ...new Set(checks.flatMap(({ needs }) => needs))]);
    return missing.length > 0 ? { failed: `Not set: ${missing.join(', ')}.` } : { ok: 'complete' };
  },
});

const accountCheck: Check = {
  name: 'account',
  needs: ['STACK_ACCOUNT'],
  notLocally: 'The local server is in no account.',
  remedy: 'Take credentials of the account of the stage, or name the outputs of another stage with --outputs.',
  look: async () => {
    // arn:partition:service:region:account:resource
    const account = (await askCallerArn()).split(':')[4];
    const expected = setting('STACK_ACCOUNT');
    if (account === expected) return { ok: expected };
    return { failed: `The credentials are of account ${account}, the stage is in ${expected}.` };
  },
};

const STATE_WIDTH = 9;

const checkLine = ({ check, state, finding, remedy }: CheckResult): string =>
  `${state.padEnd(STATE_WIDTH)}${check}: ${printable(finding)}${remedy === null ? '' : ` ${remedy}`}\n`;

export const doctorCommands: readonly Command[] = [doctor];
