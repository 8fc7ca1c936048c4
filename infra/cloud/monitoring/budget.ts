import { type App, type IStackSynthesizer, LegacyStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { BUDGET_REGION, budgetStackName } from '../../stack-names.ts';
import type { Settings } from '../settings.ts';

const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/** Mails the alarm address when a month costs 80 % of the budget, and when it is forecast to cost all of it. */
class BudgetStack extends Stack {
  constructor(app: App, budget: NonNullable<Settings['budget']>, { stage, account, alarmAddress }: Settings) {
    const id = budgetStackName(stage);
    super(app, id, {
      stackName: id,
      env: { ...(account && { account }), region: BUDGET_REGION },
      description: `Pharmacy, budget of stage ${stage}`,
      // The CDK CLI makes it with the credentials of the caller, so that this region need not be bootstrapped. The cast is
      // needed because aws-cdk-lib's types do not distinguish absent from undefined.
      synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
    });
    // Without a name, which a budget that replaces this one could not have: every change of a subscriber replaces it.
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budget.usdPerMonth, unit: 'USD' },
      },
      notificationsWithSubscribers: NOTICES.map((notice) => ({
        notification: { ...notice, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmAddress }],
      })),
    });
  }
}

/** Adds the budget of a stage, if its settings have one. */
export function addBudget(app: App, settings: Settings): void {
  if (settings.budget) new BudgetStack(app, settings.budget, settings);
}
