import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { logError } from '../../shared/runtime/log.ts';

/** Runs a custom resource's work and reports the outcome. Throws if CloudFormation does not receive it. */
export async function answerCloudFormation(
  event: CloudFormationCustomResourceEvent,
  work: () => Promise<void>,
): Promise<void> {
  const outcome = await work().then(() => ({ Status: 'SUCCESS' }), describeFailure);
  const { LogicalResourceId, RequestId, StackId } = event;
  // Another id would make CloudFormation delete the replaced resource.
  const answer = { PhysicalResourceId: LogicalResourceId, LogicalResourceId, RequestId, StackId, ...outcome };
  const { ok, status } = await fetch(event.ResponseURL, { method: 'PUT', body: Buffer.from(JSON.stringify(answer)) });
  // Lambda then repeats the call, twice at most.
  if (!ok) throw new Error(`CloudFormation's address answers ${status}`);
}

function describeFailure(error: unknown) {
  logError('custom resource failed', error, {});
  return { Status: 'FAILED', Reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' };
}
