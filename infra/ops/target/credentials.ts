import { S3Client } from '@aws-sdk/client-s3';

/**
 * Puts the credentials of a profile into the environment, for code that signs requests by itself and looks for them
 * there only. Does nothing when the environment has its own, or when none are found: then who needs them says so.
 */
export async function enterCredentials(): Promise<void> {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  // As the SDK decides: a profile that is named goes before keys.
  if (AWS_ACCESS_KEY_ID && !AWS_PROFILE) return;
  const found = await new S3Client({}).config.credentials().catch(() => undefined);
  if (!found) return;
  // Both at once would be two sources, of which the SDK complains.
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: found.accessKeyId,
    AWS_SECRET_ACCESS_KEY: found.secretAccessKey,
    ...(found.sessionToken && { AWS_SESSION_TOKEN: found.sessionToken }),
  });
}
