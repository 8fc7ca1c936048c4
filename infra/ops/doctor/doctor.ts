import { type Command, command } from '../command.ts';
import { printable } from '../terminal/text-table.ts';
import { bucketChecks } from './buckets.ts';
import { catalogChecks } from './catalog.ts';
import { type Check, type CheckResult, missingSettings, runChecks } from './check.ts';
import { gatewayChecks } from './gateway.ts';
import { mailChecks } from './mail.ts';
import { providerKeyChecks } from './provider-key.ts';
import { stackChecks } from './stack/stack.ts';
import { tableChecks } from './table.ts';
import { tokenKeyChecks } from './token-keys.ts';

const CHECKS = [
  tableChecks,
  bucketChecks,
  catalogChecks,
  tokenKeyChecks,
  providerKeyChecks,
  mailChecks,
  gatewayChecks,
  stackChecks,
];

const doctor = command({
  name: 'doctor',
  summary: 'Check an installation, and say what to do about everything that is missing',
  example: '--outputs .local/outputs.json',
  async run(_, { isLocal }) {
    const place = isLocal ? 'local' : 'aws';
    const all = CHECKS.flatMap((make) => make());
    const relevant = all.filter(({ notLocally }) => place === 'aws' || notLocally === undefined);
    const checks = await runChecks([environmentCheck(relevant), ...all], place);
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
