import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import type { FastifyInstance } from 'fastify';
import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { once } from '../../shared/runtime/async.ts';
import { imagesConfig } from '../../shared/runtime/config.ts';
import { contentPolicy } from '../docs/page.ts';
import { STAGE } from '../gateway-answers.ts';
import { DEMO_USERS } from './demonstration.ts';
import { IMAGES_PATH } from './environment.ts';
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
    return buildSite({ baseUrl: BASE_URL, demonstration }, origin);
  });
  // A page cannot say itself who may frame it.
  const policy = `${contentPolicy(BASE_URL)}; frame-ancestors 'none'`;
  const headers = { ...HARDENING_HEADERS, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };

  app.get('/', (_request, reply) => reply.redirect(`${DOCS_PATH}/`));
  app.get(DOCS_PATH, (_request, reply) => reply.redirect(`${DOCS_PATH}/`, 308));
  app.get<{ Params: { '*': string } }>(`${DOCS_PATH}/*`, async ({ params, host }, reply) => {
    origin ||= `http://${host}`;
    const file = (await site()).get(params['*'] || 'index.html');
    return file ? reply.headers(headers).type(file.type).send(file.body) : reply.callNotFound();
  });
}

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
