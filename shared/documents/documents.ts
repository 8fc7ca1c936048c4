import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Refusal } from '../domain/fault.ts';
import type { DocumentType } from '../domain/prescription.ts';

const LINK_SECONDS = 5 * 60;
const LIMITS = { maxAttempts: 3, connectionTimeout: 500, requestTimeout: 2_500 };
const RETRY_AFTER_SECONDS = 5;

export type Document = { readonly bytes: Uint8Array; readonly type: DocumentType; readonly name: string };
export type KeyedDocument = Document & { readonly key: string };

/** Random for every attempt, and nothing about anybody. */
export const newDocumentKey = (): string => `prescriptions/${randomUUID()}`;

/** Prescriptions in S3: private, under random keys that say nothing about anybody. */
export class Documents {
  readonly #bucket: string;
  readonly #s3: S3Client;

  constructor(bucket: string, forcePathStyle: boolean) {
    this.#bucket = bucket;
    this.#s3 = new S3Client({
      forcePathStyle,
      maxAttempts: LIMITS.maxAttempts,
      requestHandler: {
        connectionTimeout: LIMITS.connectionTimeout,
        requestTimeout: LIMITS.requestTimeout,
        throwOnRequestTimeout: true,
      },
    });
  }

  /** Stores all of them or, as far as can be told, none. */
  async store(documents: readonly KeyedDocument[]): Promise<void> {
    const stored = await Promise.allSettled(documents.map((document) => this.#put(document)));
    const failure = stored.find((result) => result.status === 'rejected');
    if (!failure) return;
    await this.remove(documents.map(({ key }) => key));
    throw new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: failure.reason });
  }

  async #put({ key, bytes, type, name }: KeyedDocument): Promise<void> {
    await this.#s3.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: key,
        Body: bytes,
        ContentType: type,
        // Metadata of the object, so that a link to it never carries the name.
        ContentDisposition: attachment(name),
        CacheControl: 'private, no-store',
      }),
    );
  }

  /** Removes what stands in no order. What cannot be removed now is left to the sweep. */
  async remove(keys: readonly string[]): Promise<void> {
    await Promise.allSettled(keys.map((Key) => this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key }))));
  }

  /** An address that opens this one document for 5 minutes, as an attachment. */
  async link(key: string): Promise<string> {
    return getSignedUrl(this.#s3, new GetObjectCommand({ Bucket: this.#bucket, Key: key }), {
      expiresIn: LINK_SECONDS,
    });
  }
}

/** RFC 6266: an ASCII name for old programs and the whole name in UTF-8. */
function attachment(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
