import { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { awsConfig } from '../../../shared/runtime/config.ts';
import { logError, logInfo } from '../../../shared/runtime/log.ts';
import { listStoredVersions } from '../../../shared/store/documents.ts';
import { describeStack } from '../../ops/aws.ts';
import { GatewayKeys } from '../../ops/clients/gateway-keys.ts';
import { answerCloudFormation } from '../custom-resource.ts';

/** The objects of buckets, or the API keys in a usage plan. */
const clearance = z.object({ buckets: z.array(z.string()).default([]), usagePlanId: z.string().optional() });
type Clearance = z.infer<typeof clearance>;

/** When the stack is deleted, removes the objects and API keys that CloudFormation does not know; otherwise only answers. */
export const handler = (event: CloudFormationCustomResourceEvent): Promise<void> =>
  answerCloudFormation(event, async () => {
    if (event.RequestType === 'Delete') await clearIfRemoved(event.StackId, clearance.parse(event.ResourceProperties));
  });

// An update that sets `dataOnRemoval` to `kept` deletes the custom resources, too.
const REMOVED = ['DELETE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'];

async function clearIfRemoved(stackId: string, { buckets, usagePlanId }: Clearance): Promise<void> {
  const { status } = await describeStack({ name: stackId });
  logInfo('custom resource deleted', { stackStatus: status });
  if (!REMOVED.includes(status)) return;
  for (const bucket of buckets) await emptyBucket(bucket);
  if (usagePlanId) await removeKeys(usagePlanId);
}

async function emptyBucket(Bucket: string): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: awsConfig().S3_PATH_STYLE });
  let removed = 0;
  for await (const versions of listStoredVersions(s3, { Bucket, Prefix: '' })) {
    if (versions.length === 0) continue;
    const Objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    if (Errors.length > 0) throw new Error(`S3 did not remove ${Errors.length} objects: ${Errors[0]?.Code}`);
    removed += versions.length;
  }
  logInfo('bucket emptied', { bucket: Bucket, removed });
}

async function removeKeys(usagePlanId: string): Promise<void> {
  const keys = new GatewayKeys();
  const ids = await keys.inPlan(usagePlanId);
  let removed = 0;
  for (const id of ids) removed += await removeKey(keys, id);
  logInfo('API keys removed', { usagePlanId, removed });
}

/** Only keys made for the stage may be removed; others stay in the plan. */
async function removeKey(keys: GatewayKeys, keyId: string): Promise<0 | 1> {
  try {
    await keys.remove(keyId);
    return 1;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AccessDeniedException')) throw error;
    logError('an API key of others is left', error, { keyId });
    return 0;
  }
}
