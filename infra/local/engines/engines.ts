import { mkdirSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { once } from '../../../shared/runtime/async.ts';
import { type Environment, localDirectory, portsToOpen } from '../environment.ts';
import { startDynamoDb } from './dynamodb.ts';
import { closeServer, serveGuarded } from './ports.ts';

/**
 * Starts DynamoDB, S3 and SES on loopback in parallel, except those for which the environment names another endpoint. If one
 * cannot start, the others are stopped. `dynamoDbUrl` is undefined if the environment names another; `failed` rejects once that
 * engine has ended and cannot be started again. Throws LocalServerError for a cause that the user can fix.
 */
export async function startEngines(env: Environment) {
  const { DYNAMODB_PORT, S3_PORT, SES_PORT } = portsToOpen(env);
  const directory = localDirectory(env);
  const dynamoDb = DYNAMODB_PORT ? startDynamoDb(join(directory, 'dynamodb'), DYNAMODB_PORT) : undefined;
  const s3 = S3_PORT && startS3(join(directory, 's3'), S3_PORT);
  const ses = SES_PORT && startSes(SES_PORT);
  const outcomes = await Promise.allSettled([dynamoDb, s3, ses].flatMap((starting) => starting || []));
  const stop = async () => {
    await Promise.all(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.stop()));
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  const { url: dynamoDbUrl, failed } = (await dynamoDb) ?? { failed: new Promise<void>(() => undefined) };
  return { stop, failed, dynamoDbUrl };
}

async function startS3(directory: string, port: number) {
  mkdirSync(directory, { recursive: true });
  // S3rver computes the signature of bucket requests without the trailing slash that the SDK signs.
  const engine = new S3rver({ directory, silent: true, allowMismatchedSignatures: true });
  const server = await serveGuarded(engine.callback(), port, 'S3_PORT');
  return { stop: () => closeServer(server) };
}

type Mailbox = { readonly default: (config: { host: string; port: number }) => Promise<Server> };

/**
 * Starts SES with a mailbox page on loopback. The mailbox is loaded for the first request, as it takes 15 MB, and many sessions
 * send no mail.
 */
async function startSes(port: number) {
  const mailbox = once(async () => {
    // Loaded with require, because the default import of this CommonJS package differs between Node and vitest.
    const require = createRequire(import.meta.url);
    const { default: startMailbox }: Mailbox = require('aws-ses-v2-local');
    const answer = await startMailbox({ host: '127.0.0.1', port: 0 });
    await closeServer(answer);
    return answer;
  });
  const pass: RequestListener = async (request, response) => (await mailbox()).emit('request', request, response);
  const server = await serveGuarded(pass, port, 'SES_PORT');
  return { stop: () => closeServer(server) };
}
