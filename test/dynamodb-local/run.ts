import { startDynamoDbLocal } from '../support/engines/dynamodb-local.ts';
import { runVitest } from '../vitest.ts';

/*
 * Runs the component tests of the store and of orders on Amazon's DynamoDB Local in place of the embedded engine, and compares what
 * both answer to the same requests: `npm run test:dynamodb-local`.
 */

const TESTS = ['test/component/store', 'test/component/orders', 'test/dynamodb-local'];

try {
  const engine = await startDynamoDbLocal();
  const projects = ['--project=component', '--project=dynamodb-local'];
  try {
    const words = process.argv.length > 2 ? process.argv.slice(2) : TESTS;
    process.exitCode = await runVitest([...projects, ...words], { AWS_ENDPOINT_URL_DYNAMODB: engine.url });
  } finally {
    await engine.stop();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
