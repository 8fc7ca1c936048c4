import { callQueryApi, textOf } from './query-api.ts';

/** A stack by its name or id, and its region if that is not the one of the stage or of the credentials. */
export type StackPlace = { readonly name: string; readonly region?: string | undefined };

/** A stack as CloudFormation knows it; its id is its ARN. */
export type Stack = {
  readonly id: string;
  readonly status: string;
  readonly createdAt: Date;
  readonly isProtected: boolean;
};

/** Describes a stack. Throws if CloudFormation refuses, as for one that does not exist. */
export async function describeStack({ name, region }: StackPlace): Promise<Stack> {
  const xml = await callQueryApi({
    api: 'cloudformation',
    action: 'DescribeStacks',
    input: { StackName: name },
    region,
  });
  const id = textOf(xml, 'StackId');
  const status = textOf(xml, 'StackStatus');
  if (!id || !status) throw new Error('CloudFormation answers without the status of the stack');
  return {
    id,
    status,
    createdAt: new Date(textOf(xml, 'CreationTime') ?? ''),
    isProtected: textOf(xml, 'EnableTerminationProtection') === 'true',
  };
}

/** True if CloudFormation refused because there is no such stack, the ValidationError of DescribeStacks (botocore, 2026-11-22). */
export const isMissingStack = (error: unknown): boolean =>
  error instanceof Error && error.message.endsWith('ValidationError');

/** Lets a stack be deleted. */
export async function endTerminationProtection({ name, region }: StackPlace): Promise<void> {
  const input = { StackName: name, EnableTerminationProtection: 'false' };
  await callQueryApi({ api: 'cloudformation', action: 'UpdateTerminationProtection', input, region });
}
