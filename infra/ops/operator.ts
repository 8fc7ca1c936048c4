import { userInfo } from 'node:os';
import { CommandRefusal, explainError } from './errors.ts';
import { isDesk } from './target.ts';

/**
 * Returns the ARN by which AWS knows the caller; GetCallerIdentity needs no permission
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html). Throws if AWS does not say.
 */
export async function askCallerArn(): Promise<string> {
  // Loaded late, since most commands ask for nobody's name.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const { Arn: arn } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
  if (!arn?.startsWith('arn:')) throw new Error('STS answers without an ARN');
  return arn;
}

/**
 * Returns who runs the command: the ARN by which AWS knows the caller, or on the local server the system's user name.
 * Throws a CommandRefusal if AWS does not say.
 */
export async function identifyOperator(isLocal: boolean): Promise<string> {
  if (isLocal || isDesk(process.env)) return userInfo().username;
  try {
    return await askCallerArn();
  } catch (error) {
    throw new CommandRefusal(`AWS does not say who you are (${explainError(error)}), so nothing was changed.`);
  }
}
