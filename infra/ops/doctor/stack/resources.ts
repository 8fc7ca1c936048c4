import { now } from '../../../../shared/runtime/clock.ts';
import { setting } from '../../command.ts';
import { callQueryApi, membersOf, textOf } from '../aws-calls.ts';

/** The physical ids of the resources of the stack: names, ARNs or addresses, by the type of resource. */
export type StackResources = ReadonlyMap<string, readonly string[]>;

/** Returns the resources of the stack as CloudFormation lists them. */
export async function listResources(): Promise<StackResources> {
  const found: { type: string; id: string }[] = [];
  let next: string | undefined;
  do {
    const input = { StackName: setting('STACK_NAME'), ...(next !== undefined && { NextToken: next }) };
    const xml = await callQueryApi({ api: 'cloudformation', action: 'ListStackResources', input });
    found.push(...membersOf(xml).map(parseResource));
    next = textOf(xml, 'NextToken');
  } while (next !== undefined);
  const ids = Map.groupBy(found, ({ type }) => type);
  return new Map([...ids].map(([type, resources]) => [type, resources.map(({ id }) => id)]));
}

const parseResource = (member: string): { type: string; id: string } => ({
  type: textOf(member, 'ResourceType') ?? '',
  id: textOf(member, 'PhysicalResourceId') ?? '',
});

export type Stack = { readonly status: string; readonly createdAt: Date; readonly isProtected: boolean };

/** Returns the state of the stack. */
export async function describeStack(): Promise<Stack> {
  const input = { StackName: setting('STACK_NAME') };
  const xml = await callQueryApi({ api: 'cloudformation', action: 'DescribeStacks', input });
  return {
    status: textOf(xml, 'StackStatus') ?? '',
    createdAt: new Date(textOf(xml, 'CreationTime') ?? ''),
    isProtected: textOf(xml, 'EnableTerminationProtection') === 'true',
  };
}

const HOUR_MS = 60 * 60 * 1_000;

/** True in the first hour of a stack, in which not every job has run. */
export const isNew = ({ createdAt }: Stack): boolean => now().getTime() - createdAt.getTime() < HOUR_MS;
