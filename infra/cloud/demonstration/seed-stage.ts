import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { hashPassword } from '../../../shared/access/password.ts';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { catalogBucket } from '../../../shared/deps.ts';
import { cachedSecret } from '../../../shared/runtime/aws.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { publishDemonstration, registerDemonstration } from '../../local/demonstration.ts';
import { answerCloudFormation } from '../custom-resource.ts';

const properties = z.object({ gatewayKeyId: z.string(), secretId: z.string() });
const passwords = z.object({ password: z.string() });

/** Adds what the stage lacks of the demonstration; existing catalogs, clients and passwords stay unchanged. */
export const handler = (event: CloudFormationCustomResourceEvent): Promise<void> =>
  answerCloudFormation(event, async () => {
    if (event.RequestType === 'Delete') return;
    const { gatewayKeyId, secretId } = properties.parse(event.ResourceProperties);
    const readSecret = cachedSecret(secretId, (text) => passwords.parse(JSON.parse(text)), now);
    const { etag } = await readPointer(catalogBucket());
    if (etag === undefined) await publishDemonstration(catalogBucket());
    await registerDemonstration(gatewayKeyId, async () => hashPassword((await readSecret()).password));
  });
