import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Documents } from '../../../shared/store/documents.ts';
import { type Loopback, loopback } from '../../support/http/loopback.ts';

// The local S3 keeps no versions, so the answers of S3 itself are written out here.
// See https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html and API_DeleteObjects.html.
const version = (kind: 'Version' | 'DeleteMarker', key: string, id: string, time: string) =>
  `<${kind}><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>true</IsLatest><LastModified>${time}</LastModified></${kind}>`;
const page = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>docs</Name>${content}</ListVersionsResult>`;

const FIRST = page(
  '<IsTruncated>true</IsTruncated><NextKeyMarker>prescriptions/b</NextKeyMarker><NextVersionIdMarker>v2</NextVersionIdMarker>' +
    version('Version', 'prescriptions/a', 'v1', '2026-11-21T10:00:00.000Z') +
    version('DeleteMarker', 'prescriptions/b', 'v3', '2026-11-21T10:00:02.000Z') +
    version('Version', 'prescriptions/b', 'v2', '2026-11-21T10:00:01.000Z'),
);
const SECOND = page(
  `<IsTruncated>false</IsTruncated>${version('Version', 'prescriptions/c', 'null', '2026-11-21T11:00:00.000Z')}`,
);

let server: Loopback;
let requests: { readonly line: string; readonly body: string }[] = [];
let deletion = '';

beforeAll(async () => {
  server = await loopback(async (request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push({ line, body: await text(request) });
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(line.startsWith('POST') ? deletion : line.includes('key-marker') ? SECOND : FIRST);
  });
});
beforeEach(() => {
  requests = [];
  vi.stubEnv('AWS_ENDPOINT_URL_S3', server.url);
  vi.stubEnv('AWS_REGION', 'mx-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterAll(() => server.close());

const documents = () => new Documents('docs', true);

describe('the versions of a bucket that keeps them', () => {
  it('are listed with the markers of removed objects, page after page', async () => {
    const pages = [];
    for await (const versions of documents().stored()) pages.push(versions);
    expect(pages).toEqual([
      [
        { key: 'prescriptions/a', versionId: 'v1', storedAt: new Date('2026-11-21T10:00:00.000Z') },
        { key: 'prescriptions/b', versionId: 'v2', storedAt: new Date('2026-11-21T10:00:01.000Z') },
        { key: 'prescriptions/b', versionId: 'v3', storedAt: new Date('2026-11-21T10:00:02.000Z') },
      ],
      [{ key: 'prescriptions/c', versionId: 'null', storedAt: new Date('2026-11-21T11:00:00.000Z') }],
    ]);
    const asked = requests.map(({ line }) => new URL(line.split(' ')[1] ?? '', 'http://s3').searchParams);
    expect(asked.map((query) => [query.has('versions'), query.get('prefix')])).toEqual([
      [true, 'prescriptions/'],
      [true, 'prescriptions/'],
    ]);
    expect([asked[1]?.get('key-marker'), asked[1]?.get('version-id-marker')]).toEqual(['prescriptions/b', 'v2']);
  });

  it('are removed permanently one by one, and those that remain are counted', async () => {
    deletion =
      '<DeleteResult><Error><Key>prescriptions/b</Key><VersionId>v3</VersionId><Code>AccessDenied</Code></Error></DeleteResult>';
    const storedAt = new Date('2026-11-21T10:00:00.000Z');
    const failed = await documents().erase([
      { key: 'prescriptions/b', versionId: 'v2', storedAt },
      { key: 'prescriptions/b', versionId: 'v3', storedAt },
    ]);
    expect(failed).toBe(1);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toContain(
      '<Object><Key>prescriptions/b</Key><VersionId>v2</VersionId></Object>' +
        '<Object><Key>prescriptions/b</Key><VersionId>v3</VersionId></Object>',
    );
  });

  it('are not asked for when there is nothing to remove', async () => {
    expect(await documents().erase([])).toBe(0);
    expect(requests).toEqual([]);
  });
});
