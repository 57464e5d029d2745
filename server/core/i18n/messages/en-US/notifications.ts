/** In-app notifications in English. `events/notices.ts` checks that every kind has its texts, and that every placeholder is filled. */
export const notifications = {
  'review.created': { title: 'Review requested: {title}', body: '{actor} opened a review in the project {project}.' },
  'review.approved': { title: 'Review approved: {title}', body: '{actor} approved the review in the project {project}.' },
  'review.changes_requested': { title: 'Changes requested: {title}', body: '{actor} requested changes in the project {project}.' },
  'review.rejected': { title: 'Review rejected: {title}', body: '{actor} rejected the review in the project {project}.' },
  'review.closed': { title: 'Review closed: {title}', body: '{actor} closed the review in the project {project}.' },
  'review.commented': { title: 'New comment: {title}', body: '{actor} commented on the review in the project {project}.' },
  'version.published': { title: 'Version published: {version}', body: '{actor} published a version of the project {project}.' },
  'publish.failed': { title: 'Version not published: {version}', body: 'The quality gate of the project {project} did not pass.' },
  'project.member_added': { title: 'You were added to {project}', body: '{actor} gave you the role {role} in the project {project}.' },
  'api.quota.warning': { title: 'Plan limit almost reached: {metric}', body: '{consumed} of {limit} are used.' },
  'billing.payment_failed': { title: 'A payment failed', body: 'The plan {plan} applies until {until}. Check the payment method in the customer portal.' },
  'billing.trial_ending': { title: 'The trial of the plan {plan} ends on {until}', body: 'The first payment follows. Change or cancel the subscription in the customer portal.' },
  'billing.plan_ended': {
    title: 'The plan {former} has ended',
    body: 'The organization is on the plan {plan} now. Nothing was deleted; what is over its limits can only be read.',
  },
  'webhook.disabled': { title: 'Webhook disabled', body: 'The service sends nothing more to {host}. Check the receiver, then enable the webhook again.' },
  'integration.disabled': {
    title: 'Integration disabled: {name}',
    body: 'The service posts nothing more to the chat. Check its incoming webhook, then enable the integration again.',
  },
  'api_key.owner_left': {
    title: 'API keys of a former member: {count}',
    body: '{member} left the organization, and their API keys still work. Revoke those that are not used; rotate the others to become their owner.',
  },
  'api_key.owner_left_revoked': {
    title: 'API keys revoked: {count}',
    body: '{member} left the organization, and their API keys were revoked, as the key policy requires.',
  },
  'feedback.updated': { title: 'Your feedback: {title}', body: 'Its status is now {status}.' },
  'feedback.created': { title: 'New feedback: {title}', body: 'Someone sent a feedback report.' },
  'replay.finished': { title: 'Replay of {corpus}: {status}', body: 'The replay that you started has ended.' },
  'account.password_changed': { title: 'Your password was changed', body: 'If it was not you, set a new password and tell an administrator of your organization.' },
  'account.password_reset': { title: 'Your password was reset', body: 'If it was not you, set a new password and tell an administrator of your organization.' },
  'account.second_factor_enabled': {
    title: 'A second factor was added to your account',
    body: 'If it was not you, set a new password and tell an administrator of your organization.',
  },
  'account.second_factor_removed': {
    title: 'The second factor of your account was removed',
    body: 'If it was not you, set a new password and tell an administrator of your organization.',
  },
  'account.second_factor_removed_by_admin': {
    title: 'An administrator removed the second factor of your account',
    body: 'If it was not you, set a new password and tell an administrator of your organization.',
  },
  'account.recovery_code_used': { title: 'A recovery code was used', body: 'If it was not you, set a new password and tell an administrator of your organization.' },
  'account.recovery_codes_created': { title: 'Your recovery codes were replaced', body: 'If it was not you, set a new password and tell an administrator of your organization.' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly body: string }>>
