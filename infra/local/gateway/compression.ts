import { promisify } from 'node:util';
import { deflate, gunzip, gzip, inflate } from 'node:zlib';
import { GATEWAY_QUOTAS } from '../../aws-answers.ts';
import { COMPRESSED_FROM_BYTES } from '../../gateway-answers.ts';
import { awsAnswer, type HttpAnswer } from './answers.ts';

// The content codings of API Gateway, which has no Brotli.
const PACK = { gzip: promisify(gzip), deflate: promisify(deflate) };
const UNPACK = { gzip: promisify(gunzip), deflate: promisify(inflate) };
type Coding = keyof typeof PACK;

const isCoding = (name: string): name is Coding => Object.hasOwn(PACK, name);

/**
 * Chooses as API Gateway does: the coding that the caller prefers, the first of equals. Without the header, or if it is one
 * that the gateway does not have, the answer stays as it is, even if gzip comes next (awsdocs/amazon-api-gateway-developer-guide#32).
 */
export function chooseCoding(acceptEncoding = ''): Coding | undefined {
  const [best] = acceptEncoding
    .split(',')
    .map(parseCoding)
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return best && isCoding(best.name) ? best.name : undefined;
}

function parseCoding(written: string): { name: string; quality: number } {
  const [name = '', ...parameters] = written.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { name, quality: Number(quality) };
}

/** Compresses an answer from 1 KB on. The headers stay, the ETag too, which identifies the answer before compression. */
export async function compressAnswer(answer: HttpAnswer, acceptEncoding: string | undefined): Promise<HttpAnswer> {
  const coding = chooseCoding(acceptEncoding);
  if (!coding || Buffer.byteLength(answer.body) < COMPRESSED_FROM_BYTES) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, 'Content-Encoding': coding },
    body: await PACK[coding](answer.body),
  };
}

/**
 * Unpacks the body of a request, or returns the refusal. API Gateway does so before it calls the function, which sees the
 * plain body beside the header (dougmoscrop/serverless-http#194), and leaves bodies alone that are smaller than the size
 * from which it compresses (API_RestApi, minimumCompressionSize).
 */
export async function unpackBody(body: Buffer, contentEncoding = 'identity'): Promise<Buffer | HttpAnswer> {
  const coding = contentEncoding.trim().toLowerCase();
  if (body.length === 0 || coding === 'identity') return body;
  if (!isCoding(coding)) return awsAnswer('unsupportedCoding');
  if (body.length < COMPRESSED_FROM_BYTES) return body;
  try {
    return await UNPACK[coding](body, { maxOutputLength: GATEWAY_QUOTAS.bodyBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return awsAnswer(isTooLarge ? 'eventTooLarge' : 'unsupportedCoding');
  }
}
