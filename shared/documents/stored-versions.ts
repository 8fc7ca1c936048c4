import {
  type _Object,
  type DeleteMarkerEntry,
  ListObjectsCommand,
  type ListObjectsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

/** One version of an object, or the mark that its removal left; without an id where the bucket has no versions. */
export type StoredVersion = { readonly key: string; readonly versionId: string | undefined; readonly storedAt: Date };

type Folder = { readonly Bucket: string; readonly Prefix: string };
type Place = Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'>;

/** Everything stored in a folder, up to 1,000 at a time: all versions of all objects, and the marks of removed ones. */
export async function* storedVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  try {
    yield* pagesOfVersions(s3, folder);
  } catch (error) {
    // The local S3 keeps no versions and says so to the first request: there, what is stored are the objects.
    if (!(error instanceof S3ServiceException) || error.name !== 'MethodNotAllowed') throw error;
    yield* pagesOfObjects(s3, folder);
  }
}

async function* pagesOfVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  let place: Place | undefined = {};
  while (place) {
    const start = { KeyMarker: place.NextKeyMarker, VersionIdMarker: place.NextVersionIdMarker };
    const page: ListObjectVersionsCommandOutput = await s3.send(new ListObjectVersionsCommand({ ...folder, ...start }));
    yield [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].flatMap(storedVersion);
    place = page.IsTruncated ? page : undefined;
  }
}

async function* pagesOfObjects(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  let last: string | undefined = '';
  while (last !== undefined) {
    // The first version of this request: the tokens of the second need a cipher that Node 24 no longer has.
    const page: ListObjectsCommandOutput = await s3.send(new ListObjectsCommand({ ...folder, Marker: last }));
    yield (page.Contents ?? []).flatMap(storedVersion);
    last = page.IsTruncated ? page.Contents?.at(-1)?.Key : undefined;
  }
}

function storedVersion(listed: ObjectVersion | DeleteMarkerEntry | _Object): StoredVersion[] {
  const { Key: key, LastModified: storedAt } = listed;
  const versionId = 'VersionId' in listed ? listed.VersionId : undefined;
  return key !== undefined && storedAt ? [{ key, versionId, storedAt }] : [];
}
