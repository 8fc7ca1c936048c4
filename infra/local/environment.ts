import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';

/** The local server cannot start. The message is one sentence for the user, printed without a stack trace. */
export class LocalServerError extends Error {}

/** Returns the error for data that cannot be used. Who was told to empty it because of a full disk would lose every order. */
export function unusableFolder(directory: string, reason: string, cause?: unknown): LocalServerError {
  const message = /ENOSPC|EDQUOT|EFBIG|\bdisk\b/.test(reason)
    ? `The disk of ${directory} takes no data (${reason}): make room, and start again.`
    : `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`;
  return new LocalServerError(message, { cause });
}

const DEFAULT_PORTS = { PORT: 3000, DYNAMODB_PORT: 8000, S3_PORT: 9000, SES_PORT: 8005 } as const;
const ENDPOINTS: Readonly<Record<string, string>> = {
  DYNAMODB_PORT: 'AWS_ENDPOINT_URL_DYNAMODB',
  S3_PORT: 'AWS_ENDPOINT_URL_S3',
  SES_PORT: 'AWS_ENDPOINT_URL_SES',
};
/** The path of the pages of the sandbox's payments, each under the id of its payment. */
export const PAYMENTS_PATH = '/sandbox-payments';
export const IMAGES_PATH = '/images';
const PORTS_FILE = '.ports';
const notedPorts = z.record(z.string(), z.string());

export type LocalPorts = Readonly<Record<keyof typeof DEFAULT_PORTS, number>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the ports of the local server: `PORT`, `DYNAMODB_PORT`, `S3_PORT` and `SES_PORT`, or their defaults. */
export function localPorts(env: Environment): LocalPorts {
  const ports = Object.entries(DEFAULT_PORTS).map(([name, port]) => [name, readPort(name, env[name] ?? String(port))]);
  return Object.fromEntries(ports) as LocalPorts;
}

function readPort(name: string, written: string): number {
  const value = Number(written);
  if (/^\d{1,5}$/.test(written) && value >= 1 && value <= 65_535) return value;
  throw new LocalServerError(`${name} must be a port from 1 to 65535, not "${written}"`);
}

/** Returns the ports on which the server listens: those of engines for which the environment names no other endpoint. */
export const portsToOpen = (env: Environment): Readonly<Partial<LocalPorts>> =>
  Object.fromEntries(Object.entries(localPorts(env)).filter(([name]) => !env[ENDPOINTS[name] ?? '']));

/** Returns the folder of the local server's data: `LOCAL_DIR`, or else one beside what builds and deployments keep. */
export const localDirectory = (env: Environment): string => resolve(env.LOCAL_DIR || '.local/server');

export const keysFile = (env: Environment): string => join(localDirectory(env), 'api-keys.json');

/**
 * Returns the environment of handlers and operator commands on a local server: the endpoints of the engines, and the names
 * of the table and buckets in them. Endpoints that the caller has set are kept.
 */
export function localEnvironment(env: Environment): Record<string, string> {
  const ports = localPorts(env);
  return {
    AWS_REGION: 'mx-central-1',
    PURPOSE: 'demonstration',
    // The local S3 accepts only this pair; it is valid nowhere else.
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_DYNAMODB: env.AWS_ENDPOINT_URL_DYNAMODB || `http://127.0.0.1:${ports.DYNAMODB_PORT}`,
    AWS_ENDPOINT_URL_S3: env.AWS_ENDPOINT_URL_S3 || `http://127.0.0.1:${ports.S3_PORT}`,
    AWS_ENDPOINT_URL_SES: env.AWS_ENDPOINT_URL_SES || `http://127.0.0.1:${ports.SES_PORT}`,
    API_KEYS_FILE: keysFile(env),
    // Programs on this machine get webhooks too, also by http. A deployed stage sends to public addresses only.
    WEBHOOK_REACH: 'loopback',
    S3_PATH_STYLE: 'true',
    TABLE_NAME: 'pharmacy',
    CATALOG_BUCKET: 'pharmacy-catalog',
    DOCUMENTS_BUCKET: 'pharmacy-documents',
    IMAGES_BUCKET: 'pharmacy-images',
    IMAGE_BASE_URL: env.IMAGE_BASE_URL ?? `http://localhost:${ports.PORT}${IMAGES_PATH}/`,
    SHIPPING_STORE: env.SHIPPING_STORE || '1',
    USAGE_PLAN_ID: 'local',
    API_URL: `http://localhost:${ports.PORT}/v2/`,
    TOKEN_KEYS: '{"current":{"kid":"local","secret":"bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}}',
    SEAL_KEYS: '{"current":{"kid":"local","secret":"bG9jYWwtc2VhbC1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}}',
    CORS_ORIGINS: env.CORS_ORIGINS ?? '',
    MAIL_SENDER: env.MAIL_SENDER || 'Botica <facturas@botica.example>',
    INVOICING_PROVIDER: env.INVOICING_PROVIDER || 'sandbox',
    PAYMENTS_PROVIDER: env.PAYMENTS_PROVIDER || 'sandbox',
    SANDBOX_PAYMENTS_URL: `http://localhost:${ports.PORT}${PAYMENTS_PATH}`,
    ISSUER_LEGAL_NAME: env.ISSUER_LEGAL_NAME || 'BOTICA DE DEMOSTRACION',
    // SAT publishes this RFC for tests.
    ISSUER_RFC: env.ISSUER_RFC || 'EKU9003173C9',
    ISSUER_REGIME: env.ISSUER_REGIME || '601',
    ISSUER_ZIPCODE: env.ISSUER_ZIPCODE || '06700',
  };
}

export function notePorts(directory: string, env: Environment): void {
  const ports = Object.entries(localPorts(env)).map(([name, port]) => [name, String(port)]);
  writeFileSync(join(directory, PORTS_FILE), JSON.stringify(Object.fromEntries(ports)));
}

/** Returns the environment with the ports of the server that was last started on the data folder, unless it names others. */
export function withNotedPorts(env: Environment): Environment {
  try {
    return { ...notedPorts.parse(JSON.parse(readFileSync(join(localDirectory(env), PORTS_FILE), 'utf8'))), ...env };
  } catch {
    return env;
  }
}

export function enterLocalEnvironment(env: Environment = process.env): void {
  const local = localEnvironment(env);
  // A profile or session of a real AWS account would take precedence over the local keys.
  delete process.env.AWS_PROFILE;
  delete process.env.AWS_SESSION_TOKEN;
  Object.assign(process.env, local);
}
