import { now } from '../../../../shared/runtime/clock.ts';
import { listMembers, textOf } from '../../target/query-api.ts';
import type { Stack, StackPlace } from '../../target/stack.ts';

/** The physical ids of the resources of a stack: names, ARNs or addresses, by the type of resource. */
export type StackResources = ReadonlyMap<string, readonly string[]>;

/** Returns the resources of a stack as CloudFormation lists them. */
export async function listResources({ name, region }: StackPlace): Promise<StackResources> {
  const input = { StackName: name };
  const members = await listMembers({ api: 'cloudformation', action: 'ListStackResources', input, region });
  const ids = Map.groupBy(members.map(parseResource), ({ type }) => type);
  return new Map([...ids].map(([type, resources]) => [type, resources.map(({ id }) => id)]));
}

const parseResource = (member: string): { type: string; id: string } => ({
  type: textOf(member, 'ResourceType') ?? '',
  id: textOf(member, 'PhysicalResourceId') ?? '',
});

const HOUR_MS = 60 * 60 * 1_000;

/** True in the first hour of a stack, in which not every job has run. */
export const isNew = ({ createdAt }: Stack): boolean => now().getTime() - createdAt.getTime() < HOUR_MS;
