import { ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { documentsConfig } from '../../../shared/runtime/config.ts';

// S3 lists at most as many on a page (API reference, ListObjects).
const MAX_PAGE = 1_000;

/**
 * Returns the keys of all objects in the bucket of documents, in order. The local engine fails at the second page of
 * version 2 of the list, as it encrypts its token with DES, which OpenSSL 3 has not.
 */
export async function listStoredDocuments(pageSize = MAX_PAGE): Promise<string[]> {
  const client = new S3Client({ forcePathStyle: true });
  const input = { Bucket: documentsConfig().DOCUMENTS_BUCKET, MaxKeys: pageSize };
  const keys: string[] = [];
  let isTruncated = true;
  while (isTruncated) {
    const page = await client.send(new ListObjectsCommand({ ...input, Marker: keys.at(-1) }));
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    isTruncated = page.IsTruncated ?? false;
  }
  client.destroy();
  return keys;
}
