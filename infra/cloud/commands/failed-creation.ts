import { describeStack, endTerminationProtection, type StackPlace } from '../../ops/aws.ts';

// CDK deletes such a stack before it creates it anew, but turns on the protection before a creation, and does not turn it
// off (aws-samples/aws-secure-environment-accelerator#253).
const CREATION_FAILED = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** Ends the termination protection of a stack whose creation failed, in this account if one is named. */
export async function releaseFailedCreation(
  place: StackPlace,
  account: string | undefined,
): Promise<'released' | 'kept'> {
  const { id, status } = await describeStack(place);
  const isElsewhere = account !== undefined && id.split(':')[4] !== account;
  if (isElsewhere || !CREATION_FAILED.includes(status)) return 'kept';
  await endTerminationProtection({ name: id, region: place.region });
  return 'released';
}
