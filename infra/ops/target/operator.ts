import { userInfo } from 'node:os';
import { CommandRefusal } from '../command.ts';
import { askAwsForText } from './signed-request.ts';

/**
 * Returns who runs the command: the ARN by which AWS knows the caller, or on the local server the system's user name.
 * Throws a CommandRefusal if AWS does not say.
 */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isTableElsewhere()) return userInfo().username;
  try {
    return parseArn(await askAwsForText(CALLER_IDENTITY));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandRefusal(`AWS does not say who you are (${reason}), so nothing was changed.`);
  }
}

/** True if the table is not of AWS, where nobody has an ARN, and no STS is named beside it. */
const isTableElsewhere = (): boolean =>
  Boolean(process.env.AWS_ENDPOINT_URL_DYNAMODB) && !process.env.AWS_ENDPOINT_URL_STS;

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
