import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type * as z from 'zod';
import { POINTER_KEY, type Pointer, pointer } from './file/snapshot.ts';

export type CatalogBucket = { readonly s3: S3Client; readonly name: string };

async function getObject({ s3, name }: CatalogBucket, key: string): Promise<GetObjectCommandOutput | undefined> {
  try {
    return await s3.send(new GetObjectCommand({ Bucket: name, Key: key }));
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

export async function readObject(bucket: CatalogBucket, key: string) {
  const stored = await getObject(bucket, key);
  return stored && { body: (await stored.Body?.transformToByteArray()) ?? new Uint8Array(), etag: stored.ETag };
}

/** Returns the bytes of an object while they arrive. */
export const openObject = async (bucket: CatalogBucket, key: string): Promise<Readable | undefined> =>
  (await getObject(bucket, key))?.Body as Readable | undefined;

export async function putObject(
  bucket: CatalogBucket,
  key: string,
  body: Uint8Array | string,
  headers: Pick<PutObjectCommandInput, 'CacheControl' | 'ContentType'> = {},
): Promise<void> {
  await bucket.s3.send(new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: body, ...headers }));
}

// S3 answers 412 to a failed condition, and 409 to one of two concurrent conditional writes.
const CONDITION_FAILED: readonly (number | undefined)[] = [409, 412];

/** Writes an object if the stored one still has this `etag` (undefined: if there is none); else returns false. */
export async function replaceObject(
  bucket: CatalogBucket,
  key: string,
  body: string,
  etag: string | undefined,
): Promise<boolean> {
  const condition = etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag };
  try {
    await bucket.s3.send(new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: body, ...condition }));
    return true;
  } catch (error) {
    if (error instanceof S3ServiceException && CONDITION_FAILED.includes(error.$metadata.httpStatusCode)) return false;
    throw error;
  }
}

export async function listKeys({ s3, name }: CatalogBucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for (let isWhole = false; !isWhole; ) {
    // The local S3 fails at continuation tokens.
    const from = { Prefix: prefix, StartAfter: keys.at(-1) };
    const page = await s3.send(new ListObjectsV2Command({ Bucket: name, ...from }));
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
    isWhole = !page.IsTruncated;
  }
  return keys;
}

/** `pointer` is undefined if nothing is published or the stored object is no pointer. */
export type PointerRead = { readonly etag: string | undefined; readonly pointer: Pointer | undefined };

export async function readPointer(bucket: CatalogBucket): Promise<PointerRead> {
  const stored = await readObject(bucket, POINTER_KEY);
  return { etag: stored?.etag, pointer: stored && parseStored(pointer, stored.body) };
}

export function parseStored<Shape extends z.ZodType>(shape: Shape, body: Uint8Array): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(new TextDecoder().decode(body))).data;
  } catch {
    return undefined;
  }
}
