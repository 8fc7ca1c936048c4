import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';

/*
 * To a path or method that it does not know, API Gateway itself answers 403, and with an `Authorization` header in a shape of
 * its own, as to a broken AWS signature. So every resource, and the rest of all paths, has a method for what is no route.
 * A method of a route wins over ANY, and a resource over the greedy path, which takes whatever matches no other pair of
 * resource and method (measured in ministackorg/ministack#1423 and floci-io/floci#3399). Methods without authorization do
 * not read the `Authorization` header.
 */

// An integration without templates refuses every content type, a missing one included, as UNSUPPORTED_MEDIA_TYPE (API_Integration,
// passthroughBehavior; measured in ministackorg/ministack#1746). That response is our 404, with the headers of all others.
const REFUSAL = new MockIntegration({ passthroughBehavior: PassthroughBehavior.NEVER });

/** Answers 404 to every path and method below the root that is no route; it takes no key, and counts for no key. */
export function addCatchAll(root: IResource, paths: readonly string[]): void {
  const known = new Set(paths.map((path) => root.resourceForPath(path)));
  for (const resource of [root, root.addResource('{rest+}'), ...known]) {
    resource.addMethod('ANY', REFUSAL, { apiKeyRequired: false });
  }
}
