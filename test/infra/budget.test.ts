import { type App, Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../infra/cloud/read-settings.ts';
import { addBudget } from '../../infra/cloud/side-stacks.ts';
import { openApp, PRODUCTION, type StageChanges, stackTemplate, stageJson } from '../support/rights/stack-template.ts';

describe('the budget', () => {
  /** Returns the stacks of a stage that has these settings beside those of the demonstration, without the service itself. */
  const budgetStacks = (changes: StageChanges): Stack[] => {
    const app = openApp();
    addBudget(app, parseSettings('test', stageJson(changes)));
    return app.node.children.filter((child) => Stack.isStack(child));
  };

  it('is none, unless the settings have one', () => {
    expect(budgetStacks({})).toEqual([]);
    stackTemplate().resourceCountIs('AWS::Budgets::Budget', 0);
  });

  it('mails the alarm address at 80 % and before 100 %, for a stage of any region, from a region that has budgets', () => {
    const [stack] = budgetStacks({ ...PRODUCTION, budget: { usdPerMonth: 150 } }) as [Stack];
    expect([stack.stackName, stack.region, stack.account]).toEqual([
      'PharmacyBudget-test',
      'us-east-1',
      '111122223333',
    ]);
    const notice = (NotificationType: string, Threshold: number) => ({
      Notification: { NotificationType, Threshold, ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' },
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'alarmas@demo.example' }],
    });
    const made = (stack.node.root as App).synth().getStackByName(stack.stackName);
    // Roles would be those of a region that CDK is bootstrapped in.
    expect([made.assumeRoleArn, made.cloudFormationExecutionRoleArn]).toEqual([undefined, undefined]);
    expect(made.template.Resources).toMatchObject({
      Budget: {
        Type: 'AWS::Budgets::Budget',
        Properties: {
          Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 150, Unit: 'USD' } },
          NotificationsWithSubscribers: [notice('ACTUAL', 80), notice('FORECASTED', 100)],
        },
      },
    });
  });
});
