import { printable } from '../terminal/text-table.ts';
import { isDesk } from './operator.ts';

/** Returns the line that says on what a command works: this machine, or a stage in its account; undefined if on neither. */
export function describePlace(env: NodeJS.ProcessEnv): string | undefined {
  const { STACK_NAME, TABLE_NAME, STACK_ACCOUNT: account, AWS_REGION: region, PURPOSE } = env;
  if (isDesk(env)) return `Local: ${env.API_URL ?? env.AWS_ENDPOINT_URL_DYNAMODB}\n`;
  const stage = STACK_NAME ?? (TABLE_NAME && `table ${TABLE_NAME}`);
  if (!stage) return undefined;
  const parts = [PURPOSE ? `${stage} (${PURPOSE})` : stage, account && `account ${account}`, region];
  return `Stage: ${printable(parts.filter(Boolean).join(', '))}\n`;
}
