import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import type { FastifyInstance } from 'fastify';
import { imagesConfig } from '../../shared/runtime/config.ts';
import { IMAGES_PATH } from './environment.ts';

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
