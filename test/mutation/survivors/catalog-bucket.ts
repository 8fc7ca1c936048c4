import type { Survivors } from '../parts.ts';

export const CATALOG_BUCKET: Survivors = {
  'shared/catalog/publishing/versions.ts': {
    'return { body: (await found.Body.transformToByteArray()) ?? new Uint8Array(), etag: found.ETag };':
      'equal: an S3 answer always has a body; the types allow none',
    'for (const { Key } of page.Contents ?? ["Stryker was here"]) if (Key !== undefined) keys.push(Key);':
      'equal: the inserted string has no Key',
    'for (const { Key } of page.Contents ?? []) if (true) keys.push(Key);':
      'equal: every listed object has a key; the types allow none',
    '} catch {}': 'equal: a function without a return value returns undefined',
    'if (false) return false;': 'only matters for an S3 that ignores conditions, such as that of `npm start`',
  },
  'shared/catalog/current.ts': {
    'const headers: Record<string, string> = etag ? {} : {};':
      'only traffic: S3 sends the same pointer again, whose version is already known',
    'if (true) return answer;': 'only the logged cause: an S3 error is neither a pointer nor a snapshot',
    'await answer.body.cancel();': 'equal: an S3 error always has a body; the types allow none',
    'throw new Error(``);': 'only the message of a cause that nothing reads',
    'await rm(file, {});': 'only the logged cause when the file could not be written',
    'await rm(file, { force: false });': 'only the logged cause when the file could not be written',
  },
  'shared/catalog/publishing/publish.ts': {
    'if (true) await storeVersion(bucket, snapshot, build.products, now);':
      'only speed: a stored version is not stored again',
    'const isCurrent = previous !== null && version === read.pointer.version;':
      'equal: a previous catalog always has a pointer; the types allow none',
  },
  'shared/catalog/publishing/local-files.ts': {
    'const folder = await mkdtemp(join(tmpdir(), ""));': 'only the name of a temporary folder',
  },
};
