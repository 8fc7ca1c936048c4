import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';

/*
 * To a path or method that it does not know, API Gateway itself answers 403, and with an `Authorization` header in a shape of
 * its own, as to a broken AWS signature. So the root and the rest of all paths have a method for what is no route. API Gateway
 * looks for a pair of resource and method: what a resource has no method for goes to the greedy path, but before that to a
 * parameter beside a literal (measured in ministackorg/ministack#1423 and floci-io/floci#3399). Methods without authorization
 * do not read the `Authorization` header.
 */

// An integration without templates refuses every content type, a missing one included, as UNSUPPORTED_MEDIA_TYPE (API_Integration,
// passthroughBehavior; measured in ministackorg/ministack#1746). That response is our 404, with the headers of all others.
const REFUSAL = new MockIntegration({ passthroughBehavior: PassthroughBehavior.NEVER });

/** Answers 404 to every path and method below the root that is no route; it takes no key, and counts for no key. */
export function addCatchAll(root: IResource, paths: readonly string[]): void {
  const shadowing = new Set(
    paths.filter((path) => hidesParameter(path, paths)).map((path) => root.resourceForPath(path)),
  );
  for (const resource of [root, root.addResource('{rest+}'), ...shadowing]) {
    resource.addMethod('ANY', REFUSAL, { apiKeyRequired: false });
  }
}

/** True for `/orders/calculate` beside `/orders/{id}`, which would get a `GET` of it. */
const hidesParameter = (path: string, paths: readonly string[]): boolean =>
  paths.some((other) => other !== path && parameterized(other).test(path));

const parameterized = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/{]+')}$`);
