import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableClientConfig } from '../runtime/config.ts';
import { measureCapacity } from './capacity.ts';

// One call is sent at most 4 times by the SDK. A hung DynamoDB costs 4 × 1.2 s and ends well before the gateway's 29 s.
export const MAX_SENDINGS = 4;
const TIMEOUTS = { connectionTimeout: 500, requestTimeout: 1_200, throwOnRequestTimeout: true };
// A search asks for the orders of up to 100 patients at once. The SDK has 50 connections, so that half of them would wait.
const AGENT = { maxSockets: 100, keepAlive: true };
const CONNECTIONS = { ...TIMEOUTS, httpAgent: AGENT, httpsAgent: AGENT };

let kept: { readonly settings: string; readonly client: DynamoDBDocumentClient } | undefined;

/** Returns the client of this process. Another is made only when the settings that the SDK takes from the environment have changed. */
export function tableClient(): DynamoDBDocumentClient {
  const settings = JSON.stringify(tableClientConfig());
  if (kept?.settings !== settings) kept = { settings, client: makeClient() };
  return kept.client;
}

function makeClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ maxAttempts: MAX_SENDINGS, requestHandler: CONNECTIONS });
  measureCapacity(client);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
