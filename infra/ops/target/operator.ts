import { userInfo } from 'node:os';
import { CommandRefusal } from '../command.ts';
import { askAwsForText } from './signed-request.ts';

/**
 * Returns who runs the command: the ARN by which AWS knows the caller, or on the local server the system's user name.
 * Throws a CommandRefusal if AWS does not say.
 */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isDesk(process.env)) return userInfo().username;
  try {
    return await askCallerArn();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandRefusal(`AWS does not say who you are (${reason}), so nothing was changed.`);
  }
}

/** Returns the ARN by which AWS knows the caller. Throws if AWS does not say. */
export const askCallerArn = async (): Promise<string> => parseArn(await askAwsForText(CALLER_IDENTITY));

const LOOPBACK = /^(127(\.\d+){3}|localhost|\[::1\])$/;

/** True if the table is on this machine, where nobody has an ARN, and no STS is named beside it. */
export function isDesk({ AWS_ENDPOINT_URL_DYNAMODB: table, AWS_ENDPOINT_URL_STS: sts }: NodeJS.ProcessEnv): boolean {
  return !sts && table !== undefined && URL.canParse(table) && LOOPBACK.test(new URL(table).hostname);
}

// https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html: it needs no permission and answers XML.
const CALLER_IDENTITY = {
  host: 'sts',
  service: 'sts',
  endpointVariable: 'AWS_ENDPOINT_URL_STS',
  path: '/',
  init: {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'Action=GetCallerIdentity&Version=2011-06-15',
  },
};

function parseArn(xml: string): string {
  const [, arn] = /<Arn>(arn:[^<]+)<\/Arn>/.exec(xml) ?? [];
  if (!arn) throw new Error('sts answers without an ARN');
  return arn;
}
