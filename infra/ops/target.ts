import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { perContainer } from '../../shared/runtime/async.ts';
import { enterLocalEnvironment, withNotedPorts } from '../local/environment.ts';
import { offerLocalPayments } from '../local/payments/sandbox/sandbox.ts';
import type { Call } from './context.ts';
import { CommandRefusal, explainError, UsageError } from './errors.ts';
import { printable } from './output.ts';

const FLAGS = ['--local', '--json', '--help'];
const OUTPUTS = '--outputs';

/** Splits a command line into the options of every command, which may stand anywhere, and the other words; `outputs` may be empty. */
export function splitGlobalOptions(argv: readonly string[]) {
  const flags = new Set(argv.filter((word) => FLAGS.includes(word)));
  const words = argv.filter((word) => !flags.has(word));
  const at = words.findIndex((word) => word === OUTPUTS || word.startsWith(`${OUTPUTS}=`));
  if (at < 0) return { words, flags, outputs: undefined };
  const isApart = words[at] === OUTPUTS;
  const outputs = isApart ? words[at + 1] : words[at]?.slice(OUTPUTS.length + 1);
  return { words: words.toSpliced(at, isApart ? 2 : 1), flags, outputs: outputs ?? '' };
}

export async function enterTarget({ flags, outputs }: ReturnType<typeof splitGlobalOptions>): Promise<void> {
  if (flags.has('--local')) {
    if (outputs !== undefined) throw new UsageError('--local and --outputs are two places: give one of them.');
    enterLocalEnvironment(withNotedPorts(process.env));
    offerLocalPayments();
  }
  if (outputs === '') throw new UsageError(`--outputs needs the file that \`cdk deploy --outputs-file\` has written.`);
  if (outputs === undefined) return;
  enterOutputs(outputs);
  await enterCredentials();
}

export const LOOPBACK = /^(127(\.\d+){3}|localhost|\[::1\])$/;

/** True if the table is on this machine, where nobody has an ARN, and no STS is named beside it. */
export function isOnThisMachine({
  AWS_ENDPOINT_URL_DYNAMODB: table,
  AWS_ENDPOINT_URL_STS: sts,
}: NodeJS.ProcessEnv): boolean {
  return !sts && table !== undefined && URL.canParse(table) && LOOPBACK.test(new URL(table).hostname);
}

/** Returns the line that says on what a command works: this machine, or a stage in its account; undefined if on neither. */
export function describePlace(env: NodeJS.ProcessEnv): string | undefined {
  const { STACK_NAME, TABLE_NAME, STACK_ACCOUNT: account, AWS_REGION: region, PURPOSE } = env;
  if (isOnThisMachine(env)) return `Local: ${env.API_URL ?? env.AWS_ENDPOINT_URL_DYNAMODB}\n`;
  const stage = STACK_NAME ?? (TABLE_NAME && `table ${TABLE_NAME}`);
  if (!stage) return undefined;
  const parts = [PURPOSE ? `${stage} (${PURPOSE})` : stage, account && `account ${account}`, region];
  return `Stage: ${printable(parts.filter(Boolean).join(', '))}\n`;
}

export function toCommandLine(words: string, { isLocal, outputs }: Pick<Call, 'isLocal' | 'outputs'>): string {
  const place = outputs === undefined ? '' : ` --outputs ${quoteWord(outputs)}`;
  return `npm run ops -- ${words}${isLocal ? ' --local' : place}`;
}

const quoteWord = (word: string): string => (/^[\w./@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Names the output of a stack for an environment variable: `TableName` for `TABLE_NAME`, as CloudFormation takes no underscore. */
export const toOutputName = (variable: string): string =>
  variable.toLowerCase().replace(/(?:^|_)(.)/g, (_, initial: string) => initial.toUpperCase());

const toVariable = (output: string): string => output.replace(/\B[A-Z]/g, '_$&').toUpperCase();

/**
 * Returns a value as an output holds it: CloudFormation answers `?` for every letter outside ASCII
 * (aws-cloudformation/cloudformation-coverage-roadmap#814), so such letters are percent-encoded.
 */
export const encodeOutput = (value: string): string => value.replace(/[^\x20-\x7e]+|%/g, encodeURIComponent);

const outputsFile = z.record(z.string(), z.record(z.string(), z.string().transform(decodeURIComponent)));

/** Sets the environment variables from the outputs of a stack. Throws a UsageError if the file has none. */
export function enterOutputs(file: string): void {
  const [stack, another] = readOutputs(file).filter((outputs) => 'TableName' in outputs);
  if (!stack) throw new UsageError(`--outputs: ${file} holds no outputs of a stack of ours.`);
  if (another) throw new UsageError(`--outputs: ${file} holds the outputs of more than one stack.`);
  for (const [output, value] of Object.entries(stack)) process.env[toVariable(output)] = value;
}

function readOutputs(file: string) {
  try {
    return Object.values(outputsFile.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new UsageError(`--outputs: ${file} cannot be read (${error.code}).`);
    throw new UsageError(`--outputs: ${file} is no file that \`cdk deploy --outputs-file\` has written.`);
  }
}

// The SDK would warn at each start of a profile beside keys, which are those of the profile.
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const profile = perContainer((): { provider?: S3Client['config']['credentials'] | undefined } => ({}));

/** Puts the credentials of a profile into the environment, where code that signs its own requests looks for them. */
export async function enterCredentials(): Promise<void> {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  // The SDK prefers a named profile to keys, too.
  const hasOwn = AWS_ACCESS_KEY_ID && !AWS_PROFILE;
  // Without its name, the SDK would take the keys that are entered here for those of the profile when it renews them.
  const named = { profile: AWS_PROFILE ?? 'default', logger: SILENT };
  profile().provider = hasOwn ? undefined : new S3Client(named).config.credentials;
  await renewCredentials();
}

/** Enters the profile's present credentials, which the SDK renews in their last five minutes; what cannot be renewed stays. */
export async function renewCredentials(): Promise<void> {
  const { provider } = profile();
  const found = await provider?.().catch(() => undefined);
  if (!found) return;
  // The SDK warns about a profile beside keys.
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
  delete process.env.AWS_CREDENTIAL_EXPIRATION;
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: found.accessKeyId,
    AWS_SECRET_ACCESS_KEY: found.secretAccessKey,
    ...(found.sessionToken && { AWS_SESSION_TOKEN: found.sessionToken }),
    // A client of the SDK that is kept looks here again when they are about to end.
    ...(found.expiration && { AWS_CREDENTIAL_EXPIRATION: found.expiration.toISOString() }),
  });
}

/** Returns the ARN by which AWS knows the caller; GetCallerIdentity needs no permission. Throws if AWS does not say. */
export async function askCallerArn(): Promise<string> {
  // Loaded late, since most commands ask for nobody's name.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const { Arn: arn } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
  if (!arn?.startsWith('arn:')) throw new Error('STS answers without an ARN');
  return arn;
}

/** Returns the ARN of the caller, or the system's user name on the local server. Throws a CommandRefusal if AWS does not say. */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isOnThisMachine(process.env)) return userInfo().username;
  try {
    return await askCallerArn();
  } catch (error) {
    throw new CommandRefusal(`AWS does not say who you are (${explainError(error)}), so nothing was changed.`);
  }
}
