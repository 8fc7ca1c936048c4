import { S3Client } from '@aws-sdk/client-s3';

// The SDK would warn at each start of a profile beside keys, which are those of the profile.
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

let provider: S3Client['config']['credentials'] | undefined;

/**
 * Puts the credentials of a profile into the environment, where code that signs its own requests looks for them.
 * Does nothing when the environment has credentials of its own, or when none are found.
 */
export async function enterCredentials(): Promise<void> {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
  // The SDK prefers a named profile to keys, too.
  const hasOwn = AWS_ACCESS_KEY_ID && !AWS_PROFILE;
  // Without its name, the SDK would take the keys that are entered here for those of the profile when it renews them.
  const profile = { profile: AWS_PROFILE ?? 'default', logger: SILENT };
  provider = hasOwn ? undefined : new S3Client(profile).config.credentials;
  await renewCredentials();
}

/**
 * Enters the credentials anew that the profile has now: the SDK renews those of a role or of a session in their last five
 * minutes. Those that cannot be renewed stay, until AWS takes them no more.
 */
export async function renewCredentials(): Promise<void> {
  const found = await provider?.().catch(() => undefined);
  if (!found) return;
  // The SDK warns about a profile beside keys.
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
  delete process.env.AWS_CREDENTIAL_EXPIRATION;
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: found.accessKeyId,
    AWS_SECRET_ACCESS_KEY: found.secretAccessKey,
    ...(found.sessionToken && { AWS_SESSION_TOKEN: found.sessionToken }),
    // A client of the SDK that is kept looks here again when they are about to end.
    ...(found.expiration && { AWS_CREDENTIAL_EXPIRATION: found.expiration.toISOString() }),
  });
}
