import { type Command, command } from '../command.ts';
import { emailAddress, flag } from '../input.ts';
import { printable } from '../terminal/text-table.ts';
import { accountChecks } from './account.ts';
import { readAccess } from './api/access.ts';
import { gatewayChecks } from './api/gateway.ts';
import { requestChecks } from './api/requests.ts';
import { bucketChecks } from './buckets.ts';
import { catalogChecks } from './catalog.ts';
import { type Asked, type Check, type CheckResult, missingSettings, runChecks } from './check.ts';
import { LOCAL_CHECKS } from './local.ts';
import { checkLocalServer } from './local-server.ts';
import { mailChecks } from './mail.ts';
import { providerKeyChecks } from './provider-key.ts';
import { signingKeyChecks } from './signing-keys.ts';
import { stackChecks } from './stack/stack.ts';
import { tableChecks } from './table.ts';

const CHECKS = [
  accountChecks,
  tableChecks,
  bucketChecks,
  catalogChecks,
  signingKeyChecks,
  providerKeyChecks,
  mailChecks,
  gatewayChecks,
  requestChecks,
  stackChecks,
];

/** Returns every check, in the order in which they are printed. */
export const makeChecks = (asked: Asked): Check[] => CHECKS.flatMap((make) => make(asked));

const DETAILS = `  --key             ask for the API key of a client, or read it from stdin, and try a page of products and a quote with it;
                    DOCTOR_API_KEY in the environment does so too
  --email <e-mail>  ask for the password of this user as well, or take DOCTOR_PASSWORD, and log in
  --ring            set the alarm dead-letters off and back, which mails the alarm address, and report what its history says
`;

const doctor = command({
  name: 'doctor',
  effect: 'reads',
  summary: 'Check an installation, and say what to do about everything that is missing',
  example: '--outputs .local/demo.json',
  details: DETAILS,
  options: { key: flag, email: emailAddress.optional(), ring: flag },
  async run({ ring, key, email }, io) {
    const absent = io.isLocal ? await checkLocalServer() : undefined;
    if (absent) return { document: { checks: [absent] }, text: toLine(absent), failure: '' };
    const place = io.isLocal ? 'local' : 'aws';
    const asked = { ring, access: await readAccess({ key, email }, io) };
    const local = io.isLocal ? LOCAL_CHECKS : [];
    const all = makeChecks(asked);
    const relevant = all.filter(({ notLocally }) => place === 'aws' || notLocally === undefined);
    const checks = await runChecks([...local, environmentCheck([...relevant, ...local]), ...all], place);
    const hasFailed = checks.some(({ state }) => state === 'failed');
    return { document: { checks }, text: checks.map(toLine).join(''), failure: hasFailed ? '' : undefined };
  },
});

const environmentCheck = (checks: readonly Check[]): Check => ({
  name: 'environment',
  needs: [],
  remedy: 'Name the file that `cdk deploy --outputs-file` has written with --outputs, or set them.',
  look: async () => {
    const missing = missingSettings(['AWS_REGION', ...new Set(checks.flatMap(({ needs }) => needs))]);
    return missing.length > 0 ? { failed: `Not set: ${missing.join(', ')}.` } : { ok: 'complete' };
  },
});

const STATE_WIDTH = 9;

const toLine = ({ check, state, finding, remedy }: CheckResult): string =>
  `${state.padEnd(STATE_WIDTH)}${check}: ${printable(finding)}${remedy === null ? '' : ` ${remedy}`}\n`;

export const doctorCommands: readonly Command[] = [doctor];
