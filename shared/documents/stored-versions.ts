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

/** A version of an object, or the marker that its removal left; it has no id where the bucket keeps no versions. */
export type StoredVersion = { readonly key: string; readonly versionId: string | undefined; readonly storedAt: Date };

type Folder = { readonly Bucket: string; readonly Prefix: string; readonly MaxKeys?: number };
type Place = Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'>;

/** Yields all versions of all objects in a folder, and the markers of removed ones, up to 1,000 at a time. */
export async function* listStoredVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
  try {
    yield* listVersions(s3, folder);
  } catch (error) {
    // The local S3 keeps no versions and refuses the first request, so its objects are listed instead.
    if (!(error instanceof S3ServiceException) || error.name !== 'MethodNotAllowed') throw error;
    yield* listObjects(s3, folder);
  }
}

async function* listVersions(s3: S3Client, folder: Folder): AsyncGenerator<StoredVersion[]> {
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

function toStoredVersion(listed: ObjectVersion | DeleteMarkerEntry | _Object): StoredVersion[] {
  const { Key: key, LastModified: storedAt } = listed;
  const versionId = 'VersionId' in listed ? listed.VersionId : undefined;
  return key !== undefined && storedAt ? [{ key, versionId, storedAt }] : [];
}
