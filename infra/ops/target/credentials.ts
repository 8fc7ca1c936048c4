import { S3Client } from '@aws-sdk/client-s3';

/**
 * Puts the credentials of a profile into the environment, where code that signs its own requests looks for them.
 * Does nothing when the environment has credentials of its own, or when none are found.
 */
export async function enterCredentials(): Promise<void> {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  // The SDK prefers a named profile to keys, too.
  if (AWS_ACCESS_KEY_ID && !AWS_PROFILE) return;
  const found = await new S3Client({}).config.credentials().catch(() => undefined);
  if (!found) return;
  // The SDK warns about a profile beside keys.
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: found.accessKeyId,
    AWS_SECRET_ACCESS_KEY: found.secretAccessKey,
    ...(found.sessionToken && { AWS_SESSION_TOKEN: found.sessionToken }),
  });
}
