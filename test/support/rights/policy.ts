import type { AwsCall } from '../faults/aws-call.ts';
import type { Statement } from './function-rights.ts';

/** True when at least one statement allows the whole call. */
export const isAllowed = (call: AwsCall, statements: readonly Statement[]): boolean =>
  statements.some((statement) => allows(statement, call));

function allows(statement: Statement, { action, resource, leadingKeys = [], fromAddress }: AwsCall): boolean {
  const { leadingKeys: kinds } = statement;
  return (
    statement.actions.includes(action) &&
    statement.resources.some((pattern) => isLike(resource, pattern)) &&
    (kinds === undefined || leadingKeys.every((key) => kinds.some((kind) => isLike(key, kind)))) &&
    (statement.fromAddress === undefined || statement.fromAddress === fromAddress)
  );
}

/** Returns the actions, resources and key patterns that no call used, as `actions on resources: part`. */
export function unusedRights(statements: readonly Statement[], calls: readonly AwsCall[]): string[] {
  return statements.flatMap((statement) => {
    const { actions, resources, leadingKeys: kinds = [] } = statement;
    const served = calls.filter((call) => allows(statement, call));
    const unused = [
      ...actions.filter((action) => !served.some((call) => call.action === action)),
      ...resources.filter((pattern) => !served.some(({ resource }) => isLike(resource, pattern))),
      ...kinds.filter((kind) => !served.some(({ leadingKeys = [] }) => leadingKeys.some((key) => isLike(key, kind)))),
    ];
    return unused.map((part) => `${actions} on ${resources}: ${part}`);
  });
}

/** Matches an IAM pattern, where `*` is any text and `?` any character. */
function isLike(value: string, pattern: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`).test(value);
}
