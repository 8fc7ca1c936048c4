import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { hashPassword } from '../../../shared/access/password.ts';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { catalogBucket } from '../../../shared/deps.ts';
import { cachedSecret } from '../../../shared/runtime/aws.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { imagesConfig } from '../../../shared/runtime/config.ts';
import { logError } from '../../../shared/runtime/log.ts';
import { publishDemonstration, registerDemonstration } from '../../local/demonstration.ts';

const properties = z.object({ gatewayKeyId: z.string(), secretId: z.string() });
const passwords = z.object({ password: z.string() });

/** Seeds the stage and reports the outcome. Throws if CloudFormation does not receive it. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const outcome = await seed(event).then(() => ({ Status: 'SUCCESS' }), describeFailure);
  const { LogicalResourceId, RequestId, StackId } = event;
  // Another id would make CloudFormation delete the replaced resource.
  const answer = { PhysicalResourceId: LogicalResourceId, LogicalResourceId, RequestId, StackId, ...outcome };
  const { ok, status } = await fetch(event.ResponseURL, { method: 'PUT', body: Buffer.from(JSON.stringify(answer)) });
  // Lambda then repeats the call, twice at most.
  if (!ok) throw new Error(`CloudFormation's address answers ${status}`);
}

/** Adds what the stage lacks of the demonstration; existing catalogs, clients and passwords stay unchanged. */
async function seed({ RequestType, ResourceProperties }: CloudFormationCustomResourceEvent): Promise<void> {
  if (RequestType === 'Delete') return;
  const { gatewayKeyId, secretId } = properties.parse(ResourceProperties);
  const readSecret = cachedSecret(secretId, (text) => passwords.parse(JSON.parse(text)), now);
  const { etag } = await readPointer(catalogBucket());
  const images = { ...catalogBucket(), name: imagesConfig().IMAGES_BUCKET };
  if (etag === undefined) await publishDemonstration(catalogBucket(), images);
  await registerDemonstration(gatewayKeyId, async () => hashPassword((await readSecret()).password));
}

function describeFailure(error: unknown) {
  logError('custom resource failed', error, {});
  return { Status: 'FAILED', Reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' };
}
