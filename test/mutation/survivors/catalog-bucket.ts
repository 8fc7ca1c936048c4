import type { Survivors } from '../parts.ts';

export const CATALOG_BUCKET: Survivors = {
  'shared/catalog/publish/bucket.ts': {
    'return { body: (await found.Body.transformToByteArray()) ?? new Uint8Array(), etag: found.ETag };':
      'equal: an answer of S3 has a body; the types do not know',
    'for (const { Key } of page.Contents ?? ["Stryker was here"]) if (Key !== undefined) keys.push(Key);':
      'equal: a text has no key',
    'for (const { Key } of page.Contents ?? []) if (true) keys.push(Key);':
      'equal: what is listed has a key; the types do not know',
  },
  'shared/catalog/read/current.ts': {
    'const headers: Record<string, string> = etag ? {} : {};':
      'only bytes: the same pointer is answered again, and its version is known',
    'if (true) return answer;': 'only the cause that is logged: an error of S3 is no pointer and no snapshot',
    'await answer.body.cancel();': 'equal: an error of S3 has a body; the types do not know',
    'throw new Error(``);': 'only what a debugger shows: the cause',
    'await rm(file, {});': 'only the cause that is logged, when the file could not be written at all',
    'await rm(file, { force: false });': 'only the cause that is logged, when the file could not be written at all',
  },
  'shared/catalog/publish/publish.ts': {
    'if (true) await storeVersion(bucket, snapshot, build.products, now);':
      'only speed: what is stored already is not stored again',
    'const scratch = await mkdtemp(join(tmpdir(), ""));': 'only the name of a folder that is removed',
    'const isCurrent = previous !== null && version === read.pointer.version;':
      'equal: a previous catalog has a pointer; the types do not know',
  },
  'shared/catalog/publish/versions.ts': {
    '} catch {}': 'equal: a function that ends without a value gives undefined',
    'if (false) return false;': 'only for an S3 that ignores conditions, as that of `npm start` does',
  },
};
