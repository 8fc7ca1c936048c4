import { hash } from 'node:crypto';
import {
  type _Object,
  type DeleteMarkerEntry,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  type ListObjectsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { unavailable } from '../domain/refusal.ts';
import type { DocumentType } from '../prescriptions/rules/document.ts';
import { callLimit } from '../runtime/clock.ts';

const INVOICE_FOLDER = 'invoices/';
const HASH_DIGITS = 32;

const FILES = {
  xml: { name: 'document.xml', type: 'application/xml' },
  pdf: { name: 'document.pdf', type: 'application/pdf' },
  receipt: { name: 'receipt.xml', type: 'application/xml' },
} as const;
type InvoiceFile = keyof typeof FILES;

// The key contains a random part, so nobody can guess its hash; it is stable, so that a document may be copied twice.
const toObjectKey = (key: string, file: InvoiceFile): string =>
  `${INVOICE_FOLDER}${hash('sha256', key).slice(0, HASH_DIGITS)}/${FILES[file].name}`;

/** Returns the objects of a tax document by its attempt's key, stored or not. */
export const listInvoiceObjects = (key: string): string[] =>
  (['xml', 'pdf', 'receipt'] as const).map((file) => toObjectKey(key, file));

type Files = Partial<Readonly<Record<InvoiceFile, Uint8Array | undefined>>>;

/** Stores a tax document's files privately under opaque keys. May be repeated. Throws if one is not stored. */
export async function storeInvoiceFiles(documents: Documents, key: string, files: Files): Promise<void> {
  const entries = Object.entries(files) as [InvoiceFile, Uint8Array | undefined][];
  await Promise.all(
    entries.map(async ([file, bytes]) => {
      if (bytes) await documents.put({ key: toObjectKey(key, file), bytes, type: FILES[file].type });
    }),
  );
}

/** Throws if the file is not stored. */
export const readInvoiceFile = (documents: Documents, key: string, file: InvoiceFile): Promise<Uint8Array> =>
  documents.read(toObjectKey(key, file));

/** Returns a link that downloads a file under this name for 5 minutes. */
export const linkInvoiceFile = (
  documents: Documents,
  { key, file, name }: { readonly key: string; readonly file: 'xml' | 'pdf'; readonly name: string },
): Promise<string> => documents.link(toObjectKey(key, file), `${name}.${file}`);

const LINK_SECONDS = 5 * 60;

export type Document = { readonly bytes: Uint8Array; readonly type: DocumentType; readonly name: string };
type StoredObject = Pick<Document, 'bytes'> & { readonly key: string; readonly type: string; readonly name?: string };

export const PRESCRIPTIONS_FOLDER = 'prescriptions/';

/** Private documents in S3, under keys that reveal nothing about people. A job sweeps unused prescriptions. */
export class Documents {
  readonly #bucket: string;
  readonly #s3: S3Client;
  /** True if GuardDuty scans the bucket for malware. */
  readonly isScanned: boolean;

  constructor(bucket: string, forcePathStyle: boolean, { isScanned = false } = {}) {
    this.#bucket = bucket;
    this.isScanned = isScanned;
    // A hung S3 costs 3 × 1.8 s: the answer is 503 well before the function's 10 s.
    const requestHandler = { connectionTimeout: 500, requestTimeout: 1_800, throwOnRequestTimeout: true };
    this.#s3 = new S3Client({ forcePathStyle, maxAttempts: 3, requestHandler });
  }

  /** After a failure, the sweep removes those that were stored. Throws Refusal `unavailable`. */
  async store(documents: readonly (Document & { readonly key: string })[]): Promise<void> {
    const results = await Promise.allSettled(documents.map((document) => this.put(document)));
    const failure = results.find((result) => result.status === 'rejected');
    if (!failure) return;
    throw unavailable({ retryAfterSeconds: 5, cause: failure.reason });
  }

  /** An object with a name is downloaded as an attachment. Throws if it is not stored. */
  async put({ key, bytes, type, name }: StoredObject): Promise<void> {
    const { ETag } = await this.#s3.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: key,
        Body: bytes,
        ContentType: type,
        // As the object's metadata, the name never appears in a link.
        ...(name !== undefined && { ContentDisposition: attachment(name) }),
        CacheControl: 'private, no-store',
      }),
      callLimit(),
    );
    // S3 always returns an ETag; without one, something else answered.
    if (ETag === undefined) throw new Error('something other than S3 answered for a document');
  }

  /** Throws if there is no such object. */
  async read(key: string): Promise<Uint8Array> {
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }), callLimit());
    if (!Body) throw new Error('S3 answered without the object');
    return Body.transformToByteArray();
  }

  /** In bytes. Throws Refusal `unavailable`. */
  async sizes(keys: readonly string[]): Promise<number[]> {
    try {
      return await Promise.all(keys.map((key) => this.#size(key)));
    } catch (cause) {
      throw unavailable({ retryAfterSeconds: 5, cause });
    }
  }

  async #size(Key: string): Promise<number> {
    const request = new HeadObjectCommand({ Bucket: this.#bucket, Key });
    const { ContentLength } = await this.#s3.send(request, callLimit()).catch(toNoContent);
    if (ContentLength === undefined) throw new Error('S3 answered without the size of a document');
    return ContentLength;
  }

  /** Removes documents that belong to no order; the sweep removes those that fail. */
  async remove(keys: readonly string[]): Promise<void> {
    await Promise.allSettled(keys.map((Key) => this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key }))));
  }

  /** Removes documents with all their versions. Throws if one remains. */
  async eraseAll(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      for await (const page of listStoredVersions(this.#s3, { Bucket: this.#bucket, Prefix: key })) {
        const failed = await this.erase(page.filter((version) => version.key === key));
        if (failed > 0) throw new Error(`${failed} versions of a document could not be removed.`);
      }
    }
  }

  /** Returns a link that downloads a document for 5 minutes, under its own or another name. */
  async link(key: string, name?: string): Promise<string> {
    const disposition = name !== undefined && { ResponseContentDisposition: attachment(name) };
    const request = new GetObjectCommand({ Bucket: this.#bucket, Key: key, ...disposition });
    return getSignedUrl(this.#s3, request, { expiresIn: LINK_SECONDS });
  }

  /** Yields all stored versions by pages; a removed document still exists as a version. */
  stored(pageSize = 1_000): AsyncIterable<StoredVersion[]> {
    return listStoredVersions(this.#s3, { Bucket: this.#bucket, Prefix: PRESCRIPTIONS_FOLDER, MaxKeys: pageSize });
  }

  /** Removes at most 1,000 versions for good; returns the number of failures. */
  async erase(versions: readonly StoredVersion[]): Promise<number> {
    if (versions.length === 0) return 0;
    const Objects = versions.map(({ key, versionId }) => ({ Key: key, VersionId: versionId }));
    const erasure = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await this.#s3.send(erasure);
    return Errors.length;
  }
}

// If a stage scans documents, S3 refuses those with malware, which count as empty.
function toNoContent(error: unknown): { readonly ContentLength: number } {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) return { ContentLength: 0 };
  throw error;
}

/** Returns a Content-Disposition (RFC 6266) with an ASCII name for old programs and the full name in UTF-8. */
function attachment(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, '_');
  const encode = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, encode);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** A version of an object or its removal marker; without an id if the bucket has no versions. */
export type StoredVersion = { readonly key: string; readonly versionId: string | undefined; readonly storedAt: Date };

type Folder = { readonly Bucket: string; readonly Prefix: string; readonly MaxKeys?: number };
type Place = Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'>;

/** Yields all versions and removal markers in a folder, up to 1,000 at a time. */
async function* listStoredVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  try {
    yield* listObjectVersions(s3, folder);
  } catch (error) {
    // The local S3 has no versions and refuses the first request, so its objects are listed instead.
    if (!(error instanceof S3ServiceException) || error.name !== 'MethodNotAllowed') throw error;
    yield* listObjects(s3, folder);
  }
}

async function* listObjectVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  let place: Place | undefined = {};
  while (place) {
    const start = { KeyMarker: place.NextKeyMarker, VersionIdMarker: place.NextVersionIdMarker };
    const page: ListObjectVersionsCommandOutput = await s3.send(new ListObjectVersionsCommand({ ...folder, ...start }));
    yield [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].flatMap(toStoredVersion);
    place = page.IsTruncated ? page : undefined;
  }
}

async function* listObjects(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  let last: string | undefined = '';
  while (last !== undefined) {
    // ListObjectsV2 is not used, because the local S3 encrypts its tokens with a cipher that Node 24 no longer has.
    const page: ListObjectsCommandOutput = await s3.send(new ListObjectsCommand({ ...folder, Marker: last }));
    yield (page.Contents ?? []).flatMap(toStoredVersion);
    last = page.IsTruncated ? page.Contents?.at(-1)?.Key : undefined;
  }
}

function toStoredVersion(entry: ObjectVersion | DeleteMarkerEntry | _Object): StoredVersion[] {
  const { Key: key, LastModified: storedAt } = entry;
  const versionId = 'VersionId' in entry ? entry.VersionId : undefined;
  return key !== undefined && storedAt ? [{ key, versionId, storedAt }] : [];
}
