import { describeStack, isMissingStack, type Stack, type StackPlace } from '../../target/stack.ts';
import { type Finding, isProduction } from '../check.ts';

const GOOD = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

/** Checks the status of a stack. */
export function checkStatus({ status }: Stack): Finding {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return { warning: 'The last deployment failed and was undone.' };
  if (status.endsWith('_IN_PROGRESS')) return { warning: `It is ${status}: a deployment is under way.` };
  return GOOD.includes(status) ? { ok: status } : { failed: `It is ${status}.` };
}

/** Checks the status of a stack that nobody may remove in production before its protection is lifted. */
export function checkProtected(stack: Stack): Finding {
  const found = checkStatus(stack);
  if ('ok' in found && isProduction() && !stack.isProtected)
    return { failed: 'Termination protection is off in production.' };
  return found;
}

/** Describes a stack beside that of the stage, and checks it; one that does not exist has failed. */
export async function checkBeside(place: StackPlace, check: (stack: Stack) => Finding): Promise<Finding> {
  try {
    return check(await describeStack(place));
  } catch (error) {
    if (!isMissingStack(error)) throw error;
    return { failed: `${place.name} does not exist in ${place.region}.` };
  }
}
