import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import type { FastifyInstance } from 'fastify';
import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { once } from '../../shared/runtime/async.ts';
import { imagesConfig } from '../../shared/runtime/config.ts';
import { contentPolicy } from '../docs/page.ts';
import type { SiteFile } from '../docs/site.ts';
import { STAGE } from '../gateway-answers.ts';
import { DEMO_USERS } from './demonstration.ts';
import { IMAGES_PATH } from './environment.ts';
import { acceptsGzip } from './gateway/answers.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from './seed.ts';

export const DOCS_PATH = '/docs';
const BASE_URL = `/${STAGE}`;

/** Serves the API reference, filled in with the demonstration's key and user. */
export function addDocs(app: FastifyInstance): void {
  // The first visitor says under which host and port this machine is reached.
  let origin = '';
  const site = once(async () => {
    // Built on the first visit, so that the server starts without it.
    const { buildSite } = await import('../docs/site.ts');
    const demonstration = { apiKey: DEMO_API_KEY, email: DEMO_USERS[2].email, password: DEMO_PASSWORD };
    return packFiles(await buildSite({ baseUrl: BASE_URL, demonstration }, origin));
  });
  // A page cannot say itself who may frame it.
  const policy = `${contentPolicy(BASE_URL)}; frame-ancestors 'none'`;
  const caching = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  const fixedHeaders = { ...HARDENING_HEADERS, 'Content-Security-Policy': policy, ...caching };

  app.get('/', (_request, reply) => reply.redirect(`${DOCS_PATH}/`));
  app.get(DOCS_PATH, (_request, reply) => reply.redirect(`${DOCS_PATH}/`, 308));
  app.get<{ Params: { '*': string } }>(`${DOCS_PATH}/*`, async ({ params, host, headers }, reply) => {
    origin ||= `http://${host}`;
    const file = (await site()).get(params['*'] || 'index.html');
    if (!file) return reply.callNotFound();
    const { type, etag, body, packed } = file;
    reply.headers({ ...fixedHeaders, ETag: etag });
    if (headers['if-none-match'] === etag) return reply.code(304).send();
    reply.type(type);
    return acceptsGzip(headers['accept-encoding'])
      ? reply.header('Content-Encoding', 'gzip').send(packed)
      : reply.send(body);
  });
}

/** Packed, the files have 1.3 MB instead of 4.4. */
const packFiles = (files: ReadonlyMap<string, SiteFile>) =>
  new Map(
    [...files].map(([name, { type, body }]) => {
      const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
      return [name, { type, etag, body, packed: gzipSync(body) }];
    }),
  );

/** Serves the images of the bucket, as CloudFront does for a stage. */
export function addImages(app: FastifyInstance): void {
  const s3 = new S3Client({ forcePathStyle: true });
  app.get<{ Params: { key: string } }>(`${IMAGES_PATH}/:key`, async ({ params: { key: Key } }, reply) => {
    const find = new GetObjectCommand({ Bucket: imagesConfig().IMAGES_BUCKET, Key });
    const image = await s3.send(find).catch((error) => {
      if (!(error instanceof NoSuchKey)) throw error;
    });
    if (!image?.Body) return reply.callNotFound();
    reply.headers({ 'Content-Type': image.ContentType, 'Cache-Control': image.CacheControl });
    return reply.header('X-Content-Type-Options', 'nosniff').send(await image.Body.transformToByteArray());
  });
}
