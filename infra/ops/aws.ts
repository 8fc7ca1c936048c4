import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';

/** A stack by its name or id, and its region if that is not the one of the stage or of the credentials. */
export type StackPlace = { readonly name: string; readonly region?: string | undefined };

export const inRegion = (region: string | undefined) => (region === undefined ? {} : { region });

/** Describes a stack. Throws if CloudFormation refuses, as for one that does not exist. */
export async function describeStack({ name, region }: StackPlace) {
  const client = new CloudFormationClient(inRegion(region));
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
  if (!stack?.StackId || !stack.StackStatus) throw new Error('CloudFormation answers without the status of the stack');
  const { StackId: id, StackStatus: status, CreationTime: createdAt = new Date(0) } = stack;
  return { id, status: String(status), createdAt, isProtected: stack.EnableTerminationProtection === true };
}

/** True if CloudFormation refused because there is no such stack, the ValidationError of DescribeStacks (botocore, 2026-11-22). */
export const isMissingStack = (error: unknown): boolean => error instanceof Error && error.name === 'ValidationError';

export async function endTerminationProtection({ name, region }: StackPlace): Promise<void> {
  const input = { StackName: name, EnableTerminationProtection: false };
  await new CloudFormationClient(inRegion(region)).send(new UpdateTerminationProtectionCommand(input));
}
