import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { failedStorage } from '../../local-server-error.ts';

// Node may be loading the service meanwhile, and cannot read an answer for some seconds.
const TIMEOUT_MS = 15_000;

/**
 * Throws LocalServerError if the engine cannot read its folder: DynamoDB Local also starts on a damaged file, and fails or
 * hangs at the first request.
 */
export async function expectReadableData(directory: string, port: number): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  try {
    await client.send(new ListTablesCommand({}), { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw failedStorage(directory, `DynamoDB Local cannot read it: ${(error as Error).name}`, error);
  } finally {
    client.destroy();
  }
}
