/** Returns the function's name of a handler: `orders-create` for `functions/orders/create.ts`. */
export const functionName = (handler: string): string =>
  handler.replace(/^functions\/|\.ts$/g, '').replaceAll('/', '-');

export const stageStackName = (stage: string): string => `Pharmacy-${stage}`;

// The stacks that a stage may have beside its own. `Pharmacy-<stage>-mail` would be that of a stage called `<stage>-mail`.
export const mailStackName = (stage: string): string => `PharmacyMail-${stage}`;
export const budgetStackName = (stage: string): string => `PharmacyBudget-${stage}`;

/*
 * A budget belongs to an account and to no region, but CloudFormation makes one in some regions only, which Mexico is not
 * among (cfn-lint 1.51.0; aws-cloudformation/cloudformation-coverage-roadmap#2177). So it is a stack of its own in the
 * region of AWS Budgets, for the stages of every region.
 */
export const BUDGET_REGION = 'us-east-1';
