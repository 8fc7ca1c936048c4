import { startDynamoDbLocal } from '../support/engines/dynamodb-local.ts';
import { runVitest } from '../vitest.ts';

/* Runs the component tests of the store and of orders on Amazon's DynamoDB Local in place of the embedded engine. */

const TESTS = ['test/component/store', 'test/component/orders'];

try {
  const engine = await startDynamoDbLocal();
  try {
    const words = process.argv.length > 2 ? process.argv.slice(2) : TESTS;
    process.exitCode = await runVitest(['--project=component', ...words], { AWS_ENDPOINT_URL_DYNAMODB: engine.url });
  } finally {
    await engine.stop();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
